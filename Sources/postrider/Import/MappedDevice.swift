internal import Basics
import StoreModel
import WireJSON

/// A device on its way from a row to the line of NDJSON that registers it.
struct MappedDevice {
  var kind: ImportKind.Meaning?
  /// Whether the vendor sends nothing to it any more.
  var isDead = false
  /// Whether it is dead cannot be read.
  var isDoubtful = false
  /// A token; of a browser, its endpoint.
  var token: String?
  var p256dh: String?
  var auth: String?
  var applicationServerKey: String?
  var environment: DeviceEnvironment?
  var name: String?
  var user: String?
  /// Ids of the user's, by label.
  var aliases: [(label: String, id: String)] = []
  var locale: String?
  var zone: String?
  var zoneFromOffset: String?
  var appVersion: String?
  /// Milliseconds since 1970.
  var createdAt: Int64?
  var seenAt: Int64?
  var properties = MappedProperties()

  func write(
    _ kind: DeviceKind, _ environment: DeviceEnvironment, isOptedOut: Bool, into writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.key("type")
    writer.string(kind.name)
    let seen = seenAt.map { RFC3339Time.text(milliseconds: $0) }
    let created = createdAt.map { RFC3339Time.text(milliseconds: $0) }
    let isSubscription = kind.form == .subscription
    text(isSubscription ? "endpoint" : "token", token, &writer)
    if isSubscription {
      text("p256dh", p256dh, &writer)
      text("auth", auth, &writer)
      text("application_server_key", applicationServerKey, &writer)
    }
    if kind.provider.hasEnvironments { text("environment", environment.name, &writer) }
    text("name", name, &writer)
    text("user", user, &writer)
    if !aliases.isEmpty {
      writer.key("aliases")
      writer.beginObject()
      for (label, id) in aliases {
        writer.key(label)
        writer.string(id)
      }
      writer.endObject()
    }
    text("locale", locale, &writer)
    text("timezone", zone, &writer)
    text("app_version", appVersion, &writer)
    text("created_at", created, &writer)
    text("registered_at", seen, &writer)
    if isOptedOut {
      writer.key("opt_out")
      writer.bool(true)
    }
    properties.write(into: &writer)
    writer.endObject()
  }

  private func text(_ key: StaticString, _ value: String?, _ writer: inout JSONWriter) {
    guard let value else { return }
    writer.key(key)
    writer.string(value)
  }
}

/// What else is known of a device: properties, and tags for properties with several values.
struct MappedProperties {
  private var properties: [(name: String, value: JSONValue)] = []
  private var tags: [String] = []

  /// Adds a property; of two with one name the first stays.
  mutating func add(_ name: String, _ value: JSONValue, _ verdict: inout DeviceMapper.Verdict) {
    let isShort = value.string.map { $0.utf8.count <= StoreLimits.attributeTextBytesMax } ?? true
    let isNumber = value.number.map { $0.double != nil } ?? true
    guard !name.isEmpty, name.utf8.count <= StoreLimits.attributeNameBytesMax, isShort, isNumber,
      value.object == nil, value.array == nil, properties.count < DeviceMapper.propertiesMax,
      !properties.contains(where: { $0.name == name })
    else { return verdict.doubt(.propertyLeftOut) }
    properties.append((name, value))
  }

  /// Adds the members of a JSON object; whole numbers that are written as text become numbers.
  mutating func read(_ text: String, _ verdict: inout DeviceMapper.Verdict) {
    guard let object = try? JSON.parse(text).object else { return verdict.doubt(.unreadableProperties) }
    for (name, value) in object where !value.isNull { add(name, Self.typed(value), &verdict) }
  }

  /// Adds members of families of columns; one with several values becomes a tag for each of them.
  mutating func read(_ members: [VendorRow.Member], _ verdict: inout DeviceMapper.Verdict) {
    var counts: [FamilyName: Int] = [:]
    for member in members { counts[member.name, default: 0] += 1 }
    for member in members where !member.value.isNull {
      let name = member.name.member
      if counts[member.name] == 1 {
        add(name, Self.typed(member.value), &verdict)
      } else {
        add(tag: "\(name):\(member.value.string ?? JSON.minifiedText(member.value))", &verdict)
      }
    }
  }

  private mutating func add(tag: String, _ verdict: inout DeviceMapper.Verdict) {
    if tags.contains(tag) { return }
    guard tag.utf8.count <= StoreLimits.tagBytesMax, tags.count < StoreLimits.tagsMax else {
      return verdict.doubt(.propertyLeftOut)
    }
    tags.append(tag)
  }

  /// A text in the form of a whole number as that number.
  ///
  /// Vendors store texts, and compare them as numbers where they look like one. Only whole numbers lose nothing by
  /// becoming one: `1.10` and `007` would be other texts.
  private static func typed(_ value: JSONValue) -> JSONValue {
    guard let text = value.string, let number = Int64(text), number.description == text else { return value }
    return .number(JSONNumber(number))
  }

  func write(into writer: inout JSONWriter) {
    if !properties.isEmpty {
      writer.key("properties")
      writer.beginObject()
      for (name, value) in properties {
        writer.key(name)
        writer.value(value)
      }
      writer.endObject()
    }
    if !tags.isEmpty {
      writer.key("tags")
      writer.beginArray()
      for tag in tags { writer.string(tag) }
      writer.endArray()
    }
  }
}
