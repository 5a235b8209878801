import PushPayload
import WireJSON

/// The template `ajo_bigtext` of Journey Optimizer: a short text while it is collapsed, the body when it is expanded.
///
/// Source: Adobe, `AJOBigTextPushTemplate` and `AJOBigTextNotificationBuilder` of aepsdk-ui-android.
extension Adobe {
  /// What `adb_template_properties` has for the template.
  package struct BigText: Sendable, Hashable {
    /// The text of the collapsed notification; nil where that is the body.
    package let collapsedText: String?
    /// The large icon, if it can be drawn.
    package let largeIcon: String?
  }

  private static let propertiesKey = "adb_template_properties"

  /// What the template of a message has of its own; nil with another template, or where the text is no JSON object.
  package static func bigText(of message: Message) -> BigText? {
    guard let properties = (try? properties(of: message))?.members else { return Optional.none }
    let icon = properties.androidText("adb_large_icon")
    return BigText(
      collapsedText: properties.androidText("adb_collapsed_text").flatMap { $0.isEmpty ? Optional.none : $0 },
      largeIcon: isPicture(icon, .httpsOrName) ? icon : Optional.none)
  }

  /// Reports properties that are not JSON, which is not written, that cannot be read, or whose icon cannot be drawn.
  static func reportBigText(_ message: Message, _ path: FieldPath, isWritten: Bool, _ report: inout Report) {
    let severity = isWritten ? Severity.error : .warning
    do throws(AndroidJSON.Fault) {
      guard let (members, isStandard) = try properties(of: message) else { return }
      if !isStandard { addNonstandard(severity, path.member(propertiesKey), &report) }
      guard let icon = members.androidText("adb_large_icon"), !icon.isEmpty, !isPicture(icon, .httpsOrName) else {
        return
      }
      add(
        "adobe-picture-address", .warning, path.member(propertiesKey),
        "adb_large_icon is no https address: \(quoted(icon)); Android draws no picture of it", &report)
    } catch {
      add(
        "adobe-list-unreadable", severity, path.member(propertiesKey),
        "the text is not a JSON object: \(error.description); the collapsed notification has adb_body, and no large icon",
        &report)
    }
  }

  /// The members of the properties; nil with another template, or without a text.
  private static func properties(
    of message: Message
  ) throws(AndroidJSON.Fault) -> (members: JSONObject, isStandard: Bool)? {
    guard message.template?.rawValue == "ajo_bigtext", let text = message.templateProperties, !text.isEmpty else {
      return Optional.none
    }
    let (value, isStandard) = try AndroidJSON.read(text)
    return (try AndroidJSON.object(value), isStandard)
  }
}
