import PushPayload
public import WireJSON

/// When a field must be present.
public enum Requirement<Message: Sendable>: Sendable {
  /// In every message.
  case always
  /// Never.
  case optional
  /// When a condition holds; the text completes "required …", for example "with `adb_uri`".
  case when(String, @Sendable (Message) -> Bool)
  /// When a rule of the contract says so, on one platform; the text completes "required …".
  case byRule(String)

  /// The word for a table.
  var text: String {
    switch self {
    case .always: "yes"
    case .optional: "no"
    case .when(let text, _), .byRule(let text): text
    }
  }

  /// True when it must be present in this message.
  func holds(_ message: Message) -> Bool {
    switch self {
    case .always: true
    case .optional, .byRule: false
    case .when(_, let holds): holds(message)
    }
  }
}

/// Where a row's value comes from.
enum FieldSource<Message: Sendable>: Sendable {
  /// The message; also decoded from JSON and read back.
  case message
  /// The send's context; read back into the message, never decoded from it.
  case context
  /// Computed from the message and its context; written only.
  case derived
  /// The same in every message.
  case fixed(JSONValue)
}

/// One row of a contract: a field, what it is, and where it goes; everything else is derived from rows.
public struct Field<Message: Sendable>: Sendable {
  /// The name, as the contract's own documentation has it.
  public var name: String
  /// Other names under which a message may hold it, for a contract that names one thing in two ways.
  public var aliases: [String] = []
  /// The JSON type in the message.
  public var type: FieldType
  /// When it must be present.
  public var required: Requirement<Message> = .optional
  /// What it is, in one or two sentences.
  public var doc: String
  /// The rule that a table row shows beside the slots; empty when the slots say it all.
  public var rule: String
  /// What it represents in every contract; nil when it is this contract's own.
  public var role: FieldRole?
  /// Its slots on APNs; empty when it is not carried to iOS.
  public var apns: [Slot<Message>]
  /// Its slots in the FCM message; empty when it is not carried to Android.
  public var fcm: [Slot<Message>]
  /// A legal value for documentation, row tests and generated messages; nil takes one that fits the type.
  public var example: JSONValue?
  /// A second legal value, for row tests of required fields; nil takes one that fits the type.
  public var other: JSONValue?
  /// Other fields that must be set for this one to be legal, for row tests and generated messages.
  public var needs: JSONObject = [:]
  /// Further paths that change when this field is set, beside its own slots, for row tests.
  public var affects: [String] = []
  /// True when a platform on which the field has no slot gets its meaning through other rows, so that there is nothing
  /// to report.
  var carriedOtherwise: (platform: Platform, holds: @Sendable (WriteContext) -> Bool)?

  /// True for a field of a vendor's request that decides who gets the push, when or how often (``DeliveryField``).
  var decidesDelivery = false
  /// True for what a person or the app misses on a platform that does not carry it, though its role does not say so.
  var isMissed = false
  /// True when a message has the other platform's field for the same thing, so that nothing is lost there.
  var hasCounterpart: (@Sendable (Lent<Message>) -> Bool)?

  /// Other fields that its value may set, too.
  var sets: [String] = []

  let source: FieldSource<Message>
  let access: FieldAccess<Message>
}

extension Field {
  /// A field of the message.
  ///
  /// - Parameters:
  ///   - name: the name, as the contract's own documentation has it.
  ///   - access: the type with a getter and a setter.
  ///   - role: what it represents in every contract.
  ///   - apns: its slots on APNs.
  ///   - fcm: its slots in the FCM message.
  ///   - doc: what it is.
  ///   - rule: the rule that a table row shows.
  ///   - example: a legal value.
  @inline(never)
  public init(
    _ name: String, _ access: FieldAccess<Message>, role: FieldRole? = nil, apns: [Slot<Message>] = [],
    fcm: [Slot<Message>] = [], doc: String, rule: String = "", example: JSONValue? = nil
  ) {
    self.init(
      name: name, type: access.type, doc: doc, rule: rule, role: role, apns: apns, fcm: fcm, example: example,
      source: .message, access: access)
  }

  /// A value of the send's context, such as a campaign id: written from the context, read back into the message.
  ///
  /// - Parameters:
  ///   - name: the name it has when it is read back.
  ///   - access: the type, a getter of the context and a setter of the message.
  ///   - role: what it represents in every contract.
  ///   - apns: its slots on APNs.
  ///   - fcm: its slots in the FCM message.
  ///   - doc: what it is.
  ///   - rule: the rule that a table row shows.
  @inline(never)
  public static func context(
    _ name: String, _ access: FieldAccess<Message>, role: FieldRole? = nil, apns: [Slot<Message>] = [],
    fcm: [Slot<Message>] = [], doc: String, rule: String = ""
  ) -> Field {
    Field(
      name: name, type: access.type, doc: doc, rule: rule, role: role, apns: apns, fcm: fcm, source: .context,
      access: access)
  }

  /// A value computed from the message and its context: written, never read back.
  ///
  /// - Parameters:
  ///   - name: what a table calls it.
  ///   - access: the type and a getter.
  ///   - apns: its slots on APNs.
  ///   - fcm: its slots in the FCM message.
  ///   - doc: what it is.
  ///   - rule: how it is computed.
  @inline(never)
  public static func derived(
    _ name: String, _ access: FieldAccess<Message>, apns: [Slot<Message>] = [], fcm: [Slot<Message>] = [], doc: String,
    rule: String
  ) -> Field {
    Field(
      name: name, type: access.type, doc: doc, rule: rule, apns: apns, fcm: fcm, source: .derived, access: access)
  }

  /// A value that is the same in every message.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - apns: its slots on APNs.
  ///   - fcm: its slots in the FCM message.
  ///   - doc: what it is for.
  @inline(never)
  public static func fixed(
    _ value: JSONValue, apns: [Slot<Message>] = [], fcm: [Slot<Message>] = [], doc: String
  ) -> Field {
    Field(
      name: "", type: FieldType(of: value), required: .always, doc: doc, rule: "always", apns: apns, fcm: fcm,
      example: value, source: .fixed(value), access: .fixed(value))
  }

  /// The same field; what it means reaches the platform through other rows when `condition` holds.
  @inline(never)
  func carriedOtherwise(
    on platform: Platform, _ condition: @escaping @Sendable (WriteContext) -> Bool = { _ in true }
  ) -> Field {
    var field = self
    field.carriedOtherwise = (platform, condition)
    return field
  }

  /// The same field, which must be present when the requirement holds.
  @inline(never)
  public func required(_ requirement: Requirement<Message>) -> Field {
    var field = self
    field.required = requirement
    return field
  }

  /// The same field with what row tests and generated messages must know of it.
  ///
  /// - Parameters:
  ///   - other: a second valid value, for a required field that does not take any text.
  ///   - needs: other fields that must be set with it.
  ///   - affects: further paths that change with it.
  @inline(never)
  public func rowTest(other: JSONValue? = nil, needs: JSONObject = [:], affects: [String] = []) -> Field {
    var field = self
    (field.other, field.needs, field.affects) = (other, needs, affects)
    return field
  }

  /// The same field, whose value may set others, too.
  @inline(never)
  func setting(_ names: String...) -> Field {
    var field = self
    field.sets = names
    return field
  }

  /// The same field, which a person or the app misses on a platform that does not carry it.
  @inline(never)
  func missed() -> Field {
    var field = self
    field.isMissed = true
    return field
  }

  /// The same field, whose thing a message may hold for the other platform in a field of its own.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  func counterpart(_ isThere: @escaping @Sendable (Message) -> Bool) -> Field {
    var field = self
    field.hasCounterpart = { isThere($0.pointee) }
    return field
  }

  /// True for what is lost on a platform that does not carry it; a field that names its platform is meant for that alone.
  var isNoticed: Bool {
    if isMissed { return true }
    return role?.isNoticed == true && !name.utf8.starts(with: "ios_".utf8) && !name.utf8.starts(with: "android_".utf8)
  }

  /// The slots of each platform's request.
  var slots: PerPlatform<[Slot<Message>]> { PerPlatform(ios: apns, android: fcm) }

  /// Those of them that reach the platform's devices: FCM hands `message.apns` on to others.
  func slots(reaching platform: Platform) -> [Slot<Message>] {
    guard let foreign = platform.traits.foreign else { return slots[platform] }
    return slots[platform].filter { !$0.path.utf8.starts(with: "message.\(foreign).".utf8) }
  }

  /// The same field, which a message may also hold under these names.
  @inline(never)
  public func alias(_ names: String...) -> Field {
    var field = self
    field.aliases = names
    return field
  }

  /// True when the field is decoded from a message's JSON.
  var isInput: Bool {
    if case .message = source { return true }
    return false
  }

  /// True when the field goes nowhere itself and only steers others.
  var isSwitch: Bool { apns.isEmpty && fcm.isEmpty }

  /// True when the field is part of what a reader hands back.
  var isProperty: Bool {
    switch source {
    case .message, .context: true
    case .derived, .fixed: false
    }
  }
}
