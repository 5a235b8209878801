/// The kind of device that shows a text: it decides which tables are read, how a locale is matched and what a format
/// may hold.
public enum DevicePlatform: String, Sendable, Hashable, CaseIterable {
  /// iOS and its relatives: `.strings`, `.stringsdict`, `.xcstrings`.
  case ios
  /// Android: `res/values…/*.xml`.
  case android
}
