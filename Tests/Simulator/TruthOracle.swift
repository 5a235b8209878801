import PushStore
import StoreModel

/// Compares the ledger with what the gateways took, row by row, after every change of the ledger (docs/ledger.md).
///
/// It reads the rows themselves and works out what a fresh row means anew, so that it shares no code with what it checks.
struct TruthOracle {
  private struct PushRow {
    let id: Int64
    let marker: Int64
    let state: Int64
    let cursor: Int64
    let targeted: Int64
    /// waiting, in_flight, accepted, rejected, expired, cancelled, unknown.
    let counts: ArraySlice<Int64>
    let hasFinished: Bool
  }

  private struct Row {
    let id: Int64
    let device: Int64
    let stored: Int64
    let unknowns: Int64
    let code: Int64
  }

  private static let fresh: Int64 = 2
  private static let states = ["waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown"]

  /// The tokens of registered devices, by their key.
  var tokens: [Int64: String] = [:]
  /// The tokens that a push lists, by its number.
  var listed: [Int64: [String]] = [:]
  /// The state in which a delivery ended.
  private var ends: [Int64: Int] = [:]
  private var statuses: [Int64: Int64] = [:]
  private(set) var openPushes = 0
  private(set) var openLeases = 0

  /// What is wrong now, each in one sentence.
  mutating func check(_ store: SQLStore, _ takes: [GatewayTarget: SimulatedGateways.Record]) throws -> [String] {
    var faults: [String] = []
    let pushes = try readPushes(store)
    var rows = try readRows(store)[...]
    openPushes = pushes.count { !$0.hasFinished }
    openLeases = Int(try store.integers("SELECT count(*) FROM leases", columns: 1)[0])
    for push in pushes {
      var counted = [Int64](repeating: 0, count: 7)
      while let row = rows.first, row.id < push.id + push.targeted {
        rows.removeFirst()
        let state = Self.state(row, push)
        counted[state] += 1
        if let fault = try check(row, push, state, takes, store) { faults.append("delivery \(row.id): \(fault)") }
      }
      if counted != Array(push.counts) {
        faults.append("push \(push.id): its row counts \(Array(push.counts)), its deliveries are \(counted)")
      }
      if counted.reduce(0, +) != push.targeted {
        faults.append("push \(push.id): \(counted.reduce(0, +)) deliveries of \(push.targeted)")
      }
      if push.hasFinished, counted[0] + counted[1] > 0 { faults.append("push \(push.id) has finished, and \(counted)") }
    }
    if let row = rows.first { faults.append("delivery \(row.id) belongs to no push") }
    return faults
  }

  private func readPushes(_ store: SQLStore) throws -> [PushRow] {
    let columns = 13
    let values = try store.integers(
      """
      SELECT id, salt, state, cursor, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown,
        finished_at FROM pushes ORDER BY id
      """, columns: Int32(columns))
    var rows: [PushRow] = []
    for start in stride(from: 0, to: values.count, by: columns) {
      let row = Array(values[start..<(start + columns)])
      rows.append(
        PushRow(
          id: row[0], marker: row[1], state: row[2], cursor: row[3], targeted: row[4], counts: row[5..<12],
          hasFinished: row[12] >= 0))
    }
    return rows
  }

  private func readRows(_ store: SQLStore) throws -> [Row] {
    let columns = 5
    let values = try store.integers(
      "SELECT id, device, state, unknowns, code FROM deliveries ORDER BY id", columns: Int32(columns))
    var rows: [Row] = []
    for start in stride(from: 0, to: values.count, by: columns) {
      let row = Array(values[start..<(start + columns)])
      rows.append(Row(id: row[0], device: row[1], stored: row[2], unknowns: row[3], code: row[4]))
    }
    return rows
  }

  /// The place of a row's state in ``states``; a fresh row's follows from its push.
  private static func state(_ row: Row, _ push: PushRow) -> Int {
    guard row.stored == fresh else { return Int(row.stored) - Int(DeliveryState.waiting.rawValue) }
    if row.id < push.id + push.cursor { return 1 }
    switch PushState(rawValue: UInt8(truncatingIfNeeded: push.state)) {
    case .cancelled: return 5
    case .expired: return 4
    default: return 0
    }
  }

  private mutating func status(_ code: Int64, _ store: SQLStore) throws -> Int64 {
    if let known = statuses[code] { return known }
    let values = try store.integers("SELECT code, status FROM outcomes", columns: 2)
    for start in stride(from: 0, to: values.count, by: 2) { statuses[values[start]] = values[start + 1] }
    return statuses[code] ?? 0
  }

  private mutating func check(
    _ row: Row, _ push: PushRow, _ state: Int, _ takes: [GatewayTarget: SimulatedGateways.Record], _ store: SQLStore
  ) throws -> String? {
    if let end = ends[row.id], end != state { return "it was \(Self.states[end]) and is \(Self.states[state])" }
    if state > 1 { ends[row.id] = state }
    guard let token = token(of: row, push) else { return "it has no device" }
    let record = takes[GatewayTarget(marker: push.marker, token: token)] ?? SimulatedGateways.Record()
    let status = state == 3 ? try self.status(row.code, store) : 0
    let words = Self.untrue(state, row.unknowns, status, record)
    return words.map { "\(Self.states[state]) (\(row.unknowns) unknown): \($0); \(record)" }
  }

  private func token(of row: Row, _ push: PushRow) -> String? {
    if let token = tokens[row.device] { return token }
    let listed = listed[push.marker] ?? []
    let index = Int(row.id - push.id)
    return index < listed.count ? listed[index] : nil
  }

  /// Why a state is not what happened; nil when it is.
  private static func untrue(
    _ state: Int, _ unknowns: Int64, _ status: Int64, _ record: SimulatedGateways.Record
  ) -> String? {
    if !record.isOneID { return "it was sent with several apns-ids" }
    let takes = Int64(record.takes)
    switch state {
    case 0: return takes > unknowns ? "the gateway took it, and it waits as if it had not" : nil
    case 1: return takes > unknowns + 1 ? "the gateway took it more often than is known" : nil
    case 2: return takes == 0 || takes > unknowns + 1 ? "the gateway took it \(takes) times" : nil
    case 3 where status == 0: return takes > 0 ? "the gateway took what a rule of ours refused" : nil
    case 3:
      if !record.refusals.contains(Int(status)) { return "the gateway never answered \(status)" }
      return takes > unknowns ? "the gateway took it, and it is not known" : nil
    case 4, 5: return takes > 0 ? "the gateway took it" : nil
    default: return takes > unknowns ? "the gateway took it more often than is known" : nil
    }
  }
}
