/// Whom a passkey is for: the host name by which browsers reach the server, and the origin of its pages.
public struct RelyingParty: Sendable, Hashable {
  /// The numbers of the algorithms that are offered (IANA COSE Algorithms), the best first: ES256, Ed25519, RS256.
  public static let algorithms: [Int64] = [-7, -8, -257]

  /// The id: the host name.
  public let id: String
  /// The origin of the pages, such as `https://push.example.com`.
  public let origin: String

  /// The relying party of a request, by its `Host` header; nil for a host that no passkey can be for: browsers make none for an
  /// address of numbers.
  ///
  /// Over plain HTTP it is one only on the machine itself, as `localhost`, where alone browsers offer passkeys without TLS.
  ///
  /// - Parameters:
  ///   - host: the header, a name and perhaps a port.
  ///   - isSecure: whether the browser came by TLS.
  public init?(host: String, isSecure: Bool) {
    let parts = host.lowercased().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first.map(String.init), Self.isName(name) else { return nil }
    if parts.count == 2 {
      guard (1...5).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
    }
    guard isSecure || name == "localhost" || name.hasSuffix(".localhost") else { return nil }
    id = name
    origin = (isSecure ? "https://" : "http://") + host.lowercased()
  }

  private static func isName(_ name: String) -> Bool {
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    // A last label of digits makes it an address (WHATWG URL, section 3.5).
    guard name.utf8.count <= 253, let last = labels.last, !last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count)
        && label.utf8.allSatisfy { byte in
          switch byte {
          case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"): true
          default: false
          }
        }
    }
  }
}

/// What is read of an answer; browsers write far less.
public enum WebAuthnLimits {
  /// The longest client data.
  public static let clientDataBytesMax = 2_048
  /// The longest attestation object: room for an id, a key of RSA and extensions.
  public static let attestationBytesMax = 4_096
  /// The longest authenticator data of a sign-in.
  public static let authenticatorDataBytesMax = 1_024
  /// The longest signature: of RSA with 16 384 bits.
  public static let signatureBytesMax = 2_048
  /// The longest id of a credential (WebAuthn level 3, section 6.5.1).
  public static let credentialBytesMax = 1_023
}
