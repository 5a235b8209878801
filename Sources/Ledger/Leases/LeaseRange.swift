/// The deliveries of a lease as ranges: a campaign's chunk is one range, however long.
///
/// Kept with the lease, so that recovery knows what was on the wire.
package struct LeaseRange: Equatable, Sendable {
  /// The first delivery.
  package let first: Int64
  /// How many follow it, itself included.
  package var count: UInt32
  /// Which try they were leased for.
  package let attempt: UInt32

  package init(first: Int64, count: UInt32, attempt: UInt32) {
    self.first = first
    self.count = count
    self.attempt = attempt
  }

  /// Adds one delivery to a list of ranges, extending the last one when it fits.
  package static func append(_ id: Int64, attempt: Int, to ranges: inout [LeaseRange]) {
    let attempt = UInt32(clamping: attempt)
    if let last = ranges.last, last.attempt == attempt, last.first + Int64(last.count) == id {
      ranges[ranges.count - 1].count += 1
    } else {
      ranges.append(LeaseRange(first: id, count: 1, attempt: attempt))
    }
  }

  /// 16 bytes each, little-endian: first, count, attempt.
  package static func encode(_ ranges: [LeaseRange]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(ranges.count * 16)
    for range in ranges {
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: range.first >> Int64(shift * 8))) }
      for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: range.count >> UInt32(shift * 8))) }
      for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: range.attempt >> UInt32(shift * 8))) }
    }
    return bytes
  }

  package static func decode(_ bytes: [UInt8]) -> [LeaseRange] {
    stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).map { start in
      func number(_ offset: Int, _ size: Int) -> UInt64 {
        (0..<size).reduce(0) { $0 | UInt64(bytes[start + offset + $1]) << UInt64($1 * 8) }
      }
      return LeaseRange(
        first: Int64(bitPattern: number(0, 8)), count: UInt32(number(8, 4)), attempt: UInt32(number(12, 4)))
    }
  }
}
