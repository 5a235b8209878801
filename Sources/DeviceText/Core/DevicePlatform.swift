/// The kind of device that shows a text: it decides which tables are read, how a locale is matched and what a format
/// may hold.
public enum DevicePlatform: String, Sendable, Hashable, CaseIterable {
  /// iOS and its relatives: `.strings`, `.stringsdict`, `.xcstrings`.
  case ios
  /// Android: `res/values…/*.xml`.
  case android

  /// What is declared of a platform.
  struct Row {
    /// Whether an app's texts are in several tables, by the names of their files.
    let hasTables: Bool
    /// Whether the form `zero` is for the number 0 in every language.
    let zeroIsOwn: Bool
    /// Whether of two entries with one key in one file the last counts.
    let lastCounts: Bool
    /// The language of the texts in the folder without one.
    var unnamedLocale: LocaleTag?
  }

  /// The platforms, one row each.
  var row: Row {
    switch self {
    case .ios: Row(hasTables: true, zeroIsOwn: true, lastCounts: true)
    case .android: Row(hasTables: false, zeroIsOwn: false, lastCounts: false, unnamedLocale: LocaleTag("und"))
    }
  }
}
