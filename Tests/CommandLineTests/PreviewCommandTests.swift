import Glibc
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

@Suite("preview, phone")
struct PreviewCommandTests {
  private static let push = #"{"aps":{"alert":{"loc-key":"hi","loc-args":["Anna"]}}}"#

  @Test("values that are no object are refused, by preview and render", arguments: ["preview", "render"])
  func values(command: String) throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/values.json"
    try Files.write(Array("[1]".utf8), to: file)
    let result = try Postrider.run(
      command, "--contract", "amba", "--values", file, input: #"{"title":"Hi {{name}}","body":"B"}"#)
    #expect(result.status == 3 && result.output.isEmpty)
    #expect(result.errorText.contains("values.json: expected a JSON object, found an array"), "\(result.errorText)")
  }

  static let cases = [
    CommandCase(
      name: "preview as text", arguments: ["preview", "--platform", "ios", "--format", "text"],
      input: #"{"aps":{"alert":{"title":"Hi","body":"You\u001b[31m"},"badge":1}}"#,
      output: """
        ios · en · native
          Lock screen
            Hi
            You[31m
          Banner
            Hi
            You[31m
          Expanded
            Hi
            You[31m
          Notification Center
            Hi
            You[31m
          badge: 1

        """),
    CommandCase(
      name: "several languages are a table",
      arguments: [
        "preview", "--contract", "imkit", "--platform", "ios", "--locale", "en", "--locale", "zh-Hant", "--format",
        "text",
      ],
      input: #"{"sender":"Alice","messageType":"image"}"#,
      output: """
        ios
        locale   title  body                  notes
        en              Alice sent a picture
        zh-Hant         Alice 傳送了一張圖片

        """),
    CommandCase(
      name: "of two texts iOS is taken to show the plain one",
      arguments: [
        "preview", "--platform", "ios", "--locale", "en", "--locale", "de", "--ios-first", "text", "--format", "text",
      ],
      input: #"{"aps":{"alert":{"body":"plain","loc-key":"K"}}}"#,
      output: """
        ios
        locale  title  body   notes
        en             plain
        de             plain
        warning apns-text-and-loc-key aps.alert.loc-key: body is beside loc-key; iOS is seen to show the key's text; keep one

        """),
    CommandCase(
      name: "of two texts iOS shows neither first", arguments: ["preview", "--ios-first", "title"], input: "{}",
      status: 2,
      errors: """
        postrider: preview: --ios-first takes one of key, text, not “title”
        postrider: see postrider preview --help

        """),
    CommandCase(
      name: "a message that is invalid shows nothing and exits 1",
      arguments: ["preview", "--contract", "amba"], input: #"{"title":"Hi"}"#, status: 1,
      output:
        #"{"previews":[],"report":[{"rule":"field-missing","severity":"error","field":"body","message":"amba needs body, a string; add it to the message"}]}"#
        + "\n"),
    CommandCase(
      name: "neither platform nor contract", arguments: ["preview"], input: #"{"x":1}"#, status: 2,
      errors: """
        postrider: preview: give --platform for a raw payload, or --contract for a message in a contract's form
        postrider: see postrider preview --help

        """),
    CommandCase(
      name: "all languages of nothing", arguments: ["preview", "--platform", "ios", "--all-locales"], input: push,
      status: 2,
      errors: """
        postrider: preview: --all-locales looks at the languages of --strings DIR, which is missing
        postrider: see postrider preview --help

        """),
    CommandCase(
      name: "a phone without an emulator",
      arguments: ["phone", "list", "--emulator", "http://127.0.0.1:1"], status: 4,
      errors:
        "postrider: phone: cannot connect to 127.0.0.1:1: Connection refused; postrider emulate starts an emulator\n"),
    CommandCase(
      name: "an action that nobody knows", arguments: ["phone", "tip", "aa"], status: 2,
      errors: "postrider: phone: there is no action “tip”; did you mean tap?\npostrider: see postrider phone --help\n"),
  ]

  @Test("commands", arguments: cases)
  func runs(row: CommandCase) throws {
    let result = try Subprocess.run(Postrider.path, row.arguments, input: Array(row.input.utf8))
    #expect(result.status == row.status)
    #expect(result.outputText == row.output)
    #expect(result.errorText == row.errors)
  }

  private static func write(_ text: String, _ folder: TemporaryFolder, _ below: String, _ name: String) throws {
    var path = folder.path
    for part in below.split(separator: "/") {
      path += "/\(part)"
      mkdir(path, 0o700)
    }
    try Files.write(Array(text.utf8), to: "\(path)/\(name)")
  }

  @Test("the tables of a project are found, and every language is checked")
  func project() throws {
    let folder = try TemporaryFolder()
    let tables = [
      ("en", #""hi" = "Hello %1$@";"#), ("de", #""hi" = "Hallo %1$@";"#), ("fr", #""hello" = "Bonjour";"#),
    ]
    for (locale, text) in tables {
      try Self.write(text, folder, "App/Resources/\(locale).lproj", "Localizable.strings")
    }
    try Self.write(#""hi" = "copy";"#, folder, "App/build/xx.lproj", "Localizable.strings")
    try Self.write("developmentRegion = en;", folder, "App/App.xcodeproj", "project.pbxproj")
    let arguments = ["preview", "--platform", "ios", "--strings", folder.path + "/App", "--format", "text"]
    let all = try Subprocess.run(Postrider.path, arguments + ["--all-locales"], input: Array(Self.push.utf8))
    #expect(all.status == 1)
    #expect(
      all.outputText == """
        ios
        locale         text        what is wrong
        en      ok     Hello Anna
        de      ok     Hallo Anna
        fr      wrong  hi          no text for body
        3 languages: 2 ok, 0 tight, 1 wrong

        """)
    let picture = folder.path + "/p.svg"
    let one = try Subprocess.run(
      Postrider.path, arguments + ["--locale", "de-CH", "--svg", picture], input: Array(Self.push.utf8))
    #expect(one.status == 0)
    #expect(try String(decoding: Files.read(picture), as: UTF8.self).contains(">Hallo Anna<"))
  }

  /// What a language can lack, and how a build server hears of it.
  struct Check: Sendable, CustomTestStringConvertible {
    let name: String
    let platform: String
    /// The text of the language that is looked at.
    let text: String
    var state = "ok"
    var wrong = ""
    var status: Int32 = 0
    var strictStatus: Int32 = 0
    var errors = ""
    var testDescription: String { "\(platform): \(name)" }
  }

  static let checks = [
    Check(name: "nothing is wrong", platform: "ios", text: #""hi" = "Hallo %1$@";"#),
    Check(
      name: "a key is missing", platform: "ios", text: #""ho" = "Hallo";"#, state: "wrong", wrong: "no text for body",
      status: 1, strictStatus: 1),
    Check(
      name: "a specifier without an argument", platform: "ios", text: #""hi" = "%2$@";"#, state: "wrong",
      wrong: "text-argument-missing", status: 1, strictStatus: 1),
    Check(
      name: "a specifier for numbers", platform: "ios", text: #""hi" = "%d";"#, state: "wrong", wrong: "ios-specifier",
      status: 1, strictStatus: 1),
    Check(
      name: "a percent sign", platform: "ios", text: #""hi" = "%1$@ 100%";"#, state: "doubt", wrong: "ios-percent",
      strictStatus: 1),
    Check(
      name: "more than an expanded notification shows", platform: "ios",
      text: #""hi" = "%1$@ \#(String(repeating: "word ", count: 300))";"#, state: "tight",
      wrong: "expanded.body does not fit", strictStatus: 1),
    Check(
      name: "a file that does not build", platform: "ios", text: #""hi" = "Hallo %1$@""#, status: 1, strictStatus: 1,
      errors: "de.lproj/Localizable.strings:1:20: error: expected ; after the value, found the end of the file "
        + "[text-syntax]\n"),
    Check(
      name: "nothing is wrong", platform: "android", text: #"<string name="hi">Hallo %1$s</string>"#),
    Check(
      name: "a key is missing", platform: "android", text: #"<string name="ho">Hallo</string>"#, state: "wrong",
      wrong: "no text for body", status: 1, strictStatus: 1),
    Check(
      name: "a specifier without an argument", platform: "android", text: #"<string name="hi">%2$s</string>"#,
      state: "wrong", wrong: "text-argument-missing", status: 1, strictStatus: 1),
    Check(
      name: "a specifier that ends the app", platform: "android", text: #"<string name="hi">%1$d</string>"#,
      state: "wrong", wrong: "android-format-crash", status: 1, strictStatus: 1),
    Check(
      name: "a conversion of something else", platform: "android", text: #"<string name="hi">%1$b</string>"#,
      state: "doubt", wrong: "android-format-conversion", strictStatus: 1),
    Check(
      name: "a file that does not build", platform: "android", text: #"<string name="hi">L'ami %1$s</string>"#,
      status: 1, strictStatus: 1,
      errors: "res/values-de/strings.xml:1:31: error: the resource compiler refuses an apostrophe that is not escaped; "
        + "write \\' or quote the text [android-apostrophe]\n"),
  ]

  @Test("a build server hears of what is wrong in a language", arguments: checks)
  func check(row: Check) throws {
    let folder = try TemporaryFolder()
    let payload: String
    if row.platform == "ios" {
      try Self.write(#""hi" = "Hello %1$@";"#, folder, "en.lproj", "Localizable.strings")
      try Self.write(row.text, folder, "de.lproj", "Localizable.strings")
      payload = Self.push
    } else {
      let whole = { (text: String) in "<resources>\(text)</resources>" }
      try Self.write(whole(#"<string name="hi">Hello %1$s</string>"#), folder, "res/values", "strings.xml")
      try Self.write(whole(row.text), folder, "res/values-de", "strings.xml")
      payload = #"{"message":{"token":"t","android":{"notification":{"body_loc_key":"hi","body_loc_args":["Anna"]}}}}"#
    }
    let arguments = [
      "preview", "--strings", folder.path, "--development-locale", "en", "--all-locales", "--format", "text",
    ]
    let result = try Subprocess.run(Postrider.path, arguments, input: Array(payload.utf8))
    #expect(result.status == row.status)
    #expect(result.errorText == (row.errors.isEmpty ? "" : "\(folder.path)/\(row.errors)"))
    let line = result.outputText.split(separator: "\n").first { $0.hasPrefix("de ") }
    let words = line?.split(separator: " ") ?? []
    #expect(words.dropFirst().first.map(String.init) == row.state)
    #expect(line?.hasSuffix("  \(row.wrong)") == true || row.wrong.isEmpty)
    let strict = try Subprocess.run(Postrider.path, arguments + ["--strict"], input: Array(payload.utf8))
    #expect(strict.status == row.strictStatus)
  }

  @Test(
    "the language an app is written in comes from its project",
    arguments: [
      ("project.pbxproj", "\t\t\tdevelopmentRegion = en;\n"),
      ("project.pbxproj", "// !$*UTF8*$!\n{objects={A={developmentRegion=en;knownRegions=(ar,en);};};}"),
      ("project.pbxproj", "<key>x</key> developmentRegion = \"en\";"),
      ("Package.swift", "let package = Package(name: \"App\", defaultLocalization: \"en\")"),
    ])
  func developmentLocale(name: String, text: String) throws {
    let folder = try TemporaryFolder()
    try Self.write(text, folder, "App", name)
    try Self.write(#""hi" = "مرحبا %1$@";"#, folder, "App/ar.lproj", "Localizable.strings")
    try Self.write(#""hi" = "Hello %1$@";"#, folder, "App/en.lproj", "Localizable.strings")
    let result = try Subprocess.run(
      Postrider.path, ["preview", "--platform", "ios", "--strings", folder.path, "--locale", "sv"],
      input: Array(Self.push.utf8))
    let body = try JSON.parse(result.output)["previews"]?[0]?["body"]
    #expect(body?["text"] == "Hello Anna" && body?["locale"] == "en")
  }

  @Test("a phone is made, shown and tapped")
  func phone() throws {
    var configuration = EmulatorConfiguration()
    configuration.plainPort = 0
    let emulator = try ProviderEmulator(configuration)
    let base = "http://127.0.0.1:\(emulator.ports.plain)"
    let folder = try TemporaryFolder()
    func phone(_ arguments: String...) throws -> Subprocess.Result {
      try Subprocess.run(
        Postrider.path, ["phone"] + arguments + ["--emulator", base],
        environment: ["POSTRIDER_EMULATOR_TOKEN": emulator.controlToken])
    }
    let made = try phone("make", "aa11", "--locale", "de")
    #expect(try JSON.parse(made.output)["token"] == "aa11")
    try Self.write("developmentRegion = fr;", folder, "App.xcodeproj", "project.pbxproj")
    try Self.write("", folder, "fr.lproj", "Localizable.strings")
    let words = Array("\"hi\" = \"Bonjour é %1$@\";".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    try Files.write([0xFF, 0xFE] + words, to: "\(folder.path)/fr.lproj/Localizable.strings")
    let again = try phone("make", "aa11", "--locale", "fr", "--locale", "de", "--strings", folder.path)
    #expect(try JSON.parse(again.output)["locales"] == ["fr", "de"])
    let shown = try phone("show", "aa11")
    #expect(try JSON.parse(shown.output)["locales"] == ["fr", "de"])
    let tapped = try phone("tap", "aa11", "1")
    #expect(tapped.status == 4)
    #expect(tapped.errorText == "postrider: phone: the emulator refuses: no such notification or button\n")
  }
}
