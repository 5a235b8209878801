import PushPayload
import WireJSON

extension Contracts {
  /// What ``deviceReport(_:_:_:isBare:)`` says of a payload that a device shows as it is, found on the tape; nil for any other,
  /// and for one of which only the contract's reader can tell.
  ///
  /// It knows of no headers but those of a notification.
  static func plainReport(
    of payload: JSONNode, in document: JSONDocument, on platform: Platform, _ texts: DirectTexts
  ) -> Report? {
    // Whoever asks keeps the document.
    let document = document.lent
    guard document.kind(payload) == .object,
      let members = DirectPlatform.all[platform].message(document, payload)
    else { return nil }
    let recognition = DirectRecognition(document: document, payload: members, platform: platform)
    guard let mark = recognition.mark(texts) else { return nil }
    let report = mark.entry.judge(DirectPayload(document: document, root: payload, platform: platform, texts: texts))
    // The providers' rules say the rest of what no contract claims.
    if case .none = mark { return report.map { _ in Report() } }
    return report
  }
}
