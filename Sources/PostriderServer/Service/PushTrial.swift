internal import Delivery
internal import PushStore

/// Tries a push on the devices of its audience: the largest message for each provider, and how many are over the limit.
///
/// All devices are tried up to `devicesMax`; of more, ones from evenly spaced places, and of a segment the first. What is
/// tried are the devices as they are known now, with their languages, variants and properties.
struct PushTrial {
  /// Devices tried at most.
  static let devicesMax = 1_000
  /// Places in a large audience, and devices from each.
  private static let places = 20
  private static let perPlace = devicesMax / places

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
  private var users: [String: [Property]] = [:]

  private(set) var total = 0
  private(set) var tried = 0
  private(set) var over = 0
  private(set) var worst: [Provider: Worst] = [:]

  init(_ push: NewPush, store: any Store, now: Timestamp) {
    self.push = push
    self.store = store
    self.now = now
    trial = PersonalTrial(push)
  }

  mutating func run() throws(StoreError) {
    switch push.audience {
    case .all(let kinds): try run(kinds)
    case .segment(let filter, _):
      let found = try store.count(filter, app: push.app, sample: Self.devicesMax, now: now)
      total = found.devices
      for device in found.sample { try add(device) }
    case .users(let names):
      for name in names {
        total += try store.countDevices(app: push.app, filter: DeviceFilter(user: name, state: .active))
      }
      for name in Self.spread(names) where tried < Self.devicesMax {
        let filter = DeviceFilter(user: name, state: .active)
        for device in try store.devices(app: push.app, filter: filter, after: nil, limit: Self.perPlace) {
          try add(device)
        }
      }
    case .devices(let ids):
      total = ids.count
      for id in Self.spread(ids) {
        if let device = try store.device(id), device.app == push.app, device.state == .active { try add(device) }
      }
    case .addresses(let addresses):
      total = addresses.count
      for address in Self.spread(addresses) {
        if let device = try store.device(app: push.app, token: address.token) {
          try add(device)
        } else {
          add(Self.nobody, kind: address.kind, token: address.token)
        }
      }
    }
  }

  private mutating func run(_ kinds: [DeviceKind]) throws(StoreError) {
    let filter = DeviceFilter(kinds: kinds, state: .active)
    total = try store.countDevices(app: push.app, filter: filter)
    guard total > Self.devicesMax else {
      for device in try store.devices(app: push.app, filter: filter, after: nil, limit: Self.devicesMax) {
        try add(device)
      }
      return
    }
    let last = try lastDevice(filter)
    var seen: DeviceID?
    for place in 0..<Self.places {
      let start = DeviceID(rawValue: last / Int64(Self.places) * Int64(place))
      let after = seen.map { max($0, start) } ?? start
      for device in try store.devices(app: push.app, filter: filter, after: after, limit: Self.perPlace) {
        try add(device)
        seen = device.id
      }
    }
  }

  /// The key behind which there is no device any more, by halving.
  private func lastDevice(_ filter: DeviceFilter) throws(StoreError) -> Int64 {
    func isSome(after key: Int64) throws(StoreError) -> Bool {
      try !store.devices(app: push.app, filter: filter, after: DeviceID(rawValue: key), limit: 1).isEmpty
    }
    var high: Int64 = 1
    while try isSome(after: high) { high *= 2 }
    var low = high / 2
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if try isSome(after: middle) { low = middle } else { high = middle }
    }
    return high
  }

  /// At most `devicesMax` of a list, evenly chosen.
  private static func spread<Element>(_ list: [Element]) -> [Element] {
    let step = max((list.count + devicesMax - 1) / devicesMax, 1)
    return stride(from: 0, to: list.count, by: step).map { list[$0] }
  }

  private static let nobody = DeliveryRecipient(
    delivery: DeliveryID(rawValue: 0), device: nil, user: nil, locale: nil, timezone: nil, appVersion: nil,
    properties: [])

  private mutating func add(_ device: Device) throws(StoreError) {
    var properties: [Property] = []
    if let user = device.user {
      if users[user] == nil { users[user] = try store.user(app: push.app, named: user)?.properties ?? [] }
      properties = users[user] ?? []
    }
    let recipient = DeliveryRecipient(
      delivery: DeliveryID(rawValue: 0), device: device.id, user: device.user, locale: device.locale,
      timezone: device.timezone, appVersion: device.appVersion, properties: properties + device.properties)
    add(recipient, kind: device.kind, token: device.token)
  }

  private mutating func add(_ recipient: DeliveryRecipient, kind: DeviceKind, token: String) {
    guard let size = trial.size(for: recipient, kind: kind, token: token) else { return }
    tried += 1
    if size.bytes > size.bytesMax { over += 1 }
    guard size.bytes > worst[kind.provider]?.bytes ?? -1 else { return }
    worst[kind.provider] = Worst(
      bytes: size.bytes, bytesMax: size.bytesMax, device: recipient.device, user: recipient.user)
  }
}
