internal import StoreModel

/// One delivery between its lease and its result.
///
/// As small as it gets: tens of thousands are in flight, and each is looked at three times, at random.
struct Flight {
  var lease: LeaseID
  var delivery: DeliveryID
  var push: PushID
  var app: AppID
  /// 0 for none; the store counts from 1.
  private var deviceNumber: Int64
  var sentAt: Timestamp
  var startAt: Timestamp
  /// The largest number for a push that does not expire.
  private var expiresAtMs: Int64
  /// Which sender of its lane it was handed to.
  var generation: UInt32 = 0
  private var attemptNumber: Int32
  /// Below zero for none.
  private var variantNumber: Int16 = -1
  var provider: Provider
  var environment: DeviceEnvironment
  var isForChannel: Bool

  init(_ lease: Lease, _ delivery: borrowing LeasedDelivery, _ push: SendablePush, _ now: Timestamp) {
    self.lease = lease.id
    self.delivery = delivery.id
    self.push = delivery.push
    app = push.app
    deviceNumber = delivery.device?.rawValue ?? 0
    sentAt = now
    startAt = push.startAt
    expiresAtMs = push.expiresAt?.milliseconds ?? .max
    attemptNumber = Int32(clamping: delivery.attempt)
    provider = delivery.kind.provider
    environment = delivery.environment
    isForChannel = delivery.kind.isChannel
  }

  var device: DeviceID? { deviceNumber == 0 ? nil : DeviceID(rawValue: deviceNumber) }
  var attempt: Int { Int(attemptNumber) }
  var expiresAt: Timestamp? { expiresAtMs == .max ? nil : Timestamp(milliseconds: expiresAtMs) }
  /// Which A/B variant it is sent; see `DeliveryResult.variant`.
  var variant: Int? {
    get { variantNumber < 0 ? nil : Int(variantNumber) }
    set { variantNumber = newValue.map { Int16(clamping: $0) } ?? -1 }
  }
}

/// The deliveries that are leased and not yet recorded: a slot map with generations.
///
/// A tag is a slot number and the slot's generation, so that a late answer is never matched to another delivery.
struct FlightTable {
  private struct Slot {
    var flight: Flight?
    var uses: UInt32 = 0
  }

  private var slots: [Slot] = []
  /// A bit for each slot that is free, in words of 64.
  ///
  /// Slots are taken in rising order, so that the deliveries of a batch, which are sent and answered together, lie in
  /// rising order in memory. Slots taken in the order in which they became free would be shuffled more each time.
  private var free: [UInt64] = []
  /// The word that had the last one.
  private var word = 0

  /// How many there are.
  private(set) var count = 0

  mutating func add(_ flight: Flight) -> UInt64 {
    let index = takeFree() ?? addSlot()
    count += 1
    slots[index].flight = flight
    return UInt64(slots[index].uses) << 32 | UInt64(index)
  }

  private mutating func takeFree() -> Int? {
    guard count < slots.count else { return nil }
    while free[word] == 0 { word = word + 1 < free.count ? word + 1 : 0 }
    let bit = free[word].trailingZeroBitCount
    free[word] &= free[word] &- 1
    return word << 6 | bit
  }

  private mutating func addSlot() -> Int {
    slots.append(Slot())
    if free.count << 6 < slots.count { free.append(0) }
    return slots.count - 1
  }

  /// Notes that a delivery was handed to its sender.
  mutating func sent(_ tag: UInt64, at now: Timestamp, generation: UInt32) {
    guard let index = index(of: tag) else { return }
    slots[index].flight?.sentAt = now
    slots[index].flight?.generation = generation
  }

  /// Takes a delivery out; nil when the tag is not (any more) in use.
  mutating func remove(_ tag: UInt64) -> Flight? {
    guard let index = index(of: tag), let flight = slots[index].flight else { return nil }
    slots[index].flight = nil
    slots[index].uses &+= 1
    free[index >> 6] |= 1 << UInt64(index & 63)
    count -= 1
    return flight
  }

  /// The tags of all deliveries that match.
  func tags(where matches: (Flight) -> Bool) -> [UInt64] {
    guard count > 0 else { return [] }
    return slots.indices.compactMap { index in
      guard let flight = slots[index].flight, matches(flight) else { return nil }
      return UInt64(slots[index].uses) << 32 | UInt64(index)
    }
  }

  private func index(of tag: UInt64) -> Int? {
    let index = Int(tag & 0xffff_ffff)
    return index < slots.count && slots[index].uses == UInt32(tag >> 32) ? index : nil
  }
}
