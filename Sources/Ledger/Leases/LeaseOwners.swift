/// Which lease has a delivery: the newest that names it.
///
/// A lease goes on naming what was given back and leased again since. When it ends, that is not its own to decide about.
package struct LeaseOwners {
  private var newest: [Int64: Int64] = [:]

  package init() {}

  /// Notes a lease; in any order, since keys of leases grow.
  package mutating func add(_ lease: Int64, _ ranges: [LeaseRange]) {
    for range in ranges {
      for delivery in range.first..<range.first + Int64(range.count) {
        newest[delivery] = max(newest[delivery, default: 0], lease)
      }
    }
  }

  /// Whether no later lease has a delivery that `lease` names.
  package func isOwner(_ lease: Int64, of delivery: Int64) -> Bool { newest[delivery, default: 0] <= lease }
}
