import PushStore
import StoreModel
import TestSupport
import Testing

@testable import Delivery

/// What is in flight, found by its tag.
@Suite struct FlightTableTests {
  /// Flights of a push to as many devices.
  private static func flights(_ count: Int, expiresAt: Timestamp? = nil) throws -> [Flight] {
    let f = try DeliveryFixture()
    let push = try f.push(.devices(try f.devices(count)), expiresAt: expiresAt)
    let request = LeaseRequest(node: "n", durationMs: 60_000, picks: [.push(push, max: count)])
    let lease = try f.store.wait { f.store.lease(request, now: f.clock.now, completion: $0) }
    let sendable = try #require(try f.store.sendable([push]).first)
    return lease.deliveries.map { Flight(lease, $0, sendable, f.clock.now) }
  }

  @Test("A tag leads to its delivery until it is taken, and never to the one that has its slot afterwards")
  func tags() throws {
    let flights = try Self.flights(200)
    #expect(flights.count == 200)
    var table = FlightTable()
    let first = flights.map { table.add($0) }
    #expect(Set(first).count == 200 && table.count == 200)
    for (tag, flight) in zip(first, flights) { #expect(table.remove(tag)?.delivery == flight.delivery) }
    let second = flights.reversed().map { table.add($0) }
    for tag in first { #expect(table.remove(tag) == nil) }
    #expect(table.count == 200)
    for (tag, flight) in zip(second, flights.reversed()) { #expect(table.remove(tag)?.delivery == flight.delivery) }
    #expect(table.count == 0)
  }

  @Test("Free slots are taken in rising order, whatever the order in which they became free") func order() throws {
    let flights = try Self.flights(150)
    var table = FlightTable()
    var tags = flights.map { table.add($0) }
    var random = SeededRandom(seed: 5)
    let freed = flights.indices.filter { _ in Bool.random(using: &random) }
    for index in freed.shuffled(using: &random) { #expect(table.remove(tags[index]) != nil) }
    var slots: [Int] = []
    for index in freed {
      tags[index] = table.add(flights[index])
      slots.append(Int(tags[index] & 0xffff_ffff))
    }
    // One walk around the table: rising, and at one place at most from its end to its beginning.
    let falls = zip(slots, slots.dropFirst()).count { $0 > $1 }
    #expect(falls <= 1 && Set(slots) == Set(freed), "\(slots)")
    let open = table.tags { $0.delivery.rawValue % 2 == 0 }
    #expect(Set(open) == Set(flights.indices.filter { flights[$0].delivery.rawValue % 2 == 0 }.map { tags[$0] }))
  }

  @Test("A flight keeps what it was made of") func parts() throws {
    let expiresAt = Timestamp(seconds: 4_000_000_000)
    var flight = try #require(try Self.flights(1, expiresAt: expiresAt).first)
    #expect(flight.expiresAt == expiresAt && flight.device != nil && flight.attempt == 1 && flight.variant == nil)
    for variant in [0, 1, 10] {
      flight.variant = variant
      #expect(flight.variant == variant)
    }
    flight.variant = nil
    let plain = try Self.flights(1)
    #expect(flight.variant == nil && plain[0].expiresAt == nil)
    #expect(MemoryLayout<Flight?>.stride <= 80)
  }
}
