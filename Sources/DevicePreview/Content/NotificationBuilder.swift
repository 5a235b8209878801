import PushContracts
import PushPayload
import WireJSON

/// Builds what a device shows from a payload: first as the platform does, then as the app's own library does.
struct NotificationBuilder {
  let push: PreviewPush
  let device: PreviewDevice
  var notification: ShownNotification
  var report = Report()
  /// The fields that stay empty, as the app has no text for their key.
  var missingTexts: [String] = []
  /// Why the app crashes; nil when it does not.
  var crash: String?
  /// The headers that the push came with, as far as they are known.
  private let headers: APNsHeaders?
  /// What the device does as a whole.
  let outcome: DeviceOutcome

  init(_ push: PreviewPush, on device: PreviewDevice) {
    self.push = push
    self.device = device
    let contract = push.contract ?? Contracts.recognize(platform: push.platform, payload: push.payload).contract
    let isKnown = push.pushType != nil || push.topic != nil
    headers = isKnown ? APNsHeaders(pushType: push.pushType, topic: push.topic) : nil
    outcome = Contracts.outcome(contract, of: push.payload, on: push.platform, headers: headers, now: device.now)
    notification = ShownNotification(
      platform: push.platform, contract: contract, payload: push.payload.object ?? JSONObject())
    notification.outcome = outcome
  }

  mutating func build() {
    guard push.payload.object != nil else {
      report.add(
        rule: "payload-not-object", severity: .error, field: "",
        message: "expected a payload as a JSON object, found \(push.payload.kind)")
      notification.silence = "the payload is not a JSON object"
      return
    }
    // A push type says what the payload is; those of VoIP and others may hold anything.
    if push.pushType == nil, let mistake = Contracts.mistake(push.payload, push.platform) {
      report.findings.append(mistake)
      notification.silence = mistake.message
      notification.outcome = .nothing(mistake.message)
      return
    }
    report.append(
      Contracts.report(of: push.payload, on: push.platform, by: notification.contract, headers: headers))
    switch push.platform {
    case .ios: buildApple()
    case .android: buildAndroid()
    }
    decideSilence()
    reportDirections()
  }

  /// Nothing is shown when the device shows nothing, when the app crashes, and when its tables have no text for the keys.
  private mutating func decideSilence() {
    if !outcome.isVisible {
      notification.silence = outcome.reason
    } else if outcome == .shown, !notification.hasText, notification.layout == nil {
      notification.silence = "the app has no text for the keys of the push"
    }
    if let crash { notification.silence = crash }
  }

  /// A warning for texts that turn the direction of what follows them, a note for those that begin in another one.
  private mutating func reportDirections() {
    let texts = [
      ("title", notification.title), ("subtitle", notification.subtitle), ("body", notification.body),
      ("expanded_title", notification.expandedTitle), ("expanded_body", notification.expandedBody),
    ]
    for (name, text) in texts {
      guard let text, !text.text.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
      reportBeginning(of: text.text, name)
      guard text.text.unicodeScalars.contains(where: { InertText.turnsDirection($0.value) }) else { continue }
      report.add(
        rule: PreviewRule.bidiControl.rawValue, severity: .warning, field: name,
        message: "the text holds characters that turn the direction of what follows; they are left out of the picture")
    }
  }

  /// A text of a language from right to left that begins with another script's letter is laid out from left to right.
  private mutating func reportBeginning(of text: String, _ name: String) {
    guard TextDirection.of(locale: device.locales.first ?? "en") == .rightToLeft else { return }
    let scalars = InertText(text).scalars
    guard TextDirection.of(scalars[...]) == .leftToRight,
      scalars.contains(where: { TextDirection.of([$0][...]) == .rightToLeft })
    else { return }
    report.add(
      rule: PreviewRule.direction.rawValue, severity: .note, field: name,
      message:
        "the text begins with a letter from left to right, and so all of it is laid out from left to right; begin "
        + "it with U+200F")
  }

  mutating func note(_ rule: PreviewRule, _ severity: Severity, _ field: FieldPath, _ message: String) {
    report.add(rule: rule.rawValue, severity: severity, field: field, message: message)
  }
}

// MARK: Texts

/// A text of a payload: as it is, or a localization key with its arguments.
struct TextSource {
  var plain: String?
  var key: String?
  var arguments: [String]?
  /// Where it is, for the report.
  var path: FieldPath
}
