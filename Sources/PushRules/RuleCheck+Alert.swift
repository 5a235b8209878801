internal import PushPayload
internal import WireJSON

extension RuleCheck {
  /// The rules about `aps.alert` and what depends on it.
  mutating func checkAlert(_ aps: JSONNode, isLive: Bool) {
    let alert = member(aps, "alert")
    if let alert, document.kind(alert) == .object { checkObject(alert, isLive: isLive) }
    guard let mutable = member(aps, "mutable-content"), isOne(mutable), !hasAlertOfFCM else { return }
    let hasText = alert.map { document.kind($0) == .string ? self.hasText($0) : hasAnyText($0) } ?? false
    if !hasText {
      add(
        .apnsMutableWithoutAlert, at: mutable,
        "the service extension runs only for an alert with text; add a title or body")
    }
  }

  private mutating func checkObject(_ alert: JSONNode, isLive: Bool) {
    if !hasAnyText(alert) {
      add(.apnsAlertEmpty, at: alert, "the alert has no text; add a title, a subtitle or a body")
    }
    if let action = document.member(of: alert, "action-loc-key"), document.kind(action) == .null {
      add(.apnsNullValue, at: action, "null changes nothing on the systems of today; leave action-loc-key out")
    }
    checkText(alert, "title", "title-loc-key", "title-loc-args", isLive: isLive)
    checkText(alert, "subtitle", "subtitle-loc-key", "subtitle-loc-args", isLive: true)
    checkText(alert, "body", "loc-key", "loc-args", isLive: isLive)
    if !isLive, let sound = member(alert, "sound") {
      add(.apnsAlertSoundMisplaced, at: sound, "outside of a Live Activity the sound belongs in aps; move it there")
    }
  }

  private mutating func checkText(
    _ alert: JSONNode, _ text: StaticString, _ key: StaticString, _ arguments: StaticString, isLive: Bool
  ) {
    let plain = member(alert, text)
    let locKey = member(alert, key)
    if let arguments = member(alert, arguments), locKey == nil {
      add(.apnsLocArgsWithoutKey, at: arguments, "the arguments need \(key) beside them; add it or remove them")
    }
    if let locKey, plain != nil, !isEmptyText(locKey) {
      add(.apnsTextAndLocKey, at: locKey, "\(text) is beside \(key); iOS is seen to show the key's text; keep one")
    }
    if !isLive, let plain, document.kind(plain) == .object {
      add(.apnsAlertTextObject, at: plain, "an object is for Live Activities only; use \(key) and \(arguments)")
    }
  }

  func hasAnyText(_ alert: JSONNode, countsObjects: Bool = true) -> Bool {
    hasText(member(alert, "title")) || hasText(member(alert, "body")) || hasText(member(alert, "subtitle"))
      || hasText(member(alert, "loc-key")) || hasText(member(alert, "title-loc-key"))
      || hasText(member(alert, "subtitle-loc-key"))
      || countsObjects && (isObject(member(alert, "title")) || isObject(member(alert, "body")))
  }
}
