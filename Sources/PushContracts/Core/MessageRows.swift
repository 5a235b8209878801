import Basics
import PushPayload
import WireJSON

/// What every message asks of the rows of its contract, taken out of them once: a row is large, and a copy retains each of
/// its parts.
struct MessageRows<Message: Sendable>: Sendable {
  /// A row that a message may hold.
  struct Input: Sendable {
    let row: Int
    /// Whether `null` is a value of it.
    let takesNull: Bool
    let hasAliases: Bool
    let take: FieldAccess<Message>.Take
  }

  /// A row that some message must hold.
  struct Required: Sendable {
    let row: Int
    let isMissing: @Sendable (Message) -> Bool
  }

  /// A row that is shown as a property.
  struct Shown: Sendable {
    let name: String
    let role: FieldRole?
    let property: @Sendable (Message) -> JSONValue?
  }

  /// A slot that is an APNs request header of its own.
  struct Header: Sendable {
    let name: String
    let condition: (@Sendable (UnsafePointer<Message>, UnsafePointer<WriteContext>) -> Bool)?
    let wire: @Sendable (Message, WriteContext) -> JSONValue?
  }

  /// By the names under which a message may hold them.
  let inputs: [ByteKey: Input]
  let required: [Required]
  /// In the order of the table.
  let shown: [Shown]
  let headers: [Header]
  /// The titles and bodies.
  let texts: [Shown]

  init(_ fields: [Field<Message>]) {
    var inputs: [ByteKey: Input] = [:]
    var required: [Required] = []
    var headers: [Header] = []
    for (row, field) in fields.enumerated() {
      if field.isInput {
        let input = Input(
          row: row, takesNull: field.type == .any, hasAliases: !field.aliases.isEmpty, take: field.access.take)
        // The first row with a name is meant, as in the table.
        for name in ([field.name] + field.aliases).map(ByteKey.init) where inputs[name] == nil { inputs[name] = input }
        if let isMissing = MessageRows.isMissing(field) { required.append(Required(row: row, isMissing: isMissing)) }
      }
      for slot in field.apns where slot.isHeader && slot.form != .merged {
        headers.append(
          Header(name: slot.path, condition: slot.condition, wire: (slot.access ?? field.access).wire))
      }
    }
    self.inputs = inputs
    self.required = required
    shown = fields.filter { $0.isProperty }.map { Shown(name: $0.name, role: $0.role, property: $0.access.property) }
    self.headers = headers
    texts = shown.filter { $0.role == .title || $0.role == .body }
  }

  private static func isMissing(_ field: Field<Message>) -> (@Sendable (Message) -> Bool)? {
    let property = field.access.property
    switch field.required {
    case .optional: return nil
    case .always: return { property($0) == nil }
    case .when(_, let holds): return { holds($0) && property($0) == nil }
    }
  }
}
