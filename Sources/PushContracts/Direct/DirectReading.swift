internal import Basics
import PushPayload
import WireJSON

/// One payload on its way from the tape to the answer: where each row's value is.
///
/// Reading stops at everything that there is something to say of, and at every value that is not shown as it is: such a
/// payload is read into the contract's message, whose reader has the words for it. So what is read here has nothing in its
/// report but what the contract adds for itself.
///
/// `@safe`: the values are lent by the call that made the reading, which has room for ``valueCount``; a plan has at most
/// ``DirectProgram/rowsMax`` rows and ``DirectProgram/membersMax`` members, and what has no bit is not read.
@safe struct DirectReading: ~Copyable {
  let document: JSONDocument
  let platform: Platform
  let program: DirectProgram
  let texts: DirectTexts
  /// The APNs payload, or the FCM message.
  let payload: JSONNode
  /// One for each row, then one for each shared member and for each part of one; only those of which a bit is set are made.
  private let values: UnsafeMutablePointer<DirectValue>
  /// The rows that have a value, and the members, a bit each.
  private var filled: (low: UInt64, high: UInt64) = (0, 0)
  private var filledMembers: UInt64 = 0
  /// The blocks of an FCM message.
  private(set) var ownBlock = DirectBlock()
  private(set) var sharedBlock = DirectBlock()
  /// What Firebase's client takes its own for.
  var ignored = DirectIgnored(icon: false, sound: false)
  /// True when the device shows something.
  var isVisible = false
  /// True when `silent` is the last of the shared members and not at its own index.
  var endsSilent = false
  /// What the contract says of the payload: a number that means something to it, and 0 for nothing.
  var findings = 0

  init(
    _ document: JSONDocument, _ payload: JSONNode, _ platform: Platform, _ program: DirectProgram, _ texts: DirectTexts,
    _ values: UnsafeMutablePointer<DirectValue>
  ) {
    self.document = document
    self.payload = payload
    self.platform = platform
    self.program = program
    self.texts = texts
    unsafe self.values = unsafe values
  }

  /// How many values a reading has room for.
  static let valueCount = DirectProgram.rowsMax + DirectProgram.membersMax

  /// The value of a row.
  subscript(row: Int) -> DirectValue { isFilled(row) ? unsafe values[row] : .absent(payload) }

  @inline(__always)
  private func isFilled(_ row: Int) -> Bool {
    (row < 64 ? filled.low : filled.high) &>> UInt64(truncatingIfNeeded: row) & 1 != 0
  }

  /// Gives a row its value.
  @inline(__always)
  mutating func set(_ row: Int, _ value: DirectValue) {
    unsafe values[row] = value
    let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: row)
    if row < 64 { filled.low |= bit } else { filled.high |= bit }
  }

  /// The value of a shared member, or of a part of one.
  func member(_ index: Int) -> DirectValue {
    filledMembers &>> UInt64(truncatingIfNeeded: index) & 1 != 0
      ? unsafe values[DirectProgram.rowsMax + index] : .absent(payload)
  }

  /// Gives a shared member another value than that of its rows.
  @inline(__always)
  mutating func setMember(_ index: Int, _ value: DirectValue) {
    unsafe values[DirectProgram.rowsMax + index] = value
    filledMembers |= 1 &<< UInt64(truncatingIfNeeded: index)
  }

  /// Calls `body` with each shared member below a bound that has a value, in their order.
  @inline(__always)
  func forEachMember(below bound: Int, _ body: (Int, DirectValue) -> Void) {
    var bits = filledMembers & ((1 &<< UInt64(truncatingIfNeeded: bound)) &- 1)
    while bits != 0 {
      let index = bits.trailingZeroBitCount
      bits &= bits &- 1
      body(index, unsafe values[DirectProgram.rowsMax &+ index])
    }
  }

  /// True when there is a localized text.
  var hasLocalized: Bool { filledMembers &>> UInt64(truncatingIfNeeded: program.localized.upperBound) != 0 }

  /// Says there that nothing is shown.
  mutating func setSilent() { setMember(DirectProgram.silent, DirectValue(form: .own, node: payload)) }

  /// Calls `body` with each row that has a value, in their order.
  @inline(__always)
  func forEachRow(_ body: (Int, DirectValue) -> Void) {
    var (bits, base) = (filled.low, 0)
    while true {
      while bits != 0 {
        let row = base + bits.trailingZeroBitCount
        bits &= bits &- 1
        body(row, unsafe values[row])
      }
      guard base == 0 else { return }
      (bits, base) = (filled.high, 64)
    }
  }

  /// Gives the shared members the values of their rows, of which the last one counts.
  private mutating func fillMembers() {
    let rows = program.rows
    var (bits, base) = (filled.low, 0)
    while true {
      while bits != 0 {
        let row = base &+ bits.trailingZeroBitCount
        bits &= bits &- 1
        // What is filled is a row of the plan.
        let member = unsafe Int(rows[unchecked: row].pointee.member)
        if member >= 0 { setMember(member, unsafe values[row]) }
      }
      guard base == 0 else { return }
      (bits, base) = (filled.high, 64)
    }
  }

  // MARK: Walking

  /// Reads the payload beside the plan; false when there is something to say, as there is of every repeated name.
  mutating func read(_ node: Lent<DirectProgram.Node>) -> Bool {
    guard walk(payload, node, isMessage: program.message != nil) else { return false }
    fillMembers()
    return true
  }

  /// Reads the members of an object beside the plan; false when there is something to say.
  private mutating func walk(
    _ object: JSONNode, _ node: Lent<DirectProgram.Node>, isMessage: Bool = false
  ) -> Bool {
    var cursor = document.cursor(object)
    var seen = DirectBits()
    var rest = 0
    var others = 0
    while let (name, value) = document.nextMember(&cursor) {
      if let index = document.quickIndex(of: name, in: node.pointee.keys) {
        // A node has a child for each of its keys.
        guard seen.insert(index), unsafe take(value, node.pointee.children[unchecked: index]) else { return false }
        continue
      }
      others &+= 1
      if node.pointee.spread != nil {
        if program.dataIsText, document.kind(value) != .string { return false }
        rest &+= 1
      } else if !isMessage || !DirectReading.isEnvelope(name, of: document) {
        return false
      }
      if document.isContainer(value), document.hasDuplicates(in: value) { return false }
    }
    if others > 1, document.hasRepeatedNames(object) { return false }
    guard rest > 0, let spread = node.pointee.spread else { return true }
    for slot in spread where slot.isProperty {
      guard slot.form == .rest else { return false }
      set(
        slot.row,
        DirectValue(form: seen.isEmpty ? .object : .rest, detail: node.pointee.spreadIndex, node: object))
    }
    return true
  }

  /// True for a member that says where a message goes, and not what it is.
  private static func isEnvelope(_ name: JSONNode, of document: JSONDocument) -> Bool {
    document.index(of: name, in: envelope) != nil
  }

  private static let envelope = JSONKeyTable(FCMMessage.envelope.compactMap { JSONKey(keeping: $0) })

  private mutating func take(_ value: JSONNode, _ node: Lent<DirectProgram.Node>) -> Bool {
    let kind = document.kind(value)
    if kind == .object, node.pointee.hasChildren { return walk(value, node) }
    // Nearly every text.
    if kind == .string, node.pointee.stringRow >= 0 {
      set(Int(node.pointee.stringRow), DirectValue(form: .string, node: value))
      return true
    }
    if kind == .object || kind == .array, document.hasDuplicates(in: value) { return false }
    if node.pointee.slots.isEmpty && node.pointee.alsoRead.isEmpty { return false }
    for slot in node.pointee.slots {
      if let fixed = slot.fixed {
        guard unsafe fixed.withElements({ unsafe document.isWritten(value, $0) }) else { return false }
      } else if slot.isProperty {
        guard let taken = read(value, kind, slot.form) else { return false }
        set(slot.row, taken)
      }
    }
    for slot in node.pointee.alsoRead where unsafe !isFilled(slot.row) || values[slot.row].isFromElsewhere {
      guard slot.fixed == nil, var taken = read(value, kind, slot.form) else { return false }
      taken.isFromElsewhere = true
      set(slot.row, taken)
    }
    return true
  }

  /// The value in a form; nil when it is none of it.
  private func read(_ node: JSONNode, _ kind: JSONKind, _ form: DirectForm) -> DirectValue? {
    let isFine: Bool =
      switch form {
      case .absent, .hidden, .rest: false
      case .string: kind == .string
      case .own: kind == .string || kind == .array
      case .color: document.isColor(node, digits: 6)
      case .fewDigits: document.digits(node, max: DirectForm.fewDigitsMax) != nil
      case .digits: document.digits(node, max: DirectForm.digitsMax) != nil
      case .flagText: document.isString(node, "true") || document.isString(node, "false")
      case .integer: document.int(node) != nil
      case .number: kind == .number
      case .boolean: kind == .bool
      case .strings: areStrings(node, of: document)
      case .object: kind == .object
      case .stringOrObject: kind == .string || kind == .object
      case .flag: kind == .bool || document.int(node).map { $0 == 0 || $0 == 1 } ?? false
      case .seconds: document.int(node).map { (0...DirectForm.secondsMax).contains($0) } ?? false
      case .secondsText: document.wholeSeconds(node) != nil
      case .objectText, .stringsText: kind == .string
      }
    guard isFine else { return nil }
    guard form == .objectText || form == .stringsText else { return DirectValue(form: form, node: node) }
    guard let index = texts.add(node, of: document) else { return nil }
    let inner = texts[index]
    guard form == .objectText ? inner.kind(inner.root) == .object : areStrings(inner.root, of: inner) else {
      return nil
    }
    return DirectValue(form: form, detail: Int32(truncatingIfNeeded: index), node: inner.root)
  }

  private func areStrings(_ node: JSONNode, of document: JSONDocument) -> Bool {
    guard document.kind(node) == .array else { return false }
    var cursor = document.cursor(node)
    while let element = document.nextElement(&cursor) {
      if document.kind(element) != .string { return false }
    }
    return true
  }

  // MARK: Members

  /// Reads the notification blocks of an FCM message; false for two that have a text or picture both.
  mutating func readBlocks(_ own: JSONNode?, _ shared: JSONNode?) -> Bool {
    if let own { ownBlock = DirectBlock(own, document) }
    if let shared { sharedBlock = DirectBlock(shared, document) }
    return !ownBlock.overlaps(sharedBlock)
  }

  /// A member of an object; nil without one.
  func member(_ node: JSONNode?, _ name: StaticString) -> JSONNode? {
    guard let node else { return nil }
    return document.member(of: node, name)
  }

  /// A member that is a string; nil for any other.
  func string(_ node: JSONNode?, _ name: StaticString) -> JSONNode? {
    member(node, name).flatMap { document.kind($0) == .string ? $0 : nil }
  }

  /// True for a string with a letter in it.
  func isText(_ node: JSONNode?) -> Bool {
    guard let node else { return false }
    return document.kind(node) == .string && !document.isEmptyString(node)
  }
}

extension JSONDocument {
  /// The number that a string of at most `max` decimal digits holds, up to 18; nil for anything else.
  func digits(_ node: JSONNode, max: Int) -> WholeNumber? {
    guard kind(node) == .string else { return nil }
    return unsafe withSource(of: node) { source -> WholeNumber? in
      guard (3...max + 2).contains(source.count) else { return nil }
      var value: WholeNumber = 0
      for index in 1..<source.count - 1 {
        let byte = unsafe source[index]
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + WholeNumber(byte - 0x30)
      }
      return value
    }
  }

  /// True for a string of so many hexadecimal digits.
  func isColor(_ node: JSONNode, digits: Int) -> Bool {
    guard kind(node) == .string else { return false }
    return unsafe withSource(of: node) { source in
      unsafe source.count == digits + 2
        && source[1...digits].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }
  }

  /// The whole seconds of a duration such as `"3600s"`, up to ``DirectForm/secondsMax``; nil for anything else.
  func wholeSeconds(_ node: JSONNode) -> WholeNumber? {
    guard kind(node) == .string else { return nil }
    return unsafe withSource(of: node) { source -> WholeNumber? in
      // Quotes, at most seven digits, and the unit.
      guard (4...10).contains(source.count), unsafe source[source.count - 2] == UInt8(ascii: "s") else { return nil }
      var value: WholeNumber = 0
      for index in 1..<source.count - 2 {
        let byte = unsafe source[index]
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + WholeNumber(byte - 0x30)
      }
      return value <= DirectForm.secondsMax ? value : nil
    }
  }
}

/// Which of up to 128 things were seen.
struct DirectBits {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// The most things.
  static let max = 128

  /// True when nothing was seen.
  var isEmpty: Bool { low | high == 0 }

  /// Notes one; false when it was there.
  @inline(__always)
  mutating func insert(_ index: Int) -> Bool {
    let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
    if index < 64 {
      guard low & bit == 0 else { return false }
      low |= bit
    } else {
      guard high & bit == 0 else { return false }
      high |= bit
    }
    return true
  }
}
