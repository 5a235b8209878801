import WireJSON

/// The answer of an OAuth token endpoint.
enum FCMTokenAnswer: Sendable, Hashable {
  /// The longest body that is read; an access token is about 1 kB.
  static let bodyBytesMax = 64 * 1024
  /// What is assumed when the answer names no `expires_in`.
  static let lifetimeDefault: Duration = .seconds(3600)

  /// An access token and how long it lives.
  case token(String, lifetime: Duration)
  /// No token.
  case failure(FCMAccessToken.Failure)

  /// Reads an answer.
  init(status: Int, body: [UInt8]) {
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
    // RFC 6749 section 5.2: a 400 or 401 judges the assertion; asking again with the same key changes nothing.
    let isRefusal = (400..<500).contains(status) && status != 429 && status != 408
    return FCMAccessToken.Failure(isRefusal: isRefusal, detail: isRefusal ? detail + advice(code) : detail)
  }

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
