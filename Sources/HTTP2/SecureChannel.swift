internal import COpenSSL
internal import Signing
internal import TLS

/// The callbacks of a channel to its owner, on the loop.
protocol SecureChannelOwner: AnyObject {
  /// The handshake is done.
  func channelOpened()
  /// Plain bytes came in; they are gone after the call.
  func channelReceived(_ bytes: UnsafeBufferPointer<UInt8>)
  /// What was waiting has been written.
  func channelDrained()
  /// The channel cannot go on. Called at most once, and not after `close`.
  func channelEnded(_ end: SecureChannel.End)
}

/// TLS over a connected socket, confined to one loop.
///
/// Reading: OpenSSL reads the socket itself, up to 128 KiB per call, and the plain bytes of many records are handed
/// over together. Writing: OpenSSL writes records into a queue, which goes to the socket in few large calls.
///
/// `@safe`: the object owns the `SSL` from `init` to `deinit`; buffers are lent for one call.
@safe final class SecureChannel: EventHandler {
  enum End {
    case handshakeFailed(String)
    /// The peer does not speak HTTP/2 (RFC 7301 section 3.2).
    case noCommonProtocol
    case closedByPeer
    case broken(String)
  }

  private enum State { case handshake, open, closed }

  private let loop: EventLoop
  private let descriptor: Int32
  private let ssl: OpaquePointer
  private let context: TLSContext
  private let output = ByteQueue(capacity: 160 * 1024)
  private let input: UnsafeMutablePointer<UInt8>
  private weak var owner: (any SecureChannelOwner)?
  private var token: UInt64?
  private var interest: IOEvents = .readable
  private var state = State.handshake
  private var blocked = false
  private var paused = false

  private static let inputBytes = 131_072
  private static let recordBytes = 16_384
  /// How much may be read in one turn of the loop before others get their turn, in bytes.
  private static let turnBytes = 1_048_576

  /// Takes over the descriptor.
  init(loop: EventLoop, descriptor: Int32, context: TLSContext, owner: any SecureChannelOwner) throws(TLSError) {
    guard let ssl = unsafe SSL_new(context.context), let reader = unsafe BIO_new_socket(descriptor, BIO_NOCLOSE) else {
      Socket.close(descriptor)
      throw TLSError(description: "cannot make a TLS session: \(OpenSSLQueue.drain())")
    }
    self.loop = loop
    self.descriptor = descriptor
    unsafe self.ssl = unsafe ssl
    self.context = context
    self.owner = owner
    unsafe input = .allocate(capacity: SecureChannel.inputBytes)
    unsafe SSL_set_bio(ssl, reader, QueueBIO.make(output))
    if context.isServer { unsafe SSL_set_accept_state(ssl) } else { unsafe SSL_set_connect_state(ssl) }
  }

  deinit {
    unsafe SSL_free(ssl)
    unsafe input.deallocate()
  }

  /// Asks for a server name and verifies the certificate against it.
  func expect(serverName: String) {
    let isAddress = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), serverName) == 1
    guard !isAddress else { return }
    OpenSSLQueue.clear()
    unsafe SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    unsafe SSL_set1_host(ssl, serverName)
    _ = unsafe postrider_SSL_set_tlsext_host_name(ssl, serverName)
  }

  func start() throws(SystemError) {
    token = try loop.watch(descriptor, interest, self)
    handshake()
  }

  /// The protocol chosen by ALPN.
  var chosenProtocol: String {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    unsafe SSL_get0_alpn_selected(ssl, &name, &length)
    return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  /// The PEM text of the certificate that the peer showed, if any.
  var peerCertificatePEM: [UInt8]? {
    guard let certificate = unsafe SSL_get1_peer_certificate(ssl) else { return nil }
    defer { unsafe X509_free(certificate) }
    return unsafe PEM.text(certificate)
  }

  /// How many bytes are queued for the socket.
  var waiting: Int { output.count }

  func ready(_ events: IOEvents) {
    if events.contains(.writable) { flush(drained: true) }
    guard state != .closed, !events.isDisjoint(with: [.readable, .hangup]) else { return }
    // Nothing would be read, and the system would report it for ever.
    if paused, events.contains(.hangup) { return end(.closedByPeer) }
    switch state {
    case .handshake: if loop.admitsHandshake() { handshake() }
    case .open: read()
    case .closed: break
    }
  }

  private func handshake() {
    OpenSSLQueue.clear()
    let result = unsafe SSL_do_handshake(ssl)
    let error = unsafe result == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, result)
    let problem = result == 1 || error == SSL_ERROR_WANT_READ ? nil : handshakeProblem(error)
    // Also on failure: the peer gets a TLS alert.
    flush(drained: false)
    guard state == .handshake else { return }
    switch error {
    case SSL_ERROR_NONE:
      state = .open
      owner?.channelOpened()
      if state == .open { read() }
    default: if let problem { end(problem) }
    }
  }

  /// A peer that ends the connection in the middle says nothing about certificates and protocols: that is a broken
  /// connection, which may work the next time, and not a failed handshake.
  private func handshakeProblem(_ error: Int32) -> End {
    let verification = unsafe SSL_get_verify_result(ssl)
    let reason = postrider_ERR_GET_REASON(ERR_peek_error())
    let wasCut = error == SSL_ERROR_SYSCALL || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING
    let queue = OpenSSLQueue.drain()
    if verification != Int(X509_V_OK) {
      return unsafe .handshakeFailed(
        "the certificate is not trusted: " + String(cString: X509_verify_cert_error_string(verification)))
    }
    if reason == SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL { return .noCommonProtocol }
    return wasCut ? .broken("the peer ended it during the TLS handshake") : .handshakeFailed(queue)
  }

  private func read() {
    var total = 0
    while state == .open, !paused {
      var count = 0
      var next = 0
      OpenSSLQueue.clear()
      var more = true
      while count + SecureChannel.recordBytes <= SecureChannel.inputBytes {
        guard unsafe SSL_read_ex(ssl, input + count, SecureChannel.inputBytes - count, &next) == 1 else {
          more = false
          break
        }
        count += next
      }
      // Before the owner, whose calls may change `errno` and OpenSSL's error queue.
      let end = more ? nil : readProblem()
      if count > 0 { unsafe owner?.channelReceived(UnsafeBufferPointer(start: input, count: count)) }
      guard more else {
        if let end, state == .open { self.end(end) }
        return
      }
      total += count
      if total >= SecureChannel.turnBytes { return loop.again(self) }
    }
  }

  /// Why the last read gave no bytes; `nil` when there are none yet.
  private func readProblem() -> End? {
    let number = SystemError("read").errno
    switch unsafe SSL_get_error(ssl, 0) {
    case SSL_ERROR_WANT_READ: return nil
    case SSL_ERROR_ZERO_RETURN: return .closedByPeer
    case SSL_ERROR_SYSCALL: return number == 0 ? .closedByPeer : .broken(SystemError.text(number))
    default:
      let code = ERR_peek_error()
      let why = OpenSSLQueue.drain()
      let wasCut = postrider_ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING
      return wasCut ? .closedByPeer : .broken(why)
    }
  }

  /// Encrypts plain bytes into the queue; `flush` sends them.
  func write(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    guard state == .open, count > 0 else { return }
    var written = 0
    OpenSSLQueue.clear()
    // The queue takes everything, so that this neither blocks nor writes a part.
    if unsafe SSL_write_ex(ssl, bytes, count, &written) != 1 { end(.broken(OpenSSLQueue.drain())) }
  }

  /// Gives the socket what it takes now; the rest follows when it is writable.
  func flush() {
    if !blocked { flush(drained: false) }
  }

  private func flush(drained report: Bool) {
    while state != .closed, !output.isEmpty {
      switch unsafe Socket.send(descriptor, output.start, output.count) {
      case .bytes(let count): output.dropFirst(count)
      case .wouldBlock:
        setBlocked(true)
        return
      case .ended: return
      case .failed(let number): return end(.broken(SystemError.text(number)))
      }
    }
    guard state != .closed else { return }
    setBlocked(false)
    if report { owner?.channelDrained() }
  }

  private func setBlocked(_ value: Bool) {
    guard blocked != value else { return }
    blocked = value
    updateInterest()
  }

  /// Stops reading the socket, or starts again.
  func pauseReading(_ value: Bool) {
    guard paused != value, state != .closed else { return }
    paused = value
    updateInterest()
    if !value { loop.again(self) }
  }

  private func updateInterest() {
    interest = paused ? [] : .readable
    if blocked { interest.insert(.writable) }
    if let token { loop.change(token, descriptor, interest) }
  }

  private func end(_ end: End) {
    guard state != .closed else { return }
    sayGoodbye()
    release()
    Socket.close(descriptor)
    owner?.channelEnded(end)
  }

  /// Closes the socket: with a TLS close alert and FIN, or with RST.
  ///
  /// A server lingers: its client shall be able to read why.
  func close(abruptly: Bool) {
    guard state != .closed else { return }
    let lingers = state == .open && !abruptly && context.isServer
    if abruptly { Socket.resetOnClose(descriptor) } else { sayGoodbye() }
    release()
    if lingers { LingeringClose.begin(loop, descriptor, output) } else { Socket.close(descriptor) }
  }

  private func sayGoodbye() {
    guard state == .open else { return }
    OpenSSLQueue.clear()
    unsafe SSL_shutdown(ssl)
    OpenSSLQueue.clear()
    if !output.isEmpty, case .bytes(let count) = unsafe Socket.send(descriptor, output.start, output.count) {
      output.dropFirst(count)
    }
  }

  private func release() {
    state = .closed
    if let token { loop.unwatch(token, descriptor) }
    token = nil
  }
}
