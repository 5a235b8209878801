/// The certificates that one side of a TLS connection trusts.
public enum TLSTrust: Sendable, Hashable {
  /// The certificate authorities that the system trusts.
  case system
  /// The certificate authorities in this PEM text, and no others.
  case pem([UInt8])
  /// The certificate authorities in this PEM file, and no others.
  case file(String)
}

/// A certificate chain with its private key, both PEM.
public struct TLSIdentity: Sendable, CustomStringConvertible {
  /// The certificate, followed by intermediate ones if any.
  public var certificatePEM: [UInt8]
  /// The private key.
  public var keyPEM: [UInt8]

  /// An identity from PEM text.
  public init(certificatePEM: [UInt8], keyPEM: [UInt8]) {
    self.certificatePEM = certificatePEM
    self.keyPEM = keyPEM
  }

  /// Says nothing of the key.
  public var description: String { "TLS identity" }
}

/// A TLS configuration that cannot be used.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed, why, and what to do about it.
  ///
  /// No key material.
  public let description: String

  package init(description: String) { self.description = description }
}
