internal import TLS

/// The life of one client connection, confined to its loop.
///
///     idle ──start──▶ dialing ──socket──▶ securing ──h2──▶ open ──▶ closed
///       └───────────────┴──────── any failure, close ────────┴──────▲
///
/// Invariants:
/// 1. Each request that was handed over is in `pending`, in a slot of `session`, or has its result.
/// 2. `closed` is entered once; then all requests get their results, and the event follows.
///
/// `@unchecked Sendable`: made by the public connection, which touches it on the loop only.
final class ClientCore: @unchecked Sendable {
  private enum State {
    case idle
    case dialing(Dialer)
    case securing(SecureChannel)
    case open(SecureChannel)
    case closed(HTTP2CloseReason)
  }

  let loop: EventLoop
  let configuration: HTTP2ClientConfiguration
  private let observer: any HTTP2ClientObserver
  /// The public face; held while there is something to report to it.
  private var connection: HTTP2ClientConnection?
  private let collector: ResultCollector
  private var session: ClientSession?
  private var state = State.idle
  private var pending = PendingRequests()
  private var callerLimit: Int
  private var streamLimit: Int
  private var address = ""
  private var draining = false
  private var flushAsked = false
  private var flushing = false
  private var closedReported = false
  /// While nghttp2 is being fed the session must not be ended; a wish to close waits here.
  private var feeding = false
  private var pendingClose: HTTP2CloseReason?

  private var connectDeadline = MonotonicTime.never
  private var settingsDeadline = MonotonicTime.never
  private var pingSent: Int64?
  private var lastReceived: Int64 = 0
  private var alarm: (id: TimerQueue.ID, time: Int64)?

  /// How often deadlines are looked at, at most.
  private static let alarmStep: Int64 = 5_000_000
  /// How many streams are opened before their frames are written out: about one block of the frame writer.
  private static let streamsPerBlock = 64

  init(loop: EventLoop, configuration: HTTP2ClientConfiguration, observer: any HTTP2ClientObserver) {
    self.loop = loop
    self.configuration = configuration
    self.observer = observer
    collector = ResultCollector(
      wanted: min(configuration.wantedHeaders.count, HTTP2ClientConfiguration.wantedHeaderLimit))
    callerLimit = configuration.streamLimit
    streamLimit = min(configuration.initialStreamLimit, configuration.streamLimit)
  }

  // MARK: Calls

  func start(_ connection: HTTP2ClientConnection) {
    guard case .idle = state else { return }
    hold(connection)
    connectDeadline = MonotonicTime.time(
      loop.now, plus: MonotonicTime.nanoseconds(configuration.connectTimeout))
    let dialer = Dialer(loop: loop, configuration: configuration, deadline: connectDeadline) { [weak self] result in
      self?.dialed(result)
    }
    state = .dialing(dialer)
    setAlarm()
    dialer.start()
  }

  func submit(_ batch: BatchStorage, _ connection: HTTP2ClientConnection) {
    hold(connection)
    let count = unsafe batch.entries.count
    var taken = 0
    if let refusal = refusal {
      for entry in unsafe batch.entries { collector.fail(entry.id, HTTP2Failure(.notProcessed, refusal)) }
    } else {
      taken = min(count, max(0, configuration.queueLimit - pending.count))
      for entry in unsafe batch.entries[taken...] { collector.fail(entry.id, HTTP2Failure(.notProcessed, .queueFull)) }
      pending.append(batch, end: taken, at: loop.now)
    }
    setAlarm()
    askFlush()
  }

  /// Why no requests are taken, if so.
  private var refusal: HTTP2FailureReason? {
    if let frame = session?.goAway { return .goAway(frame) }
    if case .closed(let reason) = state { return .connectionClosed(reason) }
    return draining ? .draining : nil
  }

  func setStreamLimit(_ limit: Int) {
    callerLimit = max(0, limit)
    updateStreamLimit()
    askFlush()
  }

  func ping() {
    guard case .open = state, pingSent == nil else { return }
    session?.ping()
    pingSent = loop.now
    setAlarm()
    askFlush()
  }

  func drain() {
    draining = true
    switch state {
    case .idle: return close(.requested)
    // Nothing is under way on a connection that is not ready; one without requests need not become it.
    case .dialing where pending.isEmpty, .securing where pending.isEmpty: return close(.requested)
    default: askFlush()
    }
  }

  func close(_ reason: HTTP2CloseReason) {
    if case .closed = state { return }
    if feeding {
      pendingClose = pendingClose ?? reason
      return
    }
    let last = state
    state = .closed(reason)
    switch last {
    case .dialing(let dialer): dialer.stop()
    case .securing(let channel): channel.close(abruptly: false)
    case .open(let channel):
      if reason == .requested { session?.leave() }
      _ = session?.write(to: channel)
      channel.close(abruptly: false)
    case .idle, .closed: break
    }
    session?.failAll(reason)
    failPending(.connectionClosed(reason))
    if let alarm { loop.cancel(alarm.id) }
    alarm = nil
    askFlush()
  }

  /// Requests that were handed over after the loop's end.
  func refuse(_ batch: BatchStorage, _ connection: HTTP2ClientConnection) {
    let late = ResultCollector(wanted: 0)
    let failure = HTTP2Failure(.notProcessed, .connectionClosed(.loopStopped))
    for entry in unsafe batch.entries { late.fail(entry.id, failure) }
    late.deliver { observer.connection(connection, finished: $0) }
  }

  private func hold(_ connection: HTTP2ClientConnection) {
    if self.connection == nil {
      self.connection = connection
      loop.join(self)
    }
  }

  private func failPending(_ reason: HTTP2FailureReason) {
    while let (batch, index, _) = pending.take() {
      unsafe collector.fail(batch.entries[index].id, HTTP2Failure(.notProcessed, reason))
    }
  }

  // MARK: Connecting

  private func dialed(_ result: Result<Dialer.Connected, DialError>) {
    switch result {
    case .failure(let error): close(error.reason)
    case .success(let connected):
      address = connected.address
      secure(connected.descriptor)
    }
  }

  private func secure(_ descriptor: Int32) {
    do {
      let channel = try SecureChannel(
        loop: loop, descriptor: descriptor, context: configuration.tls, owner: self)
      channel.expect(serverName: configuration.serverName ?? configuration.host)
      state = .securing(channel)
      try channel.start()
    } catch let error as TLSError {
      close(.tlsFailed(error.description))
    } catch {
      close(.broken("\(error)"))
    }
  }

  // MARK: Time

  private func setAlarm() {
    var time = min(connectDeadline, settingsDeadline, pending.earliestDeadline)
    time = min(time, session?.earliestDeadline ?? MonotonicTime.never, nextPing)
    guard time != MonotonicTime.never else { return }
    time = max(time, loop.now + ClientCore.alarmStep)
    if let alarm {
      if alarm.time <= time { return }
      loop.cancel(alarm.id)
    }
    let id = loop.addTimer(at: time) { [weak self] in self?.alarmRang() }
    alarm = (id, time)
  }

  /// When a PING is to be sent, or its answer is late.
  private var nextPing: Int64 {
    guard case .open = state else { return MonotonicTime.never }
    if let pingSent { return MonotonicTime.time(pingSent, plus: MonotonicTime.nanoseconds(configuration.pingTimeout)) }
    guard let idle = configuration.pingAfterIdle else { return MonotonicTime.never }
    return MonotonicTime.time(lastReceived, plus: MonotonicTime.nanoseconds(idle))
  }

  private func alarmRang() {
    alarm = nil
    let now = loop.now
    if now >= connectDeadline { return close(.connectTimeout(stage: connectStage)) }
    if now >= settingsDeadline { return close(.settingsTimeout) }
    if now >= nextPing {
      if pingSent != nil { return close(.pingTimeout) }
      ping()
    }
    pending.expire(at: now) { id in collector.fail(id, HTTP2Failure(.notProcessed, .deadline)) }
    // When an answer is late and nothing at all came meanwhile, the connection itself may be dead: ask it.
    let late = session?.expire(at: now) ?? 0
    if late > 0, now - lastReceived > MonotonicTime.nanoseconds(configuration.pingTimeout) / 2 { ping() }
    setAlarm()
    askFlush()
  }

  private var connectStage: HTTP2ConnectStage {
    if case .dialing(let dialer) = state { return dialer.stage }
    return .tls
  }

  // MARK: Turns of the loop

  private func askFlush() {
    guard !flushAsked, !flushing else { return }
    flushAsked = true
    loop.flushLater(self)
  }

  private func updateStreamLimit() {
    let server = session?.settings.maxConcurrentStreams.map { Int($0) } ?? initialServerLimit
    streamLimit = min(server, configuration.streamLimit, callerLimit)
  }

  private var initialServerLimit: Int {
    settingsDeadline == MonotonicTime.never && connectDeadline == MonotonicTime.never
      ? Int.max : configuration.initialStreamLimit
  }

  /// Opens streams and writes frames until nothing more can be done.
  private func pump(_ channel: SecureChannel, _ session: ClientSession) {
    var opened = 0
    repeat {
      opened = 0
      while opened < ClientCore.streamsPerBlock, session.open < streamLimit,
        channel.waiting < FrameWriter.waitingLimit, let (batch, index, handedOver) = pending.take()
      {
        let deadline = unsafe MonotonicTime.time(handedOver, plus: batch.entries[index].timeout)
        guard session.submit(batch, index, deadline: deadline) else {
          return unsafe abandon(batch.entries[index].id, session.complaint)
        }
        session.leaveIfUsedUp()
        opened += 1
      }
      guard session.write(to: channel) else { return close(.broken("no frame could be written")) }
    } while opened > 0
  }

  /// The session takes no request any more: the one at hand takes its reason from the connection's end.
  private func abandon(_ id: UInt64, _ why: String) {
    let reason = HTTP2CloseReason.broken(why)
    collector.fail(id, HTTP2Failure(.notProcessed, .connectionClosed(reason)))
    close(reason)
  }

  private func endIfDone(_ session: ClientSession) {
    guard case .open = state else { return }
    if let frame = session.goAway, session.open == 0 { return close(.goAway(frame)) }
    if session.isDone { return close(.protocolError(session.complaint)) }
    if draining, pending.isEmpty, session.isIdle { close(.requested) }
  }
}

extension ClientCore: LoopMember {
  func flush() {
    flushAsked = false
    flushing = true
    // Results first: the observer often hands over the next requests in return, and they are sent at once.
    deliver()
    if case .open(let channel) = state, let session {
      pump(channel, session)
      endIfDone(session)
      if !collector.isEmpty { deliver() }
    }
    flushing = false
    if case .closed(let reason) = state { return finish(reason) }
    setAlarm()
    // Requests submitted after the pump are sent in the next turn.
    if !collector.isEmpty || canOpen { askFlush() }
  }

  /// Whether a request waits that could be sent now.
  private var canOpen: Bool {
    guard !pending.isEmpty, case .open(let channel) = state, let session else { return false }
    return session.open < streamLimit && channel.waiting < FrameWriter.waitingLimit
  }

  private func deliver() {
    guard !collector.isEmpty, let connection else { return }
    collector.deliver { observer.connection(connection, finished: $0) }
  }

  private func finish(_ reason: HTTP2CloseReason) {
    while !collector.isEmpty { deliver() }
    guard let connection else { return }
    self.connection = nil
    loop.leave(self)
    if !closedReported { observer.connection(connection, event: .closed(reason)) }
    closedReported = true
  }

  func loopStops() { close(.loopStopped) }

  private func report(_ event: HTTP2ConnectionEvent) {
    if let connection { observer.connection(connection, event: event) }
  }
}

extension ClientCore: SecureChannelOwner {
  func channelOpened() {
    guard case .securing(let channel) = state else { return }
    connectDeadline = MonotonicTime.never
    guard channel.chosenProtocol == "h2" else { return close(.noALPN) }
    let session = ClientSession(configuration: configuration, collector: collector, now: loop.now)
    session.owner = self
    self.session = session
    state = .open(channel)
    lastReceived = loop.now
    settingsDeadline = MonotonicTime.time(
      loop.now, plus: MonotonicTime.nanoseconds(configuration.settingsTimeout))
    updateStreamLimit()
    setAlarm()
    report(.ready(address: address))
    askFlush()
  }

  func channelReceived(_ bytes: UnsafeBufferPointer<UInt8>) {
    lastReceived = loop.now
    guard case .open(let channel) = state, let session else { return }
    feeding = true
    let problem = unsafe session.feed(bytes, at: loop.now, from: channel)
    feeding = false
    if let reason = problem ?? pendingClose { close(reason) } else { askFlush() }
  }

  func channelDrained() { askFlush() }

  func channelEnded(_ end: SecureChannel.End) {
    switch end {
    case .handshakeFailed(let why): close(.tlsFailed(why))
    case .noCommonProtocol: close(.noALPN)
    case .closedByPeer: close(session?.goAway.map { .goAway($0) } ?? .closedByPeer)
    case .broken(let why): close(.broken(why))
    }
  }
}

extension ClientCore: ClientSessionOwner {
  func sessionSettingsChanged(_ settings: HTTP2Settings) {
    settingsDeadline = MonotonicTime.never
    updateStreamLimit()
    report(.settings(settings, streams: streamLimit))
  }

  func sessionGoingAway(_ frame: HTTP2GoAway) {
    failPending(.goAway(frame))
    report(.goAway(frame))
  }

  func sessionPong() {
    guard let sent = pingSent else { return }
    pingSent = nil
    report(.pong(roundTrip: .nanoseconds(MonotonicTime.now() - sent)))
  }
}
