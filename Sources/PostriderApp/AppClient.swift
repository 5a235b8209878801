/// Runs the core on a phone: at most one request at a time, calls from any thread.
package final class AppClient: @unchecked Sendable {
  /// How long an identity is waited for: without a bound, an app that never answers would stop everything.
  package static let identityMs: Int64 = 30_000

  // Everything below is read and changed with the lock held; `phone` is Sendable by itself.
  private let lock = Lock()
  private let core: Core
  private let phone: any PhoneCalls
  private var isBusy = false
  /// Counts waits, so that only the newest timer does something.
  private var waits = 0
  private var settling: [@Sendable () -> Void] = []

  package init(folder: String, role: Role, phone: any PhoneCalls) {
    self.phone = phone
    core = Core(folder: folder, role: role, surroundings: PhoneSurroundings(phone: phone))
  }

  /// Calls the core, and sends what there is to send then.
  @discardableResult package func perform<Result>(_ call: (Core) -> Result) -> Result {
    let result = lock.withLock { call(core) }
    advance()
    return result
  }

  /// Runs `body` once, when nothing can be sent now or the time is over.
  package func whenSettled(milliseconds: Int64, _ body: @escaping @Sendable () -> Void) {
    let once = Once(body)
    lock.withLock { settling.append { once.run() } }
    phone.after(milliseconds: milliseconds) { once.run() }
    advance()
  }

  private func advance() {
    let (step, wait, settled) = lock.withLock { () -> (Step, Int, [@Sendable () -> Void]) in
      guard !isBusy else { return (.idle, 0, []) }
      let step = core.next()
      switch step {
      case .request, .identity:
        isBusy = true
        return (step, 0, [])
      case .wait, .idle:
        waits += 1
        defer { settling = [] }
        return (step, waits, settling)
      }
    }
    for body in settled { body() }
    switch step {
    case .request(let request): phone.send(request) { answer in self.end { $0.answered(request, answer) } }
    case .identity(let user, let refresh): ask(user, refresh)
    case .wait(let until):
      phone.after(milliseconds: max(1, until - AppFiles.now())) {
        if self.lock.withLock({ self.waits == wait }) { self.advance() }
      }
    case .idle: break
    }
  }

  private func ask(_ user: String, _ refresh: Bool) {
    guard let identity = lock.withLock({ core.configuration?.identity }) else {
      return end { $0.identified(user, nil) }
    }
    let answered = Once()
    identity(user, refresh) { token in answered.run { self.end { $0.identified(user, token) } } }
    phone.after(milliseconds: Self.identityMs) { answered.run { self.end { $0.identified(user, nil) } } }
  }

  private func end(_ call: (Core) -> Void) {
    lock.withLock {
      call(core)
      isBusy = false
    }
    advance()
  }
}

/// Runs something once, whoever comes first.
private final class Once: @unchecked Sendable {
  // `isDone` is read and changed with the lock held.
  private let lock = Lock()
  private let body: @Sendable () -> Void
  private var isDone = false

  init(_ body: @escaping @Sendable () -> Void = {}) { self.body = body }

  func run() { run(body) }

  func run(_ body: () -> Void) {
    let isFirst = lock.withLock { () -> Bool in
      defer { isDone = true }
      return !isDone
    }
    if isFirst { body() }
  }
}
