import DevicePreview
import DeviceText
import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

@Suite("Preview")
struct PreviewTests {
  /// One payload, and what a device in a language shows of it.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var platform = Platform.ios
    var contract: String?
    var locale = "en"
    var files: JSONObject?
    let payload: String
    /// Lines of ``Preview/text``, the first left out.
    let shown: String
    var testDescription: String { name }
  }

  private static let english = #""hi" = "Hello %1$@"; "only" = "English";"#
  private static let german = #""hi" = "Hallo %1$@";"#
  private static let apple: JSONObject = [
    "en.lproj/Localizable.strings": .string(english), "de.lproj/Localizable.strings": .string(german),
  ]
  private static let google: JSONObject = [
    "res/values/strings.xml": #"<resources><string name="hi">Hello %1$s</string></resources>"#,
    "res/values-de/strings.xml": #"<resources><string name="hi">Hallo %1$d</string></resources>"#,
  ]
  private static let imkit = #"{"aps":{"alert":{"loc-key":"im_loc_text","loc-args":["Alice","Hello"]}}}"#

  static let rows = [
    Row(
      name: "a table's text by the device's language", locale: "de-AT", files: apple,
      payload: #"{"aps":{"alert":{"loc-key":"hi","loc-args":["Anna"],"body":"plain"}}}"#,
      shown: "Lock screen|Hallo Anna|note text-key-wins"),
    Row(
      name: "iOS shows a key that nobody has", locale: "de", files: apple,
      payload: #"{"aps":{"alert":{"loc-key":"nope"}}}"#, shown: "Lock screen|nope|error text-key-missing"),
    Row(
      name: "Android's plain text wins", platform: .android, locale: "en", files: google,
      payload: #"{"message":{"notification":{"body":"plain","body_loc_key":"hi"}}}"#,
      shown: "Collapsed|plain|note key-unknown|note text-plain-wins"),
    Row(
      name: "an Android app crashes on %d", platform: .android, locale: "de", files: google,
      payload: #"{"message":{"android":{"notification":{"body_loc_key":"hi","body_loc_args":["Anna"]}}}}"#,
      shown: "nothing is shown: the app crashes while it makes the text of hi|error android-format-crash"),
    Row(
      name: "an Android field whose key nobody has stays empty", platform: .android, files: google,
      payload: #"{"message":{"android":{"notification":{"title":"T","body_loc_key":"nope"}}}}"#,
      shown: "Collapsed|T|error text-key-missing"),
    Row(
      name: "the newer form for Android is drawn", platform: .android, files: google,
      payload:
        #"{"message":{"android_v2":{"remote_notification":{"notification":{"title":"T","body_loc_key":"hi","body_loc_args":["Anna"]}}}}}"#,
      shown: "Collapsed|T|Hello Anna"),
    Row(
      name: "fields in lowerCamelCase are drawn", platform: .android, files: google,
      payload: #"{"message":{"android":{"notification":{"title":"T","bodyLocKey":"hi","bodyLocArgs":["Anna"]}}}}"#,
      shown: "Collapsed|T|Hello Anna"),
    Row(
      name: "the alert of a Live Activity has keys in its title", files: apple,
      payload:
        #"{"aps":{"event":"update","timestamp":1,"content-state":{},"alert":{"title":{"loc-key":"hi","loc-args":["Anna"]}}}}"#,
      shown: "Lock screen|Hello Anna"),
    Row(
      name: "a Live Activity without its timestamp does not change",
      payload: #"{"aps":{"event":"update","content-state":{},"alert":"Hi"}}"#,
      shown:
        "nothing is shown: there is no timestamp, so the device does not know whether the Live Activity is newer|error device-shows-nothing"
    ),
    Row(name: "IMKit's built-in text", payload: imkit, shown: "Lock screen|Alice: Hello"),
    Row(
      name: "IMKit in Chinese", locale: "zh-TW",
      payload: #"{"aps":{"alert":{"loc-key":"im_loc_image","loc-args":["Alice"]}}}"#,
      shown: "Lock screen|Alice 傳送了一張圖片"),
    Row(
      name: "IMKit falls back to the body", contract: "imkit",
      payload: #"{"aps":{"alert":{"loc-key":"im_loc_new","body":"Alice did something"}}}"#,
      shown: "Lock screen|Alice did something"),
    Row(
      name: "IMKit without title, body and key is silent", platform: .android, contract: "imkit",
      payload: #"{"message":{"data":{"loc-key":"im_loc_text"}}}"#,
      shown: "nothing is shown: a data message, which Firebase hands to the app|warning imkit-args-missing"),
    Row(
      name: "a badge alone", contract: "native", payload: #"{"aps":{"badge":3,"content-available":1}}"#,
      shown:
        "nothing is shown: there is no text to show; the badge changes, the app is woken in the background|badge: 3"),
    Row(
      name: "PowerAuth's category is a tag", platform: .android, contract: "powerauth",
      payload: #"{"message":{"android":{"notification":{"title":"T","tag":"payment"}}}}"#,
      shown: "Collapsed|T|replaces: payment"),
    Row(
      name: "Amba's link", contract: "amba", payload: #"{"aps":{"alert":"B"},"deep_link":"/home"}"#,
      shown: "Lock screen|B|tap opens: /home"),
    Row(
      name: "OneSignal's buttons turn on iOS, and the increment wins", contract: "onesignal",
      payload:
        #"{"aps":{"alert":"B","badge":7,"mutable-content":1},"custom":{"i":"n","badge_inc":2},"buttons":[{"n":"A"},{"n":"B"}]}"#,
      shown: "Lock screen|B|badge: +2|button: [B] action|button: [A] action"),
    Row(
      name: "OneSignal's minified texts", contract: "onesignal",
      payload: #"{"aps":{"content-available":1},"custom":{"i":"n"},"m":{"title":"T","body":"B"},"o":[]}"#,
      shown: "Lock screen|T|B|sound: default"),
    Row(
      name: "OneSignal without alert", platform: .android, contract: "onesignal",
      payload: #"{"custom":"{\"i\":\"n\"}","title":"T"}"#,
      shown:
        "nothing is shown: there is no alert text for OneSignal's SDK to show|error device-shows-nothing"),
    Row(
      name: "OneSignal without id", platform: .android, contract: "onesignal", payload: #"{"alert":"B"}"#,
      shown:
        "nothing is shown: there is no notification id, so OneSignal's SDK takes it for another sender's"
        + "|error onesignal-id-missing"),
    Row(
      name: "Firebase shows a notification block before any library", platform: .android, contract: "onesignal",
      payload: #"{"message":{"notification":{"title":"T"},"data":{"alert":"B"}}}"#,
      shown: "Collapsed|T|warning onesignal-id-missing"),
    Row(
      name: "Adobe's link type that nobody knows", platform: .android, contract: "adobe",
      payload:
        #"{"adb_version":"1","adb_template_type":"basic","adb_title":"T","adb_body":"B","adb_uri":"x","adb_a_type":"?"}"#,
      shown: "nothing is shown: Adobe's library does not know the kind of link in adb_a_type|"
        + "error adobe-link-type"),
    Row(
      name: "not an object", payload: "[]",
      shown: "nothing is shown: the payload is not a JSON object|error payload-not-object"),
  ]

  @Test("what a device shows", arguments: rows)
  func shows(row: Row) throws {
    var tables: AppTables?
    if let files = row.files {
      var read = AppTables(developmentLocale: LocaleTag("en"))
      #expect(read.add(files: files) == nil)
      tables = read
    }
    let push = PreviewPush(
      platform: row.platform, payload: try JSON.parse(row.payload),
      contract: row.contract.map { ContractName(rawValue: $0) })
    let preview = Preview(push, on: PreviewDevice(locales: [row.locale], tables: tables))
    #expect(Self.summary(preview) == row.shown)
  }

  /// Of a push that is not shown nothing is drawn; what happens all the same is there.
  @Test func whatIsNotShownIsNotDrawn() throws {
    let nothing = try Self.preview(
      .android, #"{"custom":"{\"i\":\"n\"}","title":"T","o":"[{\"n\":\"Yes\"}]","bicon":"p"}"#)
    #expect(nothing.json["outcome"] == "nothing" && nothing.json["silent"] == true)
    for name in ["title", "buttons", "image", "tap", "visibility"] { #expect(nothing.json[name] == nil, "\(name)") }
    #expect(!nothing.text.contains("button") && nothing.svg().contains("No notification"))
    let silent = try Self.preview(.ios, #"{"aps":{"badge":3,"sound":"chime.caf","category":"c"}}"#)
    #expect(silent.json["outcome"] == "silent" && silent.json["badge"]?["set"] == 3)
    #expect(silent.json["sound"] == "chime.caf" && silent.json["category"] == nil)
    #expect(silent.svg().contains("Silent push"))
    let shown = try Self.preview(.ios, #"{"aps":{"alert":"Hi","sound":"chime.mp3"}}"#)
    let mistaken = try Self.preview(.ios, #"{"to":"ExponentPushToken[x]","title":"a","body":"b"}"#)
    #expect(mistaken.json["outcome"] == "nothing" && mistaken.report.hasErrors)
    #expect(shown.json["outcome"] == "shown" && shown.json["sound"] == "default" && shown.json["tap"] != nil)
  }

  private static func preview(_ platform: Platform, _ payload: String) throws -> Preview {
    Preview(PreviewPush(platform: platform, payload: try JSON.parse(payload)))
  }

  /// The first surface, the details and the findings; a finding without its place and message.
  private static func summary(_ preview: Preview) -> String {
    var lines: [String] = []
    var isSkipping = false
    for line in preview.text.split(separator: "\n").dropFirst() {
      let text = line.drop { $0 == " " }
      let isDetail = line.hasPrefix("  ") && !line.hasPrefix("    ")
      if isDetail { isSkipping = Surface.allCases.contains { $0.title == text } && !lines.isEmpty }
      if isSkipping { continue }
      let words = text.split(separator: " ")
      if ["note", "warning", "error"].contains(words.first) {
        if words[1] != "preview-silent" { lines.append("\(words[0]) \(words[1])") }
      } else {
        lines.append(String(text))
      }
    }
    return lines.joined(separator: "|")
  }

  @Test("a long text is cut where the surface ends, and expanded it goes on")
  func cuts() throws {
    let body = String(repeating: "word ", count: 100)
    let push = PreviewPush(
      platform: .ios, payload: ["aps": ["alert": ["title": .string(body), "body": .string(body)]]], contract: .native)
    let preview = Preview(push)
    for surface in preview.surfaces {
      let guideline = try #require(SurfaceGuideline.of(.ios, surface.surface))
      #expect(surface.title.lines.count == guideline.titleLines && surface.title.isCut)
      #expect(surface.body.isCut == (surface.surface != .expanded))
      if surface.body.isCut { #expect(surface.body.lines.count == guideline.bodyLines) }
      #expect(surface.title.lines.last?.hasSuffix("…") == true)
    }
    let cuts = preview.report.findings.filter { $0.rule == "preview-text-cut" }
    #expect(cuts.map { "\($0.severity.rawValue) \($0.field)" } == ["warning title", "note body", "warning title"])
  }

  @Test("lines end between the characters of East Asia, and not inside of what a person takes for one")
  func breaks() throws {
    let push = { (text: String) in
      PreviewPush(platform: .ios, payload: ["aps": ["alert": .string(text)]], contract: .native)
    }
    let chinese = Preview(push(String(repeating: "字", count: 60))).text(on: .lockScreen)
    #expect(chinese?.body.lines.map(\.count) == [19, 19, 19, 3])
    let family = "👨‍👩‍👧"
    let families = Preview(push(String(repeating: family, count: 60))).text(on: .lockScreen)
    for line in families?.body.lines.dropLast() ?? [] {
      #expect(line == String(repeating: family, count: line.count))
    }
  }

  @Test("all languages of an app are looked at")
  func allLocales() throws {
    var tables = AppTables(developmentLocale: LocaleTag("en"))
    #expect(tables.add(files: Self.apple) == nil)
    let push = PreviewPush(
      platform: .ios, payload: ["aps": ["alert": ["title-loc-key": "only", "loc-key": "hi", "loc-args": ["Anna"]]]],
      contract: .native)
    let checks = LocaleCheck.all(push, on: PreviewDevice(tables: tables))
    #expect(checks.map { "\($0.locale) \($0.lacking) \($0.isWrong)" } == ["en [] false", "de [\"title\"] true"])
  }

  @Test(
    "pictures are as they were", arguments: Platform.allCases, Appearance.allCases)
  func snapshots(platform: Platform, appearance: Appearance) throws {
    let payload: JSONValue =
      platform == .ios
      ? ["aps": ["alert": ["title": "Hello <you>", "body": "World 🎉"], "badge": 2]]
      : ["message": ["notification": ["title": "Hello <you>", "body": "World 🎉"]]]
    let preview = Preview(
      PreviewPush(platform: platform, payload: payload, contract: .native), on: PreviewDevice(appName: "Demo"))
    let surface: Surface = platform == .ios ? .banner : .collapsed
    let svg = preview.svg(PictureOptions(appearance: appearance, surfaces: [surface]))
    let path = "\(Files.packageRoot)/Tests/Snapshots/DevicePreview/\(platform.rawValue)-\(appearance.rawValue).svg"
    if Files.environment("RECORD_SNAPSHOTS") != nil { try Files.write(Array(svg.utf8), to: path) }
    #expect(try String(decoding: Files.read(path), as: UTF8.self) == svg)
  }

  @Test func whatIsNoPayloadIsNamedOnce() {
    let request: JSONValue = ["app_id": "a", "contents": ["en": "Hi"]]
    for platform in Platform.allCases {
      let preview = Preview(PreviewPush(platform: platform, payload: request))
      #expect(preview.report.rules == ["document-unrecognized"])
      #expect(preview.notification.isSilent && preview.surfaces.isEmpty)
    }
  }
}
