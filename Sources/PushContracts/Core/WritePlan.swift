public import PushPayload
public import WireJSON

/// What a write has to say beside the bytes.
@usableFromInline
struct WriteNotes {
  @usableFromInline var report = Report()
  /// True when a reserved name refuses the message.
  @usableFromInline var isRefused = false

  @inlinable
  init() {}
}

/// The rows of one platform, compiled once into one closure, so that writing is a walk without look-ups.
///
/// Each row is a closure; adjacent rows are called by one closure, and an object is a closure that opens it,
/// calls its rows, and takes it back with its key when nothing was written into it. Closures that hold closures call
/// them without counting references, which a loop over an array of them would do.
@usableFromInline
struct WritePlan<Message: Sendable>: Sendable {
  @usableFromInline
  typealias Step =
    @Sendable (
      UnsafePointer<Message>, UnsafePointer<WriteContext>, inout JSONWriter, inout WriteNotes
    ) -> Void

  /// Writes everything inside the outermost braces.
  @usableFromInline let step: Step

  /// Compiles the rows of a platform.
  init(_ platform: Platform, tree: PathTree, fields: [Field<Message>], policy: ContractPolicy) {
    let compiler = WriteCompiler(
      platform: platform, fields: fields, coercion: policy.coercion,
      textObjects: platform == .android ? policy.fcmTextObjects : [],
      reserved: ReservedNameTable(platform == .ios ? policy.apnsReserved : policy.fcmReserved, platform))
    step = compiler.rows(tree, FieldPath())
  }

  /// Writes the payload of one message behind what the writer holds; false when a reserved name refuses it.
  func write(_ address: MessageAddress<Message>, into writer: inout JSONWriter, report: inout Report) -> Bool {
    var notes = WriteNotes()
    writer.beginObject()
    step(address.message, address.context, &writer, &notes)
    writer.endObject()
    if !notes.report.isEmpty { report.append(notes.report) }
    return !notes.isRefused
  }
}

/// Turns the tree of slots into closures.
private struct WriteCompiler<Message: Sendable> {
  typealias Step = WritePlan<Message>.Step

  /// A closure as an element of an array would be wrapped into one that takes everything by address; a struct is not.
  struct Boxed {
    let step: Step
  }

  let platform: Platform
  let fields: [Field<Message>]
  let coercion: DataCoercion
  let textObjects: [String]
  let reserved: ReservedNameTable

  /// What is inside a node, in order.
  func rows(_ node: PathTree, _ path: FieldPath) -> Step {
    var steps: [Boxed] = []
    // The target is first in every FCM message, so that a template has a fixed beginning.
    if platform == .android && node.name == "message" { steps.append(Boxed(step: WriteCompiler.target)) }
    for child in node.children {
      for place in child.slots { steps.append(Boxed(step: row(place, child.name))) }
      if child.children.contains(where: { $0.isWritten }) {
        steps.append(Boxed(step: object(child, path.member(child.name))))
      }
    }
    return WriteCompiler.sequence(steps[...])
  }

  private static var target: Step {
    { _, context, writer, _ in
      writer.key(context.pointee.target.key)
      writer.string(context.pointee.target.value)
    }
  }

  private func object(_ node: PathTree, _ path: FieldPath) -> Step {
    let key = key(node.name)
    let rows = rows(node, path)
    if textObjects.contains(path.text) {
      return { message, context, writer, notes in
        let mark = writer.mark()
        writer.key(key)
        let start = writer.mark()
        writer.beginObject()
        rows(message, context, &writer, &notes)
        writer.endObject(orRollbackTo: mark)
        if writer.mark() != mark { writer.quote(since: start) }
      }
    }
    return { message, context, writer, notes in
      let mark = writer.mark()
      writer.key(key)
      writer.beginObject()
      rows(message, context, &writer, &notes)
      writer.endObject(orRollbackTo: mark)
    }
  }

  private func row(_ place: SlotIndex, _ name: String) -> Step {
    let field = fields[place.field]
    let slot = platform == .ios ? field.apns[place.slot] : field.fcm[place.slot]
    if slot.isMembers { return members(field, slot) }
    let key = key(name)
    let emit = emitter(slot.access ?? field.access, slot.form)
    guard let condition = slot.condition else {
      return { message, context, writer, _ in emit(message, context, key, &writer) }
    }
    return { message, context, writer, _ in
      if condition(message, context) { emit(message, context, key, &writer) }
    }
  }

  private func key(_ name: String) -> JSONKey {
    guard let key = JSONKey(keeping: name) else { preconditionFailure("the key \(name) would need an escape") }
    return key
  }

  private func emitter(_ access: FieldAccess<Message>, _ form: SlotForm) -> FieldAccess<Message>.Emit {
    switch form {
    case .same, .members, .memberTexts, .merged: return access.emit
    case .text: return access.emitText
    case .flag, .seconds:
      guard let emit = access.emitSpecial else { preconditionFailure("\(access.type.rawValue) has no form of its own") }
      return emit
    }
  }

  /// Calls the steps one after the other: a tree of closures, four at a time.
  private static func sequence(_ steps: ArraySlice<Boxed>) -> Step {
    guard steps.count > 4 else { return few(Array(steps)) }
    let part = (steps.count + 3) / 4
    var parts: [Boxed] = []
    var rest = steps
    while !rest.isEmpty {
      parts.append(Boxed(step: sequence(rest.prefix(part))))
      rest = rest.dropFirst(part)
    }
    return few(parts)
  }

  private static func few(_ steps: [Boxed]) -> Step {
    switch steps.count {
    case 0: return { _, _, _, _ in }
    case 1: return steps[0].step
    case 2:
      let (first, second) = (steps[0].step, steps[1].step)
      return { message, context, writer, notes in
        first(message, context, &writer, &notes)
        second(message, context, &writer, &notes)
      }
    case 3:
      let (first, second, third) = (steps[0].step, steps[1].step, steps[2].step)
      return { message, context, writer, notes in
        first(message, context, &writer, &notes)
        second(message, context, &writer, &notes)
        third(message, context, &writer, &notes)
      }
    default:
      let (first, second, third, fourth) = (steps[0].step, steps[1].step, steps[2].step, steps[3].step)
      return { message, context, writer, notes in
        first(message, context, &writer, &notes)
        second(message, context, &writer, &notes)
        third(message, context, &writer, &notes)
        fourth(message, context, &writer, &notes)
      }
    }
  }

  // MARK: Spread members

  private func members(_ field: Field<Message>, _ slot: Slot<Message>) -> Step {
    guard let get = field.access.members else { preconditionFailure("\(field.name) has no members to spread") }
    let spread = MemberWriter(
      field: field.name, coercion: slot.form == .memberTexts ? coercion : nil,
      skipsNull: coercion == .jsonTextSkippingNull, platform: platform, reserved: reserved)
    guard let condition = slot.condition else {
      return { message, _, writer, notes in
        if let members = get(message) { spread.write(members, &writer, &notes) }
      }
    }
    return { message, context, writer, notes in
      guard condition(message, context), let members = get(message) else { return }
      spread.write(members, &writer, &notes)
    }
  }
}

/// Writes the members of an object field beside the keys of its object.
struct MemberWriter: Sendable {
  /// The field's name, for the report.
  let field: String
  /// How values become strings; nil keeps their types.
  let coercion: DataCoercion?
  /// True when members that are `null` are left out.
  let skipsNull: Bool
  let platform: Platform
  let reserved: ReservedNameTable

  func write(_ members: JSONObject, _ writer: inout JSONWriter, _ notes: inout WriteNotes) {
    for (key, value) in members {
      if reserved.mayContain(key) {
        switch reserved.action(for: key, in: field, &notes.report) {
        case .keep: break
        case .drop: continue
        case .refuse:
          notes.isRefused = true
          continue
        }
      }
      if skipsNull && value.isNull {
        notes.report.add(
          rule: "data-null", severity: .warning, field: FieldPath(members: field, key),
          message: "null is left out on \(platform.title)")
      } else if coercion != nil {
        writeText(value, key, &writer, &notes)
      } else {
        writer.key(key)
        writer.value(value)
      }
    }
  }

  private func writeText(
    _ value: JSONValue, _ key: String, _ writer: inout JSONWriter, _ notes: inout WriteNotes
  ) {
    writer.key(key)
    if case .string(let text) = value { return writer.string(text) }
    writer.textValue(value)
    notes.report.add(
      rule: "fcm-data-coerced", severity: .note, field: FieldPath(members: field, key),
      message: "\(value.named) arrives as its JSON text on Android, where every data value is a string")
  }
}
