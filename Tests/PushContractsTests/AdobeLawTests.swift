import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

/// What `check` says of a message, held to what Adobe's library on Android does with what is written for it.
///
/// Over generated messages of every template with missing, empty and unknown values; a failure prints its seed.
@Suite struct AdobeLawTests {
  /// Errors that Adobe's page asks for although the library shows the notification.
  private static let decided = ["adobe-link-type-missing", "adobe-uri-missing"]

  /// The rules that say what is drawn instead.
  private static let fallbacks = ["adobe-template-unknown", "adobe-item-count", "adobe-timer-end"]

  @Test func aMessageIsRefusedIfAndOnlyIfNothingIsShown() throws {
    var random = SeededRandom.fromEnvironment()
    var seen: [String: Int] = [:]
    var writer = JSONWriter()
    for _ in 0..<4_000 {
      let json = JSONValue.object(Self.message(&random))
      let (context, says) = (WriteContext(), "seed \(random.seed): \(JSON.minifiedText(json))")
      var report = Report()
      let message = Adobe.contract.decode(json, report: &report)
      guard !report.hasErrors else {
        Issue.record("\(says): \(report.findings)")
        continue
      }
      Adobe.contract.validate(message, context: context, report: &report)
      Adobe.contract.validate(message, on: .android, context: context, report: &report)
      #expect(Adobe.contract.writeFCM(message, context: context, into: &writer, report: &report))
      let outcome = Contracts.outcome(.adobe, of: try JSON.parse(writer.bytes), on: .android)
      let errors = report.findings.filter { $0.severity == .error && !Self.decided.contains($0.rule) }
      let name: String
      switch outcome {
      case .nothing:
        name = "nothing"
        #expect(!errors.isEmpty, "\(says): \(outcome)")
      case .fallback:
        name = "fallback"
        #expect(errors.isEmpty, "\(says): \(errors)")
        #expect(
          report.findings.contains { $0.severity == .warning && Self.fallbacks.contains($0.rule) },
          "\(says): \(outcome)")
      case .shown, .silent:
        name = "shown"
        #expect(errors.isEmpty, "\(says): \(errors)")
      }
      seen[name, default: 0] += 1
    }
    for name in ["shown", "fallback", "nothing"] { #expect(seen[name, default: 0] > 100, "\(seen)") }
  }

  private static let templates = ["basic", "car", "timer", "input", "zb", "rate", "cat", "icon", "other", "ajo_basic"]
  private static let kinds: [JSONValue] = ["WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE"]

  private static func message(_ random: inout SeededRandom) -> JSONObject {
    var message: JSONObject = [
      "adb_title": "T", "adb_body": "B", "adb_template_type": .string(templates.randomElement(using: &random) ?? ""),
      "adb_uri": "https://example.com", "adb_a_type": kinds.randomElement(using: &random) ?? "NONE",
      "adb_car_layout": "default", "adb_title_alt": "Over", "adb_tmr_dur": 60, "adb_input_receiver": "R",
      "adb_rate_unselected_icon": "o", "adb_rate_selected_icon": "x", "adb_cta_txt": "Buy", "adb_cta_clr": "000000",
      "adb_cta_txt_clr": "FFFFFF", "adb_cta_uri": "https://example.com", "adb_display": "vertical",
      "adb_rate_act": list(&random), "adb_items": list(&random), "adb_act": list(&random),
    ]
    for (key, odd) in [
      ("adb_tmr_dur", 60.5), ("adb_car_layout", "grid"), ("adb_display", "diagonal"), ("adb_cta_clr", "red"),
      ("adb_rem_txt", "Later"), ("adb_rem_sec", 60), ("adb_n_priority", "HIGH"), ("adb_title_alt", ""),
      ("adb_cta_uri", ""), ("adb_n_visibility", "ALL"), ("adb_sticky", "yes"), ("adb_sticky", "TRUE"),
      ("adb_n_count", 3_000_000_000), ("adb_n_count", -1), ("adb_rem_sec", 2_147_483_648), ("adb_rem_sec", 0),
      ("adb_rem_ts", -5), ("adb_tmr_dur", -3), ("adb_tmr_end", 0), ("adb_rate_unselected_icon", "http://e.com/o.png"),
      ("adb_rate_selected_icon", "http://e.com/x.png"), ("adb_image", "http://e.com/i.png"),
    ] as [(String, JSONValue)] where Int.random(in: 0...9, using: &random) == 0 { message[key] = odd }
    guard Bool.random(using: &random), let key = message.map({ $0.0 }).randomElement(using: &random) else {
      return message
    }
    message.removeValue(forKey: key)
    return message
  }

  private static func list(_ random: inout SeededRandom) -> JSONValue {
    .array((0..<Int.random(in: 0...5, using: &random)).map { _ in element(&random) })
  }

  private static func element(_ random: inout SeededRandom) -> JSONValue {
    var element: JSONObject = [
      "label": "L", "img": "https://example.com/i.png", "txt": "x", "title": "t", "body": "b", "price": "1",
      "uri": "https://example.com", "type": kinds.randomElement(using: &random) ?? "NONE",
    ]
    guard Int.random(in: 0...5, using: &random) == 0, let key = element.map({ $0.0 }).randomElement(using: &random)
    else { return .object(element) }
    switch Int.random(in: 0...2, using: &random) {
    case 0: element.removeValue(forKey: key)
    case 1: element[key] = ""
    default: element[key] = key == "type" ? "OPEN" : key == "img" ? "http://example.com/i.png" : "other"
    }
    return .object(element)
  }
}
