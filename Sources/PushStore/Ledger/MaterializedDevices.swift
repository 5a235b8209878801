/// Which devices the deliveries are for that this writer has materialized and not leased yet: a server need not be asked for what it
/// was just given.
///
/// Nothing gives a delivery another device. It may lose its device with the erasure of a user, and then the device is gone too, which
/// is what a lease finds when it reads it.
struct MaterializedDevices {
  private struct Chunk {
    let first: Int64
    var devices: ArraySlice<Int64>
  }

  private var chunks: [Chunk] = []
  private var count = 0

  /// Devices kept, and in how many pieces; the oldest are forgotten first, and read again.
  static let countMax = 1 << 16
  static let chunksMax = 64

  /// Notes the devices of consecutive deliveries.
  mutating func add(_ devices: [Int64], from first: Int64) {
    guard !devices.isEmpty else { return }
    chunks.append(Chunk(first: first, devices: devices[...]))
    count += devices.count
    while count > Self.countMax || chunks.count > Self.chunksMax, let oldest = chunks.first {
      count -= oldest.devices.count
      chunks.removeFirst()
    }
  }

  /// The devices of consecutive deliveries, which are forgotten then; nil unless all of them are known.
  mutating func take(_ wanted: Int64, from first: Int64) -> [Int64]? {
    guard var index = chunks.firstIndex(where: { $0.first == first }) else { return nil }
    var found: [Int64] = []
    found.reserveCapacity(Int(wanted))
    while Int64(found.count) < wanted {
      guard index < chunks.count, chunks[index].first == first + Int64(found.count) else { return nil }
      found += chunks[index].devices.prefix(Int(wanted) - found.count)
      index += 1
    }
    forget(first: first, found.count)
    return found
  }

  private mutating func forget(first: Int64, _ taken: Int) {
    count -= taken
    let end = first + Int64(taken)
    chunks = chunks.compactMap { chunk in
      guard chunk.first >= first, chunk.first < end else { return chunk }
      let rest = chunk.devices.dropFirst(Int(end - chunk.first))
      return rest.isEmpty ? nil : Chunk(first: end, devices: rest)
    }
  }
}
