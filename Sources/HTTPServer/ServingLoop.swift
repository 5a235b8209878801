internal import CLinux
import Glibc
import Synchronization

/// A thread that accepts connections and serves its part of them.
///
/// `@unchecked Sendable`: `mailbox`, `stage` and `load` are made for several threads; everything else is touched by the
/// loop's own thread only, from ``run()`` on.
///
/// `@safe`: its buffer for events is allocated with it, used by its thread only, and freed when that ends.
@safe final class ServingLoop: @unchecked Sendable {
  enum Stage: Int, AtomicRepresentable {
    case serving, refusing, ended
  }

  private struct Slot {
    var connection: ClientConnection?
    var generation: UInt32 = 0
  }

  let core: ServerCore
  let mailbox: ThreadMailbox
  let stage = Atomic(Stage.serving)
  /// Connections it serves, for those who hand out new ones.
  let load = Atomic<Int>(0)
  /// All loops of the server, itself included; set before they run.
  var peers: [ServingLoop] = []

  /// The time when this turn began, in monotonic nanoseconds.
  private(set) var now = monotonicNow()
  var date = DateText()
  /// What is read goes here first, so that a connection at rest holds no buffer.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  private let epoll: Int32
  private let listener: Int32
  private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 256)
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var mail = ThreadMailbox.Mail()
  /// Connections whose turn ended before they had done everything.
  private var unfinished: [ClientConnection] = []
  private var nextSweep: Int64 = 0
  private var isListening = true
  private var listensAgainAt: Int64?

  private static let mailboxToken = UInt64.max
  private static let listenerToken = UInt64.max - 1
  /// Every wait has a bound.
  private static let longestSleepMs: Int32 = 60_000
  private static let acceptsPerTurn = 64
  /// How long nothing is accepted when the system is out of descriptors.
  private static let pauseNs: Int64 = 50_000_000

  /// Owns the listening descriptor; nil when the system is out of descriptors.
  init?(listener: Int32, core: ServerCore) {
    self.core = core
    self.listener = listener
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0, let mailbox = ThreadMailbox() else {
      if epoll >= 0 { Glibc.close(epoll) }
      Glibc.close(listener)
      return nil
    }
    self.mailbox = mailbox
    unsafe events.initialize(repeating: epoll_event())
    watch(EPOLL_CTL_ADD, mailbox.descriptor, Self.mailboxToken, EPOLLIN.rawValue)
    watch(EPOLL_CTL_ADD, listener, Self.listenerToken, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue)
  }

  deinit {
    unsafe scratch.deallocate()
    unsafe events.deallocate()
    if epoll >= 0 { Glibc.close(epoll) }
  }

  func enter(_ next: Stage) {
    stage.store(next, ordering: .releasing)
    mailbox.wake()
  }

  func run() {
    while true {
      let present = stage.load(ordering: .acquiring)
      if present != .serving { stopListening() }
      if present == .ended { return closeAll() }
      let count = wait()
      now = monotonicNow()
      readMail()
      for index in 0..<count { unsafe handle(events[index]) }
      finishTurns()
      if now >= nextSweep { sweep() }
    }
  }

  private func wait() -> Int {
    let isIdle = unfinished.isEmpty
    // Without connections there is no deadline to look at.
    let untilSweep = Int32(max(1, (nextSweep - now) / 1_000_000 + 1))
    let hasDeadlines = freeSlots.count < slots.count || listensAgainAt != nil
    let longest = hasDeadlines ? min(untilSweep, Self.longestSleepMs) : Self.longestSleepMs
    var count: Int32 = 0
    mailbox.sleep { isWoken in
      count = unsafe epoll_wait(epoll, events.baseAddress, Int32(events.count), isIdle && !isWoken ? longest : 0)
    }
    return Int(max(0, count))
  }

  private func handle(_ event: epoll_event) {
    switch unsafe event.data.u64 {
    case Self.mailboxToken: mailbox.swallowWakeup()
    case Self.listenerToken: accept()
    default:
      guard let connection = unsafe connection(event.data.u64) else { return }
      unsafe connection.changed(event.events)
      serve(connection)
    }
  }

  private func readMail() {
    let hasRunTasks = readMailOnce()
    // What the tasks have answered is written in the same turn.
    if hasRunTasks { _ = readMailOnce() }
  }

  /// True when a task ran.
  private func readMailOnce() -> Bool {
    mailbox.empty(into: &mail)
    let hasTasks = !mail.jobs.isEmpty
    for entry in mail.sockets { add(entry) }
    for job in mail.jobs { unsafe job.runSynchronously(on: mailbox.asUnownedTaskExecutor()) }
    mail.jobs.removeAll(keepingCapacity: true)
    for token in mail.connections {
      guard let connection = connection(token) else { continue }
      connection.woken()
      serve(connection)
    }
    mail.sockets.removeAll(keepingCapacity: true)
    mail.connections.removeAll(keepingCapacity: true)
    return hasTasks
  }

  private func serve(_ connection: ClientConnection) {
    if connection.advance() { unfinished.append(connection) }
  }

  private func finishTurns() {
    guard !unfinished.isEmpty else { return }
    let turn = unfinished
    unfinished = []
    for connection in turn where connection.phase != .closed { serve(connection) }
  }

  private func sweep() {
    nextSweep = now + core.sweepNs
    for slot in slots {
      guard let connection = slot.connection else { continue }
      connection.enforceDeadlines()
    }
    if let again = listensAgainAt, again <= now, isListening {
      listensAgainAt = nil
      watch(EPOLL_CTL_ADD, listener, Self.listenerToken, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue)
    }
  }

  // MARK: - Connections

  private func connection(_ token: UInt64) -> ClientConnection? {
    let index = Int(token & 0xFFFF_FFFF)
    guard index < slots.count, slots[index].generation == UInt32(token >> 32) else { return nil }
    return slots[index].connection
  }

  private func accept() {
    for _ in 0..<Self.acceptsPerTurn {
      let socket = accept4(
        listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue))
      guard socket >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { pauseListening() }
        return
      }
      admit(socket)
    }
  }

  private func admit(_ socket: Int32) {
    guard let entry = core.table.admit(socket: socket, peer: HTTPPeer(socket: socket)) else {
      refuse(socket)
      return
    }
    var on: Int32 = 1
    unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let lightest = peers.min { $0.load.load(ordering: .relaxed) < $1.load.load(ordering: .relaxed) } ?? self
    let isHere = lightest === self || load.load(ordering: .relaxed) <= lightest.load.load(ordering: .relaxed)
    let chosen = isHere ? self : lightest
    chosen.load.add(1, ordering: .relaxed)
    if isHere { add(entry) } else { chosen.mailbox.post(entry) }
  }

  private func refuse(_ socket: Int32) {
    // Under TLS a refusal would cost a handshake.
    if core.certificate == nil {
      let refusal: StaticString =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      _ = refusal.withUTF8Buffer { unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
    Glibc.close(socket)
  }

  private func add(_ entry: ConnectionEntry) {
    let tls = core.certificate.flatMap { TLSSession($0.context, socket: entry.socket) }
    let index = freeSlots.popLast() ?? slots.count
    if index == slots.count { slots.append(Slot()) }
    let token = UInt64(slots[index].generation) << 32 | UInt64(index)
    let connection = ClientConnection(entry, ConnectionHandle(mailbox: mailbox, connection: token), self, tls)
    slots[index].connection = connection
    let interest = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
    let isSecured = core.certificate == nil || tls != nil
    guard isSecured, watch(EPOLL_CTL_ADD, entry.socket, token, interest) else { return connection.close() }
    if nextSweep < now { nextSweep = now + core.sweepNs }
    serve(connection)
  }

  func forget(_ connection: ClientConnection) {
    let index = Int(connection.handle.connection & 0xFFFF_FFFF)
    slots[index].connection = nil
    slots[index].generation &+= 1
    freeSlots.append(index)
    load.subtract(1, ordering: .relaxed)
  }

  @discardableResult
  private func watch(_ operation: Int32, _ descriptor: Int32, _ token: UInt64, _ interest: UInt32) -> Bool {
    var event = unsafe epoll_event()
    unsafe event.events = interest
    unsafe event.data.u64 = token
    return unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0
  }

  // MARK: - The listening socket

  /// The system is out of descriptors: stops accepting until some are free.
  private func pauseListening() {
    core.table.makeRoom()
    watch(EPOLL_CTL_DEL, listener, Self.listenerToken, 0)
    listensAgainAt = now + Self.pauseNs
    nextSweep = min(nextSweep, now + Self.pauseNs)
  }

  private func stopListening() {
    guard isListening else { return }
    isListening = false
    // The other threads' descriptors keep the socket open, so that closing this one alone would not end its events.
    watch(EPOLL_CTL_DEL, listener, Self.listenerToken, 0)
    Glibc.close(listener)
  }

  /// Instead of ``run()``, when there is no thread for it.
  func discard() {
    stopListening()
    closeAll()
  }

  private func closeAll() {
    mailbox.endTasks()
    readMail()
    for slot in slots { slot.connection?.stop() }
    unfinished = []
    peers = []
  }
}
