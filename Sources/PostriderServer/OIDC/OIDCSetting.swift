/// The identity provider that people may sign in with (OpenID Connect Core 1.0).
public struct OIDCSetting: Sendable {
  /// The provider's name for itself, as its discovery document and its tokens have it.
  public let issuer: String
  /// What the provider calls this server.
  public let clientID: String
  /// The secret that goes with it, which is never logged; nil for a public client, which PKCE alone protects.
  public let secret: String?
  /// What the sign-in page calls the provider.
  public let name: String
  /// A PEM file with the authorities that may vouch for the provider; nil means the system's.
  public let authorities: String?

  private static let textBytesMax = 1_024
  /// The longest name that a button has room for.
  public static let nameCharactersMax = 40

  /// Checks what an operator gives.
  ///
  /// - Throws: ``OIDCSettingError`` with what was expected of which option; it repeats no secret.
  public init(
    issuer: String, clientID: String, secret: String?, name: String? = nil, authorities: String? = nil
  ) throws(OIDCSettingError) {
    guard issuer.utf8.count <= OIDCSetting.textBytesMax, let address = OIDCAddress(issuer), address.isBare else {
      throw OIDCSettingError(
        description: "--oidc-issuer: expected the provider's address, such as https://login.example.com/realms/staff,"
          + " without user, query and fragment; plain http only for this machine (http://127.0.0.1:PORT)")
    }
    guard OIDCSetting.isPlain(clientID) else {
      throw OIDCSettingError(description: "--oidc-client-id: expected the name that the provider gave, in ASCII")
    }
    guard secret.map(OIDCSetting.isPlain) ?? true else {
      throw OIDCSettingError(
        description: "the secret of the OpenID Connect client is empty, too long or not printable ASCII; copy it anew,"
          + " or give none for a public client")
    }
    guard name.map({ !$0.isEmpty && $0.count <= OIDCSetting.nameCharactersMax }) ?? true else {
      throw OIDCSettingError(
        description: "--oidc-name: expected 1 to \(OIDCSetting.nameCharactersMax) characters, such as Example")
    }
    (self.issuer, self.clientID, self.secret, self.authorities) = (issuer, clientID, secret, authorities)
    self.name = name ?? String(address.host.prefix(OIDCSetting.nameCharactersMax))
  }

  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= textBytesMax && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}

/// Why a setting of the identity provider cannot be used.
public struct OIDCSettingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was expected where, and what to do.
  public let description: String
}

/// Why somebody is not signed in by an identity provider; the texts repeat nothing secret.
struct OIDCFault: Error, Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    /// The browser or its user: they may try again.
    case refused
    /// The provider does not answer, or not as it should: an operator has to look.
    case provider
    /// Too many wait for the provider at once.
    case busy
  }

  let kind: Kind
  let detail: String

  static func refused(_ detail: String) -> OIDCFault { OIDCFault(kind: .refused, detail: detail) }
  static func provider(_ detail: String) -> OIDCFault { OIDCFault(kind: .provider, detail: detail) }

  var problem: Problem {
    switch kind {
    case .refused: Problem(.signInRefused, detail)
    case .provider: Problem(.issuerUnusable, detail)
    case .busy: Problem(.busy, detail, headers: [("Retry-After", "2")])
    }
  }
}

extension Problem.Kind {
  static let issuerUnusable = Problem.Kind(
    name: "issuer-unusable", status: 502, title: "The identity provider does not answer as it should")
}
