/// A text that can be put into a picture or onto a terminal without doing anything there.
///
/// Controls and noncharacters are left out, as are the characters that turn the direction of what follows (bidi
/// embeddings, overrides and isolates); line and paragraph separators become line feeds, tabs become spaces; of a heap
/// of combining marks the first few stay. What is left is what a person may see, and it ends where it ends.
public struct InertText: Sendable, Hashable {
  /// The most combining marks on one letter; more are left out.
  public static let marksMax = 4
  /// The most characters (Unicode scalars) of one text; more are left out.
  public static let scalarsMax = 8192

  /// The characters.
  public let scalars: [Unicode.Scalar]
  /// True when something was left out.
  public let isChanged: Bool
  /// True when characters that turn the direction were left out.
  public let hadBidiControls: Bool

  /// Makes a text inert.
  public init(_ text: String) {
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(min(text.utf8.count, InertText.scalarsMax))
    var isChanged = false
    var hadBidiControls = false
    var marks = 0
    for scalar in text.unicodeScalars {
      guard scalars.count < InertText.scalarsMax else {
        isChanged = true
        break
      }
      let value = scalar.value
      if value >= 0x20 && value < 0x7F {
        scalars.append(scalar)
        marks = 0
        continue
      }
      switch InertText.kind(value) {
      case .letter:
        scalars.append(scalar)
        marks = 0
      case .mark:
        marks += 1
        if marks <= InertText.marksMax { scalars.append(scalar) } else { isChanged = true }
      case .line: scalars.append("\n")
      case .space: scalars.append(" ")
      case .bidi:
        hadBidiControls = true
        isChanged = true
      case .nothing: isChanged = true
      }
    }
    self.scalars = scalars
    self.isChanged = isChanged
    self.hadBidiControls = hadBidiControls
  }

  /// The text.
  public var text: String { InertText.string(scalars[...]) }

  static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    // Appending scalars to a string allocates for each of them; bytes do not.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(scalars.count + 16)
    for scalar in scalars {
      if scalar.value < 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a character turns the direction of what follows it: embeddings, overrides and isolates.
  static func turnsDirection(_ value: UInt32) -> Bool {
    (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
  }

  private enum Kind { case letter, mark, line, space, bidi, nothing }

  private static func kind(_ value: UInt32) -> Kind {
    switch value {
    case 0x0A, 0x2028, 0x2029: .line
    case 0x09: .space
    case 0...0x1F, 0x7F...0x9F: .nothing
    case _ where turnsDirection(value): .bidi
    case 0xFEFF, 0xFFF9...0xFFFB, 0x2060, 0x206A...0x206F, 0xFDD0...0xFDEF: .nothing
    case _ where value & 0xFFFE == 0xFFFE: .nothing
    default: CharacterWidth.isMark(value) ? .mark : .letter
    }
  }
}
