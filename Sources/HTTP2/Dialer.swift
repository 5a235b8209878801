/// Makes a connected socket: looks the name up, tries each address, and opens the proxy's tunnel when there is one.
///
/// Confined to a loop. Ends in exactly one call of `done`, unless it is stopped before.
final class Dialer: EventHandler {
  struct Connected {
    let descriptor: Int32
    let address: String
  }

  private enum State { case lookup, tcp, proxy, ended }

  private let loop: EventLoop
  private let configuration: HTTP2ClientConfiguration
  private let done: (Result<Connected, DialError>) -> Void
  private var state = State.lookup
  private var addresses: [SocketAddress] = []
  private var tried = 0
  private var lastProblem = ""
  private var descriptor: Int32 = -1
  private var token: UInt64?
  private var attemptTimer: TimerQueue.ID?
  private var tunnel: ProxyTunnel?
  private let deadline: Int64

  /// The shortest time an address gets before the next one is tried.
  private static let shortestAttempt: Int64 = 250_000_000

  init(
    loop: EventLoop, configuration: HTTP2ClientConfiguration, deadline: Int64,
    done: @escaping (Result<Connected, DialError>) -> Void
  ) {
    self.loop = loop
    self.configuration = configuration
    self.deadline = deadline
    self.done = done
    if let proxy = configuration.proxy {
      tunnel = ProxyTunnel(host: configuration.host, port: configuration.port, proxy: proxy)
    }
  }

  /// What it is waiting for.
  var stage: HTTP2ConnectStage {
    switch state {
    case .lookup: .lookup
    case .tcp: .tcp
    case .proxy, .ended: .proxy
    }
  }

  func start() {
    if configuration.proxy != nil, configuration.addresses != .any, let refused = refusedTarget {
      return refuse(refused)
    }
    let host = configuration.proxy?.host ?? configuration.host
    let port = configuration.proxy?.port ?? configuration.port
    if case .success(let found) = SocketAddress.lookUp(host, port: port, numericOnly: true) {
      return connect(to: found)
    }
    let box = LoopBound(self, loop)
    AddressLookup.start(host, port: port, resolver: configuration.resolver, on: loop) { result in
      box.use { dialer in dialer.lookedUp(host, result) }
    }
  }

  /// What of the target is not public, as far as this side can tell; the proxy looks names up.
  private var refusedTarget: String? {
    let host = configuration.host
    guard case .success(let target) = SocketAddress.lookUp(host, port: configuration.port, numericOnly: true) else {
      return HTTP2Proxy.isInner(name: host) ? "the proxy's own network" : nil
    }
    return target.first { !configuration.addresses.allows($0) }.map { "\($0)" }
  }

  /// Gives up; `done` is not called.
  func stop() {
    state = .ended
    release()
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
  }

  private func lookedUp(_ host: String, _ result: Result<[SocketAddress], LookupError>) {
    guard state == .lookup else { return }
    switch result {
    case .success(let found): connect(to: found)
    case .failure(let error): unreachable(.lookupFailed(host: host, why: error.why))
    }
  }

  private func connect(to every: [SocketAddress]) {
    // A proxy is named by the configuration itself, and what lies behind it is the proxy's to look up.
    let found = configuration.proxy == nil ? every.filter { configuration.addresses.allows($0) } : every
    if found.isEmpty, let refused = every.first { return refuse("\(refused)") }
    // Another connection of the pool starts with another address.
    let offset = found.isEmpty ? 0 : Int(UInt(bitPattern: configuration.addressOffset) % UInt(found.count))
    addresses = Array(found[offset...] + found[..<offset])
    state = .tcp
    tryNext()
  }

  /// What was dialed was not reached; with a proxy it was that, and nothing is known of the gateway.
  private func unreachable(_ reason: HTTP2CloseReason) {
    end(.failure(DialError(reason: configuration.proxy == nil ? reason : .proxyUnavailable(reason.description))))
  }

  private func refuse(_ address: String) {
    end(.failure(DialError(reason: .addressRefused(host: configuration.host, address: address))))
  }

  private func tryNext() {
    release()
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
    guard tried < addresses.count else {
      let last = addresses.last.map { "\($0)" } ?? configuration.host
      return unreachable(.connectFailed(address: last, why: lastProblem))
    }
    let address = addresses[tried]
    tried += 1
    do {
      descriptor = try Socket.open(for: address)
      try Socket.connect(descriptor, to: address)
      token = try loop.watch(descriptor, .writable, self)
    } catch {
      lastProblem = SystemError.text(error.errno)
      return tryNext()
    }
    startAttemptTimer()
  }

  /// Each address gets its share of the time that is left.
  private func startAttemptTimer() {
    let left = max(0, deadline - loop.now)
    let share = max(Dialer.shortestAttempt, left / Int64(addresses.count - tried + 1))
    guard tried < addresses.count else { return }
    attemptTimer = loop.addTimer(at: loop.now + share) { [weak self] in
      guard let self, state == .tcp else { return }
      attemptTimer = nil
      lastProblem = "no answer"
      tryNext()
    }
  }

  private func release() {
    if let token { loop.unwatch(token, descriptor) }
    token = nil
    if let attemptTimer { loop.cancel(attemptTimer) }
    attemptTimer = nil
  }

  func ready(_ events: IOEvents) {
    switch state {
    case .tcp: decide()
    case .proxy: readTunnel()
    case .lookup, .ended: break
    }
  }

  private func decide() {
    let problem = Socket.pendingError(descriptor)
    guard problem == 0 else {
      lastProblem = SystemError.text(problem)
      return tryNext()
    }
    guard let tunnel else { return finish() }
    state = .proxy
    if let attemptTimer { loop.cancel(attemptTimer) }
    // A fresh socket takes a request of this size at once.
    let request = tunnel.request
    guard
      case .bytes(request.count) = unsafe request.withUnsafeBytes({ raw in
        unsafe raw.baseAddress.map { unsafe Socket.send(descriptor, $0, raw.count) } ?? .ended
      })
    else {
      return end(.failure(DialError(reason: .proxyUnavailable("it did not take the CONNECT request"))))
    }
    if let token { loop.change(token, descriptor, .readable) }
  }

  private func readTunnel() {
    // One byte at a time, so that nothing that belongs to TLS is taken; this happens once per connection.
    while state == .proxy {
      var byte: UInt8 = 0
      switch unsafe Socket.receive(descriptor, &byte, 1) {
      case .wouldBlock: return
      case .ended: end(.failure(DialError(reason: .proxyUnavailable("it closed the connection"))))
      case .failed(let number): end(.failure(DialError(reason: .proxyUnavailable(SystemError.text(number)))))
      case .bytes: takeTunnelByte(byte)
      }
    }
  }

  private func takeTunnelByte(_ byte: UInt8) {
    switch tunnel?.take(byte) {
    case .open: finish()
    case .refused(let why): end(.failure(DialError(reason: .proxyRefused(why))))
    case .unavailable(let why): end(.failure(DialError(reason: .proxyUnavailable(why))))
    case .more, nil: break
    }
  }

  private func finish() {
    release()
    let connected = Connected(descriptor: descriptor, address: "\(addresses[tried - 1])")
    descriptor = -1
    state = .ended
    done(.success(connected))
  }

  private func end(_ result: Result<Connected, DialError>) {
    guard state != .ended else { return }
    stop()
    done(result)
  }
}

/// Why no socket could be connected.
struct DialError: Error {
  let reason: HTTP2CloseReason
}

/// Carries an object of a loop through another thread and back.
///
/// `@unchecked Sendable`: the object is used by `use` only, which must run on the loop, as it asserts.
struct LoopBound<T: AnyObject>: @unchecked Sendable {
  private weak var object: T?
  private let loop: EventLoop

  init(_ object: T, _ loop: EventLoop) {
    self.object = object
    self.loop = loop
  }

  func use(_ body: (T) -> Void) {
    precondition(loop.isCurrent)
    if let object { body(object) }
  }
}
