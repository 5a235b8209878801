internal import Basics
internal import PushPayload
internal import WireJSON

/// What one device push says of itself, read before the checks, so that these can be made in any order.
struct APNsPushFacts {
  /// The device token's range in the request; empty when the path is not a device's.
  var token = 0..<0
  /// The index in `APNsPushKind.known`; nil when the header is absent or of no known type.
  var kind: Int?
  /// The index of the device; nil for an unknown one.
  var device: Int?
  /// The bundle ID's range: the topic without the suffix of the push type; nil when there is no topic.
  var bundleID: Range<Int>?
  /// Whether the topic ends as the push type says.
  var hasSuffix = true
  /// For 410: since when the token is dead, in milliseconds since 1970.
  var deadSinceMs: Int64?

  init() {}

  /// Reads a request.
  init(_ request: GatewayRequest) {
    if let path = request.range(.path), request.hasPrefix(path, APNsRules.devicePath) {
      token = (path.lowerBound + APNsRules.devicePath.utf8CodeUnitCount)..<path.upperBound
    }
    if let type = request.range(.pushType) {
      kind = APNsPushType.knownIndex(request.bytes.span.extracting(type))
    }
    guard let topic = request.range(.topic) else { return }
    bundleID = topic
    guard let kind else { return }
    let suffix = APNsPushKind.known[kind].suffix.count
    hasSuffix = request.hasSuffix(topic, APNsPushKind.known[kind].suffix)
    if hasSuffix { bundleID = topic.lowerBound..<(topic.upperBound - suffix) }
  }
}

/// A row of the table of push types in `PushPayload` as the gateway needs it: bytes instead of strings, made once.
struct APNsPushKind: Sendable {
  var suffix: [UInt8]
  var bodyBytesMax: Int
  var prioritiesAllowed: [APNsPriority]
  var needsToken: Bool

  /// Every documented push type, in the order of `APNsPushType.known`.
  static let known: [APNsPushKind] = APNsPushType.known.map { type in
    APNsPushKind(
      suffix: Array((type.topicSuffix ?? "").utf8), bodyBytesMax: type.payloadBytesMax,
      prioritiesAllowed: type.prioritiesAllowed, needsToken: type.needsProviderToken)
  }

  static let bodyBytesMaxDefault = APNsPushType.alert.payloadBytesMax
}

/// What the checks may look at besides the request.
struct APNsSurroundings {
  var environment: APNsEnvironment
  var devices: VirtualDevices
  var requiresPushType: Bool
  var nowMs: Int64
}

/// One of the checks of `POST /3/device/<token>`, by its name in scenarios.
///
/// Apple documents what is checked but not in which order. The cases are in the order of Pushy's mock gateway, which
/// clients in the field are tested against, with the checks that it lacks inserted; a scenario can choose another.
public enum APNsCheck: String, Sendable, Hashable, CaseIterable {
  case path
  case method
  case duplicates
  case messageID = "apns-id"
  case topicPresent = "topic_present"
  case collapseID = "collapse_id"
  case expiration
  case pushType = "push_type"
  case priority
  case token
  case topic
  case device
  case authentication
  case bodyEmpty = "body_empty"
  case bodySize = "body_size"
  case json

  /// All checks in an order that begins with these; the others follow as they always do.
  public static func order(first: [APNsCheck]) -> [APNsCheck] { first + allCases.filter { !first.contains($0) } }

  /// What the check does; nil for the two that need the gateway's own state.
  var rule: APNsRules.Check? {
    switch self {
    case .path: APNsRules.path
    case .method: APNsRules.method
    case .duplicates: APNsRules.duplicates
    case .messageID: APNsRules.messageID
    case .topicPresent: APNsRules.topicPresent
    case .collapseID: APNsRules.collapseID
    case .expiration: APNsRules.expiration
    case .pushType: APNsRules.pushType
    case .priority: APNsRules.priority
    case .token: APNsRules.token
    case .topic: APNsRules.topicFits
    case .device: APNsRules.device
    case .bodyEmpty: APNsRules.bodyEmpty
    case .bodySize: APNsRules.bodySize
    case .authentication, .json: nil
    }
  }
}

/// The checks that look at nothing but the request, the settings and the devices.
enum APNsRules {
  typealias Check = @Sendable (GatewayRequest, borrowing APNsSurroundings, inout APNsPushFacts) -> APNsRejection?

  static let devicePath: StaticString = "/3/device/"

  @Sendable static func path(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    guard let path = request.range(.path) else { return .badPath }
    guard facts.token.isEmpty else { return nil }
    return request.matches(path, "/3/device") || request.matches(path, devicePath) ? .missingDeviceToken : .badPath
  }

  @Sendable static func method(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    guard let method = request.range(.method), request.matches(method, "POST") else { return .methodNotAllowed }
    return nil
  }

  @Sendable static func duplicates(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    request.hasDuplicates ? .duplicateHeaders : nil
  }

  @Sendable static func messageID(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    form(.id, .id, request)
  }

  @Sendable static func topicPresent(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    facts.bundleID == nil ? .missingTopic : nil
  }

  @Sendable static func collapseID(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    form(.collapseID, .collapseID, request)
  }

  @Sendable static func expiration(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    form(.expiration, .expiration, request)
  }

  @Sendable static func pushType(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    if request.range(.pushType) == nil, around.requiresPushType { return .invalidPushType }
    return form(.pushType, .pushType, request)
  }

  /// An absent priority means 10; the push type decides which of the three are allowed.
  @Sendable static func priority(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    if let rejection = form(.priority, .priority, request) { return rejection }
    guard let kind = facts.kind else { return nil }
    let value = request.range(.priority).flatMap { request.decimal($0) }.map { APNsPriority(rawValue: Int($0)) }
    return APNsPushKind.known[kind].prioritiesAllowed.contains(value ?? .immediate) ? nil : .badPriority
  }

  /// The token is hexadecimal; its length must not be assumed (Live Activity tokens are longer than others).
  @Sendable static func token(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    guard facts.token.count % 2 == 0 else { return .badDeviceToken }
    let bytes = request.bytes.span
    for index in facts.token {
      let byte = bytes[index]
      let isDigit = Hex.value(byte) != nil
      guard isDigit else { return .badDeviceToken }
    }
    return nil
  }

  /// The topic has the characters of a bundle ID and ends as the push type says.
  @Sendable static func topicFits(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    if let rejection = form(.topic, .topic, request) { return rejection }
    guard let bundleID = facts.bundleID else { return nil }
    return facts.hasSuffix && !bundleID.isEmpty ? nil : .badTopic
  }

  /// What the one table of header forms says of a header that is there.
  private static func form(
    _ form: APNsHeaderForm, _ header: GatewayHeader, _ request: GatewayRequest
  ) -> APNsRejection? {
    guard let range = request.range(header), !form.admits(request.bytes.span.extracting(range)) else { return nil }
    return APNsRejection(status: 400, reason: form.reason)
  }

  /// The token belongs to a living app of this topic in this environment.
  @Sendable static func device(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    let token = facts.token
    facts.device = unsafe request.bytes.withUnsafeBufferPointer { bytes in
      unsafe around.devices.find(.apns, UnsafeBufferPointer(rebasing: bytes[token]))
    }
    guard let index = facts.device else {
      return around.devices.limits.acceptsUnknownTokens ? nil : .badDeviceToken
    }
    if let only = around.devices[index].environment, only != around.environment { return .badDeviceToken }
    if let bundleID = facts.bundleID, !around.devices[index].topics.isEmpty {
      let name = request.text(bundleID)
      guard around.devices[index].topics.contains(name) else { return .deviceTokenNotForTopic }
    }
    switch around.devices[index].registration {
    case .active: return nil
    case .unregistered(let sinceMs):
      facts.deadSinceMs = sinceMs
      return .unregistered
    case .expired(let sinceMs):
      facts.deadSinceMs = sinceMs
      return .expiredToken
    }
  }

  @Sendable static func bodyEmpty(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    request.bodyRange.isEmpty ? .payloadEmpty : nil
  }

  @Sendable static func bodySize(
    _ request: GatewayRequest, _ around: borrowing APNsSurroundings, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    let limit = facts.kind.map { APNsPushKind.known[$0].bodyBytesMax } ?? APNsPushKind.bodyBytesMaxDefault
    return request.bodyRange.count > limit ? .payloadTooLarge : nil
  }

  /// The body is one JSON object; an empty one is valid, as the update of a pass in Wallet is one.
  ///
  /// For a body that is no JSON object Apple names no reason; `PayloadEmpty` is the nearest one.
  static func content(_ document: JSONDocument) -> APNsRejection? {
    document.kind(document.root) == .object ? nil : .payloadEmpty
  }
}

/// UUIDs in the canonical form of Apple's pages: 32 lower-case hexadecimal digits as 8-4-4-4-12.
enum CanonicalUUID {
  static func isValid(_ request: GatewayRequest, _ range: Range<Int>) -> Bool {
    APNsID(header: request.bytes.span.extracting(range)) != nil
  }

  /// Writes a random UUID of version 4.
  static func write(_ random: inout EmulatorRandom, into bytes: inout [UInt8]) {
    let high = random.next() & ~0xF000 | 0x4000
    let low = random.next() & ~(0xC0 << 56) | 0x80 << 56
    for position in 0..<32 {
      if position == 8 || position == 12 || position == 16 || position == 20 { bytes.append(0x2D) }
      let word = position < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (position & 15)) & 15)
      bytes.append(Hex.digit(digit))
    }
  }
}
