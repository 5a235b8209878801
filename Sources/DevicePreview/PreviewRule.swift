public import DeviceText

/// What a preview can say of a push by itself; the raw value is the id that never changes.
public enum PreviewRule: String, Sendable, Hashable, CaseIterable {
  case silent = "preview-silent"
  case noTables = "preview-no-tables"
  case textCut = "preview-text-cut"
  case bidiControl = "preview-bidi-control"
  case direction = "preview-direction"
  #if !(_pointerBitWidth(_32))
    case reduced = "preview-reduced"
  #endif
}

/// The rules of previews and of the string tables behind them.
public enum PreviewRuleBook {
  private static func row(
    _ rule: PreviewRule, _ severity: String, _ statement: String, fix: String, _ source: String
  ) -> RuleText {
    RuleText(id: rule.rawValue, severity: severity, statement: statement, fix: fix, source: source)
  }

  /// The rules of previews.
  public static let previews: [RuleText] = {
    #if _pointerBitWidth(_32)
      return rows
    #else
      return rows + [
        row(
          .reduced, "warning", "A browser accepts every member of a notification.",
          fix: "Give each button an action and a title, renotify with a tag, and vibrate without silent.",
          "Notifications API, “create a notification with a settings object”")
      ]
    #endif
  }()

  private static let rows: [RuleText] = [
    row(
      .silent, "note", "Nothing is shown, and the message says why.",
      fix: "Nothing for a silent push; give a title or a text to others.",
      "Apple, “Pushing background updates to your app”; Firebase, “About FCM messages”"),
    row(
      .noTables, "note", "A text comes from the app by its key, and the app's tables are not known.",
      fix: "Give the project with --strings.", "Postrider"),
    row(
      .textCut, "warning for titles and expanded texts, note for a body that goes on when it is expanded",
      "A text fits the surface it is read on; the room is a guideline.", fix: "Shorten the text.",
      "docs/preview.md, the table of surfaces"),
    row(
      .bidiControl, "warning",
      "A text holds no characters that turn the direction of what follows it; pictures and terminals leave them out.",
      fix: "Remove them; U+200E and U+200F set the direction without turning anything.", "Unicode, UAX 9 and UTR 36"),
    row(
      .direction, "note",
      "A text begins with a letter of the direction it is read in: a device lays the whole of it out by that letter.",
      fix: "Begin the text with U+200F (or U+200E), or with another word.", "Unicode, UAX 9, rules P2 and P3"),
  ]

  /// Every rule of previews and tables.
  public static var all: [RuleText] { previews + TextRuleBook.all }

  /// A rule by its id.
  public static func rule(_ id: String) -> RuleText? { all.first { $0.id == id } }

  /// `docs/text-rules.md`.
  public static var markdown: String {
    var text = """
      # Rules of texts

      Every finding of `postrider preview`, `postrider strings` and `POST /v1/preview` about what a device shows names one of these
      rules, beside those of [rules.md](rules.md). An **error** is a file that does not build, an app that crashes or a text that nobody
      understands; a **warning** is likely a mistake; a **note** is worth knowing. `postrider check --explain ID` shows one of them.

      This page is generated from the tables in `Sources/DeviceText` and `Sources/DevicePreview`; `RECORD_SNAPSHOTS=1 swift test
      --filter TextRuleBookTests` writes it anew.

      """
    let groups = [
      ("Previews", previews), ("Files of string resources", TextRuleBook.files),
      ("Android's resources", TextRuleBook.android), ("The text that a device makes", TextRuleBook.texts),
    ]
    for (title, rules) in groups {
      text += "\n## \(title)\n"
      for rule in rules { text += "\n" + rule.markdown }
    }
    return text
  }
}
