internal import WireJSON

/// What a provider says of itself (OpenID Connect Discovery 1.0 section 3).
struct OIDCProvider: Sendable, Hashable {
  let authorization: OIDCAddress
  let token: OIDCAddress
  let keys: OIDCAddress
  let userInfo: OIDCAddress?
  /// Whether the secret is sent in the body, because the header is not taken.
  let takesSecretInBody: Bool
  /// Whether it names itself in each answer that comes through the browser (RFC 9207).
  let namesItself: Bool

  private static let path = "/.well-known/openid-configuration"
  private static let limits = JSONLimits(maxDepth: 8)

  /// Where the document of an issuer is.
  static func documentAddress(_ issuer: String) -> String {
    (issuer.last == "/" ? String(issuer.dropLast()) : issuer) + path
  }

  init(_ bytes: [UInt8], issuer: String) throws(OIDCFault) {
    let document = try OIDCProvider.object(bytes, "the provider's discovery document")
    guard let named = document["issuer"]?.string else { throw OIDCProvider.fault("names no issuer") }
    // Section 4.3: exactly the same, or another provider could speak for this one.
    guard named.utf8.elementsEqual(issuer.utf8) else {
      throw OIDCProvider.fault(
        "is of another issuer than --oidc-issuer; an operator has to give the server the issuer exactly as the document has"
          + " it, to the last slash")
    }
    authorization = try OIDCProvider.address(document, "authorization_endpoint", of: issuer)
    token = try OIDCProvider.address(document, "token_endpoint", of: issuer)
    keys = try OIDCProvider.address(document, "jwks_uri", of: issuer)
    userInfo =
      document["userinfo_endpoint"] == nil
      ? nil : try OIDCProvider.address(document, "userinfo_endpoint", of: issuer)
    if let algorithms = OIDCProvider.names(document, "id_token_signing_alg_values_supported"),
      !algorithms.contains(where: { OIDCAlgorithm(rawValue: $0) != nil })
    {
      throw OIDCProvider.fault("offers neither RS256 nor ES256 for ID tokens")
    }
    if let methods = OIDCProvider.names(document, "code_challenge_methods_supported"), !methods.contains("S256") {
      throw OIDCProvider.fault("offers no PKCE with S256")
    }
    let ways = OIDCProvider.names(document, "token_endpoint_auth_methods_supported")
    takesSecretInBody = ways.map { !$0.contains("client_secret_basic") && $0.contains("client_secret_post") } ?? false
    namesItself = document["authorization_response_iss_parameter_supported"] == .bool(true)
  }

  static func object(_ bytes: [UInt8], _ what: String) throws(OIDCFault) -> JSONObject {
    guard let (value, duplicates) = try? JSON.parseReporting(bytes, limits: limits), let object = value.object,
      duplicates.isEmpty
    else { throw .provider("\(what) is no JSON object whose members have different names") }
    return object
  }

  private static func fault(_ what: String) -> OIDCFault { .provider("the provider's discovery document \(what)") }

  private static func names(_ document: JSONObject, _ name: String) -> [String]? {
    document[name]?.array?.compactMap(\.string)
  }

  /// TLS like the issuer's own: a document may not lead codes and keys out of it.
  private static func address(
    _ document: JSONObject, _ name: String, of issuer: String
  ) throws(OIDCFault) -> OIDCAddress {
    guard let text = document[name]?.string, let address = OIDCAddress(text) else {
      throw fault("has no address as \(name) that begins with https://")
    }
    guard address.isTLS || issuer.hasPrefix("http://") else { throw fault("leads by \(name) to plain http") }
    return address
  }
}
