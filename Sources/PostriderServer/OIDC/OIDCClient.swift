internal import Basics
internal import HTTP2
internal import HTTPClient
internal import Signing
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// The server's side of the talk with an identity provider: its document, its keys, its tokens.
///
/// What the document and the keys say is believed for an hour; a token of an unknown key has the keys read anew, at most once a
/// minute, so that a key that the provider changes is found at once.
final class OIDCClient: Sendable {
  private struct Cache: Sendable {
    var provider: (value: OIDCProvider, at: Int64)?
    var keys: (value: OIDCKeySet, at: Int64)?
    /// A fault is remembered for a moment: nobody who is not signed in may make the server ask and ask.
    var fault: (value: OIDCFault, at: Int64)?
    var underWay = 0
  }

  /// Bytes of an answer of the provider.
  static let answerBytesMax = 256 * 1_024
  /// The longest wait for one answer, in milliseconds.
  static let answerMs = 10_000
  /// Sign-ins that wait for the provider at once; more are refused with a request to retry.
  static let underWayMax = 32
  private static let cacheSeconds: Int64 = 3_600
  private static let keysSeconds: Int64 = 60
  private static let faultSeconds: Int64 = 5

  let setting: OIDCSetting
  private let issuer: OIDCAddress
  private let proxy: HTTP2Proxy?
  private let http: HTTPClient
  private let cache = Mutex(Cache())

  /// Nil when the thread of its requests cannot be had.
  init?(_ setting: OIDCSetting, proxy: HTTP2Proxy?) {
    var limits = HTTPClientLimits()
    limits.requestMs = OIDCClient.answerMs
    limits.answerBytesMax = OIDCClient.answerBytesMax
    limits.concurrentMax = OIDCClient.underWayMax
    guard let issuer = OIDCAddress(setting.issuer),
      let http = HTTPClient(limits: limits, authorities: setting.authorities)
    else { return nil }
    (self.setting, self.issuer, self.proxy, self.http) = (setting, issuer, proxy, http)
  }

  func stop() { http.stop() }

  // MARK: - What the provider says of itself

  /// The provider's document.
  func provider(now: Timestamp) async throws(OIDCFault) -> OIDCProvider {
    let known = cache.withLock { $0.provider }
    if let known, OIDCClient.isFresh(known.at, now, OIDCClient.cacheSeconds) { return known.value }
    if let fault = cache.withLock({ $0.fault }), OIDCClient.isFresh(fault.at, now, OIDCClient.faultSeconds) {
      throw fault.value
    }
    do throws(OIDCFault) {
      let bytes = try await fetch(OIDCProvider.documentAddress(setting.issuer), "discovery document")
      let provider = try OIDCProvider(bytes, issuer: setting.issuer)
      cache.withLock { $0.provider = (provider, now.seconds) }
      return provider
    } catch {
      if error.kind == .provider { cache.withLock { $0.fault = (error, now.seconds) } }
      throw error
    }
  }

  /// The provider's keys, those of a moment ago included.
  func keys(now: Timestamp, believedFor seconds: Int64 = cacheSeconds) async throws(OIDCFault) -> OIDCKeySet {
    let known = cache.withLock { $0.keys }
    if let known, OIDCClient.isFresh(known.at, now, seconds) { return known.value }
    let keys = try OIDCKeySet(try await fetch(try await provider(now: now).keys.text, "list of keys"))
    cache.withLock { $0.keys = (keys, now.seconds) }
    return keys
  }

  private static func isFresh(_ instant: Int64, _ now: Timestamp, _ seconds: Int64) -> Bool {
    (0..<seconds).contains(now.seconds - instant)
  }

  // MARK: - Signing in

  /// Where a browser goes to sign in.
  func address(of start: OIDCStart, back: String, now: Timestamp) async throws(OIDCFault) -> String {
    let endpoint = try await provider(now: now).authorization.text
    let query = OIDCClient.form([
      ("response_type", "code"), ("scope", "openid email"), ("client_id", setting.clientID), ("redirect_uri", back),
      ("state", start.state), ("nonce", start.nonce), ("code_challenge", start.challenge),
      ("code_challenge_method", "S256"),
    ])
    return endpoint + (endpoint.contains("?") ? "&" : "?") + query
  }

  /// Of whom a code is: exchanged for an ID token, which is verified.
  func claims(
    code: String, _ start: OIDCStart, back: String, now: Timestamp
  ) async throws(OIDCFault) -> OIDCToken.Claims {
    let provider = try await provider(now: now)
    let answer = try await exchange(code: code, start, back: back, provider)
    guard let text = answer["id_token"]?.string else {
      throw .provider("the provider's answer to the code has no ID token")
    }
    let token = try OIDCToken(text)
    guard token.isSigned(by: try await key(of: token, now)) else {
      throw .provider("the ID token's signature is not of the key that it names")
    }
    var claims = try token.claims(
      OIDCToken.Expectation(
        issuer: setting.issuer, clientID: setting.clientID, nonce: start.nonce, now: now))
    if claims.email == nil, let userInfo = provider.userInfo, let access = answer["access_token"]?.string {
      claims.email = try await email(of: claims.subject, userInfo, access)
    }
    return claims
  }

  private func key(of token: OIDCToken, _ now: Timestamp) async throws(OIDCFault) -> OIDCKeySet.Key {
    let known = try await keys(now: now)
    if let key = known.key(named: token.keyName, token.algorithm) { return key }
    // The provider may have changed its keys since.
    let renewed = try await keys(now: now, believedFor: OIDCClient.keysSeconds)
    guard let key = renewed.key(named: token.keyName, token.algorithm) else {
      throw .provider("the ID token is signed with a key that the provider does not list")
    }
    return key
  }

  private func exchange(
    code: String, _ start: OIDCStart, back: String, _ provider: OIDCProvider
  ) async throws(OIDCFault) -> JSONObject {
    var form = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", back), ("code_verifier", start.verifier),
    ]
    var headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
    if let secret = setting.secret, !provider.takesSecretInBody {
      // RFC 6749 section 2.3.1: both are encoded as in a form before they are joined.
      let pair = "\(PercentEncoding.encode(setting.clientID)):\(PercentEncoding.encode(secret))"
      headers.append(("Authorization", "Basic " + Base64.encode(Array(pair.utf8))))
    } else {
      form.append(("client_id", setting.clientID))
      if let secret = setting.secret { form.append(("client_secret", secret)) }
    }
    let answer = try await ask(
      "POST", provider.token.text, headers: headers, body: Array(OIDCClient.form(form).utf8), "answer to the code")
    let object = try? OIDCProvider.object(answer.body, "the provider's answer to the code")
    guard answer.status == 200, let object else {
      let error = object?["error"]?.string.flatMap(OIDCClient.shown) ?? "status \(answer.status)"
      guard error != "invalid_grant" else { throw .refused("the provider does not take the code again; sign in again") }
      throw .provider("the provider refuses the code (\(error)); an operator has to look at the client there")
    }
    return object
  }

  /// The email that the provider tells apart from the token (section 5.3).
  private func email(
    of subject: String, _ address: OIDCAddress, _ access: String
  ) async throws(OIDCFault) -> String? {
    let answer = try await ask(
      "GET", address.text, headers: [("Authorization", "Bearer \(access)"), ("Accept", "application/json")], body: [],
      "user information")
    guard answer.status == 200 else {
      throw .provider("the provider answers \(answer.status) when it is asked for the email")
    }
    let object = try OIDCProvider.object(answer.body, "the provider's user information")
    // Section 5.3.2: of another person it must not be used.
    guard object["sub"]?.string?.utf8.elementsEqual(subject.utf8) ?? false else {
      throw .provider("the provider's user information is of somebody else than the ID token")
    }
    return OIDCToken.email(object)
  }

  /// A code of an error, when it is one (RFC 6749 section 5.2): whatever else there is might be anybody's text.
  static func shown(_ text: String) -> String? {
    let isCode = text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) }
    return isCode && (1...60).contains(text.utf8.count) ? text : nil
  }

  private static func form(_ pairs: [(String, String)]) -> String {
    pairs.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
  }

  // MARK: - Requests

  private func fetch(_ url: String, _ what: String) async throws(OIDCFault) -> [UInt8] {
    let answer = try await ask("GET", url, headers: [("Accept", "application/json")], body: [], what)
    guard answer.status == 200 else {
      // Redirects are not followed: where they lead nobody has named.
      throw .provider("the provider answers \(answer.status) instead of its \(what)")
    }
    return answer.body
  }

  /// The time by the provider's clock, and its document, for who looks whether all is well.
  func documentDate() async throws(OIDCFault) -> String? {
    let url = OIDCProvider.documentAddress(setting.issuer)
    return try await ask("GET", url, headers: [("Accept", "application/json")], body: [], "discovery document")
      .fields["Date"]
  }

  private func ask(
    _ method: String, _ url: String, headers: [(String, String)], body: [UInt8], _ what: String
  ) async throws(OIDCFault) -> HTTPAnswer {
    // The operator has named the issuer's host; what a document leads to besides must be public.
    let isOwn = OIDCAddress(url)?.host == issuer.host
    var post = HTTPPost(
      url: url, headers: headers.map { (name: $0.0, value: $0.1) }, body: body, allowsPrivate: isOwn)
    post.method = method
    post.answerFields = ["Date"]
    let request = post
    let isAdmitted = cache.withLock { cache in
      guard cache.underWay < OIDCClient.underWayMax else { return false }
      cache.underWay += 1
      return true
    }
    guard isAdmitted else {
      throw OIDCFault(kind: .busy, detail: "too many people sign in at once; try again in a moment")
    }
    defer { cache.withLock { $0.underWay -= 1 } }
    let egress = WebhookEgress(proxy: proxy, allowsPrivate: isOwn)
    let answer = await withCheckedContinuation { continuation in
      egress.exchange(request, through: http) { continuation.resume(returning: $0) }
    }
    switch answer {
    case .answer(let answer): return answer
    case .failed(let why), .unsent(let why): throw .provider("the provider's \(what) cannot be had: \(why)")
    }
  }
}
