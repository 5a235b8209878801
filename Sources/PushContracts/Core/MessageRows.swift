import PushPayload
import WireJSON

/// What every message asks of the rows of its contract, taken out of them once: a row is large, and a copy retains each of
/// its parts.
struct MessageRows<Message: Sendable>: Sendable {
  /// A row that a message may hold, under one of its names.
  struct Input: Sendable {
    let row: Int
    /// Whether `null` is a value of it.
    let takesNull: Bool
    /// A bit of its own, for a row that has more than one name.
    let aliasBit: UInt64?
    /// True for a field that a person reads.
    let isText: Bool
    let take: FieldAccess<Message>.Take
  }

  /// A row that some message must hold.
  struct Required: Sendable {
    let row: Int
    let isMissing: @Sendable (UnsafePointer<Message>) -> Bool
  }

  /// A row that is shown as a property.
  struct Shown: Sendable {
    let name: String
    let role: FieldRole?
    let property: @Sendable (Message) -> JSONValue?
  }

  /// A title or a body.
  struct Text: Sendable {
    let name: String
    let isBlank: @Sendable (UnsafePointer<Message>) -> Bool
  }

  /// A slot that is an APNs request header of its own.
  struct Header: Sendable {
    let name: String
    /// Which of the typed headers it is.
    let property: APNsHeaders.Property?
    let condition: (@Sendable (UnsafePointer<Message>, UnsafePointer<WriteContext>) -> Bool)?
    let wire: @Sendable (UnsafePointer<Message>, UnsafePointer<WriteContext>) -> JSONValue?
  }

  /// The names under which a message may hold them, by which ``inputs`` are found.
  let names: JSONKeyTable
  let inputs: [Input]
  let required: [Required]
  /// In the order of the table.
  let shown: [Shown]
  let headers: [Header]
  let texts: [Text]

  init(_ fields: [Field<Message>]) {
    var names: [JSONKey] = []
    var inputs: [Input] = []
    var required: [Required] = []
    var headers: [Header] = []
    var aliased: UInt64 = 0
    for (row, field) in fields.enumerated() {
      if field.isInput {
        if !field.aliases.isEmpty { aliased += 1 }
        precondition(aliased < 64, "too many rows have more than one name")
        let input = Input(
          row: row, takesNull: field.type == .any, aliasBit: field.aliases.isEmpty ? nil : 1 << aliased,
          isText: MistakenMessage.isText(field.name, field.role), take: field.access.take)
        for name in [field.name] + field.aliases {
          guard let key = JSONKey(keeping: name) else { preconditionFailure("the name \(name) would need an escape") }
          // The first row with a name is meant, as in the table.
          if names.contains(key) { continue }
          names.append(key)
          inputs.append(input)
        }
        if let isMissing = MessageRows.isMissing(field) { required.append(Required(row: row, isMissing: isMissing)) }
      }
      for slot in field.apns where slot.isHeader && slot.form != .merged {
        headers.append(
          Header(
            name: slot.path, property: APNsHeaders.Property(rawValue: slot.path), condition: slot.condition,
            wire: (slot.access ?? field.access).wire))
      }
    }
    self.names = JSONKeyTable(names)
    self.inputs = inputs
    self.required = required
    shown = fields.filter { $0.isProperty }.map { Shown(name: $0.name, role: $0.role, property: $0.access.property) }
    self.headers = headers
    texts = fields.filter { $0.isProperty && ($0.role == .title || $0.role == .body) }.compactMap { field in
      field.access.isBlank.map { Text(name: field.name, isBlank: $0) }
    }
  }

  /// The row that a message may hold under a name.
  func input(_ name: String) -> Input? { names.index(of: name).map { inputs[$0] } }

  private static func isMissing(_ field: Field<Message>) -> (@Sendable (UnsafePointer<Message>) -> Bool)? {
    let isThere = field.access.isThere
    switch field.required {
    case .optional, .byRule: return nil
    case .always: return { !isThere($0) }
    case .when(_, let holds): return { !isThere($0) && holds($0.pointee) }
    }
  }
}
