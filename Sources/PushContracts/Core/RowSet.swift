/// Which rows of a contract a message has a value for, so that what is written of it need not ask every row again.
///
/// The last of 128 bits represents what is written whatever the message holds; it is in the set of every message. A contract
/// with more rows has the same bit for the rest of them.
@usableFromInline
struct RowSet: Sendable {
  @usableFromInline var low: UInt64
  @usableFromInline var high: UInt64

  @inlinable
  init(low: UInt64 = 0, high: UInt64 = 0) { (self.low, self.high) = (low, high) }

  /// The set of one row.
  init(row: Int) {
    let bit = min(row, 127)
    self.init(low: bit < 64 ? 1 << UInt64(bit) : 0, high: bit < 64 ? 0 : 1 << UInt64(bit - 64))
  }

  /// What does not depend on a row.
  static let always = RowSet(low: 0, high: 1 << 63)

  /// Every row, for a message that was not asked.
  @inlinable static var all: RowSet { RowSet(low: .max, high: .max) }

  /// True when both have a row in common.
  @inline(__always)
  func meets(_ other: RowSet) -> Bool { low & other.low | high & other.high != 0 }

  /// True when the other has no row beside these.
  func contains(_ other: RowSet) -> Bool { other.low & ~low | other.high & ~high == 0 }

  /// The rows of both.
  @inline(__always)
  func union(_ other: RowSet) -> RowSet { RowSet(low: low | other.low, high: high | other.high) }
}
