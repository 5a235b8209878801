internal import Basics
internal import HTTP2
internal import Signing
internal import TLS

/// The certificates of an emulator: one authority, a good leaf, and leaves that clients must refuse.
struct EmulatorCertificates: Sendable {
  /// What clients trust.
  let authorityPEM: String
  let good: TLSContext
  let faulty: FaultyCertificates

  /// Makes everything anew, for `localhost`, the loopback addresses and the given host.
  init(host: String, clientTrust: TLSTrust?) throws(EmulatorError) {
    do {
      let authority = try CertificateAuthority(commonName: "Postrider emulator")
      let stranger = try CertificateAuthority(commonName: "Postrider emulator")
      authorityPEM = authority.certificatePEM
      var names = CertificateRequest(
        commonName: "localhost", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"])
      if host.utf8.allSatisfy({ $0 == 0x2E || $0 == 0x3A || Hex.value($0) != nil }) {
        if !names.ipAddresses.contains(host) { names.ipAddresses.append(host) }
      } else if !names.dnsNames.contains(host) {
        names.dnsNames.append(host)
      }
      var old = names
      old.validity = -7200...(-3600)
      let elsewhere = CertificateRequest(commonName: "elsewhere.invalid", dnsNames: ["elsewhere.invalid"])
      let leaf = try authority.issue(names)
      good = try Self.context(leaf, clientTrust)
      faulty = FaultyCertificates(
        expired: try Self.context(authority.issue(old), nil),
        wrongName: try Self.context(authority.issue(elsewhere), nil),
        untrusted: try Self.context(stranger.issue(names), nil),
        noALPN: try TLSContext.server(identity: Self.identity(leaf), alpn: ["http/1.1"]))
    } catch {
      throw EmulatorError("cannot set up TLS: \(error)")
    }
  }

  private static func identity(_ made: CertificateIdentity) -> TLSIdentity {
    TLSIdentity(certificatePEM: Array(made.certificatePEM.utf8), keyPEM: Array(made.privateKeyPEM.utf8))
  }

  private static func context(_ made: CertificateIdentity, _ clientTrust: TLSTrust?) throws(TLSError) -> TLSContext {
    try TLSContext.server(identity: identity(made), clientTrust: clientTrust)
  }
}

/// TLS settings that a careful client refuses.
struct FaultyCertificates: Sendable {
  let expired: TLSContext
  let wrongName: TLSContext
  let untrusted: TLSContext
  let noALPN: TLSContext
}

/// An emulator that cannot start or a setting that cannot be used.
public struct EmulatorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed, why, and what to do.
  public let description: String

  /// Whether a setting is wrong, and not the network or the machine.
  public let isAboutSettings: Bool

  init(_ description: String, isAboutSettings: Bool = false) {
    self.description = description
    self.isAboutSettings = isAboutSettings
  }
}
