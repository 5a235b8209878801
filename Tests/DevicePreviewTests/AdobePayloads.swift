import TestSupport
import WireJSON

/// Payloads of Adobe's templates: complete ones, and those with a key or an element taken away or replaced.
enum AdobePayloads {
  private static let templates = ["basic", "car", "timer", "input", "zb", "rate", "cat", "icon", "other"]

  static func android(_ random: inout SeededRandom) -> JSONObject {
    let template = templates.randomElement(using: &random) ?? "basic"
    var data: JSONObject = [
      "adb_version": "1", "adb_template_type": .string(template), "adb_title": "T", "adb_body": "B",
      "adb_a_type": .string(type(&random)), "adb_uri": "https://example.com", "adb_car_layout": "default",
      "adb_title_alt": "Over", "adb_tmr_dur": "60", "adb_input_receiver": "R", "adb_rate_unselected_icon": "o",
      "adb_rate_selected_icon": "x", "adb_cta_txt": "Buy", "adb_cta_clr": "000000", "adb_cta_txt_clr": "FFFFFF",
      "adb_cta_uri": "https://example.com/buy", "adb_display": "vertical",
      "adb_rate_act": .string(list(&random)), "adb_items": .string(list(&random)),
    ]
    mutate(&data, &random)
    return data
  }

  static func ios(_ random: inout SeededRandom) -> JSONObject {
    let template = templates.randomElement(using: &random) ?? "basic"
    var members: JSONObject = [
      "adb_version": "1.0", "adb_template_type": .string(template), "adb_title_alt": "Over", "adb_tmr_dur": "60.5",
      "adb_items": .array(elements(&random)),
    ]
    mutate(&members, &random)
    var aps: JSONObject = ["alert": ["title": "T", "body": "B"], "category": "AEPNotification", "mutable-content": 1]
    switch Int.random(in: 0...9, using: &random) {
    case 0: aps.removeValue(forKey: "category")
    case 1: aps["category"] = "OTHER"
    default: break
    }
    members["aps"] = .object(aps)
    return members
  }

  /// Half of the payloads lose up to three keys, or get something else for their values.
  private static func mutate(_ object: inout JSONObject, _ random: inout SeededRandom) {
    guard Bool.random(using: &random) else { return }
    let keys = object.map { $0.0 }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let key = keys.randomElement(using: &random), key != "adb_template_type" else { continue }
      switch Int.random(in: 0...3, using: &random) {
      case 0: object.removeValue(forKey: key)
      case 1: object[key] = ""
      case 2: object[key] = odd(&random)
      default: object[key] = .number(JSONNumber(Int.random(in: -2...70, using: &random)))
      }
    }
  }

  private static func type(_ random: inout SeededRandom) -> String {
    ["WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE", "WEBURL", "OPENAPP", "open"].randomElement(using: &random)
      ?? ""
  }

  /// The JSON text of a list, now and then as only Android's reader takes it, or cut off.
  private static func list(_ random: inout SeededRandom) -> String {
    let text = JSON.minifiedText(.array(elements(&random)))
    switch Int.random(in: 0...19, using: &random) {
    case 0: return String(text.map { $0 == "\"" ? "'" : $0 })
    case 1: return String(text.dropLast()) + ",]"
    case 2: return text + " and more"
    case 3: return String(text.prefix(Int.random(in: 0...text.count, using: &random)))
    default: return text
    }
  }

  private static func elements(_ random: inout SeededRandom) -> [JSONValue] {
    (0..<Int.random(in: 1...6, using: &random)).map { _ in element(&random) }
  }

  private static func odd(_ random: inout SeededRandom) -> JSONValue {
    [.null, 7, "text", "-1", "1.5", [], [:], ["img": "x"], true].randomElement(using: &random) ?? .null
  }

  private static func element(_ random: inout SeededRandom) -> JSONValue {
    if Int.random(in: 0...15, using: &random) == 0 { return odd(&random) }
    var element: JSONObject = [
      "img": "https://example.com/i.png", "txt": "x", "title": "t", "body": "b", "price": "1",
      "uri": "https://example.com",
      "type": .string(Int.random(in: 0...9, using: &random) == 0 ? type(&random) : "WEBURL"),
    ]
    guard Int.random(in: 0...6, using: &random) == 0, let key = element.map({ $0.0 }).randomElement(using: &random)
    else {
      return .object(element)
    }
    switch Int.random(in: 0...2, using: &random) {
    case 0: element.removeValue(forKey: key)
    case 1: element[key] = ""
    default: element[key] = .null
    }
    return .object(element)
  }
}
