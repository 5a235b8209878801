import DeviceText
import TestSupport
import Testing

/// Every form of `.strings` and what stands in it, by the grammar of Apple's property list reader.
@Suite struct StringsFileTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let file: [UInt8]
    /// Keys and values, as `key=value`.
    let entries: [String]
    /// What is wrong, as `line:column rule`.
    var problems: [String] = []
    var testDescription: String { name }

    init(_ name: String, _ text: String, _ entries: [String], _ problems: [String] = []) {
      self.init(name, bytes: Array(text.utf8), entries, problems)
    }

    init(_ name: String, bytes: [UInt8], _ entries: [String], _ problems: [String] = []) {
      self.name = name
      file = bytes
      self.entries = entries
      self.problems = problems
    }
  }

  /// What Python's plistlib makes of `hi`, `é` and a plural `n` in the binary form.
  private static let binary =
    "62706c6973743030d30102030405065268696100e9516e5a48656c6c6f20253124406600dc006e00ef0020d83dde00d20708"
    + "090a5f101a4e53537472696e674c6f63616c697a6564466f726d61744b65795176552523407640d40b0c0d0e0f1011125f10"
    + "194e53537472696e67466f726d617453706563547970654b65795f101a4e53537472696e67466f726d617456616c75655479"
    + "70654b6579536f6e65556f746865725f10164e53537472696e67506c7572616c52756c655479706551645131522564080f12"
    + "1517222f34515359627e9b9fa5bec0c200000000000001010000000000000013000000000000000000000000000000c5"

  private static func utf16(_ text: String, isBig: Bool, mark: Bool) -> [UInt8] {
    let units = (mark ? [0xFEFF] : []) + Array(text.utf16)
    return units.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  private static func hex(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8).map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  static let rows = [
    Row("an entry", #""a" = "b";"#, ["a=b"]),
    Row("single quotes", #"'a "x"' = 'b';"#, [#"a "x"=b"#]),
    Row("bare words", "a_$/:.-9 = b;", ["a_$/:.-9=b"]),
    Row("a key for itself", #""Hello"; other;"#, ["Hello=Hello", "other=other"]),
    Row("comments and blanks", "/* a\n*/ // b\n\u{2028}\u{2029}\t\u{B}\u{C}\"a\"/**/=/*=*/\"b\"//\n;", ["a=b"]),
    Row("one dictionary", #"{ "a" = "b"; }"#, ["a=b"]),
    Row(
      "letters behind a backslash", #""k" = "\a\b\f\n\r\t\v\"\\\'\x";"#,
      ["k=\u{7}\u{8}\u{C}\n\r\t\u{B}\"\\'x"]),
    Row("a line feed behind a backslash", "\"k\" = \"a\\\nb\";", ["k=a\nb"]),
    Row("hexadecimal digits, up to four", #""k" = "\U00e9\Ue9x\U00e90";"#, ["k=ééxé0"]),
    Row("two halves of a character", #""k" = "\UD83D\UDE00";"#, ["k=😀"]),
    Row("half a character", #""k" = "\UD83Dx";"#, ["k=\u{FFFD}x"], ["1:8 text-escape"]),
    Row("octal digits are NeXTSTEP's", #""k" = "\101\341\7\1234";"#, ["k=AÆ\u{7}S4"]),
    Row("a small u is no escape", #""k" = "\u00e9";"#, ["k=u00e9"], ["1:8 text-escape"]),
    Row("the last of two", "\"k\" = \"a\";\n\"k\" = \"b\";", ["k=a", "k=b"], ["2:1 text-duplicate-key"]),
    Row("an empty key", #""" = "b";"#, ["=b"], ["1:1 text-empty-key"]),
    Row("no semicolon", "\"a\" = \"b\"\n\"c\" = \"d\";", ["a=b", "c=d"], ["2:1 text-syntax"]),
    Row("no value", "\"é\" = ;\n\"c\" = \"d\";", ["c=d"], ["1:7 text-syntax"]),
    Row("no end of a string", "\"a\" = \"b", [], ["1:7 text-syntax"]),
    Row("no end of a comment", "\"a\" = \"b\"; /* c", ["a=b"], ["1:12 text-syntax"]),
    Row("no end of a dictionary", "{ a = b;", ["a=b"], ["1:9 text-syntax"]),
    Row("nothing", "", []),
    Row("UTF-8 with a mark", "\u{FEFF}\"a\" = \"é\";", ["a=é"]),
    Row("UTF-16, small end first", bytes: utf16(#""a" = "é😀";"#, isBig: false, mark: true), ["a=é😀"]),
    Row("UTF-16, big end first", bytes: utf16(#""a" = "é😀";"#, isBig: true, mark: true), ["a=é😀"]),
    Row("UTF-16 without a mark", bytes: utf16(#""a" = "é😀";"#, isBig: false, mark: false), ["a=é😀"]),
    Row(
      "no UTF-8", bytes: Array("\"a\" = \"".utf8) + [0xFF] + Array("\";".utf8), ["a=\u{FFFD}"], ["1:8 text-encoding"]),
    Row(
      "an XML property list",
      "<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC \"x\" \"y\"><plist version=\"1.0\"><dict>\n<key>a&amp;b</key>"
        + "<string>c &lt;d&gt; &#233;<![CDATA[ <e>]]></string></dict></plist>", ["a&b=c <d> é <e>"]),
    Row("a binary property list", bytes: hex(binary), ["hi=Hello %1$@", "é=Ünï 😀", "n=(pattern)"]),
    Row(
      "a binary property list that ends early", bytes: Array(hex(binary).dropLast(20)), [], ["1:197 text-syntax"]),
  ]

  @Test("grammar", arguments: rows)
  func reads(row: Row) throws {
    let file = try #require(TableFile(path: "App/en.lproj/Localizable.strings"))
    let read = StringFile.read(row.file, as: file)
    let entries = read.tables.flatMap(\.entries).map { entry in
      if case .text(let text) = entry.value { "\(entry.key)=\(text)" } else { "\(entry.key)=(pattern)" }
    }
    #expect(entries.map { Array($0.utf8) } == row.entries.map { Array($0.utf8) })
    let problems = read.problems.map { "\($0.position?.line ?? 0):\($0.position?.column ?? 0) \($0.rule.rawValue)" }
    #expect(problems == row.problems)
  }
}
