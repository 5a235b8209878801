// The only file that knows epoll and eventfd. Another system (kqueue on macOS) needs another version of this file:
// the same two types with the same members.

internal import CLinux
internal import Glibc

/// What a file descriptor is watched for, or ready for.
struct IOEvents: OptionSet {
  let rawValue: UInt32

  static let readable = IOEvents(rawValue: EPOLLIN.rawValue)
  static let writable = IOEvents(rawValue: EPOLLOUT.rawValue)
  /// Always reported, never requested: the peer has closed or an error is pending.
  static let hangup = IOEvents(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}

/// Waits for file descriptors, a point in time, or a wake-up from another thread.
///
/// Level-triggered.
///
/// `wake` may be called from any thread; everything else from the loop's thread only.
///
/// `@safe`: the loop that owns it closes it once, after its last wait; the system writes no more events than there is
/// room for.
@safe struct EventPoller {
  private let epoll: Int32
  private let wakeup: Int32
  private let events: UnsafeMutablePointer<epoll_event>

  private static let eventsPerWait = 256
  private static let wakeToken = UInt64.max

  init() throws(SystemError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw SystemError("epoll_create1") }
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeup >= 0 else {
      let error = SystemError("eventfd")
      Glibc.close(epoll)
      throw error
    }
    unsafe events = .allocate(capacity: EventPoller.eventsPerWait)
    unsafe events.initialize(repeating: epoll_event(), count: EventPoller.eventsPerWait)
    try control(EPOLL_CTL_ADD, wakeup, EventPoller.wakeToken, .readable)
  }

  func close() {
    Glibc.close(wakeup)
    Glibc.close(epoll)
    unsafe events.deallocate()
  }

  func add(_ descriptor: Int32, token: UInt64, _ interest: IOEvents) throws(SystemError) {
    try control(EPOLL_CTL_ADD, descriptor, token, interest)
  }

  func change(_ descriptor: Int32, token: UInt64, _ interest: IOEvents) {
    // Cannot fail for a descriptor that was added and is still open.
    try? control(EPOLL_CTL_MOD, descriptor, token, interest)
  }

  func remove(_ descriptor: Int32) {
    try? control(EPOLL_CTL_DEL, descriptor, 0, [])
  }

  /// Waits up to `milliseconds` (-1 without end); how many events there are.
  func wait(milliseconds: Int32) -> Int {
    unsafe max(0, Int(epoll_wait(epoll, events, Int32(EventPoller.eventsPerWait), milliseconds)))
  }

  /// One of the events of the last `wait`; wake-ups are swallowed.
  func event(_ index: Int) -> (token: UInt64, events: IOEvents)? {
    let event = unsafe events[index]
    guard unsafe event.data.u64 == EventPoller.wakeToken else {
      return unsafe (event.data.u64, IOEvents(rawValue: event.events))
    }
    var value: UInt64 = 0
    _ = unsafe read(wakeup, &value, 8)
    return nil
  }

  /// Ends a `wait` that is running or about to run.
  func wake() {
    var one: UInt64 = 1
    _ = unsafe write(wakeup, &one, 8)
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ token: UInt64, _ interest: IOEvents)
    throws(SystemError)
  {
    var event = unsafe epoll_event()
    unsafe event.events = interest.rawValue
    unsafe event.data.u64 = token
    guard unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0 else { throw SystemError("epoll_ctl") }
  }
}
