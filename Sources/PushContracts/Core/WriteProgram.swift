public import PushPayload
internal import PushRules
public import WireJSON

/// What a write has to say beside the bytes.
@usableFromInline
struct WriteNotes {
  @usableFromInline var report = Report()
  /// True when a reserved name refuses the message.
  @usableFromInline var isRefused = false
  /// The rows that the message has a value for.
  let present: RowSet
  /// What the rules know of the values that were written.
  var facts = WrittenFacts()

  init(_ present: RowSet) { self.present = present }
}

/// The rows of one platform, compiled once into one closure, so that writing is a walk without look-ups.
///
/// Each row is a closure; adjacent rows are called by one closure, and an object is a closure that opens it,
/// calls its rows, and takes it back with its key when nothing was written into it. Closures that hold closures call
/// them without counting references, which a loop over an array of them would do.
@usableFromInline
struct WriteProgram<Message: Sendable>: Sendable {
  @usableFromInline
  typealias Step =
    @Sendable (
      Lent<Message>, Lent<WriteContext>, inout JSONWriter, inout WriteNotes
    ) -> Void

  /// Writes everything inside the outermost braces.
  @usableFromInline let step: Step

  /// Compiles the rows of a platform.
  ///
  /// - Parameter isBare: for sends without any option, where the slots of an option are not looked at.
  init(
    _ platform: Platform, tree: PathTree, fields: [Field<Message>], policy: ContractPolicy, isBare: Bool = false
  ) {
    let compiler = WriteCompiler(
      platform: platform, fields: fields, coercion: policy.coercion,
      textObjects: policy.textObjects[platform], reserved: ReservedNameTable(policy.reserved[platform], platform),
      isBare: isBare)
    step = compiler.rows(tree, FieldPath()).step
  }

  /// Writes the payload of one message behind what the writer holds.
  func write(_ address: MessageAddress<Message>, into writer: inout JSONWriter) -> WriteNotes {
    var notes = WriteNotes(address.present)
    writer.beginObject()
    step(address.message, address.context, &writer, &notes)
    writer.endObject()
    return notes
  }
}

/// Turns the tree of slots into closures.
private struct WriteCompiler<Message: Sendable> {
  typealias Step = WriteProgram<Message>.Step

  /// A closure as an element of an array would be wrapped into one that takes everything by address; a struct is not.
  struct Boxed {
    let step: Step
    /// The rows without which it writes nothing.
    let needs: RowSet

    /// Runs the step where the message has something for it.
    @inline(__always)
    func run(
      _ message: Lent<Message>, _ context: Lent<WriteContext>, _ writer: inout JSONWriter,
      _ notes: inout WriteNotes
    ) {
      #if _pointerBitWidth(_32)
        step(message, context, &writer, &notes)
      #else
        if notes.present.meets(needs) { return step(message, context, &writer, &notes) }
        assert(writesNothing(message, context, &writer, &notes), "a row writes what it says is not there")
      #endif
    }

    private func writesNothing(
      _ message: Lent<Message>, _ context: Lent<WriteContext>, _ writer: inout JSONWriter,
      _ notes: inout WriteNotes
    ) -> Bool {
      let mark = writer.mark()
      step(message, context, &writer, &notes)
      return writer.mark() == mark
    }
  }

  let platform: Platform
  let fields: [Field<Message>]
  let coercion: DataCoercion
  let textObjects: [String]
  let reserved: ReservedNameTable
  let isBare: Bool

  /// What is inside a node, in order.
  ///
  /// - Parameter isText: whether it becomes the text of a string, in which the rules do not look.
  func rows(_ node: PathTree, _ path: FieldPath, isText: Bool = false) -> Boxed {
    var steps: [Boxed] = []
    // The target is first in every FCM message, so that a template has a fixed beginning.
    if node.name == platform.traits.envelope {
      steps.append(Boxed(step: WriteCompiler.target, needs: .always))
    }
    for child in node.children {
      for index in child.slots {
        if isBare, slot(index).option?.isOn == true { continue }
        let step =
          slot(index).isMembers ? members(index, node, path, isText) : row(index, child.name, path, isText)
        steps.append(Boxed(step: step, needs: needs(index)))
      }
      if child.children.contains(where: { $0.isWritten }) {
        let object = object(child, path.member(child.name), isText)
        // Below it there may be slots of options only.
        if object.needs.meets(.all) { steps.append(object) }
      }
    }
    return WriteCompiler.sequence(steps[...])
  }

  private func slot(_ index: SlotIndex) -> Slot<Message> { fields[index.field].slots[platform][index.slot] }

  /// The rows without which a slot is not written.
  private func needs(_ index: SlotIndex) -> RowSet {
    let field = fields[index.field]
    let writesAbsent = (slot(index).access ?? field.access).writesAbsent
    return field.isInput && !writesAbsent ? RowSet(row: index.field) : .always
  }

  private static var target: Step {
    { _, context, writer, _ in
      writer.key(context.pointee.target.key)
      writer.string(context.pointee.target.value)
    }
  }

  private func object(_ node: PathTree, _ path: FieldPath, _ isInText: Bool) -> Boxed {
    let isText = textObjects.contains(path.text)
    let rows = rows(node, path, isText: isInText || isText)
    return Boxed(step: object(rows.step, key(node.name), path, isText: isText), needs: rows.needs)
  }

  private func object(_ rows: @escaping Step, _ key: JSONKey, _ path: FieldPath, isText: Bool) -> Step {
    if isText {
      #if !_pointerBitWidth(_32)
        let written = WrittenSlot(platform, path.memberNames)
      #endif
      return { message, context, writer, notes in
        let mark = writer.mark()
        writer.key(key)
        let start = writer.mark()
        writer.beginObject()
        rows(message, context, &writer, &notes)
        writer.endObject(orRollbackTo: mark)
        if writer.mark() == mark { return }
        writer.quote(since: start)
        #if !_pointerBitWidth(_32)
          notes.facts.add(written, writer, since: mark, of: key)
        #endif
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

  private func row(_ index: SlotIndex, _ name: String, _ path: FieldPath, _ isText: Bool) -> Step {
    let field = fields[index.field]
    let slot = slot(index)
    let key = key(name)
    let emit = emitter(slot.access ?? field.access, slot.form)
    let condition = condition(slot)
    #if _pointerBitWidth(_32)
      guard let condition else { return { message, context, writer, _ in emit(message, context, key, &writer) } }
      return { message, context, writer, _ in
        if condition(message, context) { emit(message, context, key, &writer) }
      }
    #else
      let written = isText ? WrittenSlot.inText : WrittenSlot(platform, path.memberNames + [name])
      guard let condition else {
        return { message, context, writer, notes in
          let mark = writer.mark()
          emit(message, context, key, &writer)
          notes.facts.add(written, writer, since: mark, of: key)
        }
      }
      return { message, context, writer, notes in
        guard condition(message, context) else { return }
        let mark = writer.mark()
        emit(message, context, key, &writer)
        notes.facts.add(written, writer, since: mark, of: key)
      }
    #endif
  }

  private func condition(_ slot: Slot<Message>) -> Slot<Message>.Condition? {
    isBare && slot.option != nil ? slot.bareCondition : slot.condition
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
  private static func sequence(_ steps: ArraySlice<Boxed>) -> Boxed {
    let needs = steps.reduce(RowSet()) { $0.union($1.needs) }
    guard steps.count > 4 else { return Boxed(step: few(Array(steps)), needs: needs) }
    let part = (steps.count + 3) / 4
    var parts: [Boxed] = []
    var rest = steps
    while !rest.isEmpty {
      parts.append(sequence(rest.prefix(part)))
      rest = rest.dropFirst(part)
    }
    return Boxed(step: few(parts), needs: needs)
  }

  private static func few(_ steps: [Boxed]) -> Step {
    switch steps.count {
    case 0: return { _, _, _, _ in }
    case 1:
      let first = steps[0]
      return { message, context, writer, notes in first.run(message, context, &writer, &notes) }
    case 2:
      let (first, second) = (steps[0], steps[1])
      return { message, context, writer, notes in
        first.run(message, context, &writer, &notes)
        second.run(message, context, &writer, &notes)
      }
    case 3:
      let (first, second, third) = (steps[0], steps[1], steps[2])
      return { message, context, writer, notes in
        first.run(message, context, &writer, &notes)
        second.run(message, context, &writer, &notes)
        third.run(message, context, &writer, &notes)
      }
    default:
      let (first, second, third, fourth) = (steps[0], steps[1], steps[2], steps[3])
      return { message, context, writer, notes in
        first.run(message, context, &writer, &notes)
        second.run(message, context, &writer, &notes)
        third.run(message, context, &writer, &notes)
        fourth.run(message, context, &writer, &notes)
      }
    }
  }

  // MARK: Spread members

  private func members(_ index: SlotIndex, _ node: PathTree, _ path: FieldPath, _ isText: Bool) -> Step {
    let (field, slot) = (fields[index.field], slot(index))
    guard let get = field.access.members else { preconditionFailure("\(field.name) has no members to spread") }
    let coercion = slot.form == .memberTexts ? coercion : nil
    let skipsNull = self.coercion == .jsonTextSkippingNull
    #if _pointerBitWidth(_32)
      let spread = MemberWriter(
        field: field.name, coercion: coercion, skipsNull: skipsNull, platform: platform, reserved: reserved)
    #else
      let spread = MemberWriter(
        field: field.name, coercion: coercion, skipsNull: skipsNull, platform: platform, reserved: reserved,
        written: isText
          ? .inText
          : WrittenMembers(
            platform, path.memberNames, own: node.children.map { $0.name }.filter { $0 != PathTree.members },
            isAlone: node.children.reduce(0) { $0 + ($1.name == PathTree.members ? $1.slots.count : 0) } == 1))
    #endif
    guard let condition = condition(slot) else {
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
  #if !_pointerBitWidth(_32)
    /// What the rules want to know of the members.
    let written: WrittenMembers
  #endif

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
        continue
      }
      #if !_pointerBitWidth(_32)
        notes.facts.add(member: key, isString: coercion != nil, isNull: value.isNull && coercion == nil, written)
      #endif
      if coercion != nil {
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
