import COpenSSL
import Glibc

/// A TLS client with ALPN `h2` that sends whatever bytes it is given; its reads and writes block, for 10 seconds at most.
final class RawClient {
  struct Failure: Error {
    let step: String
  }

  private let descriptor: Int32
  private let context: OpaquePointer?
  private let ssl: OpaquePointer?

  init(port: UInt16) throws {
    // A server that has closed must not end the process.
    signal(SIGPIPE, SIG_IGN)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    context = SSL_CTX_new(TLS_client_method())
    ssl = SSL_new(context)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(step: "connect") }
    SSL_set_alpn_protos(ssl, [2, 0x68, 0x32], 3)
    SSL_set_fd(ssl, descriptor)
    guard SSL_connect(ssl) == 1 else { throw Failure(step: "handshake") }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
    close(descriptor)
  }

  /// Whether all bytes could be written.
  func send(_ bytes: [UInt8]) -> Bool {
    var written = 0
    return SSL_write_ex(ssl, bytes, bytes.count, &written) == 1
  }

  /// All that the server sends until it closes, as text; `nil` when it does not.
  func readToEnd() -> String? {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    var count = 0
    while all.count < 1 << 24, SSL_read_ex(ssl, &piece, piece.count, &count) == 1 { all += piece[..<count] }
    return SSL_get_error(ssl, 0) == SSL_ERROR_WANT_READ ? nil : String(decoding: all, as: UTF8.self)
  }
}
