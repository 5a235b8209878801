package import StoreModel

/// The deliveries of a push, and how far their first tries are leased.
///
/// They have the numbers from the push's own on, in the order of its audience. Leasing first tries moves a cursor over them and
/// writes none of their rows: what is fresh before the cursor is on the wire, and what is fresh behind it waits (see ``RowState``).
package struct AudienceExtent: Equatable, Sendable {
  /// The number of the first delivery.
  package let first: Int64
  /// How many of them have been leased for a first try.
  package let cursor: Int64
  /// How many there are.
  package let targeted: Int64

  /// - Parameter cursor: as it is kept; no more than `targeted` in a database that is whole.
  package init(_ push: PushID, cursor: Int64, targeted: Int64) {
    (first, self.targeted) = (push.rawValue, max(targeted, 0))
    self.cursor = min(max(cursor, 0), self.targeted)
  }

  /// All of them.
  package var all: Range<Int64> { first..<first + targeted }

  /// Those that were never leased.
  package var unleased: Range<Int64> { first + cursor..<first + targeted }

  /// The next of these for a lease with room for so many.
  package func next(_ room: Int) -> Range<Int64> {
    unleased.lowerBound..<unleased.lowerBound + min(targeted - cursor, Int64(max(room, 0)))
  }

  /// Whether the first try of a delivery has been leased.
  package func hasLeased(_ delivery: Int64) -> Bool { delivery < unleased.lowerBound }
}
