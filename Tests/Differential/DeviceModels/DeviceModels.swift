import DevicePreview
import Glibc
import PushContracts
import PushPayload
import WireJSON

/// Answers each line of standard input, a payload, with a line of what a device shows of it, by Postrider's models.
///
/// `Tests/Differential/README.md` describes the lines.
@main enum DeviceModels {
  static func main() {
    while let line = readLine(strippingNewline: true) {
      print(JSON.minifiedText(.object(answer(line))))
      // A program that waits for each answer gets it at once.
      fflush(nil)
    }
  }

  private static func answer(_ line: String) -> JSONObject {
    guard let question = try? JSON.parse(line).object else { return ["error": "the line is not a JSON object"] }
    var answer = JSONObject()
    if let id = question["id"] { answer.append("id", id) }
    guard let platform = question["platform"]?.string.flatMap(Platform.init(rawValue:)) else {
      answer.append("error", "platform is neither ios nor android")
      return answer
    }
    guard let payload = question["payload"] else {
      answer.append("error", "there is no payload")
      return answer
    }
    let preview = Preview(
      PreviewPush(
        platform: platform, payload: platform == .ios ? payload : ["message": payload],
        contract: question["contract"]?.string.map { ContractName(rawValue: $0) },
        pushType: question["push_type"]?.string.map { APNsPushType(rawValue: $0) }), on: device(question))
    add(preview.notification, to: &answer)
    return answer
  }

  private static func device(_ question: JSONObject) -> PreviewDevice {
    var device = PreviewDevice(locales: question["locales"]?.array?.compactMap { $0.string } ?? ["en"])
    guard let files = question["strings"]?.object else { return device }
    var tables = AppTables()
    for (path, text) in files { tables.add(Array((text.string ?? "").utf8), path: path) }
    device.tables = tables
    return device
  }

  private static func add(_ shown: ShownNotification, to answer: inout JSONObject) {
    let (outcome, reason) = outcome(of: shown)
    answer.append("outcome", .string(outcome))
    if let reason { answer.append("reason", .string(reason)) }
    guard !shown.isSilent else { return }
    answer.append("title", .string(shown.title?.text ?? ""))
    answer.append("body", .string(shown.body?.text ?? ""))
    let images = shown.images.isEmpty ? [shown.image].compactMap(\.self) : shown.images
    answer.append("images", .array(images.map { .string($0) }))
    if let pictures = pictures(shown.layout) { answer.append("pictures", .array(pictures.map { .string($0) })) }
    answer.append("buttons", .array(shown.buttons.map { .string($0.label) }))
  }

  /// The pictures of the items; nil for a layout without items.
  private static func pictures(_ layout: TemplateLayout?) -> [String]? {
    switch layout {
    case .carousel(let items, _, _), .icons(let items, _): pictures(items)
    case .catalog(let catalog): pictures(catalog.items)
    default: nil
    }
  }

  /// No picture is drawn for an empty address.
  private static func pictures(_ items: [LayoutItem]) -> [String] { items.map(\.image).filter { !$0.isEmpty } }

  private static func outcome(of shown: ShownNotification) -> (name: String, reason: String?) {
    switch shown.outcome {
    // The app crashes, or has no text for the keys of the push.
    case .shown: shown.silence.map { ("nothing", $0) } ?? ("shown", nil)
    case .fallback(let reason): ("fallback", reason)
    case .silent(let reason): ("silent", reason)
    case .nothing(let reason): ("nothing", reason)
    }
  }
}
