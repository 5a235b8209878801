/// Light or dark.
public enum Appearance: String, Sendable, Hashable, CaseIterable {
  /// Dark letters on a light ground.
  case light
  /// Light letters on a dark ground.
  case dark
}

/// The colors of a picture.
struct Palette: Sendable {
  /// Letters.
  let text: String
  /// Letters of less weight.
  let faint: String
  /// Letters beside the screens.
  let caption: String
  /// A card, with its opacity in percent.
  let card: String
  let cardOpacity: Int
  /// The edge of a card, and its opacity.
  let edge: String
  let edgeOpacity: Int
  /// The line between buttons.
  let line: String
  /// What can be tapped.
  let accent: String
  /// The ground behind the screens.
  let ground: String
  /// The wallpaper, from top to bottom.
  let wallpaper: [String]
  /// Glows on the wallpaper.
  let glows: [String]

  static func ios(_ appearance: Appearance) -> Palette {
    appearance == .light
      ? Palette(
        text: "#101114", faint: "#5b5e66", caption: "#5b5e66", card: "#ffffff", cardOpacity: 84, edge: "#ffffff",
        edgeOpacity: 60, line: "#c9cbd1", accent: "#0a66d6", ground: "#f3f4f7",
        wallpaper: ["#8fb7f2", "#b8b4f0", "#f2bcc2"], glows: ["#d9ecff", "#ffe3d0"])
      : Palette(
        text: "#f5f5f7", faint: "#a9acb6", caption: "#a9acb6", card: "#26262b", cardOpacity: 86, edge: "#ffffff",
        edgeOpacity: 10, line: "#44454c", accent: "#5aa9ff", ground: "#111216",
        wallpaper: ["#0d1433", "#2b1d4f", "#4d2347"], glows: ["#27408a", "#7a3357"])
  }

  static func android(_ appearance: Appearance) -> Palette {
    appearance == .light
      ? Palette(
        text: "#1b1b1f", faint: "#5a5d66", caption: "#5b5e66", card: "#fbfaff", cardOpacity: 100, edge: "#000000",
        edgeOpacity: 4, line: "#d9d9e0", accent: "#3f5aa9", ground: "#f3f4f7",
        wallpaper: ["#dfe6f6", "#e3e0f3", "#efe2ec"], glows: ["#cfe0ff", "#f6dcea"])
      : Palette(
        text: "#e6e4ea", faint: "#a8a8b2", caption: "#a9acb6", card: "#2a2930", cardOpacity: 100, edge: "#ffffff",
        edgeOpacity: 5, line: "#46464f", accent: "#b4c5ff", ground: "#111216",
        wallpaper: ["#15161d", "#191823", "#211a24"], glows: ["#232c48", "#3a2436"])
  }
}
