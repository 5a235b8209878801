import PushPayload
import WireJSON

/// Reading IMKit's payloads without their message: the built-in texts are written from their pieces.
extension IMKit {
  /// A piece of a built-in text.
  private enum Piece: Sendable {
    case text(JSONFragment)
    /// The position of an argument, from 0.
    case argument(Int)
  }

  /// The built-in texts as they are written.
  private struct Formats: Sendable {
    let keys: JSONKeyTable
    /// By key, for each language.
    let pieces: [[[Piece]]]
    /// By key, how many arguments the text uses.
    let wanted: [Int]

    init() {
      let names = (texts[.english] ?? [:]).keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      keys = JSONKeyTable(names.compactMap { JSONKey(keeping: $0) })
      pieces = names.map { name in
        TextLanguage.allCases.map { Formats.pieces(of: texts[$0]?[name] ?? "") }
      }
      wanted = names.map { argumentCount(of: $0) ?? 0 }
    }

    /// The table holds `%1$@` and `%2$@` only.
    private static func pieces(of format: String) -> [Piece] {
      var pieces: [Piece] = []
      var rest = Array(format.utf8)[...]
      while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
        pieces.append(.text(JSONFragment(Array(rest[..<percent]))))
        pieces.append(.argument(Int(rest[percent + 1] - UInt8(ascii: "1"))))
        rest = rest[(percent + 4)...]
      }
      return pieces + [.text(JSONFragment(Array(rest)))]
    }
  }

  private static let formats = Formats()
  private static let keyRow = fields.row("loc-key")
  private static let argumentsRow = fields.row("loc-args")
  private static let titleRow = fields.row("title")
  private static let bodyRow = fields.row("body")

  static let direct = DirectHooks(judge: judge, own: writeTexts)

  /// False for a text that wants more arguments than there are.
  @Sendable private static func judge(_ reading: inout DirectReading) -> Bool {
    let key = reading[keyRow]
    let arguments = reading[argumentsRow]
    if key.isThere, let index = reading.document.index(of: key.node, in: formats.keys),
      count(arguments, reading) < formats.wanted[index]
    {
      return false
    }
    if reading.platform == .ios {
      let hasText = key.isThere || reading[titleRow].isThere || reading[bodyRow].isThere
      reading.endsSilent = !hasText
      return true
    }
    reading.endsSilent = !reading.isVisible
    // The text of Android's own block, which may be another than that of the data.
    guard let shown = reading.ownBlock.bodyKey, let index = reading.document.index(of: shown, in: formats.keys),
      let list = reading.ownBlock.bodyArguments
    else { return true }
    return reading.document.count(list) >= formats.wanted[index]
  }

  private static func document(_ arguments: DirectValue, _ reading: borrowing DirectReading) -> JSONDocument {
    arguments.form == .stringsText ? reading.texts[Int(arguments.detail)] : reading.document
  }

  private static func count(_ arguments: DirectValue, _ reading: borrowing DirectReading) -> Int {
    arguments.isThere ? document(arguments, reading).count(arguments.node) : 0
  }

  /// The built-in texts in every language.
  @Sendable private static func writeTexts(_ reading: borrowing DirectReading, _ writer: inout JSONWriter) {
    let key = reading[keyRow]
    guard key.isThere, let index = reading.document.index(of: key.node, in: formats.keys) else { return }
    let arguments = reading[argumentsRow]
    let source = document(arguments, reading)
    writer.key("texts")
    writer.beginObject()
    for (language, pieces) in zip(TextLanguage.allCases, formats.pieces[index]) {
      writer.key(language.rawValue)
      writer.beginString()
      for piece in pieces {
        switch piece {
        case .text(let text): writer.fragment(text)
        case .argument(let position):
          if let argument = element(position, arguments.node, source) { writer.piece(argument, of: source) }
        }
      }
      writer.endString()
    }
    writer.endObject()
  }

  private static func element(_ position: Int, _ list: JSONNode, _ document: JSONDocument) -> JSONNode? {
    var cursor = document.cursor(list)
    var left = position
    while let element = document.nextElement(&cursor) {
      if left == 0 { return element }
      left -= 1
    }
    return nil
  }
}
