internal import Delivery
internal import StoreModel

/// One language of one variant of a push.
struct PayloadVersion: Hashable {
  let locale: String?
  let variant: Int?

  init(_ version: MessageFields.Version) {
    (locale, variant) = (version.locale.map(LocaleName.normal), version.variant)
  }

  init(_ payload: RenderedPayload) { (locale, variant) = (payload.locale, payload.variant) }
}

/// Renders a push for devices of its audience: the largest message for each provider, how many are over the limit, and
/// how many lack the value of a placeholder.
///
/// All devices are tried up to a limit; of more, a sample from evenly spaced positions. Each is rendered with its
/// current language, variant and properties.
struct PushTrial {
  /// Devices tried while a push is created.
  static let quickMax = 1_000
  /// Devices tried when the caller requests it: a second or two.
  static let wholeMax = 100_000
  /// Sampled positions in a larger audience.
  private static let samples = 50
  /// Devices of a single user.
  private static let perUserMax = 100
  private static let pageRows = 1_000

  /// The largest message of a provider's, and whose it is.
  struct Worst {
    let bytes: Int
    let bytesMax: Int
    let device: DeviceID?
    let user: String?
  }

  private let push: NewPush
  private let trial: PersonalTrial
  private let store: any Store
  private let now: Timestamp
  private let devicesMax: Int

  /// The placeholders without a fallback whose missing values are counted, by language and variant; nil to count none, also
  /// not those that texts in Liquid miss.
  var bareNames: [PayloadVersion: Set<String>]?

  /// Devices tried for which a placeholder has neither a value nor a fallback, by its name.
  private(set) var unfilled: [String: Int] = [:]
  /// Devices tried that get nothing, by the reason.
  private(set) var skipped: [String: Int] = [:]
  /// Devices in the audience; in a quick trial at least so many.
  private(set) var total = 0
  private(set) var tried = 0
  private(set) var over = 0
  /// Devices of listed users and devices that were looked at and take messages, by kind and environment.
  private(set) var listed: [KindInEnvironment: Int] = [:]
  private(set) var worst: [Provider: Worst] = [:]
  private var looked = 0

  /// Whether no device of the audience was left out.
  var isComplete: Bool { looked == total }

  init(_ push: NewPush, store: any Store, now: Timestamp, devicesMax: Int) {
    self.push = push
    self.store = store
    self.now = now
    self.devicesMax = devicesMax
    trial = PersonalTrial(push, now: now.seconds)
  }

  mutating func run() throws(StoreError) {
    switch push.audience {
    case .all(let kinds): try run(.everyone, kinds)
    case .segment(let filter, let kinds): try run(filter, kinds)
    case .users(let names):
      let names = Self.once(names)
      for name in names {
        total += try store.countDevices(app: push.app, filter: DeviceFilter(user: name, state: .active))
      }
      for name in spread(names) where looked < devicesMax {
        let filter = DeviceFilter(user: name, state: .active)
        for device in try store.devices(app: push.app, filter: filter, after: nil, limit: Self.perUserMax) {
          try addListed(device)
        }
      }
    case .devices(let ids):
      let ids = Self.once(ids)
      total = ids.count
      for id in spread(ids) {
        if let device = try store.device(id), device.app == push.app, device.state == .active {
          try addListed(device)
        } else {
          looked += 1
        }
      }
    case .addresses(let addresses):
      let addresses = Self.once(addresses)
      total = addresses.count
      for address in spread(addresses) {
        if let device = try store.device(app: push.app, token: address.token) {
          try add(device)
        } else {
          add(Self.nobody(), kind: address.kind, token: address.token)
        }
      }
    }
  }

  private mutating func run(_ filter: SegmentFilter, _ kinds: [DeviceKind]) throws(StoreError) {
    if devicesMax == Self.quickMax {
      // Counting takes longer than trying.
      let head = try store.audience(filter, app: push.app, after: nil, limit: devicesMax + 1, now: now)
      total = head.count { kinds.contains($0.kind) }
      guard head.count > devicesMax else { return add(head, kinds) }
    } else {
      let counts = try store.countByKind(filter, app: push.app, now: now)
      total = kinds.reduce(0) { $0 + (counts[$1] ?? 0) }
      guard total > devicesMax else {
        try walk(filter, kinds, from: 0, limit: .max)
        return
      }
    }
    let last = try store.lastDevice(app: push.app)?.rawValue ?? 0
    var seen: Int64 = 0
    for index in 0..<Self.samples {
      let start = last / Int64(Self.samples) * Int64(index)
      seen = try walk(filter, kinds, from: max(seen, start), limit: devicesMax / Self.samples)
    }
  }

  /// Tries the next devices behind a key; answers with the last one's.
  @discardableResult
  private mutating func walk(
    _ filter: SegmentFilter, _ kinds: [DeviceKind], from start: Int64, limit: Int
  ) throws(StoreError) -> Int64 {
    var (position, left) = (start, limit)
    while left > 0 {
      let members = try store.audience(
        filter, app: push.app, after: DeviceID(rawValue: position), limit: min(left, Self.pageRows), now: now)
      add(members, kinds)
      guard let last = members.last?.recipient.device else { break }
      position = last.rawValue
      left -= members.count
    }
    return position
  }

  private mutating func add(_ members: [AudienceMember], _ kinds: [DeviceKind]) {
    for member in members where kinds.contains(member.kind) {
      add(member.recipient, kind: member.kind, token: member.token)
    }
  }

  /// A recipient that is listed twice gets the push once.
  private static func once<Element: Hashable>(_ list: [Element]) -> [Element] {
    var seen: Set<Element> = []
    return list.filter { seen.insert($0).inserted }
  }

  /// At most `devicesMax` of a list, evenly chosen.
  private func spread<Element>(_ list: [Element]) -> [Element] {
    let step = max((list.count + devicesMax - 1) / devicesMax, 1)
    return stride(from: 0, to: list.count, by: step).map { list[$0] }
  }

  /// A recipient of whom nothing is stored.
  static func nobody(user: String? = nil) -> DeliveryRecipient {
    DeliveryRecipient(
      delivery: DeliveryID(rawValue: 0), device: nil, user: user, locale: nil, timezone: nil, appVersion: nil,
      properties: [])
  }

  private mutating func addListed(_ device: Device) throws(StoreError) {
    if !device.optOut.everything { listed[KindInEnvironment(device.kind, device.environment), default: 0] += 1 }
    try add(device)
  }

  private mutating func add(_ device: Device) throws(StoreError) {
    add(try Self.recipient(device, store), kind: device.kind, token: device.token)
  }

  /// What is known of a device and its user.
  static func recipient(_ device: Device, _ store: any Store) throws(StoreError) -> DeliveryRecipient {
    let user = try device.user.map { (name) throws(StoreError) in try store.user(app: device.app, named: name) } ?? nil
    return DeliveryRecipient(
      delivery: DeliveryID(rawValue: 0), device: device.id, user: device.user, locale: device.locale,
      timezone: device.timezone, appVersion: device.appVersion,
      properties: (user?.properties ?? []) + device.properties)
  }

  private mutating func add(_ recipient: DeliveryRecipient, kind: DeviceKind, token: String) {
    looked += 1
    guard let result = trial.result(for: recipient, kind: kind, token: token) else { return }
    tried += 1
    countUnfilled(result)
    guard let bytes = result.bytes else {
      skipped[result.reason ?? "", default: 0] += 1
      return
    }
    if result.isTooLarge { over += 1 }
    guard bytes > worst[kind.provider]?.bytes ?? -1 else { return }
    worst[kind.provider] = Worst(
      bytes: bytes, bytesMax: result.bytesMax, device: recipient.device, user: recipient.user)
  }

  private mutating func countUnfilled(_ result: PersonalTrial.Result) {
    let bare = bareNames?[PayloadVersion(result.payload)] ?? []
    let names = bareNames == nil ? [] : Set(result.unfilled.filter(bare.contains) + result.missing)
    for name in names { unfilled[name, default: 0] += 1 }
  }
}
