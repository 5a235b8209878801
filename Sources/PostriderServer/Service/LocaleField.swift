internal import DeviceText
internal import PushPayload

/// A language in a request.
enum LocaleField {
  /// Reports what is no language tag: as an error where nobody would get what is written for it, as a warning for a
  /// device, which must not be lost because of it.
  static func check(_ text: String, _ field: String, _ severity: Severity, _ report: inout Report) {
    if let tag = LocaleTag(text), tag.hasLanguageCode { return }
    let effect = severity == .error ? "" : "; the device gets the message without a language"
    report.add(
      rule: "locale-unknown", severity: severity, field: field,
      message: "expected a BCP 47 language tag such as de, pt-BR or zh-Hant, found \"\(text.prefix(40))\"\(effect)")
  }
}
