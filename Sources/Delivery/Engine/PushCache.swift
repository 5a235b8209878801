internal import StoreModel

/// The pushes that are being sent, laid out once.
///
/// Small: what falls out is read again.
struct PushCache {
  struct Entry {
    let push: SendablePush
    /// By the raw value of the kind of device.
    let payloads: [PreparedPayload?]
    /// How the push differs from device to device, or nil when it does not.
    let personal: PersonalPush?
    var lastUse: UInt64
  }

  /// Pushes kept between two leases.
  static let countMax = 4_096

  private var entries: [PushID: Entry] = [:]
  private var use: UInt64 = 0

  mutating func entry(_ id: PushID) -> Entry? {
    use += 1
    guard let index = entries.index(forKey: id) else { return nil }
    entries.values[index].lastUse = use
    return entries.values[index]
  }

  /// Adds a push; the cache may grow beyond its limit until the next `trim`, so that a lease never loses what it needs.
  mutating func add(_ push: SendablePush) {
    var payloads = [PreparedPayload?](repeating: nil, count: Int(DeviceKind.all.map(\.rawValue).max() ?? 0) + 1)
    for rendered in push.payloads {
      let prepared = PreparedPayload(rendered)
      for kind in rendered.kinds { payloads[Int(kind.rawValue)] = prepared }
    }
    use += 1
    entries[push.id] = Entry(push: push, payloads: payloads, personal: PersonalPush(push), lastUse: use)
  }

  mutating func remove(_ id: PushID) { entries[id] = nil }

  func contains(_ id: PushID) -> Bool { entries[id] != nil }

  /// Drops the half that was not used for longest, when there are too many.
  mutating func trim() {
    guard entries.count > Self.countMax else { return }
    let uses = entries.values.map(\.lastUse).sorted()
    let middle = uses[uses.count / 2]
    entries = entries.filter { $0.value.lastUse > middle }
  }
}
