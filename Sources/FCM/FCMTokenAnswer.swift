import WireJSON

/// The answer of an OAuth token endpoint.
package enum FCMTokenAnswer: Sendable, Hashable {
  /// The longest body that is read, in bytes; an access token is about 1 kB.
  static let bodyBytesMax = 64 * 1024
  /// What is assumed when the answer names no `expires_in`.
  static let lifetimeDefault: Duration = .seconds(3600)

  /// An access token and how long it lives.
  case token(String, lifetime: Duration)
  /// No token.
  case failure(FCMAccessToken.Failure)

  /// The endpoint did not answer, which says nothing about the credential.
  package static func unreachable(_ detail: String) -> FCMTokenAnswer {
    .failure(FCMAccessToken.Failure(isRefusal: false, detail: detail))
  }

  /// Reads an answer.
  package init(status: Int, body: [UInt8]) {
    let object = (try? JSON.parse(body))?.object
    if status == 200 {
      self = FCMTokenAnswer.granted(object)
    } else {
      self = .failure(FCMTokenAnswer.refused(status, object))
    }
  }

  private static func granted(_ object: JSONObject?) -> FCMTokenAnswer {
    guard let token = object?["access_token"]?.string, !token.isEmpty,
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      return .failure(
        FCMAccessToken.Failure(isRefusal: false, detail: "the token endpoint answered 200 without an \"access_token\""))
    }
    return .token(token, lifetime: object?["expires_in"]?.int.map { .seconds($0) } ?? lifetimeDefault)
  }

  private static func refused(_ status: Int, _ object: JSONObject?) -> FCMAccessToken.Failure {
    let code = object?["error"]?.string ?? ""
    let text = object?["error_description"]?.string ?? ""
    let said = [code, text].filter { !$0.isEmpty }.joined(separator: ": ")
    let detail = "the token endpoint answered \(status)\(said.isEmpty ? "" : " (\(said.prefix(300)))")"
    let isRefusal = statusesOfRefusals.contains(status) && refusals.contains(code)
    return FCMAccessToken.Failure(isRefusal: isRefusal, detail: isRefusal ? detail + advice(code) : detail)
  }

  /// Codes by which the endpoint judges the credential: asking again changes nothing until a person has acted.
  ///
  /// Anything else, whatever its status, may be the word of a proxy or of an endpoint in trouble.
  /// Source: RFC 6749 sections 4.1.2.1 and 5.2; Google, "Using OAuth 2.0 for server to server applications", error codes.
  private static let refusals: Set<String> = [
    "invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope", "access_denied", "deleted_client",
    "disabled_client", "org_internal", "admin_policy_enforced",
  ]
  private static let statusesOfRefusals: Set<Int> = [400, 401, 403]

  private static func advice(_ code: String) -> String {
    switch code {
    case "invalid_grant":
      "; check that this machine's clock is right, and that the key has not been deleted or the account disabled"
    case "invalid_client", "unauthorized_client": "; check that the service account may use Firebase Cloud Messaging"
    case "invalid_scope": "; the account may not use the scope firebase.messaging"
    default: "; check the key file"
    }
  }
}
