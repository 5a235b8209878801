internal import Basics
import WireJSON

/// How a value of a payload is taken for a field, where the field's property is the value as it is.
///
/// A field whose value is changed on its way, or looked at by rules of its own, has none: a payload with it is read into the
/// contract's message.
enum DirectForm: UInt8, Sendable {
  /// There is no value, or no such form.
  case absent
  /// A value that is there and is not shown.
  case hidden
  case string, integer, number, boolean, strings, object
  /// A string, or an object.
  case stringOrObject
  /// `true`, `false`, 1 or 0.
  case flag
  /// Whole seconds up to four weeks, as a number.
  case seconds
  /// The same as a duration: `"3600s"`.
  case secondsText
  /// JSON text of an object in a string.
  case objectText
  /// JSON text of an array of strings in a string.
  case stringsText
  /// The members of an object that have no row of their own.
  case rest
  /// Six hexadecimal digits in a string.
  case color
  /// A whole number not below 0 in a string, of at most ``fewDigitsMax`` or ``digitsMax`` digits.
  case fewDigits, digits
  /// `true` or `false` in a string.
  case flagText
  /// A string or an array that the contract reads and writes itself; ``DirectValue/detail`` is its own.
  case own

  /// So many digits are a number of 32 bits, and a double without loss.
  static let fewDigitsMax = 9
  static let digitsMax = 15
  /// The longest duration, 28 days.
  static let secondsMax: WholeNumber = 2_419_200
}

/// A value of a payload, by its position in it.
struct DirectValue: Sendable {
  var form: DirectForm
  /// True when it was taken from one of the other paths of its slot.
  var isFromElsewhere = false
  /// Which document of JSON text it is the root of, for text; whether the object holds nothing but the rest, for ``DirectForm/rest``.
  var detail: Int32 = 0
  var node: JSONNode

  /// No value.
  static func absent(_ node: JSONNode) -> DirectValue { DirectValue(form: .absent, node: node) }

  /// True when there is one.
  var isThere: Bool { form != .absent }
}

/// Owns the documents of JSON text inside the strings of one payload, which are used again for the next; whoever parses has
/// one, and hands it to no other thread.
final class DirectTextMemory {
  /// Valid as long as this is there.
  let texts: DirectTexts

  /// Makes an empty list.
  ///
  /// - Parameter known: documents whose memory is used.
  init(reusing known: [JSONDocument] = []) { texts = DirectTexts(reusing: known) }

  deinit { texts.free() }

  /// Hands over the documents, for their memory to be used again, and is empty then.
  func release() -> [JSONDocument] { texts.release() }
}

/// The documents of JSON text inside the strings of one payload.
///
/// Addresses alone, so that reading can add to them while it looks at them, and no copy counts a reference:
/// ``DirectTextMemory`` owns what is there.
///
/// `@safe`: the owner frees the memory when it goes away, which the parser that has both outlives; documents are read below
/// the count of those that were made, and nodes below that of the strings that were read.
@safe struct DirectTexts {
  /// How many texts of a payload are read; one with more of them is read into a message.
  private static let max = 8

  private struct State {
    /// How many documents there are, and how many strings were read.
    var made = 0
    var used = 0
  }

  private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  private let documents = UnsafeMutablePointer<JSONDocument>.allocate(capacity: max)
  /// The strings that were read.
  private let nodes = UnsafeMutablePointer<JSONNode>.allocate(capacity: max)

  fileprivate init(reusing known: [JSONDocument]) {
    unsafe state.initialize(to: State())
    for document in known.prefix(Self.max) {
      unsafe (documents + state.pointee.made).initialize(to: document)
      unsafe state.pointee.made += 1
    }
  }

  fileprivate func free() {
    unsafe documents.deinitialize(count: state.pointee.made)
    unsafe documents.deallocate()
    unsafe nodes.deallocate()
    unsafe state.deallocate()
  }

  fileprivate func release() -> [JSONDocument] {
    removeAll()
    let made = unsafe state.pointee.made
    let released = unsafe Array(UnsafeBufferPointer(start: documents, count: made))
    unsafe documents.deinitialize(count: made)
    unsafe state.pointee.made = 0
    return released
  }

  /// Forgets what was read.
  func removeAll() { unsafe state.pointee.used = 0 }

  /// Reads the JSON text of a string and returns its index; nil for what is no JSON, and for an object with a repeated name.
  func add(_ node: JSONNode, of document: JSONDocument) -> Int? {
    let index = unsafe state.pointee.used
    for known in 0..<index where unsafe nodes[known] == node { return known }
    guard index < DirectTexts.max else { return nil }
    if unsafe index == state.pointee.made {
      unsafe (documents + index).initialize(to: JSONDocument())
      unsafe state.pointee.made = index + 1
    }
    guard unsafe documents[index].parse(textOf: node, in: document), unsafe !documents[index].hasDuplicates else {
      return nil
    }
    unsafe (nodes + index).initialize(to: node)
    unsafe state.pointee.used = index + 1
    return index
  }

  /// The document of a text that was read, lent until the next payload.
  subscript(index: Int) -> JSONDocument {
    precondition(unsafe index < state.pointee.used, "no text was read there")
    return unsafe documents[index].lent
  }
}
