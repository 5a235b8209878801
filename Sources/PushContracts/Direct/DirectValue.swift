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
  /// A string that the contract reads and writes itself; ``DirectValue/detail`` is its own.
  case own

  /// The longest duration, 28 days.
  static let secondsMax: WholeNumber = 2_419_200
}

/// A value of a payload, by its place in it.
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

/// The documents of JSON text inside the strings of one payload, used again for the next.
///
/// A class, so that reading can add to them while it looks at them; whoever parses has one, and hands it to no other thread.
final class DirectTexts {
  private var documents: [JSONDocument] = []
  /// The strings that were read.
  private var nodes: [JSONNode] = []

  /// Makes an empty list.
  ///
  /// - Parameter documents: documents whose memory is used.
  init(reusing documents: [JSONDocument] = []) { self.documents = documents }

  /// Hands over the documents, for their memory to be used again, and is empty then.
  func release() -> [JSONDocument] {
    removeAll()
    let released = documents
    documents = []
    return released
  }

  /// Forgets what was read.
  func removeAll() { nodes.removeAll(keepingCapacity: true) }

  /// Reads the JSON text of a string and returns its index; nil for what is no JSON, and for an object with a repeated name.
  func add(_ node: JSONNode, of document: JSONDocument) -> Int? {
    if let index = nodes.firstIndex(of: node) { return index }
    let index = nodes.count
    if index == documents.count { documents.append(JSONDocument()) }
    guard documents[index].parse(textOf: node, in: document), !documents[index].hasDuplicates else { return nil }
    nodes.append(node)
    return index
  }

  subscript(index: Int) -> JSONDocument { documents[index] }
}
