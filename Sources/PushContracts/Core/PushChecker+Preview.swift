public import PushPayload
public import PushRules
public import WireJSON

extension PushChecker {
  /// What the provider says of a document that is to be drawn: as ``check(document:kind:platform:pushType:topic:)`` says it,
  /// but a missing target (`fcm-target-missing`) is a warning, as it decides nothing of the picture.
  ///
  /// - Parameters:
  ///   - document: a payload, or a request to the provider.
  ///   - bytes: its text, whose size counts.
  ///   - platform: whose it is.
  ///   - pushType: the push type of an APNs payload alone; nil does not judge by it.
  /// - Returns: nil for what an Android app was handed, which FCM has accepted, for what is no object, and for what is no
  ///   payload, which the preview names (`document-unrecognized`).
  public mutating func checkForPreview(
    of document: JSONValue, bytes: [UInt8], platform: Platform, pushType: APNsPushType? = nil
  ) -> Report? {
    guard let kind = Self.kindToPreview(document, platform) else { return nil }
    if pushType == nil, kind != .apnsRequest, Contracts.mistake(document, platform) != nil { return nil }
    let level = settings[.fcmTargetMissing]
    if level == .error { settings[.fcmTargetMissing] = .warning }
    defer { settings[.fcmTargetMissing] = level }
    return check(document: bytes, kind: kind, platform: platform, pushType: pushType)
  }

  /// As what the provider judges a document; nil for what it does not judge.
  private static func kindToPreview(_ document: JSONValue, _ platform: Platform) -> PushDocumentKind? {
    guard case .object(let members) = document else { return nil }
    guard platform.traits.hasHeaders else { return Contracts.androidKind(of: document) }
    guard members.isAPNsRequest else { return .apnsPayload }
    return members.isWholeAPNsRequest ? .apnsRequest : nil
  }
}
