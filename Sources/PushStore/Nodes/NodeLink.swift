internal import Glibc
internal import PostgresEngine
internal import StoreModel
internal import Synchronization
internal import System

/// The thread by which a node takes part: it holds the name's lock, listens, shows that the node lives, compares clocks, and looks
/// whether credentials were changed.
///
/// Whatever fails, it connects anew, takes the name again, and reports `everything`, because news may have been missed.
final class NodeLink: Sendable {
  private let options: PostgresOptions
  private let node: NodeIdentity
  private let fleet: Fleet
  private let tell: @Sendable ([SharedChange]) -> Void
  private let isStopping = Atomic<Bool>(false)
  /// Read end and write end of a pipe that ends a wait.
  private let pipe: (read: Int32, write: Int32)
  private let thread = Mutex<SystemThread?>(nil)
  private let own: Own

  /// How long a start waits for the name: a server that was just killed has it until its connection is closed.
  private static let nameWaitMs: Int64 = 3_000
  /// The pause before connecting again.
  private static let pauseMs: Int64 = 250

  /// Takes the name and starts the thread; throws `conflict` while another server has the name.
  init(
    _ options: PostgresOptions, _ node: NodeIdentity, _ fleet: Fleet, tell: @escaping @Sendable ([SharedChange]) -> Void
  ) throws(StoreError) {
    (self.options, self.node, self.fleet, self.tell) = (options, node, fleet, tell)
    let connection = try ListeningConnection(options)
    let deadline = SystemClock.monotonicMs() + Self.nameWaitMs
    while try !Self.takeName(node, connection) {
      guard SystemClock.monotonicMs() < deadline else { throw Self.taken(node, options) }
      usleep(50_000)
    }
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else {
      throw StoreError(.ioFailure, "open a pipe: error \(errno)", advice: "raise the limit of open files")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    pipe = (ends[0], ends[1])
    own = Own(connection)
    try beat()
    do throws(SystemThread.Refusal) {
      let started = try SystemThread.start("store-nodes") { [self] in run() }
      thread.withLock { $0 = started }
    } catch {
      throw StoreError(.ioFailure, "start the thread of nodes: \(error)", advice: "raise the limit of threads")
    }
  }

  deinit {
    Glibc.close(pipe.read)
    Glibc.close(pipe.write)
  }

  /// Ends the thread and closes the connection, which gives the name up.
  func stop() {
    halt()
    own.connection = nil
  }

  /// Ends the thread, and keeps the name: nothing is received or shown from then on.
  func halt() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    var byte: UInt8 = 0
    _ = unsafe write(pipe.write, &byte, 1)
    thread.withLock { $0.take() }?.join()
  }

  /// What the thread has.
  ///
  /// `@unchecked Sendable` is sound: it is touched before the thread starts, on the thread, and when that has been joined.
  private final class Own: @unchecked Sendable {
    var connection: ListeningConnection?
    var nextBeatMs: Int64 = 0
    /// What the node's row says of its clock; nil when nobody has written that in this run.
    var shownSkewMs: Int64?
    /// What all credentials were at the last heartbeat.
    var credentialsMark: String?

    init(_ connection: ListeningConnection) { self.connection = connection }
  }

  private func run() {
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      do throws(StoreError) {
        guard let connection = own.connection else {
          try connect()
          continue
        }
        let texts = try connection.listen(until: own.nextBeatMs, wake: pipe.read)
        let news = texts.compactMap { SharedChangeText.changes($0, to: fleet.instance) }.flatMap { $0 }
        if !news.isEmpty { tell(news) }
        if SystemClock.monotonicMs() >= own.nextBeatMs { try beat() }
      } catch {
        own.connection = nil
        note(trouble: error)
        // Whoever has the name has ended what was leased under it.
        if error.code == .locked { tell([.leases]) }
        pause()
      }
    }
  }

  private func connect() throws(StoreError) {
    let connection = try ListeningConnection(options)
    // The server may take a while to see that the connection before is gone.
    guard try Self.takeName(node, connection) else { throw Self.taken(node, options) }
    own.connection = connection
    // A row that was deleted meanwhile says nothing of the clock.
    own.shownSkewMs = nil
    try beat()
    tell([.everything])
  }

  /// Shows that the node lives, and looks at the others and at the clock.
  private func beat() throws(StoreError) {
    guard let connection = own.connection else { return }
    try connection.endStalledWriter()
    let (asked, before, elapsed) = (SystemClock.monotonicMs(), node.clock(), SystemClock.elapsedMs())
    let rows = try connection.ask(Self.beatSQL, [node.name, "\(fleet.instance)", node.version, "\(Node.termMs)"])
    let after = node.clock()
    guard let row = rows.first, let time = row[0].flatMap({ Int64($0) }), let others = row[1].flatMap({ Int($0) })
    else {
      throw StoreError(.bug, "no answer about the nodes in \(options.name)", advice: "report this as a bug")
    }
    own.nextBeatMs = asked + node.heartbeatMs
    // Behind the news, should one be lost: a client sends on with what it has, and asks for nothing by itself.
    if let mark = own.credentialsMark, mark != row[2] { tell([.apps]) }
    own.credentialsMark = row[2]
    fleet.note(
      Timestamp(milliseconds: time), after: elapsed, before: SystemClock.elapsedMs(), withinMs: node.skewMaxMs)
    // The database read its clock somewhere between the two; only what is certain counts.
    let skew = time > after.milliseconds ? after.milliseconds - time : max(before.milliseconds - time, 0)
    if skew != own.shownSkewMs {
      _ = try connection.ask(
        "UPDATE nodes SET clock_ahead_ms = $1::bigint WHERE name = $2::text", ["\(skew)", node.name])
      own.shownSkewMs = skew
    }
    note(liveNodes: others + 1, trouble: abs(skew) > node.skewMaxMs ? Self.wrongClock(skew, node, options) : nil)
  }

  /// Times are the database's.
  ///
  /// Rows of nodes that died are kept for a day, for those who look.
  private static let beatSQL = """
    WITH own AS (
      INSERT INTO nodes(name, instance, version, started_at, seen_at)
      SELECT $1::text, $2::bigint, $3::text, t, t FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS t) n
      ON CONFLICT(name) DO UPDATE SET
        started_at = CASE WHEN nodes.instance = excluded.instance THEN nodes.started_at ELSE excluded.started_at END,
        instance = excluded.instance, version = excluded.version, seen_at = excluded.seen_at
      RETURNING seen_at),
    gone AS (DELETE FROM nodes USING own WHERE nodes.name <> $1::text AND nodes.seen_at < own.seen_at - 86400000)
    SELECT own.seen_at,
      (SELECT count(*) FROM nodes WHERE name <> $1::text AND nodes.seen_at > own.seen_at - $4::bigint),
      (SELECT concat_ws(' ', count(*), sum(id), sum(updated_at)) FROM credentials)
    FROM own
    """

  /// The lock is the connection's: it ends with it, however that ends.
  private static func takeName(_ node: NodeIdentity, _ connection: ListeningConnection) throws(StoreError) -> Bool {
    try connection.ask("SELECT pg_try_advisory_lock($1::bigint)", ["\(lockKey(node.name))"]).first?.first == "t"
  }

  /// FNV-1a of the name, below zero, where none of the schema's own locks is.
  static func lockKey(_ name: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int64(bitPattern: hash | 1 << 63)
  }

  private func note(liveNodes: Int? = nil, trouble: StoreError?) {
    // Whoever works by it looks again.
    if fleet.set(liveNodes: liveNodes, trouble: trouble) { tell([.work]) }
  }

  private func pause() {
    var descriptor = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&descriptor, 1, Int32(Self.pauseMs))
  }

  private static func taken(_ node: NodeIdentity, _ options: PostgresOptions) -> StoreError {
    StoreError(
      .locked, "another server is running as the node “\(node.name)” on \(options.name)",
      advice: "give each server a name of its own with --node or POSTRIDER_NODE, or stop the other one")
  }

  private static func wrongClock(_ skew: Int64, _ node: NodeIdentity, _ options: PostgresOptions) -> StoreError {
    StoreError(
      .unavailable,
      "the clock of the node “\(node.name)” is \(abs(skew)) ms \(skew > 0 ? "ahead of" : "behind") that of \(options.name)",
      advice: "set the clocks of both machines right, with NTP; until then this node sends nothing")
  }
}
