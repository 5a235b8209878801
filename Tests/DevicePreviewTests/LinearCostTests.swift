import DevicePreview
import DeviceText
import Glibc
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// What a person or a stranger can make large is read, written, checked and shown in time that grows no faster than its size.
///
/// The work cannot be counted from outside, so the thread's own processor time is compared: one piece of an input
/// sixteen times as large may cost at most five times as much. Quadratic work costs sixteen times as much; what else
/// runs on the machine is not counted.
@Suite(
  "Cost grows with the input", .serialized, .timeLimit(.minutes(5)),
  .disabled(if: Files.environment("POSTRIDER_SANITIZE") != nil, "a sanitizer has costs of its own"))
struct LinearCostTests {
  static let small = 200
  static let factor = 16
  static let ratioMax = 5.0
  /// Runs shorter than this are too short to be compared, and short enough.
  static let secondsMin = 0.02

  // MARK: Inputs

  struct Shape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (Int) -> String
  }

  static func list(_ count: Int, _ item: (Int) -> String) -> String {
    (0..<count).map(item).joined(separator: ",")
  }

  static func shape(_ name: String, _ make: @escaping @Sendable (Int) -> String) -> Shape {
    Shape(testDescription: name, make: make)
  }

  /// `"key-0":0,"key-1":1,…`.
  static func members(_ count: Int) -> String { list(count) { "\"key-\($0)\":\($0)" } }

  /// `"key-0":"0","key-1":"1",…`.
  static func texts(_ count: Int, _ prefix: String = "key-") -> String {
    list(count) { "\"\(prefix)\($0)\":\"\($0)\"" }
  }

  /// `"0","1",…`.
  static func strings(_ count: Int) -> String { list(count) { "\"\($0)\"" } }

  private static func numbers(_ count: Int) -> String { list(count) { "\($0)" } }

  private static func nested(_ count: Int) -> String {
    list(count / 100) { _ in String(repeating: "[", count: 100) + String(repeating: "]", count: 100) }
  }

  private static func buttons(_ count: Int) -> String { list(count) { #"{"i":"b\#($0)","n":"B"}"# } }

  private static func items(_ count: Int) -> String {
    list(count) { #"{"img":"https://e.example/\#($0).png","txt":"t"}"# }
  }

  /// JSON as the content of a JSON string.
  static func quoted(_ json: String) -> String {
    json.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
  }

  /// The members of an FCM message around one object.
  private static func android(_ notification: String) -> String {
    #"{"message":{"token":"t","android":{"notification":{\#(notification)}}}}"#
  }

  private static func data(_ members: String) -> String { #"{"message":{"token":"t","data":{\#(members)}}}"# }

  static let applePayloads: [Shape] = [
    shape("top-level members") { #"{"aps":{"alert":"a"},\#(members($0))}"# },
    shape("members of aps") { #"{"aps":{"alert":"a",\#(members($0))}}"# },
    shape("members of alert") { #"{"aps":{"alert":{\#(members($0))}}}"# },
    shape("localization arguments") { #"{"aps":{"alert":{"loc-key":"K","loc-args":[\#(strings($0))]}}}"# },
    shape("mistyped arguments") { #"{"aps":{"alert":{"loc-key":"K","loc-args":[\#(numbers($0))]}}}"# },
    shape("a wide array") { #"{"aps":{"alert":"a"},"list":[\#(numbers($0))]}"# },
    shape("arrays in arrays") { #"{"aps":{"alert":"a"},"list":[\#(nested($0))]}"# },
    shape("a repeated name") { #"{"aps":{"alert":"a"},\#(list($0) { _ in #""same":1"# })}"# },
    shape("OneSignal's data") { #"{"aps":{"alert":"a"},"custom":{"i":"id","a":{\#(members($0))}}}"# },
    shape("OneSignal's buttons") { #"{"aps":{"alert":"a"},"custom":{"i":"id"},"buttons":[\#(buttons($0))]}"# },
    shape("OneSignal's attachments") { #"{"aps":{"alert":"a"},"custom":{"i":"id"},"att":{\#(texts($0))}}"# },
    shape("Adobe's items") { #"{"aps":{"alert":"a"},"adb_template_type":"car","adb_items":[\#(items($0))]}"# },
  ]

  static let androidPayloads: [Shape] = [
    shape("data") { data(texts($0)) },
    shape("data that is no text") { data(members($0)) },
    shape("reserved data") { data(texts($0, "gcm.")) },
    shape("unknown fields") { #"{"message":{"token":"t",\#(members($0))}}"# },
    shape("unknown fields of a notification") { android(#""title":"t",\#(members($0))"#) },
    shape("localization arguments") { android(#""body_loc_key":"k","body_loc_args":[\#(strings($0))]"#) },
    shape("mistyped timings") { android(#""vibrate_timings":[\#(strings($0))]"#) },
    shape("a flat map") { #"{"gcm.n.title":"t",\#(texts($0))}"# },
    shape("a RemoteMessage") { #"{"from":"1","data":{\#(texts($0))},"notification":{\#(texts($0))}}"# },
    shape("OneSignal's buttons") { data(#""custom":"{\"i\":\"id\"}","alert":"a","o":"[\#(quoted(buttons($0)))]""#) },
    shape("Adobe's items") {
      data(#""adb_title":"t","adb_body":"b","adb_template_type":"car","adb_items":"[\#(quoted(items($0)))]""#)
    },
  ]

  static let messages: [Shape] = [
    shape("unknown fields") { #"{"title":"t","body":"b",\#(members($0))}"# },
    shape("fields that resemble known ones") {
      #"{"adb_title":"t","adb_body":"b","adb_template_type":"basic",\#(texts($0, "adb_titl"))}"#
    },
    shape("data") { #"{"title":"t","body":"b","data":{\#(members($0))}}"# },
    shape("extras") { #"{"title":"t","body":"b","extras":{\#(members($0))}}"# },
    shape("arguments") { #"{"title":"t","bodyLocKey":"k","bodyLocArgs":[\#(strings($0))]}"# },
    shape("OneSignal's texts and buttons") { count in
      let buttons = list(count) { #"{"id":"b\#($0)","text":"B"}"# }
      return #"{"headings":{\#(texts(count, "x"))},"contents":{"en":"b"},"buttons":[\#(buttons)]}"#
    },
    shape("Adobe's items") {
      #"{"adb_title":"t","adb_body":"b","adb_template_type":"car","adb_items":[\#(items($0))]}"#
    },
    shape("native payloads") {
      #"{"apns":{"payload":{"aps":{"alert":"a"},\#(members($0))}},"#
        + #""fcm":{"notification":{"title":"t"},"data":{\#(texts($0))}}}"#
    },
  ]

  // MARK: Measuring

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The least time of some runs.
  private static func seconds(_ runs: Int, _ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<runs {
      let start = processorSeconds()
      try body()
      least = min(least, processorSeconds() - start)
    }
    return least
  }

  /// A small and a large input of one shape, made once for all that reads them.
  struct Inputs {
    let name: String
    let few: [UInt8]
    let many: [UInt8]
    let factor: Int

    init(_ shape: Shape, from small: Int = LinearCostTests.small, times factor: Int = LinearCostTests.factor) {
      name = shape.testDescription
      few = Array(shape.make(small).utf8)
      many = Array(shape.make(small * factor).utf8)
      self.factor = factor
    }
  }

  /// Compares the cost of one piece in a small and in a large input; a suspicion is measured again before it counts.
  ///
  /// The large one comes first: when it is too short to be compared, the small one need not run.
  func expectLinear(_ name: String, _ inputs: Inputs, _ work: ([UInt8]) throws -> Void) rethrows {
    var ratio = 0.0
    for runs in [1, 2, 4] {
      let second = try Self.seconds(runs) { try work(inputs.many) }
      if second < Self.secondsMin { return }
      let first = try Self.seconds(runs * 4) { try work(inputs.few) }
      ratio = second / first / Double(inputs.factor)
      if ratio <= Self.ratioMax { return }
    }
    Issue.record("\(name), \(inputs.name): one piece costs \(ratio) times as much in a large input")
  }

  // MARK: Readers, checks and previews

  @Test("reading an iOS payload by every contract", arguments: applePayloads)
  func readApple(shape: Shape) throws { try read(.ios, shape) }

  @Test("reading an Android payload by every contract", arguments: androidPayloads)
  func readAndroid(shape: Shape) throws { try read(.android, shape) }

  private func read(_ platform: Platform, _ shape: Shape) throws {
    let inputs = Inputs(shape)
    for contract in [nil] + Contracts.names.map({ Optional($0) }) {
      try expectLinear("parse by \(contract?.rawValue ?? "no contract")", inputs) { bytes in
        let parsed = try Contracts.parse(
          platform: platform, raw: bytes, contract: contract, state: DeviceState(badge: 1))
        _ = JSON.minified(parsed.json)
      }
    }
  }

  @Test("checking an iOS payload, with the place of each finding", arguments: applePayloads)
  func checkApple(shape: Shape) { check(shape) }

  @Test("checking an Android payload, with the place of each finding", arguments: androidPayloads)
  func checkAndroid(shape: Shape) { check(shape) }

  private func check(_ shape: Shape) {
    expectLinear("check", Inputs(shape)) { bytes in
      var checker = PushChecker()
      let findings = checker.check(document: bytes).findings
      _ = checker.locations(of: findings, in: bytes)
    }
  }

  @Test("reading the models of payloads", arguments: applePayloads + androidPayloads)
  func models(shape: Shape) throws {
    try expectLinear("model", Inputs(shape)) { bytes in
      _ = try APNsPayload.read(bytes).model.bytes
      _ = try FCMSendRequest.read(bytes).model.bytes
    }
  }

  @Test("showing an iOS payload", arguments: applePayloads)
  func previewApple(shape: Shape) throws { try preview(.ios, shape) }

  @Test("showing an Android payload", arguments: androidPayloads)
  func previewAndroid(shape: Shape) throws { try preview(.android, shape) }

  private func preview(_ platform: Platform, _ shape: Shape) throws {
    let inputs = Inputs(shape)
    for contract in [nil, .onesignal, .adobe] as [ContractName?] {
      try expectLinear("preview by \(contract?.rawValue ?? "no contract")", inputs) { bytes in
        let push = PreviewPush(platform: platform, payload: try JSON.parse(bytes), contract: contract)
        let preview = Preview(push, on: PreviewDevice())
        _ = JSON.minified(.object(preview.json))
      }
    }
  }

  // MARK: Writers

  @Test("writing a message in every contract", arguments: messages)
  func write(shape: Shape) throws {
    let inputs = Inputs(shape)
    for contract in Contracts.names {
      try expectLinear("render in \(contract.rawValue)", inputs) { bytes in
        let rendering = Contracts.render(contract, message: try JSON.parse(bytes))
        var checker = PushChecker()
        if let request = rendering.apns { _ = checker.check(request) }
        if let request = rendering.fcm { _ = checker.check(request) }
      }
    }
  }

  @Test("comparing two contracts", arguments: messages)
  func diff(shape: Shape) throws {
    try expectLinear("diff", Inputs(shape)) { bytes in
      _ = Contracts.diff(.native, .amba, message: try JSON.parse(bytes))
      _ = Contracts.diff(.amba, .onesignal, message: try JSON.parse(bytes))
    }
  }

  // MARK: String tables

  /// An entry of a string catalog.
  private static let catalogEntry = #":{"localizations":{"en":{"stringUnit":{"state":"translated","value":"v"}}}}"#
  /// A rule of a `.stringsdict`.
  private static let pluralRule =
    "<dict><key>NSStringLocalizedFormatKey</key><string>%#@n@</string><key>n</key><dict><key>NSStringFormatSpecTypeKey"
    + "</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string>"
    + "<key>other</key><string>%d</string></dict></dict>"

  /// Lines with a number each.
  private static func lines(_ count: Int, _ line: (Int) -> String) -> String {
    (0..<count).map { line($0) + "\n" }.joined()
  }

  static let tables: [(path: String, shape: Shape)] = [
    ("en.lproj/Localizable.strings", shape("strings") { lines($0) { "\"key \($0)\" = \"value %@ \($0)\";" } }),
    ("en.lproj/Localizable.strings", shape("one key") { lines($0) { "\"key\" = \"value \($0)\";" } }),
    (
      "values/strings.xml",
      shape("entries") { "<resources>" + lines($0) { "<string name=\"k\($0)\">%1$s</string>" } + "</resources>" }
    ),
    (
      "values/strings.xml",
      shape("items of a plural") {
        let items = lines($0) { _ in "<item quantity=\"other\">v</item>" }
        return "<resources><plurals name=\"p\">\(items)</plurals></resources>"
      }
    ),
    (
      "Localizable.xcstrings",
      shape("catalog") {
        let entries = list($0) { "\"key \($0)\"" + catalogEntry }
        return #"{"sourceLanguage":"en","version":"1.0","strings":{\#(entries)}}"#
      }
    ),
    (
      "en.lproj/Localizable.stringsdict",
      shape("rules") { "<plist><dict>" + lines($0) { "<key>k\($0)</key>" + pluralRule } + "</dict></plist>" }
    ),
  ]

  @Test("string tables", arguments: tables.indices)
  func stringTables(index: Int) throws {
    let (path, shape) = Self.tables[index]
    let file = try #require(TableFile(path: path))
    expectLinear("strings", Inputs(shape)) { bytes in
      var strings = AppStrings(platform: file.format.platform, developmentLocale: LocaleTag("en"))
      strings.add(bytes, path: path)
      for key in strings.keys() { _ = strings.resolve(key, ["1"], preferred: []) }
    }
  }

  static let formats: [Shape] = [
    shape("specifiers") { (0..<$0).map { "%\($0 % 9 + 1)$s " }.joined() },
    shape("percent signs") { String(repeating: "%% ", count: $0) },
    shape("words") { String(repeating: "word ", count: $0) },
    shape("marks") { "e" + String(repeating: "\u{301}", count: $0) },
    shape("joined") { String(repeating: "👩\u{200D}", count: $0) },
    shape("flags") { String(repeating: "🇩🇪", count: $0) },
  ]

  @Test("long texts in a notification", arguments: formats)
  func longTexts(shape: Shape) throws {
    expectLinear("long text", Inputs(shape)) { bytes in
      let text = JSONValue.string(String(decoding: bytes, as: UTF8.self))
      for platform in Platform.allCases {
        let payload: JSONValue =
          platform == .ios
          ? ["aps": ["alert": ["title": text, "body": text]]]
          : ["message": ["token": "t", "notification": ["title": text, "body": text]]]
        _ = Preview(PreviewPush(platform: platform, payload: payload), on: PreviewDevice())
      }
    }
  }

  // MARK: The JSON object itself

  @Test("look-ups of a large object say what a scan says")
  func lookUps() {
    var object = JSONObject()
    var plain: [(key: String, value: Int)] = []
    var state: UInt64 = 7
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    for step in 0..<4000 {
      let key = ["é", "e\u{301}", "k"][random(3)] + "\(random(200))"
      let position = plain.lastIndex { Array($0.key.utf8) == Array(key.utf8) }
      switch random(5) {
      case 0:
        object.append(key, .number(JSONNumber(step)))
        plain.append((key, step))
      case 1:
        let removed = object.removeValue(forKey: key)
        #expect(removed?.int == position.map { plain.remove(at: $0).value })
      case 2 where step % 50 == 0:
        object.removeAll { $0.key.utf8.last == 0x37 }
        plain.removeAll { $0.key.utf8.last == 0x37 }
      default:
        object[key] = .number(JSONNumber(step))
        if let position { plain[position].value = step } else { plain.append((key, step)) }
      }
      let asked = ["é", "e\u{301}", "k"][random(3)] + "\(random(200))"
      #expect(object.index(of: asked) == plain.lastIndex { Array($0.key.utf8) == Array(asked.utf8) })
    }
    #expect(object.map(\.value.int) == plain.map { Optional($0.value) } && object.count > JSONObject.scannedMax)
  }

  // MARK: From a thousand members to a hundred thousand

  /// A message of each contract with as many members as its fields can hold.
  static let wideMessages: [(contract: ContractName, shape: Shape)] = [
    (.amba, shape("data") { #"{"title":"t","body":"b","data":{\#(members($0))}}"# }),
    (.imkit, shape("message") { #"{"messageType":"text","sender":"A","content":"B","message":{\#(members($0))}}"# }),
    (.powerauth, shape("extras") { #"{"title":"t","body":"b","extras":{\#(members($0))}}"# }),
    (
      .adobe,
      shape("items") { #"{"adb_title":"t","adb_body":"b","adb_template_type":"car","adb_items":[\#(items($0))]}"# }
    ),
    (.onesignal, shape("data") { #"{"contents":{"en":"b"},"data":{\#(members($0))}}"# }),
    (.native, shape("data") { #"{"title":"t","body":"b","data":{\#(members($0))}}"# }),
  ]

  @Test("a hundred thousand members are read by every contract", arguments: Contracts.names)
  func readWide(contract: ContractName) throws {
    for (platform, shape) in [(Platform.ios, Self.applePayloads[0]), (.android, Self.androidPayloads[0])] {
      let inputs = Inputs(shape, from: 1000, times: 100)
      try expectLinear("parse by \(contract.rawValue)", inputs) { bytes in
        let parsed = try Contracts.parse(platform: platform, raw: bytes, contract: contract)
        #expect(parsed.contract == contract && !JSON.minified(parsed.json).isEmpty)
      }
      try expectLinear("parse to bytes by \(contract.rawValue)", inputs) { bytes in
        var parser = PayloadParser()
        let answer = try parser.parse(bytes, platform: platform, contract: contract)
        #expect(answer?.bytes.isEmpty == false)
      }
    }
  }

  @Test("a hundred thousand members are written by every contract", arguments: wideMessages.indices)
  func writeWide(index: Int) throws {
    let (contract, shape) = Self.wideMessages[index]
    try expectLinear("render in \(contract.rawValue)", Inputs(shape, from: 1000, times: 100)) { bytes in
      let rendering = Contracts.render(contract, message: try JSON.parse(bytes))
      #expect(!rendering.json.isEmpty)
    }
  }

  @Test("a hundred thousand members are checked and shown", arguments: Platform.allCases)
  func checkAndShowWide(platform: Platform) throws {
    let shape = platform == .ios ? Self.applePayloads[0] : Self.androidPayloads[0]
    let inputs = Inputs(shape, from: 1000, times: 100)
    expectLinear("check", inputs) { bytes in
      var checker = PushChecker()
      let findings = checker.check(document: bytes, platform: platform).findings
      _ = checker.locations(of: findings, in: bytes)
    }
    for contract in Contracts.names {
      try expectLinear("preview by \(contract.rawValue)", inputs) { bytes in
        let push = PreviewPush(platform: platform, payload: try JSON.parse(bytes), contract: contract)
        _ = JSON.minified(.object(Preview(push, on: PreviewDevice()).json))
      }
    }
  }
}
