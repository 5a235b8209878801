import DeviceText
import TestSupport
import Testing

/// Whatever stands in a file, reading it ends, and says what it thinks of it.
@Suite struct HostileTextTests {
  static let paths = [
    "App/en.lproj/Localizable.strings", "App/en.lproj/Localizable.stringsdict", "App/Localizable.xcstrings",
    "app/res/values/strings.xml",
  ]
  /// A whole file of each format, to be broken.
  static let files = [
    #"/* c */ "a\U00e9\101" = 'b'; bare = "%1$@ %@ %%"; "x";"#,
    "<plist><dict><key>k</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@n@</string><key>n</key><dict>"
      + "<key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>other</key><string>%#@n@"
      + "</string></dict></dict></dict></plist>",
    #"{"sourceLanguage":"en","strings":{"k":{"localizations":{"en":{"variations":{"plural":{"one":{"stringUnit":"#
      + #"{"value":"%arg"}},"other":{"stringUnit":{"value":"%lld"}}}}}}}}}"#,
    #"<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"><string name="k">a "b" \u0041<b>%1$s</b>"#
      + "<xliff:g>x</xliff:g><![CDATA[y]]>&lt;</string></resources>",
  ]

  private func use(_ bytes: [UInt8], _ path: String) throws {
    let file = try #require(TableFile(path: path))
    var strings = AppStrings(platform: file.format.platform, developmentLocale: LocaleTag("en"))
    strings.add(bytes, path: path)
    for key in strings.keys().prefix(20) {
      let text = strings.resolve(key, ["3", "\u{202E}x", "y"], preferred: [try #require(LocaleTag("en-GB"))])
      #expect((text.text ?? "").utf8.count <= TextLimits.default.textBytesMax)
    }
  }

  @Test("random bytes and broken files never trap")
  func random() throws {
    var random = SeededRandom.fromEnvironment()
    for round in 0..<400 {
      for (path, whole) in zip(Self.paths, Self.files) {
        var bytes = Array(whole.utf8)
        if round.isMultiple(of: 4) {
          bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        } else {
          for _ in 0...Int.random(in: 0..<4, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] = UInt8.random(in: 0...255, using: &random)
            if bytes.count > 10, Bool.random(using: &random) { bytes.remove(at: index) }
          }
        }
        if round % 7 == 3 { bytes = Array("bplist00".utf8) + bytes + Array(repeating: UInt8(round % 3), count: 40) }
        try use(bytes, path)
      }
    }
    #expect(Bool(true), "seed \(random.seed)")
  }

  @Test("every beginning of a file is read")
  func prefixes() throws {
    for (path, whole) in zip(Self.paths, Self.files) {
      for count in 0...whole.utf8.count { try use(Array(whole.utf8.prefix(count)), path) }
    }
  }

  @Test("random formats never trap", arguments: DevicePlatform.allCases)
  func formats(_ platform: DevicePlatform) {
    var random = SeededRandom.fromEnvironment()
    let letters = Array("%%%%%0123456789$<-+# ,(.*@sSdnxbhtT#@aé😀\u{301}")
    for _ in 0..<20_000 {
      let format = String(
        (0..<Int.random(in: 0..<12, using: &random)).map { _ in letters.randomElement(using: &random)! })
      let result =
        platform == .ios
        ? AppleFormat.format(format, arguments: ["A", "3"]) : JavaFormat.format(format, arguments: ["A", "3"])
      #expect(result.text != nil || result.exception != nil, "seed \(random.seed): \(format)")
    }
  }

  @Test("ten thousand combining marks and overrides pass through unchanged")
  func marks() throws {
    let marks = "a" + String(repeating: "\u{0301}", count: 10_000) + "\u{202E}<script>"
    let tables = [
      (path: Self.paths[0], text: "\"k\" = \"\(marks) %@\";"),
      (path: Self.paths[3], text: "<resources><string name='k'><![CDATA[\(marks) %s]]></string></resources>"),
    ]
    for (path, text) in tables {
      var strings = AppStrings(platform: try #require(TableFile(path: path)).format.platform)
      strings.add(Array(text.utf8), path: path)
      let resolved = strings.resolve("k", [marks], preferred: [try #require(LocaleTag("en"))])
      #expect(resolved.text?.utf8.elementsEqual("\(marks) \(marks)".utf8) == true)
    }
  }

  @Test("what would cost too much is refused and said")
  func limits() throws {
    let deep = String(repeating: "<dict><key>k</key>", count: 1000)
    let wide = "<resources><string " + (0..<1000).map { "a\($0)='1' " }.joined() + "name='k'/></resources>"
    let large = #""k" = ""# + String(repeating: "x", count: 17 * 1024 * 1024) + #"";"#
    let rows: [(Int, String, TextRule)] = [
      (1, "<plist>" + deep, .tooDeep), (3, wide, .tooMany), (0, large, .fileTooLarge),
      (3, "<!DOCTYPE r [<!ENTITY a '&a;&a;'>]><resources><string name='k'>&a;</string></resources>", .entity),
    ]
    for (path, text, rule) in rows {
      let file = StringFile.read(Array(text.utf8), as: try #require(TableFile(path: Self.paths[path])))
      #expect(file.problems.map(\.rule).contains(rule), "\(rule)")
    }
    #expect(JavaFormat.format("%2147483647s", arguments: ["A"]).exception == "OutOfMemoryError")
    #expect(AppleFormat.format("%999999999@", arguments: ["A"]).problems.map(\.rule) == [.textTooLong])
  }
}
