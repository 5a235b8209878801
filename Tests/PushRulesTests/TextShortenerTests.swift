import PushRules
import TestSupport
import Testing
import WireJSON

struct TextShortenerTests {
  @Test(
    arguments: [
      ("hello", 5, "hello"), ("hello", 4, "h…"), ("hello", 3, nil), ("hello", 0, nil), ("", 0, ""),
      // White space before the cut goes.
      ("hi you all", 8, "hi yo…"), ("hi you all", 6, "hi…"), ("hi   you", 7, "hi…"),
      // Never inside an emoji sequence, a flag, a letter with its marks, a Hangul syllable.
      ("a👨‍👩‍👧‍👦b", 28, "a👨‍👩‍👧‍👦b"), ("a👨‍👩‍👧‍👦bc", 27, "a…"), ("a👨‍👩‍👧‍👦bcde", 29, "a👨‍👩‍👧‍👦…"), ("🇩🇪🇫🇷🇮🇹", 20, "🇩🇪🇫🇷…"), ("🇩🇪🇫🇷🇮🇹", 18, "🇩🇪…"),
      ("e\u{301}e\u{301}e\u{301}", 8, "e\u{301}…"), ("👍🏽👍🏽", 12, "👍🏽…"), ("👍🏽👍🏽", 10, nil),
      ("\u{1112}\u{1161}\u{11AB}\u{1112}\u{1161}\u{11AB}", 17, "\u{1112}\u{1161}\u{11AB}…"),
      // Escapes count as JSON writes them.
      ("\"\"\"\"", 8, "\"\"\"\""), ("\"\"\"\"", 7, "\"\"…"), ("\u{1}\u{1}\u{1}", 15, "\u{1}\u{1}…"),
      ("a\nb\nc", 6, "a…"), ("a\nb\ncd", 7, "a\nb…"),
      // Open direction marks are closed behind the ellipsis, innermost first.
      ("\u{2067}שלום עולם\u{2069}", 17, "\u{2067}שלום…\u{2069}"),
      ("\u{2067}ab\u{202A}cdefghij\u{202C}\u{2069}", 19, "\u{2067}ab\u{202A}cd…\u{202C}\u{2069}"),
      // Nothing is opened just to be closed again.
      ("\u{2067}ab\u{202A}cdef\u{202C}\u{2069}", 17, "\u{2067}ab…\u{2069}"),
      ("\u{2067}a\u{2069}bcdefgh", 12, "\u{2067}a\u{2069}bc…"),
    ] as [(String, Int, String?)])
  func textIsShortened(text: String, budget: Int, expected: String?) {
    let short = TextShortener.shorten(text, bytesMax: budget, .escaped)
    #expect(short == expected)
    if let short { #expect(TextShortener.bytes(short, .escaped) <= budget) }
  }

  @Test func aMinimumOfCharactersIsKept() {
    #expect(TextShortener.shorten("abcdefghijklmnop", bytesMax: 12, .plain, charactersMin: 9) == "abcdefghi…")
    #expect(TextShortener.shorten("abcdefghijklmnop", bytesMax: 12, .plain, charactersMin: 10) == nil)
    #expect(TextShortener.shorten("abcdefgh", bytesMax: 7, .plain, ellipsis: "...") == "abcd...")
    #expect(TextShortener.shorten("abcdefgh", bytesMax: 7, .plain, ellipsis: "") == "abcdefg")
  }

  /// Properties of any cut: within budget, a prefix at a grapheme boundary, balanced direction marks, and the cost is
  /// what the writer writes.
  @Test func everyCutIsClean() {
    var random = SeededRandom.fromEnvironment()
    let parts = [
      "a", "é", "e\u{301}", "👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", " ", "\n", "\"", "\\", "\u{7}", "\u{7F}", "\u{2067}", "\u{2069}", "\u{202B}",
      "\u{202C}", "한", "नि", "ﷺ", "\u{200D}", "\u{FE0F}", "漢",
    ]
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 1...20, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
        .joined()
      let budget = Int.random(in: 0...60, using: &random)
      #expect(TextShortener.bytes(text, .escaped) == JSON.minified(.string(text)).count - 2, "seed \(random.seed)")
      guard let short = TextShortener.shorten(text, bytesMax: budget, .escaped), short != text else { continue }
      #expect(TextShortener.bytes(short, .escaped) <= budget, "seed \(random.seed)")
      let kept = String(short.prefix { $0 != "…" })
      let characters = Array(text)
      #expect(
        Array(kept) == Array(characters.prefix(Array(kept).count)), "seed \(random.seed): \(text.debugDescription)")
    }
  }
}
