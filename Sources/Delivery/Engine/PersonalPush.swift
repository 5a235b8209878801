internal import GatewayPool
internal import Liquid
internal import PushPayload
internal import PushRules
public import StoreModel
internal import WebPush
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
  private let choicesByKind: [[Int]]
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
    let placeholders = payloads.flatMap(\.placeholders)
    let plain = Set(placeholders.filter { $0.template == nil }.map(\.name)).subtracting(values.common.keys)
    let names = plain.union(Set(placeholders.compactMap(\.template)).flatMap(PersonalProgram.names))
    let properties = names.filter { Self.slots[$0] == nil }.sorted()
    var members = Set(names.compactMap { Self.slots[$0] })
    if !values.shares.isEmpty || !values.users.isEmpty { members.insert(RecipientFields.Slot.user) }
    if payloads.contains(where: { $0.locale != nil }) { members.insert(RecipientFields.Slot.locale) }
    fields = RecipientFields(members: members.sorted(), properties: properties)
    var numbers = Self.slots
    for (number, name) in properties.enumerated() { numbers[name] = RecipientFields.Slot.properties + number }
    var choices: [Choice] = []
    var choicesByKind = [[Int]](repeating: [], count: Int(DeviceKind.all.map(\.rawValue).max() ?? 0) + 1)
    for rendered in payloads {
      for kind in rendered.kinds { choicesByKind[Int(kind.rawValue)].append(choices.count) }
      choices.append(
        Choice(
          payload: PreparedPayload(rendered), locale: rendered.locale.map(LocaleName.normal), variant: rendered.variant,
          fill: rendered.placeholders.isEmpty ? nil : PersonalFill(rendered, values) { numbers[$0] }))
    }
    self.choices = choices
    self.choicesByKind = choicesByKind
  }

  /// Where a recipient's row has what is not a property.
  private static let slots = [
    "user": RecipientFields.Slot.user, "device.locale": RecipientFields.Slot.locale,
    "device.timezone": RecipientFields.Slot.timezone, "device.app_version": RecipientFields.Slot.appVersion,
  ]

  /// The request's values for a recipient.
  func own(_ row: borrowing RecipientRow, token: String) -> PersonalFill.Own {
    var own = PersonalFill.Own()
    if !values.tokens.isEmpty {
      let name = WebAddress.identity(of: token)
      own.token = values.tokens[name]
      own.tokenTrees = values.trees.tokens[name]
    }
    if !values.users.isEmpty, let user = row.text(RecipientFields.Slot.user) {
      own.user = values.users[user]
      own.userTrees = values.trees.users[user]
    }
    return own
  }

  /// What a device would be sent.
  struct Trial {
    /// The choice, as it is stored.
    let payload: RenderedPayload
    let outcome: PersonalFill.Outcome
    /// The placeholders for which nobody has a value and which have no text of their own.
    let unfilled: [String]
    /// What texts in Liquid miss.
    let missing: [String]
    /// A row with the texts of the placeholders, as they are in the body; no row when the device gets nothing.
    var texts = SendTexts(perRow: 0)
  }

  /// Fills the payload of a device; nil when there is nothing for it.
  func trial(for recipient: DeliveryRecipient, kind: DeviceKind, token: String, now: Int64) -> Trial? {
    trial(for: recipient, kind: kind, token: token, variant: variant(of: recipient, token), now: now)
  }

  /// The same for every payload, whoever it is for.
  func trials(for recipient: DeliveryRecipient, token: String, now: Int64) -> [Trial] {
    let row = RecipientRow(recipient, fields)
    return choices.indices.map { trial($0, row, token, now) }
  }

  /// Fills the payload of a device in one of the variants.
  func trial(for recipient: DeliveryRecipient, kind: DeviceKind, token: String, variant: Int?, now: Int64) -> Trial? {
    guard let index = choice(locale: recipient.locale, kind: kind, variant: variant) else { return nil }
    return trial(index, RecipientRow(recipient, fields), token, now)
  }

  private func trial(_ index: Int, _ row: borrowing RecipientRow, _ token: String, _ now: Int64) -> Trial {
    let choice = choices[index]
    let rendered = choice.payload.rendered
    guard let fill = choice.fill else {
      return Trial(payload: rendered, outcome: .added(bytes: PersonalSize.bytes(rendered)), unfilled: [], missing: [])
    }
    var escaper = TextEscaper()
    var renderers = fill.renderers
    var texts = SendTexts(perRow: fill.perRow)
    let own = own(row, token: token)
    let outcome = fill.add(row, own, now: now, &escaper, &renderers, to: &texts)
    var trial = Trial(
      payload: rendered, outcome: outcome, unfilled: fill.unfilled(row, own),
      missing: renderers.flatMap { $0.missing.map(MessageText.name) })
    trial.texts = texts
    return trial
  }

  /// The index of the payload for a device; nil when there is none.
  func choice(locale: String?, kind: DeviceKind, variant: Int?) -> Int? {
    let all = choicesByKind[Int(kind.rawValue)]
    // A push is accepted only when a variant is rendered for every kind of device; without a variant the base payload
    // is used.
    var fitting = all.filter { choices[$0].variant == variant }
    if fitting.isEmpty { fitting = all.filter { choices[$0].variant == nil } }
    for name in LocaleName.fallbacks(locale) {
      if let index = fitting.first(where: { choices[$0].locale == name }) { return index }
    }
    return nil
  }

  /// Under which number the ledger counts a variant; nil in a push without variants.
  func number(of variant: Int?) -> Int? { values.shares.isEmpty ? nil : variant ?? values.shares.count }

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
      return unsafe row.bytes.withUnsafeBufferPointer {
        unsafe VariantShare.variant(of: UnsafeBufferPointer(rebasing: $0[user]), salt: salt, shares: values.shares)
      }
    }
    return VariantShare.variant(of: (row.device.map { "#\($0)" } ?? token).utf8, salt: salt, shares: values.shares)
  }

  /// The payload with a text for each of its placeholders.
  static func splice(_ payload: RenderedPayload, _ value: (String) -> String?) -> RenderedPayload {
    splice(
      payload,
      texts: payload.placeholders.map { placeholder in
        var text = value(placeholder.name) ?? placeholder.fallback
        for _ in 1..<max(placeholder.depth, 1) {
          text = String(JSON.minifiedText(.string(text)).dropFirst().dropLast())
        }
        return Array(JSON.minified(.string(text)).dropFirst().dropLast())
      })
  }

  /// The payload with texts that are escaped already.
  static func splice(_ payload: RenderedPayload, texts: [[UInt8]]) -> RenderedPayload {
    var body: [UInt8] = []
    body.reserveCapacity(payload.body.count + payload.placeholders.count * 16)
    var filled = payload
    var offset = 0
    var added = 0
    for (placeholder, bytes) in zip(payload.placeholders, texts) {
      body.append(contentsOf: payload.body[offset..<placeholder.offset])
      offset = placeholder.offset
      body.append(contentsOf: bytes)
      if let offset = payload.tokenOffset, placeholder.offset <= offset { added += bytes.count }
    }
    body.append(contentsOf: payload.body[offset...])
    filled.body = body
    filled.tokenOffset = payload.tokenOffset.map { $0 + added }
    filled.placeholders = []
    return filled
  }
}

/// What the devices of an audience would be sent, measured without sending.
public struct PersonalTrial: Sendable {
  private let payloads: [RenderedPayload]
  private let personal: PersonalPush?
  private let now: Int64

  /// What one device would be sent.
  public struct Result: Sendable {
    /// The message, as it is stored.
    public let payload: RenderedPayload
    /// Its bytes, as the provider counts them; nil when the device gets nothing.
    public let bytes: Int?
    /// The limit.
    public let bytesMax: Int
    /// The reason for which the device gets nothing.
    public let reason: String?
    /// The placeholders that nothing fills.
    public let unfilled: [String]
    /// The values that texts in Liquid miss.
    public let missing: [String]

    /// Whether the message is larger than the limit.
    public var isTooLarge: Bool { (bytes ?? 0) > bytesMax }
  }

  /// A push that was composed and not created.
  ///
  /// - Parameter now: the time that `"now"` means, in seconds since 1970.
  public init(_ push: NewPush, now: Int64) {
    self.init(push.payloads, personal: push.personal, salt: push.salt, now: now)
  }

  /// The parts of a push.
  public init(_ payloads: [RenderedPayload], personal: [UInt8], salt: UInt64 = 0, now: Int64) {
    self.payloads = payloads
    self.personal = PersonalPush(payloads, personal: personal, salt: salt)
    self.now = now
  }

  /// What a device would be sent; nil when there is nothing for it.
  public func result(for recipient: DeliveryRecipient, kind: DeviceKind, token: String) -> Result? {
    if let personal { return personal.trial(for: recipient, kind: kind, token: token, now: now).map(Self.result) }
    guard let payload = payloads.first(where: { $0.kinds.contains(kind) }) else { return nil }
    return Result(
      payload: payload, bytes: PersonalSize.bytes(payload), bytesMax: PersonalSize.bytesMax(payload), reason: nil,
      unfilled: [], missing: [])
  }

  /// What a device is sent: the message with its texts, or nothing, and why.
  public struct Message: Sendable {
    /// The message with its texts; nil when the device gets nothing.
    public let payload: RenderedPayload?
    /// The number of its variant; nil for the message itself.
    public let variant: Int?
    /// How it was measured.
    public let result: Result
  }

  /// What a device would be sent, written out.
  ///
  /// - Parameter variant: the number of a variant; nil gives the recipient's own.
  /// - Returns: nil when there is nothing for such a device.
  public func message(
    for recipient: DeliveryRecipient, kind: DeviceKind, token: String, variant: Int? = nil
  ) -> Message? {
    guard let personal else {
      return result(for: recipient, kind: kind, token: token).map {
        Message(payload: $0.payload, variant: nil, result: $0)
      }
    }
    let variant = variant ?? personal.variant(of: recipient, token)
    guard let trial = personal.trial(for: recipient, kind: kind, token: token, variant: variant, now: now) else {
      return nil
    }
    var payload: RenderedPayload?
    if case .added = trial.outcome {
      payload = PersonalPush.splice(trial.payload, texts: trial.texts.count > 0 ? trial.texts.texts(of: 0) : [])
    }
    return Message(payload: payload, variant: variant, result: Self.result(trial))
  }

  /// What a recipient would be sent in each of the payloads.
  public func results(for recipient: DeliveryRecipient, token: String) -> [Result] {
    (personal?.trials(for: recipient, token: token, now: now) ?? []).map(Self.result)
  }

  private static func result(_ trial: PersonalPush.Trial) -> Result {
    var bytes: Int?
    var reason: String?
    switch trial.outcome {
    case .added(let size), .tooLarge(let size): bytes = size
    case .skipped(let why): reason = why
    }
    return Result(
      payload: trial.payload, bytes: bytes, bytesMax: PersonalSize.bytesMax(trial.payload), reason: reason,
      unfilled: trial.unfilled, missing: trial.missing)
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
    for (index, share) in shares.enumerated() {
      sum += share
      if point < sum { return index }
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
