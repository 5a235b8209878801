internal import Basics

/// A value of a property list, with its offset in the file.
///
/// The readers of its forms (`OldStyleStrings`, `XMLPropertyList`, `BinaryPropertyList`) are hand-written because floor
/// 0 has no C library (it compiles as Embedded Swift); the fuzz target `strings` covers them.
struct PropertyList: Sendable {
  indirect enum Value: Sendable {
    case text(String)
    case integer(Int)
    case dictionary([(key: String, value: PropertyList)])
    case array([PropertyList])
    /// Numbers with fractions, dates, data, true and false: nothing that string tables use.
    case other
  }

  let value: Value
  /// Where it starts in the file, in bytes.
  let offset: Int

  /// The member of a dictionary.
  func member(_ key: String) -> PropertyList? {
    guard case .dictionary(let members) = value else { return nil }
    return members.first { $0.key.hasSameBytes(as: key) }?.value
  }

  /// The text of a string.
  var text: String? { if case .text(let text) = value { text } else { nil } }

  /// The members of a dictionary.
  var members: [(key: String, value: PropertyList)]? {
    if case .dictionary(let members) = value { members } else { nil }
  }
}
