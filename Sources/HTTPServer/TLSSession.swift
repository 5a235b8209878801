internal import CLinux
internal import COpenSSL
import Glibc
internal import Signing
internal import TLS

/// TLS on a connection's socket, which never blocks; touched by the thread of its loop only.
///
/// OpenSSL reads and writes the socket itself, and does the handshake with the first reads.
///
/// `@safe`: the object owns the `SSL` from `init` to `deinit`.
@safe final class TLSSession {
  /// What a read or a write came to.
  enum Outcome {
    case bytes(Int)
    /// The socket has nothing, or takes nothing, for now.
    case blocked
    /// The client closed its side, or broke the protocol.
    case ended
  }

  private let ssl: OpaquePointer
  /// The settings outlive their session.
  private let context: TLSContext
  private var isBroken = false
  /// Whether the client has sent anything.
  var hasBegun = false

  /// Nil when the system is out of memory.
  init?(_ context: TLSContext, socket: Int32) {
    guard let ssl = unsafe SSL_new(context.context) else { return nil }
    guard let input = unsafe BIO_new_socket(socket, BIO_NOCLOSE), let output = unsafe SocketOutput.make(socket) else {
      unsafe SSL_free(ssl)
      return nil
    }
    unsafe self.ssl = unsafe ssl
    self.context = context
    unsafe SSL_set_bio(ssl, input, output)
    unsafe SSL_set_accept_state(ssl)
  }

  deinit { unsafe SSL_free(ssl) }

  /// Whether the handshake is done.
  var isOpen: Bool { unsafe SSL_is_init_finished(ssl) == 1 }

  /// Reads plain bytes; a short count does not mean that no more is there.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    guard !isBroken else { return .ended }
    var count = 0
    OpenSSLQueue.clear()
    if unsafe SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count) == 1 { return .bytes(count) }
    return failure()
  }

  /// Writes plain bytes, or a part of them; after ``Outcome/blocked`` the same bytes must come again.
  func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    guard !isBroken else { return .ended }
    var count = 0
    OpenSSLQueue.clear()
    if unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) == 1 { return .bytes(count) }
    return failure()
  }

  /// Says that nothing more follows, so that the client can tell an end from a connection that was cut.
  func finish() {
    guard !isBroken, isOpen else { return }
    OpenSSLQueue.clear()
    unsafe SSL_shutdown(ssl)
    OpenSSLQueue.clear()
  }

  private func failure() -> Outcome {
    switch unsafe SSL_get_error(ssl, 0) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .blocked
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      // OpenSSL forbids every further call on the session.
      isBroken = true
      OpenSSLQueue.clear()
      return .ended
    }
  }
}

/// An OpenSSL BIO that writes to a socket without SIGPIPE, which OpenSSL's own does not spare a process.
private enum SocketOutput {
  static func make(_ socket: Int32) -> OpaquePointer? {
    guard let bio = unsafe BIO_new(method) else { return nil }
    // The descriptor itself, one higher, because zero would be no pointer.
    unsafe BIO_set_data(bio, UnsafeMutableRawPointer(bitPattern: Int(socket) + 1))
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  // Safe: written once, by the initializer of a static property, and only read by OpenSSL afterwards.
  nonisolated(unsafe) private static let method: OpaquePointer? = {
    let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "postrider socket")
    unsafe BIO_meth_set_write(method) { bio, bytes, count in
      unsafe BIO_clear_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
      let socket = unsafe Int32(Int(bitPattern: BIO_get_data(bio)) - 1)
      let written = unsafe send(socket, bytes, Int(count), Int32(MSG_NOSIGNAL))
      if written < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR {
        unsafe BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
      }
      return Int32(written)
    }
    unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return unsafe method
  }()
}
