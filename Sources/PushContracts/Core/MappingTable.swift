public import WireJSON

/// One slot of a row.
public struct MappingSlot: Sendable, Hashable {
  /// The path in the payload, or the header's name; a last step `*` represents the members of an object.
  public var path: String
  /// True for an APNs request header.
  public var isHeader: Bool
  /// The form of the value there.
  public var form: SlotForm
  /// When it is carried there; empty for always.
  public var condition: String

  init<Message>(_ slot: Slot<Message>) {
    path = slot.path
    isHeader = slot.isHeader
    form = slot.form
    condition = slot.conditionText
  }

  /// The slot as a table shows it.
  public var text: String {
    var text = isHeader ? "header \(path)" : path
    switch form {
    case .same, .members: break
    case .text: if !isHeader { text += " (as a string)" }
    case .flag: text += " = 1"
    case .memberTexts: text += " (each as a string)"
    case .seconds: text += " (as \"Ns\")"
    case .merged: text += " (merged)"
    }
    return condition.isEmpty ? text : text + ", \(condition)"
  }

  var json: JSONValue {
    var object: JSONObject = ["path": .string(path), "form": .string(form.rawValue)]
    if isHeader { object.append("header", true) }
    if !condition.isEmpty { object.append("condition", .string(condition)) }
    return .object(object)
  }
}

/// One row of a mapping table: a field and where it goes.
public struct MappingRow: Sendable, Hashable {
  /// Where the value of a row comes from.
  public enum Source: Sendable, Hashable {
    /// A field of the message.
    case message
    /// A value of the send's context.
    case context
    /// Computed from the message and its context.
    case derived
    /// The same in every message.
    case fixed(JSONValue)
  }

  /// The field's name; empty for a value that is the same in every message.
  public var field: String
  /// Other names under which a message may hold it.
  public var aliases: [String]
  /// Where the value comes from.
  public var source: Source
  /// The JSON type.
  public var type: FieldType
  /// When it must be present: `yes`, `no`, or a condition.
  public var required: String
  /// True when a message with no other field needs it.
  public var isRequired: Bool
  /// What it represents in every contract.
  public var role: FieldRole?
  /// Its slots on APNs; empty when it is not carried to iOS.
  public var apns: [MappingSlot]
  /// Its slots in the FCM message; empty when it is not carried to Android.
  public var fcm: [MappingSlot]
  /// The rule beside the slots.
  public var rule: String
  /// What it is.
  public var doc: String
  /// A legal value.
  public var example: JSONValue
  /// A second legal value.
  public var other: JSONValue
  /// Other fields that must be set for this one to be legal.
  public var needs: JSONObject
  /// Further paths that change when this field is set.
  public var affects: [String]
  /// True for a field of a vendor's request that decides who gets the push, when or how often; a message that is sent
  /// must not hold it (``DeliveryField``).
  public var decidesDelivery: Bool

  init<Message>(_ field: Field<Message>, empty: Message) {
    self.field = field.name
    aliases = field.aliases
    switch field.source {
    case .message: source = .message
    case .context: source = .context
    case .derived: source = .derived
    case .fixed(let value): source = .fixed(value)
    }
    type = field.type
    required = field.required.text
    isRequired = field.required.holds(empty)
    role = field.role
    apns = field.apns.map { MappingSlot($0) }
    fcm = field.fcm.map { MappingSlot($0) }
    rule = field.rule
    doc = field.doc
    example = field.example ?? field.type.example
    other = field.other ?? field.type.other
    needs = field.needs
    affects = field.affects
    decidesDelivery = field.decidesDelivery
  }

  /// The first column: the name, with its source when that is not the message.
  public var title: String {
    switch source {
    case .message: aliases.isEmpty ? field : "\(field) (or \(aliases.joined(separator: ", ")))"
    case .context: "\(field) (of the send)"
    case .derived: "\(field) (computed)"
    case .fixed(let value): "always " + JSON.minifiedText(value)
    }
  }

  var json: JSONValue {
    var object = JSONObject()
    switch source {
    case .message:
      object.append("field", .string(field))
      if !aliases.isEmpty { object.append("aliases", .array(aliases.map { .string($0) })) }
    case .context:
      object.append("field", .string(field))
      object.append("source", "context")
    case .derived:
      object.append("field", .string(field))
      object.append("source", "computed")
    case .fixed(let value):
      object.append("source", "fixed")
      object.append("value", value)
    }
    object.append("type", .string(type.rawValue))
    object.append("required", .string(required))
    if let role { object.append("role", .string(role.rawValue)) }
    object.append("apns", .array(apns.map { $0.json }))
    object.append("fcm", .array(fcm.map { $0.json }))
    object.append("rule", .string(rule))
    object.append("doc", .string(doc))
    if case .message = source { object.append("example", example) }
    if decidesDelivery { object.append("delivery", true) }
    return .object(object)
  }
}

/// The table of a contract (field, APNs slots, FCM slots, rule), made from the rows that write.
public struct MappingTable: Sendable, Hashable {
  /// The contract.
  public let contract: ContractName
  /// One sentence: whose contract it is and what it is for.
  public let summary: String
  /// What holds for the contract as a whole.
  public let policy: ContractPolicy
  /// The rows.
  public let rows: [MappingRow]

  /// The table of a contract.
  public init<Message>(_ contract: Contract<Message>) {
    self.contract = contract.name
    summary = contract.summary
    policy = contract.policy
    rows = contract.fields.map { MappingRow($0, empty: contract.empty) }
  }

  /// The table as JSON.
  public var json: JSONValue {
    [
      "contract": .string(contract.rawValue), "summary": .string(summary),
      "android_style": .string(policy.androidStyle.rawValue), "data_coercion": .string(policy.coercion.rawValue),
      "rules": .array(policy.statements.map { .string($0) }),
      "options": .array(policy.options.map { ["name": .string($0.name), "doc": .string($0.doc)] }),
      "fields": .array(rows.map { $0.json }),
    ]
  }
}

extension FieldType {
  /// A value of the type, for rows without an example of their own.
  var example: JSONValue {
    switch self {
    case .string: "text"
    case .integer: 7
    case .number: 0.5
    case .boolean: true
    case .strings: ["one", "two"]
    case .texts: ["en": "text"]
    case .array: [1, 2]
    case .object: ["key": "value"]
    case .any: "anything"
    }
  }
  /// A second value of the type.
  var other: JSONValue {
    switch self {
    case .string: "other text"
    case .integer: 8
    case .number: 0.25
    case .boolean: false
    case .strings: ["three"]
    case .texts: ["en": "other text"]
    case .array: [3]
    case .object: ["other": "value"]
    case .any: "another"
    }
  }
}
