package import Basics
public import WireJSON

/// One header field of a request, as text.
public struct APNsHeader: Sendable, Hashable {
  /// The lower-case field name.
  public var name: String
  /// The field value.
  public var value: String

  /// Makes a field.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// The request headers of an APNs send, typed; `authorization`, `:path` and `:method` belong to the client.
///
/// What cannot be typed is never lost: reading a list of fields puts unknown names, malformed values of known names and
/// repeated names into ``extras``, where the rules find them.
public struct APNsHeaders: Sendable, Hashable {
  /// `apns-push-type`.
  public var pushType: APNsPushType?
  /// `apns-priority`.
  public var priority: APNsPriority?
  /// `apns-topic`: the bundle ID with the push type's suffix.
  public var topic: String?
  /// `apns-collapse-id`, at most ``collapseIDBytesMax`` bytes.
  public var collapseID: String?
  /// `apns-expiration`.
  public var expiration: APNsExpiration?
  /// `apns-id`: chosen by the sender and echoed; APNs makes one when it is absent.
  public var id: APNsID?
  /// `apns-channel-id` of a broadcast: base64, opaque.
  public var channelID: String?
  /// `apns-request-id` of broadcast sends and channel management.
  public var requestID: APNsID?
  /// Fields without a typed property: unknown names, malformed values, repetitions; in the order read.
  public var extras: [APNsHeader] = []

  /// The longest collapse id in UTF-8 bytes.
  public static let collapseIDBytesMax = 64

  /// Makes headers; everything absent unless given, and no extras.
  public init(
    pushType: APNsPushType? = nil, priority: APNsPriority? = nil, topic: String? = nil, collapseID: String? = nil,
    expiration: APNsExpiration? = nil, id: APNsID? = nil, channelID: String? = nil, requestID: APNsID? = nil
  ) {
    self.pushType = pushType
    self.priority = priority
    self.topic = topic
    self.collapseID = collapseID
    self.expiration = expiration
    self.id = id
    self.channelID = channelID
    self.requestID = requestID
  }

  /// The headers with a typed property, in the order they are written.
  package enum Property: String, Sendable, CaseIterable {
    case pushType = "apns-push-type"
    case priority = "apns-priority"
    case topic = "apns-topic"
    case collapseID = "apns-collapse-id"
    case expiration = "apns-expiration"
    case id = "apns-id"
    case channelID = "apns-channel-id"
    case requestID = "apns-request-id"
  }

  /// The names with a typed property, in the order they are written.
  public static let names = Property.allCases.map { $0.rawValue }

  /// Calls `body` with each present (name, value), in the fixed order of ``names``, then ``extras``.
  @inlinable
  public func forEach(_ body: (_ name: String, _ value: String) -> Void) {
    if let pushType { body("apns-push-type", pushType.rawValue) }
    if let priority { body("apns-priority", priority.text) }
    if let topic { body("apns-topic", topic) }
    if let collapseID { body("apns-collapse-id", collapseID) }
    if let expiration { body("apns-expiration", expiration.text) }
    if let id { body("apns-id", id.text) }
    if let channelID { body("apns-channel-id", channelID) }
    if let requestID { body("apns-request-id", requestID.text) }
    for extra in extras { body(extra.name, extra.value) }
  }

  /// The present fields, in the order of ``forEach(_:)``.
  public var fields: [APNsHeader] {
    var fields: [APNsHeader] = []
    forEach { fields.append(APNsHeader(name: $0, value: $1)) }
    return fields
  }

  /// The headers as a JSON object of strings, in the same order.
  public var json: JSONObject {
    var object = JSONObject()
    forEach { object.append($0, .string($1)) }
    return object
  }

  /// Writes what ``json`` is.
  func write(to writer: inout JSONWriter) {
    #if _pointerBitWidth(_32)
      writer.beginObject()
      forEach { name, value in
        writer.key(name)
        writer.string(value)
      }
      writer.endObject()
    #else
      writer.beginObject()
      if let pushType {
        writer.literal("\"apns-push-type\":")
        writer.string(pushType.rawValue)
      }
      if let priority {
        writer.literal("\"apns-priority\":")
        writer.text(of: priority.rawValue)
      }
      if let topic {
        writer.literal("\"apns-topic\":")
        writer.string(topic)
      }
      if let collapseID {
        writer.literal("\"apns-collapse-id\":")
        writer.string(collapseID)
      }
      if let expiration {
        writer.literal("\"apns-expiration\":")
        writer.text(of: WholeNumber(expiration.epochSeconds))
      }
      if let id {
        writer.literal("\"apns-id\":")
        writer.string(id.text)
      }
      if let channelID {
        writer.literal("\"apns-channel-id\":")
        writer.string(channelID)
      }
      if let requestID {
        writer.literal("\"apns-request-id\":")
        writer.string(requestID.text)
      }
      for extra in extras {
        writer.key(extra.name)
        writer.string(extra.value)
      }
      writer.endObject()
    #endif
  }
}

extension APNsHeaders {
  /// Reads a list of fields.
  ///
  /// Names are compared without regard to case; nothing is refused.
  public init(reading fields: [APNsHeader]) {
    self.init()
    for field in fields { read(field) }
  }

  /// Reads the JSON form; a number is read as its text, any other value that is not a string is reported and skipped.
  ///
  /// - Parameters:
  ///   - json: an object from field name to value.
  ///   - field: the path of the object, for the report.
  ///   - report: receives `apns-header-not-string` for values that cannot be header text.
  public init(reading json: JSONObject, at field: FieldPath = FieldPath(members: "headers"), report: inout Report) {
    self.init()
    for (name, value) in json {
      switch value {
      case .string(let text): read(APNsHeader(name: name, value: text))
      case .number(let number): read(APNsHeader(name: name, value: number.text))
      default:
        report.add(
          rule: "apns-header-not-string", severity: .error, field: field.member(name),
          message: "a header value must be a string or a number; write \"\(name)\": \"…\"")
      }
    }
  }

  /// Reads a field, whose name may be in any case.
  package mutating func read(_ field: APNsHeader) {
    let name = field.name.lowercased()
    read(Property(rawValue: name), name, field.value)
  }

  /// Reads a field whose name was compared already.
  ///
  /// - Parameters:
  ///   - property: which of the typed headers it is.
  ///   - name: its name in lower case.
  ///   - value: its value.
  package mutating func read(_ property: Property?, _ name: String, _ value: String) {
    if let property, set(property, value) { return }
    extras.append(APNsHeader(name: name, value: value))
  }

  /// Sets a property from a whole number; false when it takes none, takes another, or is set already.
  package mutating func set(_ property: Property, _ value: WholeNumber) -> Bool {
    guard value >= 0 else { return false }
    switch property {
    case .priority: return APNsHeaders.fill(&priority, APNsPriority(rawValue: value))
    case .expiration: return APNsHeaders.fill(&expiration, APNsExpiration(epochSeconds: Int64(value)))
    default: return false
    }
  }

  /// Sets a property from the text of its header; false when the value is malformed or the property is set already.
  private mutating func set(_ property: Property, _ value: String) -> Bool {
    switch property {
    case .pushType: APNsHeaders.fill(&pushType, APNsPushType(rawValue: value))
    case .priority: APNsHeaders.fill(&priority, APNsPriority(header: value.utf8.span))
    case .topic: APNsHeaders.fill(&topic, value)
    case .collapseID: APNsHeaders.fill(&collapseID, value)
    case .expiration: APNsHeaders.fill(&expiration, APNsExpiration(header: value.utf8.span))
    case .id: APNsHeaders.fill(&id, APNsID(value))
    case .channelID: APNsHeaders.fill(&channelID, value)
    case .requestID: APNsHeaders.fill(&requestID, APNsID(value))
    }
  }

  /// Sets an empty property to a well-formed value; false when the value is malformed or the property is set.
  private static func fill<Value>(_ field: inout Value?, _ value: Value?) -> Bool {
    guard field == nil, let value else { return false }
    field = value
    return true
  }
}
