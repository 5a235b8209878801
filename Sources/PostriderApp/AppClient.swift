/// Runs the core on a phone: at most one request at a time, calls from any thread.
package final class AppClient: @unchecked Sendable {
  /// How long an identity is waited for: without a bound, an app that never answers would stop everything.
  package static let identityMs: Int64 = 30_000

  // Everything below is read and changed with the lock held; `phone` is Sendable by itself.
  private let lock = Lock()
  private let core: Core
  private let phone: any PhoneCalls
  private var isBusy = false
  /// When the timer runs, or `Int64.max` without one; an earlier one replaces it.
  private var timer = Int64.max
  private var settling: [@Sendable () -> Void] = []
  private var leaving: [@Sendable (Bool) -> Void] = []

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

  /// Signs out; `done` is called once: with true when the server has taken it, with false when it will not.
  package func signOut(_ done: @escaping @Sendable (Bool) -> Void) {
    perform {
      $0.setUser(nil)
      leaving.append(done)
    }
  }

  /// Runs `body` once, when nothing can be sent now or the time is over.
  package func whenSettled(milliseconds: Int64, _ body: @escaping @Sendable () -> Void) {
    let once = Once<Void>(body)
    lock.withLock { settling.append { once.run(()) } }
    phone.after(milliseconds: milliseconds) { once.run(()) }
    advance()
  }

  private func advance() {
    finishLeaving()
    let (step, settled) = lock.withLock { () -> (Step, [@Sendable () -> Void]) in
      guard !isBusy else { return (.idle, []) }
      let step = core.next()
      switch step {
      case .request, .identity:
        isBusy = true
        return (step, [])
      case .wait, .idle:
        defer { settling = [] }
        return (step, settling)
      }
    }
    for body in settled { body() }
    switch step {
    case .request(let request): phone.send(request) { answer in self.end { $0.answered(request, answer) } }
    case .identity(let user, let refresh): ask(user, refresh)
    case .wait(let until): wake(at: until)
    case .idle: break
    }
  }

  private func finishLeaving() {
    let (left, isTaken) = lock.withLock { () -> ([@Sendable (Bool) -> Void], Bool) in
      guard !leaving.isEmpty, let isTaken = core.isSignedOut else { return ([], false) }
      defer { leaving = [] }
      return (leaving, isTaken)
    }
    for done in left { done(isTaken) }
  }

  /// Advances then, by one timer, however often the app calls until then.
  private func wake(at time: Int64) {
    let now = AppFiles.now()
    let isNeeded = lock.withLock { () -> Bool in
      // A timer of the past is late because the clock was set.
      guard time < timer || timer < now else { return false }
      timer = time
      return true
    }
    guard isNeeded else { return }
    phone.after(milliseconds: max(1, time - now)) {
      let isLatest = self.lock.withLock { () -> Bool in
        guard self.timer == time else { return false }
        self.timer = .max
        return true
      }
      if isLatest { self.advance() }
    }
  }

  private func ask(_ user: String, _ refresh: Bool) {
    guard let identity = lock.withLock({ core.configuration?.identity }) else {
      return end { $0.identified(user, nil) }
    }
    let answered = Once<String?> { token in self.end { $0.identified(user, token) } }
    identity(user, refresh) { answered.run($0) }
    phone.after(milliseconds: Self.identityMs) { answered.run(nil) }
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
private final class Once<Value>: @unchecked Sendable {
  // `body` is read and changed with the lock held.
  private let lock = Lock()
  private var body: (@Sendable (Value) -> Void)?

  init(_ body: @escaping @Sendable (Value) -> Void) { self.body = body }

  func run(_ value: Value) {
    let body = lock.withLock { () -> (@Sendable (Value) -> Void)? in
      defer { self.body = nil }
      return self.body
    }
    body?(value)
  }
}
