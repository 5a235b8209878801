internal import CLinux
import Glibc
import Synchronization

/// What all threads know of one open connection.
final class ConnectionEntry: Sendable {
  /// What closing the connection would break off.
  enum Phase: Int, AtomicRepresentable {
    /// Nothing, or a head that is not complete.
    case waiting
    /// A request whose body has not arrived.
    case receiving
    /// A request that is being worked on or answered.
    case busy
    /// It is being closed to make room.
    case evicted
  }

  let socket: Int32
  let peer: HTTPPeer
  /// Whether it is one of those beyond the limit, for essential requests only.
  let isReserved: Bool
  let phase = Atomic(Phase.waiting)
  /// When the phase began, in monotonic nanoseconds.
  let since: Atomic<Int64>

  init(socket: Int32, peer: HTTPPeer, isReserved: Bool, now: Int64) {
    self.socket = socket
    self.peer = peer
    self.isReserved = isReserved
    since = Atomic(now)
  }

  /// Enters another phase; false when the connection is being closed to make room.
  func enter(_ next: Phase, now: Int64) -> Bool {
    let present = phase.load(ordering: .relaxed)
    guard present != .evicted else { return false }
    since.store(now, ordering: .relaxed)
    return phase.compareExchange(expected: present, desired: next, ordering: .acquiringAndReleasing).exchanged
  }

  /// Marks a connection in `expected` for closing; false when it has gone on meanwhile.
  func evict(from expected: Phase) -> Bool {
    phase.compareExchange(expected: expected, desired: .evicted, ordering: .acquiringAndReleasing).exchanged
  }
}

/// All open connections of a server, and which of them are closed at the limit.
///
/// 1. Below the limit every connection is accepted.
/// 2. At the limit the connection that has waited longest for a request is closed. Networks with more than their share
///    come first, the largest of them before the others; of those, also requests whose body has not arrived.
/// 3. A network with more than its share displaces only its own connections, never those of smaller ones.
/// 4. When no connection can be closed, because all are busy, the new one is accepted for essential requests only.
final class ConnectionTable: Sendable {
  private struct Member: Sendable {
    let entry: ConnectionEntry
    /// Whose share it counts in: behind a named proxy, the client of the last request.
    var holder: Holder
  }

  private struct Holder: Sendable, Hashable {
    let address: UInt128
    let network: UInt128

    init(_ peer: HTTPPeer) {
      address = peer.addressNumber
      network = peer.networkNumber
    }
  }

  private struct State: Sendable {
    var members: [ObjectIdentifier: Member] = [:]
    var byNetwork: [UInt128: Int] = [:]
    var byAddress: [UInt128: Int] = [:]
    var reserved = 0
    /// Being closed; they no longer count.
    var leaving = 0

    var counted: Int { members.count - reserved - leaving }

    mutating func count(_ holder: Holder, by step: Int) {
      State.add(step, to: holder.network, in: &byNetwork)
      State.add(step, to: holder.address, in: &byAddress)
    }

    private static func add(_ step: Int, to key: UInt128, in counts: inout [UInt128: Int]) {
      let count = counts[key, default: 0] + step
      counts[key] = count > 0 ? count : nil
    }
  }

  private let limits: HTTPLimits
  private let state = Mutex(State())

  private let counters: ConnectionCounters

  init(limits: HTTPLimits, counters: ConnectionCounters) {
    self.limits = limits
    self.counters = counters
  }

  var count: Int { state.withLock { $0.members.count } }

  /// Lets a new connection in, or says that there is no room, not even for essential requests.
  func admit(socket: Int32, peer: HTTPPeer) -> ConnectionEntry? {
    state.withLock { state in
      // Read here and not once a turn: of the many that one turn accepts, the first has waited longest.
      let now = monotonicNow()
      var isReserved = false
      if state.counted >= limits.maxConnections, !makeRoom(for: Holder(peer), &state) {
        guard state.reserved < limits.reservedConnections || evictReserved(&state) else {
          counters.countRefused()
          return nil
        }
        isReserved = true
      }
      let holder = Holder(peer)
      let entry = ConnectionEntry(socket: socket, peer: peer, isReserved: isReserved, now: now)
      state.members[ObjectIdentifier(entry)] = Member(entry: entry, holder: holder)
      if isReserved { state.reserved += 1 } else { state.count(holder, by: 1) }
      counters.countOpened()
      return entry
    }
  }

  /// Closes the connection that has waited longest, when the system has no descriptors left.
  func makeRoom() { state.withLock { state in _ = makeRoom(for: Holder(.unknown), &state) } }

  /// Counts a connection to another client from now on.
  func assign(_ entry: ConnectionEntry, to peer: HTTPPeer) {
    let holder = Holder(peer)
    state.withLock { state in
      let id = ObjectIdentifier(entry)
      guard let member = state.members[id], member.holder != holder else { return }
      state.members[id]?.holder = holder
      guard !entry.isReserved, entry.phase.load(ordering: .relaxed) != .evicted else { return }
      state.count(member.holder, by: -1)
      state.count(holder, by: 1)
    }
  }

  /// Forgets a connection; its socket must not be closed before.
  func remove(_ entry: ConnectionEntry) {
    state.withLock { state in
      guard let member = state.members.removeValue(forKey: ObjectIdentifier(entry)) else { return }
      counters.countClosed()
      let isLeaving = entry.phase.load(ordering: .relaxed) == .evicted
      if entry.isReserved {
        state.reserved -= isLeaving ? 0 : 1
      } else if !isLeaving {
        state.count(member.holder, by: -1)
      }
      if isLeaving { state.leaving -= 1 }
    }
  }

  // MARK: - Making room

  private struct Candidate {
    let member: Member
    let phase: ConnectionEntry.Phase
    /// Connections of its network when those are more than its share; 0 when they are not.
    let networkExcess: Int
    let addressCount: Int
    let since: Int64

    /// Whether this one is closed rather than the other.
    func precedes(_ other: Candidate) -> Bool {
      if networkExcess != other.networkExcess { return networkExcess > other.networkExcess }
      if networkExcess > 0, addressCount != other.addressCount { return addressCount > other.addressCount }
      if phase != other.phase { return phase == .waiting }
      return since < other.since
    }
  }

  /// How often another connection is looked for when the one that was found has gone on meanwhile.
  private static let triesMax = 16

  private func makeRoom(for newcomer: Holder, _ state: inout State) -> Bool {
    for _ in 0..<Self.triesMax {
      guard let found = candidate(for: newcomer, state) else { return false }
      guard found.member.entry.evict(from: found.phase) else { continue }
      state.count(found.member.holder, by: -1)
      state.leaving += 1
      counters.countEvicted()
      shutdown(found.member.entry.socket, Int32(SHUT_RDWR))
      return true
    }
    return false
  }

  private func candidate(for newcomer: Holder, _ state: State) -> Candidate? {
    let own = state.byNetwork[newcomer.network, default: 0]
    var found: Candidate?
    for member in state.members.values where !member.entry.isReserved {
      guard let candidate = candidate(member, newcomer: newcomer, own: own, state) else { continue }
      if found.map({ candidate.precedes($0) }) ?? true { found = candidate }
    }
    return found
  }

  private func candidate(_ member: Member, newcomer: Holder, own: Int, _ state: State) -> Candidate? {
    let phase = member.entry.phase.load(ordering: .relaxed)
    let network = member.holder.network
    let count = state.byNetwork[network, default: 0]
    let excess = count > limits.connectionShare ? count : 0
    guard phase == .waiting || phase == .receiving && excess > 0 else { return nil }
    guard own < limits.connectionShare || count > own || network == newcomer.network else { return nil }
    return Candidate(
      member: member, phase: phase, networkExcess: excess,
      addressCount: excess > 0 ? state.byAddress[member.holder.address, default: 0] : 0,
      since: member.entry.since.load(ordering: .relaxed))
  }

  private func evictReserved(_ state: inout State) -> Bool {
    let waiting = state.members.values.filter {
      $0.entry.isReserved && $0.entry.phase.load(ordering: .relaxed) == .waiting
    }
    let oldest = waiting.min { $0.entry.since.load(ordering: .relaxed) < $1.entry.since.load(ordering: .relaxed) }
    guard let oldest, oldest.entry.evict(from: .waiting) else { return false }
    state.reserved -= 1
    state.leaving += 1
    counters.countEvicted()
    shutdown(oldest.entry.socket, Int32(SHUT_RDWR))
    return true
  }
}
