/// Closes a socket so that the peer can read what was written last.
///
/// The system resets a socket that is closed while bytes of the peer are unread, and a reset discards what was not sent
/// yet, such as the GOAWAY with the reason. So the rest is written, the sending side closed, and what arrives discarded
/// until the peer closes too: for a second at most. Confined to a loop, which holds it until then.
final class LingeringClose: EventHandler, LoopMember {
  private let loop: EventLoop
  private let descriptor: Int32
  private let output: ByteQueue
  private var token: UInt64?
  private var timer: TimerQueue.ID?
  private var isSent = false

  private static let limitNs: Int64 = 1_000_000_000
  /// What is discarded in one turn of the loop, in bytes.
  private static let turnBytes = 262_144

  /// Takes ownership of the descriptor, which must not be registered with a poller.
  static func begin(_ loop: EventLoop, _ descriptor: Int32, _ output: ByteQueue) {
    let closing = LingeringClose(loop, descriptor, output)
    guard let token = try? loop.watch(descriptor, [.readable, .writable], closing) else {
      return Socket.close(descriptor)
    }
    closing.token = token
    closing.timer = loop.addTimer(at: MonotonicTime.now() + limitNs) { [weak closing] in closing?.finish() }
    loop.join(closing)
    closing.send()
  }

  private init(_ loop: EventLoop, _ descriptor: Int32, _ output: ByteQueue) {
    self.loop = loop
    self.descriptor = descriptor
    self.output = output
  }

  func ready(_ events: IOEvents) {
    if !isSent { send() }
    if !events.isDisjoint(with: [.readable, .hangup]) { discard() }
  }

  private func send() {
    while !output.isEmpty {
      switch unsafe Socket.send(descriptor, output.start, output.count) {
      case .bytes(let count): output.dropFirst(count)
      case .wouldBlock: return
      case .ended, .failed: return finish()
      }
    }
    isSent = true
    Socket.endSending(descriptor)
    if let token { loop.change(token, descriptor, .readable) }
  }

  private func discard() {
    unsafe withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
      guard let start = buffer.baseAddress else { return }
      var left = Self.turnBytes
      while left > 0, token != nil {
        switch unsafe Socket.receive(descriptor, start, buffer.count) {
        case .bytes(let count): left -= count
        case .wouldBlock: return
        case .ended, .failed: finish()
        }
      }
    }
  }

  func flush() {}

  func loopStops() { finish() }

  private func finish() {
    guard let token else { return }
    self.token = nil
    loop.unwatch(token, descriptor)
    if let timer { loop.cancel(timer) }
    Socket.close(descriptor)
    loop.leave(self)
  }
}
