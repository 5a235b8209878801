import PushPayload
import WireJSON

/// The rows of one platform, compiled once into a flat list of operations, so that writing is one tight loop.
///
/// An object is opened, its rows are written, and it is taken back with its key when nothing was written into it.
final class WritePlan<Message: Sendable>: Sendable {
  enum Operation: Sendable {
    /// Opens the object under a key; its rows are the operations up to `end`.
    case object(key: KeyText, end: Int)
    /// Writes one row.
    case value(key: KeyText, emit: FieldAccess<Message>.Emit)
    /// Writes one row under a condition.
    case conditional(
      key: KeyText, condition: @Sendable (Message, WriteContext) -> Bool, emit: FieldAccess<Message>.Emit)
    /// Writes the members of an object field.
    case members(field: String, coerced: Bool, get: @Sendable (Message) -> JSONObject?)
    /// Writes the FCM target.
    case target
  }

  let operations: [Operation]
  let coercion: DataCoercion
  let reserved: ReservedNameTable

  /// Compiles the rows of a platform.
  init(_ platform: Platform, tree: PathTree, fields: [Field<Message>], policy: ContractPolicy) {
    coercion = policy.coercion
    reserved = ReservedNameTable(platform == .ios ? policy.apnsReserved : policy.fcmReserved, platform)
    var operations: [Operation] = []
    for child in tree.children { WritePlan.compile(child, platform, fields, into: &operations) }
    self.operations = operations
  }

  private static func compile(
    _ node: PathTree, _ platform: Platform, _ fields: [Field<Message>], into operations: inout [Operation]
  ) {
    for place in node.slots {
      let field = fields[place.field]
      operations.append(
        operation(field, platform == .ios ? field.apns[place.slot] : field.fcm[place.slot], key: KeyText(node.name)))
    }
    guard node.children.contains(where: { $0.isWritten }) else { return }
    let index = operations.count
    operations.append(.object(key: KeyText(node.name), end: 0))
    // The target stands first in every FCM message, so that a template has a fixed beginning.
    if platform == .android && node.name == "message" { operations.append(.target) }
    for child in node.children { compile(child, platform, fields, into: &operations) }
    operations[index] = .object(key: KeyText(node.name), end: operations.count)
  }

  private static func operation(_ field: Field<Message>, _ slot: Slot<Message>, key: KeyText) -> Operation {
    if slot.isMembers {
      guard let get = field.access.members else { preconditionFailure("\(field.name) has no members to spread") }
      precondition(slot.condition == nil, "\(field.name): spread members carry no condition")
      return .members(field: field.name, coerced: slot.form == .memberTexts, get: get)
    }
    let emit = emitter(field.access, slot.form)
    guard let condition = slot.condition else { return .value(key: key, emit: emit) }
    return .conditional(key: key, condition: condition, emit: emit)
  }

  private static func emitter(_ access: FieldAccess<Message>, _ form: SlotForm) -> FieldAccess<Message>.Emit {
    let wire = access.wire
    switch form {
    case .same, .members, .memberTexts: return access.emit
    case .text: return access.emitText
    case .flag:
      return { message, context, key, writer in
        guard wire(message, context)?.bool == true else { return }
        writer.key(utf8: key)
        writer.int(1)
      }
    case .seconds:
      return { message, context, key, writer in
        guard let seconds = wire(message, context)?.int else { return }
        writer.key(utf8: key)
        writer.string("\(seconds)s")
      }
    }
  }
}

// MARK: Writing

extension WritePlan {
  /// Writes the payload of one message behind what the writer holds; false when a reserved name refuses it.
  func write(_ message: Message, _ context: WriteContext, into writer: inout JSONWriter, report: inout Report) -> Bool {
    writer.beginObject()
    let fine = run(0, operations.count, message, context, &writer, &report)
    writer.endObject()
    return fine
  }

  private func run(
    _ start: Int, _ end: Int, _ message: Message, _ context: WriteContext, _ writer: inout JSONWriter,
    _ report: inout Report
  ) -> Bool {
    var fine = true
    var index = start
    while index < end {
      switch operations[index] {
      case .value(let key, let emit): emit(message, context, key.utf8, &writer)
      case .conditional(let key, let condition, let emit):
        if condition(message, context) { emit(message, context, key.utf8, &writer) }
      case .object(let key, let objectEnd):
        let mark = writer.mark()
        writer.key(utf8: key.utf8)
        writer.beginObject()
        fine = run(index + 1, objectEnd, message, context, &writer, &report) && fine
        writer.endObject(orRollbackTo: mark)
        index = objectEnd
        continue
      case .members(let field, let coerced, let get):
        if let members = get(message) { fine = write(members, field, coerced, &writer, &report) && fine }
      case .target:
        writer.key(context.target.key)
        writer.string(context.target.value)
      }
      index += 1
    }
    return fine
  }

  private func write(
    _ members: JSONObject, _ field: String, _ coerced: Bool, _ writer: inout JSONWriter, _ report: inout Report
  ) -> Bool {
    var fine = true
    for (key, value) in members {
      switch reserved.action(for: key, in: field, &report) {
      case .keep: break
      case .drop: continue
      case .refuse:
        fine = false
        continue
      }
      if coerced {
        write(coerced: value, key, field, &writer, &report)
      } else {
        writer.key(key)
        writer.value(value)
      }
    }
    return fine
  }

  private func write(
    coerced value: JSONValue, _ key: String, _ field: String, _ writer: inout JSONWriter, _ report: inout Report
  ) {
    if case .string(let text) = value {
      writer.key(key)
      return writer.string(text)
    }
    let path = FieldPath(members: field, key)
    if value.isNull && coercion == .jsonTextSkippingNull {
      return report.add(
        rule: "fcm-data-null", severity: .note, field: path,
        message: "null is left out on Android, where every data value is a string")
    }
    writer.key(key)
    let before = writer.mark()
    writer.value(value)
    writer.quote(since: before)
    report.add(
      rule: "fcm-data-coerced", severity: .note, field: path,
      message: "\(value.named) arrives as its JSON text on Android, where every data value is a string")
  }
}

/// The UTF-8 bytes of a key, where a plan can reach them without counting references.
struct KeyText {
  private let start: UnsafePointer<UInt8>
  private let count: Int

  /// Keeps a copy of the name, never to be freed: plans belong to contracts, which are made once per program.
  init(_ name: String) {
    let bytes = Array(name.utf8)
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
    copy.initialize(from: bytes, count: bytes.count)
    start = UnsafePointer(copy)
    count = bytes.count
  }

  /// The bytes.
  var utf8: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
}

// Safe: the bytes are written before the value exists, never changed and never freed.
extension KeyText: @unchecked Sendable {}
