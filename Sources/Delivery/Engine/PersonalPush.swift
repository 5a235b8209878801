internal import PushPayload
internal import PushRules
public import PushStore
internal import WireJSON

/// How one push differs from device to device: by language, by variant, by values.
///
/// The layout is computed once per push; for each device it remains to choose a payload and to write its texts.
final class PersonalPush: Sendable {
  /// One of the payloads.
  struct Choice: Sendable {
    let payload: PreparedPayload
    let locale: String?
    let variant: Int?
    /// Nil for a payload without placeholders.
    let fill: PersonalFill?
  }

  let choices: [Choice]
  /// The indexes of the choices by the raw value of the kind of device.
  private let places: [[Int]]
  private let values: PersonalValues
  private let salt: UInt64
  /// What has to be read of each recipient.
  let fields: RecipientFields

  /// Nil for a push that is the same for every device.
  convenience init?(_ push: SendablePush) {
    self.init(push.payloads, personal: push.personal, salt: push.salt)
  }

  init?(_ payloads: [RenderedPayload], personal: [UInt8], salt: UInt64) {
    guard !personal.isEmpty || payloads.contains(where: \.isPersonal) else { return nil }
    let values = PersonalValues(personal)
    self.values = values
    self.salt = salt
    // What the request says for everybody needs no look at anybody.
    let names = Set(payloads.flatMap { $0.holes.map(\.name) }).subtracting(values.common.keys)
    let properties = names.filter { Self.slots[$0] == nil }.sorted()
    fields = RecipientFields(
      needsDevice: names.count > properties.count || !values.shares.isEmpty || !values.users.isEmpty
        || payloads.contains { $0.locale != nil }, properties: properties)
    var numbers = Self.slots
    for (number, name) in properties.enumerated() { numbers[name] = RecipientFields.Slot.properties + number }
    var choices: [Choice] = []
    var places = [[Int]](repeating: [], count: Int(DeviceKind.allCases.map(\.rawValue).max() ?? 0) + 1)
    for rendered in payloads {
      for kind in rendered.kinds { places[Int(kind.rawValue)].append(choices.count) }
      choices.append(
        Choice(
          payload: PreparedPayload(rendered), locale: rendered.locale.map(LocaleName.normal), variant: rendered.variant,
          fill: rendered.holes.isEmpty ? nil : PersonalFill(rendered, common: values.common) { numbers[$0] }))
    }
    self.choices = choices
    self.places = places
  }

  /// Where a recipient's row has what is not a property.
  private static let slots = [
    "user": RecipientFields.Slot.user, "device.locale": RecipientFields.Slot.locale,
    "device.timezone": RecipientFields.Slot.timezone, "device.app_version": RecipientFields.Slot.appVersion,
  ]

  /// The request's values for a recipient.
  func own(_ row: borrowing RecipientRow, token: String) -> PersonalFill.Own {
    var own = PersonalFill.Own()
    if !values.tokens.isEmpty { own.token = values.tokens[token] }
    if !values.users.isEmpty, let user = row.text(RecipientFields.Slot.user) { own.user = values.users[user] }
    return own
  }

  /// The bytes that a device would be sent, and the limit; nil when there is nothing for it.
  func size(for recipient: DeliveryRecipient, kind: DeviceKind, token: String) -> (bytes: Int, bytesMax: Int)? {
    let variant = variant(of: recipient, token)
    guard let place = choice(locale: recipient.locale, kind: kind, variant: variant) else { return nil }
    let choice = choices[place].payload.rendered
    let bytes = PersonalSize.bytes(choice) { value($0, recipient, token) }
    return (bytes, PersonalSize.bytesMax(choice))
  }

  /// What a device would be sent, with the names of the placeholders for which nobody has a value and which have no text
  /// of their own; nil when there is nothing for it.
  func unfilled(
    for recipient: DeliveryRecipient, kind: DeviceKind, token: String
  ) -> (payload: RenderedPayload, names: [String])? {
    let variant = variant(of: recipient, token)
    guard let place = choice(locale: recipient.locale, kind: kind, variant: variant) else { return nil }
    let choice = choices[place].payload.rendered
    let names = choice.holes.filter { $0.fallback.isEmpty && value($0.name, recipient, token) == nil }.map(\.name)
    return (choice, names)
  }

  /// The index of the payload for a device; nil when there is none.
  func choice(locale: String?, kind: DeviceKind, variant: Int?) -> Int? {
    let all = places[Int(kind.rawValue)]
    // A push is accepted only when a variant is rendered for every kind of device; without a variant the base payload
    // is used.
    var fitting = all.filter { choices[$0].variant == variant }
    if fitting.isEmpty { fitting = all.filter { choices[$0].variant == nil } }
    for name in LocaleName.fallbacks(locale) {
      if let place = fitting.first(where: { choices[$0].locale == name }) { return place }
    }
    return nil
  }

  /// Under which number the ledger counts a variant; nil in a push without variants.
  func place(of variant: Int?) -> Int? { values.shares.isEmpty ? nil : variant ?? values.shares.count }

  /// The same for one user (or device, or address) and push each time, on every device of the user.
  func variant(of recipient: DeliveryRecipient, _ token: String) -> Int? {
    guard !values.shares.isEmpty else { return nil }
    let subject = recipient.user ?? recipient.device.map { "#\($0)" } ?? token
    return VariantShare.variant(of: subject.utf8, salt: salt, shares: values.shares)
  }

  /// The same, of a recipient of whom only what is needed was read.
  func variant(of row: borrowing RecipientRow, _ token: String) -> Int? {
    guard !values.shares.isEmpty else { return nil }
    if let user = row.range(of: RecipientFields.Slot.user) {
      return VariantShare.variant(of: row.bytes[user], salt: salt, shares: values.shares)
    }
    return VariantShare.variant(of: (row.device.map { "#\($0)" } ?? token).utf8, salt: salt, shares: values.shares)
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
    default: return recipient.properties.last { $0.name == name }.map(\.value.text)
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

  /// The bytes that count with nothing in the holes, and of each hole whether what is put into it counts.
  static func parts(_ payload: RenderedPayload) -> (bytes: Int, counted: [Bool]) {
    let empty = bytes(payload)
    guard payload.tokenOffset != nil else { return (empty, payload.holes.map { _ in true }) }
    var probe = payload
    for place in probe.holes.indices { probe.holes[place].name = "\(place)" }
    func added(_ isFilled: (String) -> Bool) -> Int { bytes(probe) { isFilled($0) ? "x" : "" } - empty }
    // Mostly all of them count, or none does.
    let all = added { _ in true }
    if all == payload.holes.count || all == 0 { return (empty, payload.holes.map { _ in all > 0 }) }
    return (empty, payload.holes.indices.map { place in added { $0 == "\(place)" } > 0 })
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
    variant(of: subject.utf8, salt: salt, shares: shares)
  }

  static func variant(of subject: some Sequence<UInt8>, salt: UInt64, shares: [Int]) -> Int? {
    // FNV-1a over salt and subject, then a finalizer, because FNV mixes its last bytes little.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ salt
    for byte in subject { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
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
