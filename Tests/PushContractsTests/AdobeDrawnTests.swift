import PushContracts
import PushPayload
import Testing
import WireJSON

/// What Adobe's libraries on Android leave out or draw otherwise is said alike of a message and of what is written for it.
@Suite struct AdobeDrawnTests {
  private static let rules = [
    "adobe-template-field", "adobe-picture-address", "adobe-item-link", "adobe-item-count", "adobe-item-member",
    "adobe-expanded-without-text",
  ]

  private static let pictures: JSONValue = [
    ["img": "https://e.com/1.png"], ["img": "https://e.com/2.png"], ["img": "https://e.com/3.png", "uri": "app://3"],
  ]
  private static let action: JSONValue = [["label": "L", "type": "OPENAPP", "uri": ""]]
  private static let reminder: JSONObject = ["adb_act": action, "adb_rem_txt": "Later", "adb_rem_sec": 60]
  private static let link: JSONObject = ["adb_uri": "https://e.com", "adb_a_type": "WEBURL"]
  private static let carousel: JSONObject = [
    "adb_template_type": "car", "adb_car_layout": "filmstrip", "adb_items": pictures,
  ]
  private static let rating: JSONObject = [
    "adb_template_type": "rate", "adb_rate_selected_icon": "http://e.com/x.png",
    "adb_rate_act": [["type": "OPENAPP", "uri": ""], ["type": "NONE", "uri": ""], ["type": "DISMISS", "uri": ""]],
  ]
  private static let looks: JSONObject = [
    "adb_image": "http://e.com/1.png", "adb_large_icon": "http://e.com/l.png", "adb_clr_title": "112233",
    "adb_clr_body": "112233", "adb_clr_bg": "112233", "adb_clr_icon": "112233", "adb_sticky": true, "adb_ticker": "K",
    "adb_body_ex": "X",
  ]

  private static func icons(_ images: String...) -> JSONObject {
    ["adb_template_type": "icon", "adb_items": .array(images.map { ["img": .string($0), "type": "DISMISS"] })]
  }

  private static func joined(_ objects: JSONObject...) -> JSONObject {
    var all = JSONObject()
    for object in objects {
      for (name, value) in object { all[name] = value }
    }
    return all
  }

  static let rows: [(members: JSONObject, said: [String])] = [
    (
      joined(reminder, looks),
      ["warning adobe-picture-address adb_image", "warning adobe-picture-address adb_large_icon"]
    ),
    (
      joined(carousel, reminder, link),
      [
        "warning adobe-expanded-without-text adb_body_ex", "warning adobe-item-link adb_items[0].uri",
        "warning adobe-item-link adb_items[1].uri", "warning adobe-template-field adb_act",
        "warning adobe-template-field adb_car_layout",
        "warning adobe-template-field adb_rem_txt",
      ]
    ),
    (joined(carousel, link, ["adb_car_mode": "manual"]), ["warning adobe-expanded-without-text adb_body_ex"]),
    (joined(carousel, link, ["adb_car_mode": "manual", "adb_body_ex": "X"]), []),
    (
      joined(
        looks, ["adb_template_type": "timer", "adb_tmr_dur": 60, "adb_title_alt": "Over", "adb_body_alt": "Late"]),
      [
        "warning adobe-picture-address adb_image", "warning adobe-template-field adb_clr_bg",
        "warning adobe-template-field adb_large_icon",
      ]
    ),
    (
      joined(
        looks,
        [
          "adb_template_type": "timer", "adb_tmr_dur": 60, "adb_title_alt": "Over", "adb_body_alt": "Late",
          "adb_tag": "sale",
        ]),
      [
        "warning adobe-expanded-without-text adb_body_ex_alt", "warning adobe-picture-address adb_image",
        "warning adobe-picture-address adb_large_icon", "warning adobe-template-field adb_clr_bg",
        "warning adobe-template-field adb_large_icon",
      ]
    ),
    (
      joined(looks, ["adb_template_type": "zb"]),
      [
        "warning adobe-picture-address adb_image", "warning adobe-template-field adb_clr_bg",
        "warning adobe-template-field adb_large_icon",
      ]
    ),
    (
      joined(carousel, reminder, ["adb_items": [["img": "https://e.com/1.png"]]]),
      ["warning adobe-expanded-without-text adb_body_ex", "warning adobe-item-count adb_items"]
    ),
    (
      joined(looks, reminder, ["adb_template_type": "new"]),
      [
        "warning adobe-picture-address adb_image", "warning adobe-template-field adb_body_ex",
        "warning adobe-template-field adb_clr_bg", "warning adobe-template-field adb_clr_body",
        "warning adobe-template-field adb_clr_title", "warning adobe-template-field adb_large_icon",
        "warning adobe-template-field adb_rem_txt",
      ]
    ),
    (
      joined(looks, reminder, ["adb_template_type": "ajo_basic"]),
      [
        "warning adobe-template-field adb_body_ex", "warning adobe-template-field adb_clr_bg",
        "warning adobe-template-field adb_clr_body", "warning adobe-template-field adb_clr_icon",
        "warning adobe-template-field adb_clr_title", "warning adobe-template-field adb_large_icon",
        "warning adobe-template-field adb_rem_txt", "warning adobe-template-field adb_sticky",
        "warning adobe-template-field adb_ticker",
      ]
    ),
    (
      joined(rating, ["adb_rate_unselected_icon": "http://e.com/o.png"]),
      ["error adobe-picture-address adb_rate_unselected_icon", "warning adobe-picture-address adb_rate_selected_icon"]
    ),
    (
      joined(rating, ["adb_rate_unselected_icon": "star"]),
      ["warning adobe-expanded-without-text adb_body_ex", "warning adobe-picture-address adb_rate_selected_icon"]
    ),
    (icons("a", "http://e.com/b.png", "c"), ["error adobe-item-count adb_items"]),
    (icons("a", "http://e.com/b.png", "c", "d"), ["warning adobe-item-member adb_items[1].img"]),
    (
      joined(icons("a", "http://e.com/b.png", "c", "d"), link),
      [
        "warning adobe-item-link adb_items[0].type", "warning adobe-item-link adb_items[2].type",
        "warning adobe-item-link adb_items[3].type", "warning adobe-item-member adb_items[1].img",
      ]
    ),
  ]

  @Test(arguments: rows.indices) func aMessageAndItsBytesHaveTheSameFindings(_ index: Int) throws {
    let (members, said) = Self.rows[index]
    var message: JSONObject = members["adb_template_type"] == "icon" ? [:] : ["adb_title": "T", "adb_body": "B"]
    for (name, value) in members { message[name] = value }
    var report = Report()
    let decoded = Adobe.contract.decode(.object(message), report: &report)
    var checked = Report()
    Adobe.contract.validate(decoded, on: .android, context: WriteContext(), report: &checked)
    var writer = JSONWriter()
    #expect(Adobe.contract.writeFCM(decoded, context: WriteContext(), into: &writer, report: &report))
    let payload = try JSON.parse(writer.bytes)
    let read = Contracts.parse(platform: .android, payload: payload, contract: .adobe).report
    #expect(Self.findings(checked) == said, "\(JSON.minifiedText(.object(message))): \(checked.findings)")
    #expect(Self.findings(read) == said, "\(JSON.minifiedText(payload)): \(read.findings)")
  }

  /// The findings as severity, rule and field; of a payload without its way to the data.
  private static func findings(_ report: Report) -> [String] {
    let findings = report.findings.filter { rules.contains($0.rule) }
    let isError = findings.contains { $0.severity == .error }
    return findings.filter { $0.severity == .error || !isError || $0.rule == "adobe-picture-address" }.map { finding in
      let field = finding.field.description
      let name = field.hasPrefix("message.data.") ? String(field.dropFirst("message.data.".count)) : field
      return "\(finding.severity.rawValue) \(finding.rule) \(name)"
    }.sorted()
  }
}
