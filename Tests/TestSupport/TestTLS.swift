internal import COpenSSL
import Glibc

/// TLS as a client of a test speaks it, on a socket that blocks.
///
/// `@unchecked Sendable`: a test uses its client from one thread at a time.
public final class TestTLS: @unchecked Sendable {
  private let context: OpaquePointer
  private let ssl: OpaquePointer

  /// Does the handshake; the certificate must be vouched for by one of the `authorities`, PEM, for `localhost`.
  ///
  /// Throws what OpenSSL says when the handshake fails.
  init(socket: Int32, authorities: String, alpn: [String]) throws {
    guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
      throw HTTPTestClient.Failure(description: "no TLS session")
    }
    (self.context, self.ssl) = (context, ssl)
    let text = Array(authorities.utf8)
    let bio = BIO_new_mem_buf(text, Int32(text.count))
    defer { BIO_free(bio) }
    if let authority = PEM_read_bio_X509(bio, nil, nil, nil) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority)
      X509_free(authority)
    }
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
    SSL_set1_host(ssl, "localhost")
    let names = alpn.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    if !names.isEmpty { SSL_set_alpn_protos(ssl, names, UInt32(names.count)) }
    SSL_set_fd(ssl, socket)
    ERR_clear_error()
    guard SSL_connect(ssl) == 1 else { throw HTTPTestClient.Failure(description: "handshake: \(Self.reason())") }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  /// What was agreed on: protocol version and ALPN.
  public var agreed: (version: String, alpn: String) {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &count)
    let alpn = String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    return (String(cString: SSL_get_version(ssl)), alpn)
  }

  /// Whether the other side has said that nothing more follows.
  public var isFinished: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

  /// The serial number of the certificate that was shown.
  public var serial: String {
    guard let certificate = SSL_get1_peer_certificate(ssl) else { return "" }
    defer { X509_free(certificate) }
    guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil), let text = BN_bn2hex(number) else {
      return ""
    }
    defer {
      BN_free(number)
      CRYPTO_free(text, nil, 0)
    }
    return String(cString: text)
  }

  func send(_ bytes: [UInt8]) -> Bool {
    var count = 0
    ERR_clear_error()
    return bytes.isEmpty || SSL_write_ex(ssl, bytes, bytes.count, &count) == 1
  }

  func receive(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var received = 0
    ERR_clear_error()
    return SSL_read_ex(ssl, &bytes, count, &received) == 1 ? Array(bytes[..<received]) : []
  }

  private static func reason() -> String {
    guard let text = ERR_reason_error_string(ERR_get_error()) else { return "the connection ended" }
    return String(cString: text)
  }
}
