internal import PushPayload
internal import PushRules
public import PushStore
internal import WireJSON

/// How one push differs from device to device: by language, by variant, by values.
///
/// The layout is computed once per push; for each device it remains to choose a payload and to fill its placeholders.
final class PersonalPush: Sendable {
  private struct Choice: Sendable {
    let payload: PreparedPayload
    let locale: String?
    let variant: Int?
  }

  private let choices: [[Choice]]
  private let values: PersonalValues
  private let salt: UInt64
  /// Whether any placeholder may refer to a property of the device or user.
  let needsProperties: Bool

  /// Nil for a push that is the same for every device.
  convenience init?(_ push: SendablePush) {
    self.init(push.payloads, personal: push.personal, salt: push.salt)
  }

  init?(_ payloads: [RenderedPayload], personal: [UInt8], salt: UInt64) {
    guard !personal.isEmpty || payloads.contains(where: \.isPersonal) else { return nil }
    values = PersonalValues(personal)
    self.salt = salt
    needsProperties = payloads.contains { !$0.holes.isEmpty }
    var choices = [[Choice]](repeating: [], count: Int(DeviceKind.allCases.map(\.rawValue).max() ?? 0) + 1)
    for rendered in payloads {
      let choice = Choice(
        payload: PreparedPayload(rendered), locale: rendered.locale.map(LocaleName.normal), variant: rendered.variant)
      for kind in rendered.kinds { choices[Int(kind.rawValue)].append(choice) }
    }
    self.choices = choices
  }

  /// What a device is sent, or why it is sent nothing.
  func payload(
    for recipient: DeliveryRecipient, kind: DeviceKind, token: String, variant: Int?
  ) -> Result<PreparedPayload, Refusal> {
    guard let choice = choice(for: recipient, kind: kind, variant: variant) else {
      return .failure(Refusal(reason: PipelineReason.noPayload))
    }
    return fill(choice, recipient, token)
  }

  /// The bytes that a device would be sent, and the limit; nil when there is nothing for it.
  func size(for recipient: DeliveryRecipient, kind: DeviceKind, token: String) -> (bytes: Int, bytesMax: Int)? {
    let variant = variant(of: recipient, token)
    guard let choice = choice(for: recipient, kind: kind, variant: variant)?.rendered else { return nil }
    let bytes = PersonalSize.bytes(choice) { value($0, recipient, token) }
    return (bytes, PersonalSize.bytesMax(choice))
  }

  /// What a device would be sent, with the names of the placeholders for which nobody has a value and which have no text
  /// of their own; nil when there is nothing for it.
  func unfilled(
    for recipient: DeliveryRecipient, kind: DeviceKind, token: String
  ) -> (payload: RenderedPayload, names: [String])? {
    let variant = variant(of: recipient, token)
    guard let choice = choice(for: recipient, kind: kind, variant: variant)?.rendered else { return nil }
    let names = choice.holes.filter { $0.fallback.isEmpty && value($0.name, recipient, token) == nil }.map(\.name)
    return (choice, names)
  }

  private func choice(for recipient: DeliveryRecipient, kind: DeviceKind, variant: Int?) -> PreparedPayload? {
    let all = choices[Int(kind.rawValue)]
    // A push is accepted only when a variant is rendered for every kind of device; without a variant the base payload
    // is used.
    var fitting = all.filter { $0.variant == variant }
    if fitting.isEmpty { fitting = all.filter { $0.variant == nil } }
    for name in LocaleName.fallbacks(recipient.locale) {
      if let choice = fitting.first(where: { $0.locale == name }) { return choice.payload }
    }
    return nil
  }

  struct Refusal: Error {
    let reason: String
  }

  /// Under which number the ledger counts a variant; nil in a push without variants.
  func place(of variant: Int?) -> Int? { values.shares.isEmpty ? nil : variant ?? values.shares.count }

  /// The same for one user (or device, or address) and push each time, on every device of the user.
  func variant(of recipient: DeliveryRecipient, _ token: String) -> Int? {
    guard !values.shares.isEmpty else { return nil }
    let subject = recipient.user ?? recipient.device.map { "#\($0)" } ?? token
    return VariantShare.variant(of: subject, salt: salt, shares: values.shares)
  }

  private func fill(
    _ payload: PreparedPayload, _ recipient: DeliveryRecipient, _ token: String
  ) -> Result<PreparedPayload, Refusal> {
    guard !payload.rendered.holes.isEmpty else { return .success(payload) }
    let filled = Self.splice(payload.rendered) { name in value(name, recipient, token) }
    guard Self.fits(filled) else { return .failure(Refusal(reason: PipelineReason.tooLarge)) }
    return .success(PreparedPayload(filled))
  }

  /// The request's value for this recipient, then the one for all; then the stored property of the device and the user.
  private func value(_ name: String, _ recipient: DeliveryRecipient, _ token: String) -> String? {
    if let text = values.tokens[token]?[name] { return text }
    if let user = recipient.user, let text = values.users[user]?[name] { return text }
    if let text = values.common[name] { return text }
    switch name {
    case "user": return recipient.user
    case "device.locale": return recipient.locale
    case "device.timezone": return recipient.timezone
    case "device.app_version": return recipient.appVersion
    default: return recipient.properties.last { $0.name == name }.map { Self.text($0.value) }
    }
  }

  static func text(_ value: AttributeValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .bool(let bool): bool ? "true" : "false"
    case .time(let moment): String(moment.seconds)
    }
  }

  /// The payload with a text for each of its placeholders.
  static func splice(_ payload: RenderedPayload, _ value: (String) -> String?) -> RenderedPayload {
    var body: [UInt8] = []
    body.reserveCapacity(payload.body.count + payload.holes.count * 16)
    var filled = payload
    var place = 0
    var added = 0
    for hole in payload.holes {
      body.append(contentsOf: payload.body[place..<hole.offset])
      place = hole.offset
      var text = value(hole.name) ?? hole.fallback
      for _ in 1..<max(hole.depth, 1) { text = String(JSON.minifiedText(.string(text)).dropFirst().dropLast()) }
      let bytes = JSON.minified(.string(text)).dropFirst().dropLast()
      body.append(contentsOf: bytes)
      if let offset = payload.tokenOffset, hole.offset <= offset { added += bytes.count }
    }
    body.append(contentsOf: payload.body[place...])
    filled.body = body
    filled.tokenOffset = payload.tokenOffset.map { $0 + added }
    filled.holes = []
    return filled
  }

  /// Whether the provider takes a message of this size.
  static func fits(_ payload: RenderedPayload) -> Bool {
    PersonalSize.bytes(payload) <= PersonalSize.bytesMax(payload)
  }
}

/// What the devices of an audience would be sent, measured without sending.
public struct PersonalTrial: Sendable {
  private let payloads: [RenderedPayload]
  private let personal: PersonalPush?

  /// A push that was composed and not created.
  public init(_ push: NewPush) {
    payloads = push.payloads
    personal = PersonalPush(push.payloads, personal: push.personal, salt: push.salt)
  }

  /// The bytes that a device would be sent, as its provider counts them, and the limit; nil when there is nothing for it.
  public func size(for recipient: DeliveryRecipient, kind: DeviceKind, token: String) -> (bytes: Int, bytesMax: Int)? {
    if let personal { return personal.size(for: recipient, kind: kind, token: token) }
    guard let payload = payloads.first(where: { $0.kinds.contains(kind) }) else { return nil }
    return (PersonalSize.bytes(payload), PersonalSize.bytesMax(payload))
  }

  /// The message that a device would be sent, and the names of its placeholders that nothing fills; nil when the push is
  /// the same for every device, or has nothing for this one.
  public func unfilled(
    for recipient: DeliveryRecipient, kind: DeviceKind, token: String
  ) -> (payload: RenderedPayload, names: [String])? {
    personal?.unfilled(for: recipient, kind: kind, token: token)
  }
}

/// The size of a message as its provider counts it.
public enum PersonalSize {
  /// The bytes that count.
  public static func bytes(_ payload: RenderedPayload) -> Int {
    payload.tokenOffset == nil ? payload.body.count : FCMBudget.bytes(ofRequest: payload.body)
  }

  /// The limit.
  public static func bytesMax(_ payload: RenderedPayload) -> Int {
    guard payload.tokenOffset == nil else { return FCMBudget.bytesMax }
    let type = payload.headers.first { $0.name == "apns-push-type" }.map { APNsPushType(rawValue: $0.value) }
    return (type ?? .alert).payloadBytesMax
  }

  /// The size that the provider limits, in bytes, with a text for each placeholder.
  public static func bytes(_ payload: RenderedPayload, filledWith value: (String) -> String?) -> Int {
    bytes(PersonalPush.splice(payload, value))
  }
}

/// Which variant someone gets.
public enum VariantShare {
  /// The variant's index, or nil for subjects outside all shares.
  ///
  /// Deterministic for a subject and push; over many subjects the distribution matches the shares.
  public static func variant(of subject: String, salt: UInt64, shares: [Int]) -> Int? {
    // FNV-1a over salt and subject, then a finalizer, because FNV mixes its last bytes little.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ salt
    for byte in subject.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    let point = Int((hash ^ (hash >> 31)) % 100)
    var sum = 0
    for (place, share) in shares.enumerated() {
      sum += share
      if point < sum { return place }
    }
    return nil
  }
}

/// Names of languages: BCP 47 tags, compared without regard to case, `_` as `-`.
public enum LocaleName {
  /// The form in which tags are compared.
  public static func normal(_ tag: String) -> String {
    String(decoding: tag.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self).lowercased()
  }

  /// What a device with this language takes, best first: `de-at`, `de`, then the message without a language (RFC 4647
  /// 3.4, lookup).
  static func fallbacks(_ tag: String?) -> [String?] {
    guard let tag, !tag.isEmpty else { return [nil] }
    var parts = normal(tag).split(separator: "-")
    var names: [String?] = []
    while !parts.isEmpty {
      names.append(parts.joined(separator: "-"))
      parts.removeLast()
      // A single letter introduces what follows it and means nothing alone.
      if let last = parts.last, last.utf8.count == 1 { parts.removeLast() }
    }
    return names + [nil]
  }
}
