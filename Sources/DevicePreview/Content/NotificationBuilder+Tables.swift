import PushPayload

extension NotificationBuilder {
  /// The text of a localization key in the app's tables; nil when no table has it.
  mutating func lookUp(_ key: String, _ source: TextSource) -> NotificationText? {
    note(
      "preview-no-tables", .note, source.place,
      "no string tables are given, so what the app has for \(key) is not known")
    return nil
  }
}
