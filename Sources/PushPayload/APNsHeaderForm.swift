/// The headers of a push to one device whose value has a form: the one table that the rules of `PushRules` and the gateway
/// of `ProviderEmulator` judge by.
///
/// What also depends on the push type is in ``APNsPushType``: the topic's suffix, the priorities, the size of the body.
/// Source: Apple, “Sending notification requests to APNs”; the reasons are those of “Handling notification responses from
/// APNs”.
public enum APNsHeaderForm: Sendable, Hashable, CaseIterable {
  /// One of the documented types.
  case pushType
  /// 1, 5 or 10.
  case priority
  /// The characters of a bundle ID: letters, digits, dots, hyphens and underscores, at least one.
  case topic
  /// At most ``APNsHeaders/collapseIDBytesMax`` bytes.
  case collapseID
  /// Whole seconds since 1970 that fit 64 bits, without sign, space or leading zero.
  case expiration
  /// A UUID of lower-case digits, 8-4-4-4-12.
  case id

  /// The header's name.
  public var name: String {
    switch self {
    case .pushType: "apns-push-type"
    case .priority: "apns-priority"
    case .topic: "apns-topic"
    case .collapseID: "apns-collapse-id"
    case .expiration: "apns-expiration"
    case .id: "apns-id"
    }
  }

  /// What APNs answers when the value has another form; the status is 400.
  public var reason: String {
    switch self {
    case .pushType: "InvalidPushType"
    case .priority: "BadPriority"
    case .topic: "BadTopic"
    case .collapseID: "BadCollapseId"
    case .expiration: "BadExpirationDate"
    case .id: "BadMessageId"
    }
  }

  /// Whether a value has the form.
  public func admits(_ value: Span<UInt8>) -> Bool {
    switch self {
    case .pushType: APNsPushType.knownIndex(value) != nil
    case .priority: APNsPriority(header: value).map { APNsPriority.known.contains($0) } ?? false
    case .topic: Self.isTopic(value)
    case .collapseID: value.count <= APNsHeaders.collapseIDBytesMax
    case .expiration: APNsExpiration(header: value) != nil
    case .id: APNsID(header: value) != nil
    }
  }

  private static func isTopic(_ value: Span<UInt8>) -> Bool {
    for index in value.indices {
      let byte = value[index]
      let isLetter = (byte | 0x20) &- 0x61 < 26
      guard isLetter || byte &- 0x30 < 10 || byte == 0x2D || byte == 0x2E || byte == 0x5F else { return false }
    }
    return !value.isEmpty
  }
}

extension APNsHeaderForm {
  /// Whether a text has the form.
  public func admits(_ text: String) -> Bool { admits(text.utf8.span) }
}
