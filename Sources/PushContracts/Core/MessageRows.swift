internal import Basics
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
    let takeNode: FieldAccess<Message>.TakeNode?
    /// The rows that its value may set: this one, and others for few.
    let sets: RowSet
  }

  /// A row that some message must hold.
  struct Required: Sendable {
    let row: Int
    let isMissing: @Sendable (Lent<Message>) -> Bool
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
    let isBlank: @Sendable (Lent<Message>) -> Bool
  }

  /// A slot that is an APNs request header of its own.
  struct Header: Sendable {
    let name: String
    /// Which of the typed headers it is.
    let property: APNsHeaders.Property?
    /// The rows without which there is no such header.
    let needs: RowSet
    let condition: Slot<Message>.Condition?
    let wire: @Sendable (Lent<Message>, Lent<WriteContext>) -> JSONValue?
    let wireText: (@Sendable (Lent<Message>, Lent<WriteContext>) -> String?)?
    let wireWhole: (@Sendable (Lent<Message>, Lent<WriteContext>) -> WholeNumber?)?
  }

  /// The rows that a message has a value for; every one where one way of writing is enough.
  let present: @Sendable (Lent<Message>) -> RowSet
  /// The names under which a message may hold them, by which ``inputs`` are found.
  let names: JSONKeyTable
  let inputs: [Input]
  let required: [Required]
  /// In the order of the table.
  let shown: [Shown]
  let headers: [Header]
  /// The headers that are the same with every message.
  let fixedHeaders: APNsHeaders
  let texts: [Text]

  init(_ fields: [Field<Message>]) {
    var names: [JSONKey] = []
    var inputs: [Input] = []
    var required: [Required] = []
    var headers: [Header] = []
    var fixedHeaders = APNsHeaders()
    var aliased: UInt64 = 0
    for (row, field) in fields.enumerated() {
      if field.isInput {
        if !field.aliases.isEmpty { aliased += 1 }
        precondition(aliased < 64, "too many rows have more than one name")
        let input = Input(
          row: row, takesNull: field.type == .any, aliasBit: field.aliases.isEmpty ? nil : 1 << aliased,
          isText: MistakenMessage.isText(field.name, field.role), take: field.access.take,
          takeNode: field.access.takeNode,
          sets: field.sets.reduce(RowSet(row: row)) { $0.union(RowSet(row: fields.row($1))) })
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
        let property = APNsHeaders.Property(rawValue: slot.path)
        let isOnly = fields.reduce(0) { $0 + $1.apns.count { $0.path == slot.path } } == 1
        if case .fixed(let value) = field.source, let text = value.headerText, slot.condition == nil, isOnly {
          fixedHeaders.read(property, slot.path, text)
          continue
        }
        let access = slot.access ?? field.access
        headers.append(
          Header(
            name: slot.path, property: property,
            needs: field.isInput && !access.writesAbsent ? RowSet(row: row) : .always, condition: slot.condition,
            wire: access.wire, wireText: access.wireText, wireWhole: access.wireWhole))
      }
    }
    #if _pointerBitWidth(_32)
      present = { _ in .all }
    #else
      present = MessageRows.present(
        fields.enumerated().filter { $0.element.isInput }.map {
          Presence(row: RowSet(row: $0.offset), isThere: $0.element.access.isThere)
        }[...])
    #endif
    self.names = JSONKeyTable(names)
    self.inputs = inputs
    self.required = required
    shown = fields.filter { $0.isProperty }.map { Shown(name: $0.name, role: $0.role, property: $0.access.property) }
    (self.headers, self.fixedHeaders) = (headers, fixedHeaders)
    texts = fields.filter { $0.isProperty && ($0.role == .title || $0.role == .body) }.compactMap { field in
      field.access.isBlank.map { Text(name: field.name, isBlank: $0) }
    }
  }

  /// The row that a message may hold under a name.
  func input(_ name: String) -> Input? { names.index(of: name).map { inputs[$0] } }

  private static func isMissing(_ field: Field<Message>) -> (@Sendable (Lent<Message>) -> Bool)? {
    let isThere = field.access.isThere
    switch field.required {
    case .optional, .byRule: return nil
    case .always: return { !isThere($0) }
    case .when(_, let holds): return { !isThere($0) && holds($0.pointee) }
    }
  }
}

extension MessageRows {
  /// Takes a header's value of a message, if it has one.
  func readHeader(_ index: Int, _ address: MessageAddress<Message>, into target: inout APNsHeaders) {
    if headers[index].condition?(address.message, address.context) == false { return }
    let (name, property) = (headers[index].name, headers[index].property)
    #if !_pointerBitWidth(_32)
      if let wireWhole = headers[index].wireWhole {
        guard let value = wireWhole(address.message, address.context) else { return }
        if let property, target.set(property, value) { return }
        return target.read(property, name, value.description)
      }
      if let wireText = headers[index].wireText {
        guard let value = wireText(address.message, address.context), !value.isEmpty else { return }
        return target.read(property, name, value)
      }
    #endif
    guard let value = headers[index].wire(address.message, address.context)?.headerText, !value.isEmpty else { return }
    target.read(property, name, value)
  }
}

#if !_pointerBitWidth(_32)
  extension MessageRows {
    /// Whether a message has a value of a row.
    private struct Presence: Sendable {
      let row: RowSet
      let isThere: @Sendable (Lent<Message>) -> Bool

      @inline(__always)
      func callAsFunction(_ message: Lent<Message>) -> RowSet { isThere(message) ? row : RowSet() }
    }

    /// A closure as an element of an array would be wrapped into one that takes everything by address; a struct is not.
    private struct Part {
      let present: @Sendable (Lent<Message>) -> RowSet
    }

    /// Asks one after the other: a tree of closures, four at a time, as a ``WriteProgram`` is.
    private static func present(_ rows: ArraySlice<Presence>) -> @Sendable (Lent<Message>) -> RowSet {
      let rows = Array(rows)
      switch rows.count {
      case 0: return { _ in .always }
      case 1:
        let first = rows[0]
        return { first($0).union(.always) }
      case 2, 3:
        let (first, second, third) = (rows[0], rows[1], rows[rows.count - 1])
        return { first($0).union(second($0)).union(third($0)).union(.always) }
      case 4:
        let (first, second, third, fourth) = (rows[0], rows[1], rows[2], rows[3])
        return { first($0).union(second($0)).union(third($0).union(fourth($0))).union(.always) }
      default:
        let part = (rows.count + 3) / 4
        let parts = (0..<4).map { Part(present: present(rows.dropFirst($0 * part).prefix(part))) }
        let (first, second, third, fourth) = (parts[0].present, parts[1].present, parts[2].present, parts[3].present)
        return { first($0).union(second($0)).union(third($0).union(fourth($0))) }
      }
    }
  }
#endif
