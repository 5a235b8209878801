internal import Glibc
internal import Synchronization
internal import System

/// A thread that waits for sockets, timers and work from other threads.
///
/// Connections and servers are confined to one loop: their callbacks run on its thread, one after the other. Work is
/// submitted in batches; a batch costs one lock and at most one wake-up.
///
/// `@unchecked Sendable`: `inbox` is locked; `poller` is only read after `init` (its `wake` is safe from any thread,
/// its other calls are made on the loop's thread); every other stored property is touched on the loop's thread only,
/// which each entry point asserts with `isCurrent` or reaches through `execute`.
public final class EventLoop: @unchecked Sendable {
  private struct Inbox {
    var jobs: [@Sendable () -> Void] = []
    var asleep = false
    var stopping = false
    var stopped = false
  }

  private struct Watch {
    var handler: (any EventHandler)?
    var generation: UInt32 = 0
  }

  private let inbox = Mutex(Inbox())
  private let poller: EventPoller
  private let name: String
  /// The loop's thread as ``SystemThread/current`` names it; 0 before it runs.
  private let thread = Atomic<UInt>(0)
  private let joinable = Mutex<SystemThread?>(nil)

  private var watches: [Watch] = []
  private var freeWatches: [UInt32] = []
  private var timers = TimerQueue()
  private var unfinished: [any EventHandler] = []
  private var dirty: [any LoopMember] = []
  private var flushing: [any LoopMember] = []
  private var members: [ObjectIdentifier: any LoopMember] = [:]
  private var jobs: [@Sendable () -> Void] = []
  /// The time at the start of this turn.
  private(set) var now: Int64 = 0
  /// Whether this turn has had its handshake.
  private var hadHandshake = false

  /// Starts the thread.
  /// - Parameter name: shown by debuggers and `top`; 15 bytes are kept.
  /// - Throws: ``SystemError`` when the system gives no thread or no descriptor.
  public init(name: String = "postrider-io") throws(SystemError) {
    self.name = name
    poller = try EventPoller()
    now = MonotonicTime.now()
    try start()
  }

  private func start() throws(SystemError) {
    // The thread owns a reference to the loop until it ends.
    do throws(SystemThread.Refusal) {
      let thread = try SystemThread.start(name) { self.run() }
      joinable.withLock { $0 = thread }
    } catch {
      poller.close()
      throw SystemError("pthread_create", errno: error.code)
    }
  }

  /// Whether the caller runs on the loop's thread.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == SystemThread.current }

  /// Runs `work` on the loop's thread, soon.
  ///
  /// From any thread.
  ///
  /// - Returns: `false` when the loop has stopped and `work` will not run.
  @discardableResult
  public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
    let (accepted, wake) = inbox.withLock { inbox in
      if inbox.stopped { return (false, false) }
      inbox.jobs.append(work)
      defer { inbox.asleep = false }
      return (true, inbox.asleep)
    }
    if wake { poller.wake() }
    return accepted
  }

  /// Runs `work` on the loop's thread after `delay`.
  ///
  /// From any thread; accurate to a millisecond.
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let time = MonotonicTime.time(MonotonicTime.now(), plus: MonotonicTime.nanoseconds(delay))
    if isCurrent {
      _ = addTimer(at: time, work)
    } else {
      execute { _ = self.addTimer(at: time, work) }
    }
  }

  /// Ends the loop: its connections and servers are closed, their callbacks run, then the thread ends.
  ///
  /// Returns when the thread has ended; called on the loop's own thread it returns at once and the thread ends later.
  public func shutdown() {
    let wake = inbox.withLock { inbox in
      inbox.stopping = true
      defer { inbox.asleep = false }
      return inbox.asleep
    }
    if wake { poller.wake() }
    guard let joined = joinable.withLock({ $0.take() }) else { return }
    if isCurrent { joined.detach() } else { joined.join() }
  }

  // MARK: On the loop's thread

  private func run() {
    thread.store(SystemThread.current, ordering: .relaxed)
    while turn() {}
    stop()
  }

  private func turn() -> Bool {
    let count = poller.wait(milliseconds: waitMilliseconds())
    // Before the handlers: they set timers by it, and the wait may have been long.
    now = MonotonicTime.now()
    hadHandshake = false
    for index in 0..<count {
      if let (token, events) = poller.event(index) { dispatch(token, events) }
    }
    finishHandlers()
    runJobs()
    while let action = timers.takeDue(at: now) { action() }
    flushDirty()
    return inbox.withLock { !$0.stopping }
  }

  private func waitMilliseconds() -> Int32 {
    let idle = inbox.withLock { inbox in
      let idle = inbox.jobs.isEmpty && !inbox.stopping && dirty.isEmpty && unfinished.isEmpty
      inbox.asleep = idle
      return idle
    }
    guard idle else { return 0 }
    guard let next = timers.next else { return -1 }
    let left = next - MonotonicTime.now()
    // Rounded up, so that a timer is due when the wait ends.
    return left <= 0 ? 0 : Int32(clamping: (left - 1) / 1_000_000 + 1)
  }

  private func dispatch(_ token: UInt64, _ events: IOEvents) {
    let index = Int(token & 0xFFFF_FFFF)
    // A descriptor that was closed earlier in this turn may still be reported.
    guard watches[index].generation == UInt32(token >> 32), let handler = watches[index].handler else { return }
    handler.ready(events)
  }

  private func finishHandlers() {
    guard !unfinished.isEmpty else { return }
    let handlers = unfinished
    unfinished.removeAll(keepingCapacity: true)
    for handler in handlers { handler.ready(.readable) }
  }

  private func runJobs() {
    inbox.withLock { inbox in
      swap(&inbox.jobs, &jobs)
      inbox.asleep = false
    }
    for job in jobs { job() }
    jobs.removeAll(keepingCapacity: true)
  }

  private func flushDirty() {
    swap(&dirty, &flushing)
    for member in flushing { member.flush() }
    flushing.removeAll(keepingCapacity: true)
  }

  private func stop() {
    for member in members.values { member.loopStops() }
    repeat {
      runJobs()
      flushDirty()
    } while !inbox.withLock { inbox in
      inbox.stopped = inbox.jobs.isEmpty && dirty.isEmpty
      return inbox.stopped
    }
    poller.close()
  }

  /// Registers for the end of the loop, which holds the member until it leaves.
  ///
  /// On the loop's thread.
  package func join(_ member: any LoopMember) { members[ObjectIdentifier(member)] = member }

  /// On the loop's thread.
  package func leave(_ member: any LoopMember) { members[ObjectIdentifier(member)] = nil }

  /// Calls `flush` at the end of this turn; the member asks once per turn.
  func flushLater(_ member: any LoopMember) { dirty.append(member) }

  func addTimer(at time: Int64, _ work: @escaping () -> Void) -> TimerQueue.ID { timers.add(at: time, work) }

  func cancel(_ timer: TimerQueue.ID) { timers.cancel(timer) }

  /// Watches a descriptor; the token is needed to change or end that.
  func watch(_ descriptor: Int32, _ interest: IOEvents, _ handler: any EventHandler) throws(SystemError) -> UInt64 {
    let index: UInt32
    if let free = freeWatches.popLast() {
      index = free
    } else {
      index = UInt32(watches.count)
      watches.append(Watch())
    }
    let token = UInt64(watches[Int(index)].generation) << 32 | UInt64(index)
    do {
      try poller.add(descriptor, token: token, interest)
    } catch {
      freeWatches.append(index)
      throw error
    }
    watches[Int(index)].handler = handler
    return token
  }

  /// Calls `ready` in the next turn even when the system has nothing new, for bytes that were read but not looked at.
  func again(_ handler: any EventHandler) { unfinished.append(handler) }

  /// Whether a step of a TLS handshake may be taken in this turn: one may.
  ///
  /// A step with keys and certificates costs about as much as a hundred requests. When many gateways answer at once, open
  /// connections go on between their handshakes. Who is refused is called again: the poller reports what was not read.
  func admitsHandshake() -> Bool {
    defer { hadHandshake = true }
    return !hadHandshake
  }

  func change(_ token: UInt64, _ descriptor: Int32, _ interest: IOEvents) {
    poller.change(descriptor, token: token, interest)
  }

  /// Ends the watch; call it before the descriptor is closed.
  func unwatch(_ token: UInt64, _ descriptor: Int32) {
    poller.remove(descriptor)
    let index = Int(token & 0xFFFF_FFFF)
    watches[index].handler = nil
    watches[index].generation &+= 1
    freeWatches.append(UInt32(index))
  }
}

/// Something that owns a descriptor on a loop.
protocol EventHandler: AnyObject {
  func ready(_ events: IOEvents)
}

/// Something that lives on a loop.
package protocol LoopMember: AnyObject {
  /// The end of a turn in which `flushLater` was called.
  func flush()
  /// The loop ends after this turn; no timer fires any more.
  func loopStops()
}
