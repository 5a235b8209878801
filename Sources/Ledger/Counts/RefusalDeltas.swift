package import StoreModel

/// Rejected deliveries by push and outcome that a transaction adds, written once when it commits.
package struct RefusalDeltas: Sendable {
  package struct Key: Hashable, Sendable {
    package let push: PushID
    package let code: Int64
  }

  package private(set) var counts: [Key: Int] = [:]

  package init() {}

  package mutating func add(_ push: PushID, code: Int64) { counts[Key(push: push, code: code), default: 0] += 1 }

  package mutating func removeAll() { counts.removeAll(keepingCapacity: true) }
}
