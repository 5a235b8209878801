import PushPayload
import WireJSON

/// The SDK rewrites the buttons of `o` into `custom.a.actionButtons`, and draws the buttons that it finds there.
///
/// Source: OneSignal's SDK for Android: its bundle processor, and its display builder.
extension AndroidReader {
  /// The buttons of `o`; nil without them, and when one cannot be read, which costs all of them.
  mutating func rewrittenButtons() -> [OneSignal.ActionButton]? {
    guard let elements = json("o", .array)?.array else { return nil }
    var buttons: [OneSignal.ActionButton] = []
    for (index, element) in elements.enumerated() {
      let path = path("o").element(index)
      guard case .object(let members) = element, let label = coerced(members, "n", path) else {
        reportAborted(path, "a button needs its label at n; the SDK shows none of them")
        return nil
      }
      var button = OneSignal.ActionButton(id: coerced(members, "i", path) ?? label, text: label)
      button.icon = coerced(members, "p", path)
      if label.isEmpty { reportEmpty(path, "n") }
      buttons.append(button)
    }
    return buttons
  }

  /// The buttons of `custom.a.actionButtons`, up to the first that is not an object.
  mutating func keptButtons(_ list: JSONValue) -> [OneSignal.ActionButton]? {
    let path = path("custom").member("a").member("actionButtons")
    guard let elements = list.array else {
      wrong(list, path, "an array")
      return nil
    }
    var buttons: [OneSignal.ActionButton] = []
    for (index, element) in elements.enumerated() {
      let path = path.element(index)
      guard case .object(let members) = element else {
        reportAborted(path, "a button is an object; the SDK shows those before it")
        break
      }
      buttons.append(keptButton(members, path))
    }
    return buttons
  }

  private mutating func keptButton(_ members: JSONObject, _ path: FieldPath) -> OneSignal.ActionButton {
    let label = coerced(members, "text", path)
    if label?.isEmpty ?? true { reportEmpty(path, "text") }
    var button = OneSignal.ActionButton(id: coerced(members, "id", path), text: label ?? "")
    button.icon = coerced(members, "icon", path)
    return button
  }

  private mutating func reportEmpty(_ path: FieldPath, _ name: String) {
    report.add(
      rule: "onesignal-button-empty", severity: .warning, field: path,
      message: "a button has no label at \(name); the SDK draws it empty")
  }

  private mutating func reportAborted(_ path: FieldPath, _ message: String) {
    report.add(rule: "onesignal-buttons-aborted", severity: .warning, field: path, message: message)
  }
}
