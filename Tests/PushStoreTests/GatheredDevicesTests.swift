import Testing

@testable import PushStore

/// What a writer remembers of the deliveries that it has materialized.
@Suite struct GatheredDevicesTests {
  /// In any pieces, as a plain array would give them.
  @Test func piecesOfAnySizeAreTakenOnce() {
    for (chunk, piece) in [(1, 4), (3, 3), (4, 3), (5, 7), (100, 1)] {
      var materialized = MaterializedDevices()
      let devices = (0..<20).map { Int64($0 * $0) }
      for first in stride(from: 0, to: 20, by: chunk) {
        materialized.add(Array(devices[first..<min(first + chunk, 20)]), from: Int64(1_000 + first))
      }
      for first in stride(from: 0, to: 20, by: piece) {
        let end = min(first + piece, 20)
        #expect(materialized.take(Int64(end - first), from: Int64(1_000 + first)) == Array(devices[first..<end]))
        #expect(materialized.take(1, from: Int64(1_000 + first)) == nil)
      }
    }
  }

  @Test func whatIsNotKnownWholeIsAskedFor() {
    var materialized = MaterializedDevices()
    materialized.add([1, 2, 3], from: 10)
    materialized.add([], from: 13)
    materialized.add([7, 8], from: 20)
    #expect(materialized.take(4, from: 10) == nil)
    #expect(materialized.take(2, from: 11) == nil)
    #expect(materialized.take(1, from: 9) == nil)
    #expect(materialized.take(2, from: 20) == [7, 8])
    #expect(materialized.take(3, from: 10) == [1, 2, 3])
  }

  /// The oldest are forgotten, by their number and by the number of their pieces.
  @Test func itIsBounded() {
    var materialized = MaterializedDevices()
    for chunk in 0...MaterializedDevices.chunksMax { materialized.add([Int64(chunk)], from: Int64(chunk * 10)) }
    #expect(materialized.take(1, from: 0) == nil)
    #expect(materialized.take(1, from: 10) == [1])
    let many = [Int64](repeating: 5, count: MaterializedDevices.countMax)
    materialized.add(many, from: 1_000_000)
    #expect(materialized.take(1, from: 20) == nil)
    materialized.add([6], from: 5_000_000)
    #expect(materialized.take(1, from: 1_000_000) == nil)
    #expect(materialized.take(1, from: 5_000_000) == [6])
  }
}
