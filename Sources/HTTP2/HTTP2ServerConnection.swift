internal import Synchronization

/// One connection of a server, with its faults.
///
/// `@unchecked Sendable`: `id`, `peer`, `loop` and what else is constant may be read anywhere; everything that changes
/// is touched on the connection's loop only, which the functions below hop to.
public final class HTTP2ServerConnection: @unchecked Sendable {
  /// A number that no other connection of the process has.
  public let id: UInt64
  /// The client's address and port.
  public let peer: String
  /// The loop that the connection lives on.
  public let loop: EventLoop

  /// The handler's own data about the connection.
  ///
  /// On the connection's loop only.
  public var context: AnyObject?

  private let server: ServerCore
  private var behavior = HTTP2ConnectionBehavior()
  private var channel: SecureChannel?
  private(set) var session: ServerSession?
  private var handshakeTimer: TimerQueue.ID?
  private var held = false
  private var silent = false
  private var closingWhenIdle = false
  private var feeding = false
  private var pendingClose: Bool?
  private var flushAsked = false
  private var ended = false

  private static let lastID = Atomic<UInt64>(0)

  init(server: ServerCore, peer: String, loop: EventLoop) {
    id = HTTP2ServerConnection.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    self.server = server
    self.peer = peer
    self.loop = loop
  }

  /// The certificate that the client showed in the handshake, as PEM text.
  ///
  /// On the connection's loop only.
  public var clientCertificatePEM: [UInt8]? { channel?.peerCertificatePEM }

  /// Sends GOAWAY.
  ///
  /// Streams above `lastStreamID` are dropped without an answer.
  ///
  /// - Parameters:
  ///   - lastStreamID: the last stream that is treated as processed; `nil` for the last one that came in.
  ///   - code: why the server leaves.
  ///   - debugData: what it says about that.
  ///   - closing: whether the connection is closed once the remaining streams are answered.
  public func goAway(
    lastStreamID: Int32? = nil, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = [], closing: Bool = true
  ) {
    onLoop { connection in
      guard let session = connection.session else { return }
      session.goAway(lastStreamID ?? session.lastStreamID, code, debugData)
      if closing { connection.closingWhenIdle = true }
      connection.askFlush()
    }
  }

  /// Announces other SETTINGS; values that are absent stay as they are.
  public func update(_ settings: HTTP2Settings) {
    onLoop { connection in
      connection.session?.update(settings)
      connection.askFlush()
    }
  }

  /// Resets the TCP connection at once.
  public func closeAbruptly() { onLoop { $0.close(abruptly: true) } }

  /// Closes the connection without GOAWAY: TLS close alert, then FIN.
  public func close() { onLoop { $0.close(abruptly: false) } }

  /// Reads nothing and writes nothing from now on: the client sees silence.
  public func fallSilent() {
    onLoop { connection in
      connection.silent = true
      connection.channel?.pauseReading(true)
    }
  }

  /// Stops reading, or starts again; answers are still written.
  public func pauseReading(_ paused: Bool) { onLoop { $0.channel?.pauseReading(paused) } }

  /// Writes bytes as they are into the stream of frames, for broken or unusual frames.
  public func writeRaw(_ bytes: [UInt8]) {
    onLoop { connection in
      guard let channel = connection.channel, !connection.silent else { return }
      if !connection.held { _ = connection.session?.write(to: channel) }
      unsafe bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { unsafe channel.write(start, $0.count) } }
      channel.flush()
    }
  }

  private func onLoop(_ work: @escaping @Sendable (HTTP2ServerConnection) -> Void) {
    if loop.isCurrent { return work(self) }
    loop.execute { work(self) }
  }

  func later(_ stream: Int32, _ delay: Duration, _ answer: @escaping @Sendable (HTTP2ServerRequest) -> Void) {
    let work: @Sendable () -> Void = {
      if let request = self.session?.request(stream) { answer(request) }
    }
    if delay > .zero { return loop.schedule(after: delay, work) }
    if loop.isCurrent { work() } else { loop.execute(work) }
  }

  // MARK: Life

  /// Takes over an accepted socket; on the loop.
  func start(_ descriptor: Int32) {
    loop.join(self)
    behavior = server.handler.accept(self)
    switch behavior.opening {
    case .reset: refuse(descriptor, abruptly: true)
    case .garbage:
      let text = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
      unsafe text.withUnsafeBytes {
        if let start = $0.baseAddress { _ = unsafe Socket.send(descriptor, start, $0.count) }
      }
      refuse(descriptor, abruptly: false)
    case .silence:
      server.park(descriptor)
      finish()
    case .normal, .silenceAfterTLS, .goAway: secure(descriptor)
    }
  }

  private func refuse(_ descriptor: Int32, abruptly: Bool) {
    if abruptly { Socket.resetOnClose(descriptor) }
    Socket.close(descriptor)
    finish()
  }

  private func secure(_ descriptor: Int32) {
    do {
      let channel = try SecureChannel(
        loop: loop, descriptor: descriptor, context: behavior.tls ?? server.configuration.tls, owner: self)
      self.channel = channel
      let limit = MonotonicTime.nanoseconds(server.configuration.handshakeTimeout)
      handshakeTimer = loop.addTimer(at: MonotonicTime.time(loop.now, plus: limit)) { [weak self] in
        self?.close(abruptly: true)
      }
      try channel.start()
    } catch {
      close(abruptly: true)
    }
  }

  func close(abruptly: Bool) {
    if feeding {
      pendingClose = pendingClose ?? abruptly
      return
    }
    channel?.close(abruptly: abruptly)
    finish()
  }

  private func finish() {
    guard !ended else { return }
    ended = true
    if let handshakeTimer { loop.cancel(handshakeTimer) }
    loop.leave(self)
    server.remove(self)
    server.handler.closed(self)
    // Deferred to the end of the turn: the caller may be inside a session callback.
    askFlush()
  }

  func askFlush() {
    guard !flushAsked else { return }
    flushAsked = true
    loop.flushLater(self)
  }

  private func open(_ channel: SecureChannel) {
    let settings = behavior.settings ?? server.configuration.settings
    session = ServerSession(
      connection: self, settings: settings, bodyLimit: server.configuration.requestBodyLimit,
      headerLimit: server.configuration.requestHeaderLimit)
    if let delay = behavior.settingsDelay {
      held = true
      loop.schedule(after: delay) { [weak self] in
        self?.held = false
        self?.askFlush()
      }
    }
    askFlush()
  }
}

extension HTTP2ServerConnection: LoopMember {
  package func flush() {
    flushAsked = false
    if ended {
      session = nil
      channel = nil
      return
    }
    guard let session, let channel, !held, !silent else { return }
    if !session.write(to: channel) { return close(abruptly: true) }
    if session.isDone || (closingWhenIdle && session.open == 0) { close(abruptly: false) }
  }

  package func loopStops() { close(abruptly: true) }
}

extension HTTP2ServerConnection: SecureChannelOwner {
  func channelOpened() {
    if let handshakeTimer { loop.cancel(handshakeTimer) }
    guard let channel else { return }
    switch behavior.opening {
    case .silenceAfterTLS: fallSilent()
    case .goAway(let code, let debugData):
      writeRaw(RawFrame.goAway(lastStreamID: 0, code: code, debugData: debugData))
      close(abruptly: false)
    default:
      let chosen = channel.chosenProtocol
      guard chosen == "h2" || chosen.isEmpty && behavior.acceptsNoALPN else { return close(abruptly: false) }
      open(channel)
    }
  }

  func channelReceived(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let session, !silent else { return }
    feeding = true
    let fine = unsafe session.feed(bytes, at: loop.now)
    feeding = false
    session.handleWhole(server.handler)
    if let pendingClose { return close(abruptly: pendingClose) }
    if fine { return askFlush() }
    if let channel, !held { _ = session.write(to: channel, always: true) }
    close(abruptly: false)
  }

  func channelDrained() { askFlush() }

  func channelEnded(_ end: SecureChannel.End) { finish() }
}

/// Frames that are made by hand.
enum RawFrame {
  /// A GOAWAY frame (RFC 9113 section 6.8).
  static func goAway(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: [UInt8]) -> [UInt8] {
    let length = 8 + debugData.count
    return [
      UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
      UInt8(truncatingIfNeeded: length), 7, 0, 0, 0, 0, 0,
    ]
      + bytes(UInt32(bitPattern: lastStreamID)) + bytes(code.rawValue) + debugData
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
