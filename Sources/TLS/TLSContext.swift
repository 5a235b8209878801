internal import COpenSSL
internal import Glibc
internal import Signing
internal import System

/// The TLS settings that many connections share: TLS 1.2 or later.
///
/// `@unchecked Sendable`: the `SSL_CTX` is configured in the factory functions only; afterwards OpenSSL allows any
/// number of threads to make sessions from it.
///
/// `@safe`: the object owns one reference of the `SSL_CTX` and lets go of it in `deinit`.
@safe public final class TLSContext: @unchecked Sendable {
  package let context: OpaquePointer
  package let isServer: Bool

  /// The cipher suites of TLS 1.3, the cheapest one on processors with AES instructions first.
  static let suites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  /// The cipher suites of TLS 1.2: forward secrecy and authenticated encryption only (RFC 9113 section 9.2.2).
  static let olderSuites =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
  /// How much ciphertext one read may take, in bytes.
  static let readBufferBytes = 131_072

  private init(server: Bool, holdsBuffers: Bool = true) throws(TLSError) {
    guard let context = unsafe SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()) else {
      throw TLSError(description: "cannot set up TLS: \(OpenSSLQueue.drain())")
    }
    unsafe self.context = unsafe context
    isServer = server
    _ = unsafe postrider_SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
    unsafe SSL_CTX_set_options(
      context, postrider_SSL_OP_NO_RENEGOTIATION | postrider_SSL_OP_NO_COMPRESSION | postrider_SSL_OP_NO_TICKET)
    _ = unsafe postrider_SSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
    guard unsafe SSL_CTX_set_ciphersuites(context, TLSContext.suites) == 1,
      unsafe SSL_CTX_set_cipher_list(context, TLSContext.olderSuites) == 1
    else { throw TLSError(description: "cannot choose cipher suites: \(OpenSSLQueue.drain())") }
    guard holdsBuffers else {
      _ = unsafe postrider_SSL_CTX_set_mode(
        context, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
      return
    }
    // One system call reads many records; without this OpenSSL reads each record's header by itself.
    unsafe postrider_SSL_CTX_set_read_ahead(context, 1)
    unsafe SSL_CTX_set_default_read_buffer_len(context, TLSContext.readBufferBytes)
  }

  deinit { unsafe SSL_CTX_free(context) }

  /// Settings for connections that this side opens: the server's certificate and its name are always verified.
  /// - Parameters:
  ///   - trust: the certificate authorities to trust.
  ///   - identity: the client certificate, when the server asks for one.
  /// - Throws: ``TLSError`` when a certificate or key cannot be read or they do not belong together.
  public static func client(trust: TLSTrust = .system, identity: TLSIdentity? = nil) throws(TLSError) -> TLSContext {
    let result = try TLSContext(server: false)
    unsafe SSL_CTX_set_verify(result.context, SSL_VERIFY_PEER, nil)
    try result.load(trust)
    if let identity { try result.load(identity) }
    let protocols = ALPN.wire(["h2"])
    unsafe SSL_CTX_set_alpn_protos(result.context, protocols, UInt32(protocols.count))
    return result
  }

  /// Settings for incoming connections.
  /// - Parameters:
  ///   - identity: the server's certificate and key.
  ///   - clientTrust: when given, client certificates are requested and verified against these authorities.
  ///   - clientCertificateRequired: whether a client without certificate is refused.
  ///   - alpn: the protocols to choose by ALPN, best first; a client that offers none of them is refused with the TLS
  ///     alert `no_application_protocol`, one that does not use ALPN gets no protocol. Empty: ALPN is ignored.
  ///   - holdsBuffers: whether a connection keeps its buffers while it waits: faster, at 128 KiB a connection. Without
  ///     them a write may take a part of what it is given.
  /// - Throws: ``TLSError`` when a certificate or key cannot be read or they do not belong together.
  public static func server(
    identity: TLSIdentity, clientTrust: TLSTrust? = nil, clientCertificateRequired: Bool = false,
    alpn: [String] = ["h2"], holdsBuffers: Bool = true
  ) throws(TLSError) -> TLSContext {
    let result = try TLSContext(server: true, holdsBuffers: holdsBuffers)
    try result.load(identity)
    if let clientTrust {
      try result.load(clientTrust)
      let required = clientCertificateRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
      unsafe SSL_CTX_set_verify(result.context, SSL_VERIFY_PEER | required, nil)
    }
    result.chooseALPN(ALPN.wire(alpn))
    return result
  }

  /// When the certificate of this side expires, in seconds since 1970; nil without one.
  package var certificateExpiry: Int64? {
    guard let certificate = unsafe SSL_CTX_get0_certificate(context) else { return nil }
    var time = unsafe tm()
    guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return nil }
    return unsafe Int64(timegm(&time))
  }

  private func chooseALPN(_ wire: [UInt8]) {
    guard !wire.isEmpty else { return }
    alpnChoice = StableBytes(wire)
    // The context is unretained: the SSL_CTX that holds it dies with this object.
    unsafe SSL_CTX_set_alpn_select_cb(
      context,
      { _, chosen, chosenLength, offered, offeredLength, argument in
        guard let argument = unsafe argument, let chosen = unsafe chosen, let chosenLength = unsafe chosenLength else {
          return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        let choice = unsafe Unmanaged<StableBytes>.fromOpaque(argument).takeUnretainedValue()
        let result = unsafe chosen.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 1) {
          unsafe SSL_select_next_proto($0, chosenLength, choice.start, UInt32(choice.count), offered, offeredLength)
        }
        return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
      }, unsafe alpnChoice.map { unsafe Unmanaged.passUnretained($0).toOpaque() })
  }

  private var alpnChoice: StableBytes?

  private func load(_ trust: TLSTrust) throws(TLSError) {
    switch trust {
    case .system:
      guard unsafe SSL_CTX_set_default_verify_paths(context) == 1 else {
        throw TLSError(description: "cannot load the system's certificate authorities: \(OpenSSLQueue.drain())")
      }
    case .file(let path):
      guard unsafe SSL_CTX_load_verify_locations(context, path, nil) == 1 else {
        throw TLSError(description: "cannot load certificate authorities from \(path): \(OpenSSLQueue.drain())")
      }
    case .pem(let text):
      let certificates = try unsafe PEM.certificates(text, "the certificate authorities")
      defer { unsafe certificates.forEach { unsafe X509_free($0) } }
      let store = unsafe SSL_CTX_get_cert_store(context)
      unsafe certificates.forEach { unsafe _ = X509_STORE_add_cert(store, $0) }
    }
  }

  private func load(_ identity: TLSIdentity) throws(TLSError) {
    let chain = try unsafe PEM.certificates(identity.certificatePEM, "the certificate chain")
    defer { unsafe chain.forEach { unsafe X509_free($0) } }
    let key = try unsafe PEM.privateKey(identity.keyPEM)
    defer { unsafe EVP_PKEY_free(key) }
    guard unsafe SSL_CTX_use_certificate(context, chain[0]) == 1 else {
      throw TLSError(description: "cannot use the certificate: \(OpenSSLQueue.drain())")
    }
    for index in unsafe chain.indices.dropFirst() {
      let certificate = unsafe chain[index]
      // The context takes over this reference.
      unsafe X509_up_ref(certificate)
      _ = unsafe postrider_SSL_CTX_add_extra_chain_cert(context, certificate)
    }
    guard unsafe SSL_CTX_use_PrivateKey(context, key) == 1, unsafe SSL_CTX_check_private_key(context) == 1 else {
      throw TLSError(
        description: "the private key does not belong to the certificate (\(OpenSSLQueue.drain())); "
          + "give the key that the first certificate of the chain was made for")
    }
  }
}

/// The wire form of protocol names (RFC 7301 section 3.1).
enum ALPN {
  static func wire(_ names: [String]) -> [UInt8] {
    names.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8.prefix(255)) }
  }
}
