import PushPayload

/// What a platform does with the notifications of an app, and with the pushes for a device that is away.
struct TrayRules: Sendable {
  /// Whether pushes say the number on the icon; the notifications in the tray are counted else.
  let setsBadge: Bool
  /// Whether the libraries show a notification with a known id only once.
  let showsIDsOnce: Bool
  /// Whether a restart empties the tray, and the libraries fill it again.
  let emptiesAtRestart: Bool
  /// How many notifications without a group key are stacked.
  let ungroupedStackMin: Int
  /// What is said of a stack of so many.
  let summary: @Sendable (Int) -> String
  /// The key of a push without one; nil keeps many of those.
  let heldKey: String?
  /// The most keys that pushes are kept for.
  let heldKeysMax: Int

  static let all = PerPlatform(
    ios: TrayRules(
      setsBadge: true, showsIDsOnce: false, emptiesAtRestart: false, ungroupedStackMin: 2,
      summary: { "\($0 - 1) more" }, heldKey: "", heldKeysMax: .max),
    android: TrayRules(
      setsBadge: false, showsIDsOnce: true, emptiesAtRestart: true, ungroupedStackMin: Tray.ungroupedStackMin,
      summary: { "\($0) notifications" }, heldKey: nil, heldKeysMax: HeldPushes<Int>.keysMax))
}
