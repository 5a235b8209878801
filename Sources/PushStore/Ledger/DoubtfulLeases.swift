internal import StoreModel
internal import Synchronization

/// Leases whose commit nobody knows the outcome of: whoever asked for them sends nothing under them.
///
/// Such a lease may be in the store. If it were extended with the others of its node, its deliveries would be in flight for as long
/// as the node lives; so it is left to run out.
final class DoubtfulLeases: Sendable {
  /// A lease as it would be in the store; after a failover, another lease may have got the number.
  struct Mark: Sendable, Hashable {
    let id: LeaseID
    let expiresAt: Timestamp
  }

  private let marks = Mutex<Set<Mark>>([])

  func add(_ mark: Mark) { marks.withLock { _ = $0.insert(mark) } }

  /// Forgets those that have been ended by a time.
  func forget(until instant: Timestamp) { marks.withLock { $0 = $0.filter { $0.expiresAt > instant } } }

  /// What a statement that extends leases adds to its condition.
  var condition: String {
    marks.withLock { marks in
      marks.map { " AND (id <> \($0.id.rawValue) OR expires_at <> \($0.expiresAt.milliseconds))" }.joined()
    }
  }
}

/// What a lease asked for is while its commit is under way.
final class LeaseAsked: Sendable {
  private let mark = Mutex<DoubtfulLeases.Mark?>(nil)

  func note(_ lease: Lease) {
    guard !lease.deliveries.isEmpty else { return }
    mark.withLock { $0 = DoubtfulLeases.Mark(id: lease.id, expiresAt: lease.expiresAt) }
  }

  /// The lease that may be in the store, after its commit is in doubt.
  func mark(after result: Result<Lease, StoreError>) -> DoubtfulLeases.Mark? {
    guard case .failure(let error) = result, error.code == .inDoubt else { return nil }
    return mark.withLock { $0 }
  }
}
