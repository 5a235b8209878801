internal import PushStore

/// One delivery between its lease and its result.
struct Flight {
  var lease: LeaseID
  var delivery: DeliveryID
  var push: PushID
  var app: AppID
  var device: DeviceID?
  var attempt: Int
  var provider: Provider
  var environment: DeviceEnvironment
  var sentAt: Timestamp
  /// Which sender of its lane it was handed to.
  var generation: UInt32 = 0
  var startAt: Timestamp
  var expiresAt: Timestamp?
  /// Which A/B variant it is sent; see `DeliveryResult.variant`.
  var variant: Int?
}

/// The deliveries that are leased and not yet recorded: a slot map with generations.
///
/// A tag is a slot number and the slot's generation, so that a late answer is never matched to another delivery.
struct FlightTable {
  private var flights: [Flight?] = []
  private var uses: [UInt32] = []
  private var free: [UInt32] = []

  /// How many there are.
  private(set) var count = 0

  mutating func add(_ flight: Flight) -> UInt64 {
    count += 1
    if let place = free.popLast() {
      flights[Int(place)] = flight
      return UInt64(uses[Int(place)]) << 32 | UInt64(place)
    }
    flights.append(flight)
    uses.append(0)
    return UInt64(flights.count - 1)
  }

  /// Notes that a delivery was handed to its sender.
  mutating func sent(_ tag: UInt64, at now: Timestamp, generation: UInt32) {
    guard let place = place(of: tag) else { return }
    flights[place]?.sentAt = now
    flights[place]?.generation = generation
  }

  /// Takes a delivery out; nil when the tag is not (any more) in use.
  mutating func remove(_ tag: UInt64) -> Flight? {
    guard let place = place(of: tag), let flight = flights[place] else { return nil }
    flights[place] = nil
    uses[place] &+= 1
    free.append(UInt32(place))
    count -= 1
    return flight
  }

  /// The tags of all deliveries that match.
  func tags(where matches: (Flight) -> Bool) -> [UInt64] {
    guard count > 0 else { return [] }
    return flights.indices.compactMap { place in
      guard let flight = flights[place], matches(flight) else { return nil }
      return UInt64(uses[place]) << 32 | UInt64(place)
    }
  }

  private func place(of tag: UInt64) -> Int? {
    let place = Int(tag & 0xffff_ffff)
    return place < flights.count && uses[place] == UInt32(tag >> 32) ? place : nil
  }
}
