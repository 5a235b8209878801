import Testing

@testable import PushStore

/// What a writer remembers of the deliveries that it has gathered.
@Suite struct GatheredDevicesTests {
  /// In any pieces, as a plain array would give them.
  @Test func piecesOfAnySizeAreTakenOnce() {
    for (chunk, piece) in [(1, 4), (3, 3), (4, 3), (5, 7), (100, 1)] {
      var gathered = GatheredDevices()
      let devices = (0..<20).map { Int64($0 * $0) }
      for first in stride(from: 0, to: 20, by: chunk) {
        gathered.add(Array(devices[first..<min(first + chunk, 20)]), from: Int64(1_000 + first))
      }
      for first in stride(from: 0, to: 20, by: piece) {
        let end = min(first + piece, 20)
        #expect(gathered.take(Int64(end - first), from: Int64(1_000 + first)) == Array(devices[first..<end]))
        #expect(gathered.take(1, from: Int64(1_000 + first)) == nil)
      }
    }
  }

  @Test func whatIsNotKnownWholeIsAskedFor() {
    var gathered = GatheredDevices()
    gathered.add([1, 2, 3], from: 10)
    gathered.add([], from: 13)
    gathered.add([7, 8], from: 20)
    #expect(gathered.take(4, from: 10) == nil)
    #expect(gathered.take(2, from: 11) == nil)
    #expect(gathered.take(1, from: 9) == nil)
    #expect(gathered.take(2, from: 20) == [7, 8])
    #expect(gathered.take(3, from: 10) == [1, 2, 3])
  }

  /// The oldest are forgotten, by their number and by the number of their pieces.
  @Test func itIsBounded() {
    var gathered = GatheredDevices()
    for chunk in 0...GatheredDevices.chunksMax { gathered.add([Int64(chunk)], from: Int64(chunk * 10)) }
    #expect(gathered.take(1, from: 0) == nil)
    #expect(gathered.take(1, from: 10) == [1])
    let many = [Int64](repeating: 5, count: GatheredDevices.countMax)
    gathered.add(many, from: 1_000_000)
    #expect(gathered.take(1, from: 20) == nil)
    gathered.add([6], from: 5_000_000)
    #expect(gathered.take(1, from: 1_000_000) == nil)
    #expect(gathered.take(1, from: 5_000_000) == [6])
  }
}
