internal import Basics
public import Signing
package import WireJSON

/// A service account as Google's token endpoint knows it: the public half.
public struct ServiceAccount: Sendable {
  /// `client_email`, the issuer of its assertions.
  public var clientEmail: String
  /// `project_id`: the Firebase project it sends for.
  public var projectID: String
  /// `private_key_id`; when an assertion names a `kid`, it must be this one.
  public var keyID: String
  /// The public half of `private_key`.
  public var publicKey: RSAPublicKey

  /// Registers an account.
  public init(clientEmail: String, projectID: String, keyID: String, publicKey: RSAPublicKey) {
    self.clientEmail = clientEmail
    self.projectID = projectID
    self.keyID = keyID
    self.publicKey = publicKey
  }
}

/// Google's token endpoint without its network: a signed assertion in, an access token out (RFC 7523).
public struct OAuthEndpoint: Sendable {
  /// The registered accounts.
  public var accounts: [ServiceAccount] = []
  /// How long an access token is good, in seconds.
  public var tokenLifetimeSeconds = 3599
  /// Whether FCM takes any bearer token for any project: for load tests without OAuth.
  public var acceptsAnyAccessToken = false

  /// An access token that was handed out.
  struct Grant: Sendable {
    var projectID: String
    var expiresMs: Int64
  }

  private var grants: [String: Grant] = [:]
  /// Counts revocations, so that connections know when to look again.
  var generation = 0
  private var random: EmulatorRandom

  static let grantsMax = 10_000
  static let bodyBytesMax = 32 * 1024
  /// How far the client's clock may be ahead, in seconds.
  static let clockSkewSeconds = 300
  /// An assertion lives at most this long, in seconds.
  static let assertionLifetimeSeconds = 3600
  static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  /// Scopes that allow sending; the Admin SDKs ask for the wider one.
  static let scopes: Set<String> = [
    "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    "https://www.googleapis.com/auth/firebase",
  ]

  /// An endpoint whose tokens follow from the seed.
  public init(seed: UInt64) { random = EmulatorRandom(seed: seed ^ 0x6F61_7574_68) }

  /// Answers one request to the token endpoint.
  public mutating func handle(
    _ request: GatewayRequest, faults: inout FaultEngine, nowMs: Int64, response: inout GatewayResponse
  ) -> GatewayAction {
    response.reset()
    var action = GatewayAction()
    let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    let (effect, delayMs) = unsafe faults.verdict(.oauth, token: none, topic: none, nowMs: nowMs)
    action.delayMs = delayMs
    if case .refuse(let refusal) = effect {
      refuse(
        refusal.name, "refused by the scenario", status: refusal.status ?? 400, &response)
      if let seconds = refusal.retryAfterSeconds { response.add("retry-after", text: String(seconds)) }
      return action
    }
    if action.take(effect, &response) { return action }
    answer(request, nowMs: nowMs, &response)
    return action
  }

  private mutating func answer(_ request: GatewayRequest, nowMs: Int64, _ response: inout GatewayResponse) {
    guard request.text(.method) == "POST" else {
      return refuse("invalid_request", "the token endpoint takes POST only", status: 405, &response)
    }
    guard request.body.count <= Self.bodyBytesMax, let form = FormBody(Array(request.body)) else {
      return refuse("invalid_request", "the body is not application/x-www-form-urlencoded", &response)
    }
    guard form["grant_type"] == Self.grantType else {
      return refuse("unsupported_grant_type", "grant_type must be \(Self.grantType)", &response)
    }
    guard let assertion = form["assertion"], let token = try? JWS.split(assertion) else {
      return refuse("invalid_request", "the assertion is missing or no JWT", &response)
    }
    switch check(token, nowMs: nowMs) {
    case .refused(let error, let description): refuse(error, description, &response)
    case .account(let account): grant(account, nowMs: nowMs, &response)
    }
  }

  private enum Verdict {
    case account(ServiceAccount)
    case refused(String, String)
  }

  private func check(_ token: JWS, nowMs: Int64) -> Verdict {
    guard let header = try? JSON.parse(token.header), let claims = try? JSON.parse(token.claims) else {
      return .refused("invalid_grant", "header or claims of the assertion are no JSON")
    }
    guard header["alg"]?.string == "RS256" else {
      return .refused("invalid_grant", "the assertion is not signed with RS256")
    }
    guard let account = accounts.first(where: { $0.clientEmail == claims["iss"]?.string }) else {
      return .refused("invalid_grant", "the issuer is no registered service account")
    }
    if let keyID = header["kid"]?.string, keyID != account.keyID {
      return .refused("invalid_grant", "the key id is not one of this account")
    }
    guard token.verify(account.publicKey) else {
      return .refused("invalid_grant", "the signature of the assertion is wrong")
    }
    if let problem = Self.checkTimes(claims, nowSeconds: Int(nowMs / 1000)) {
      return .refused("invalid_grant", problem)
    }
    let asked = (claims["scope"]?.string ?? "").split(separator: " ").map(String.init)
    guard asked.contains(where: Self.scopes.contains) else {
      return .refused("invalid_scope", "no scope of the assertion allows sending")
    }
    return .account(account)
  }

  /// What is wrong with the times of an assertion; nil when nothing is.
  package static func checkTimes(_ claims: JSONValue, nowSeconds now: Int) -> String? {
    guard let issued = claims["iat"]?.int, let expires = claims["exp"]?.int else {
      return "iat and exp are required, in seconds"
    }
    guard issued <= now.saturatingAdding(Self.clockSkewSeconds) else {
      return "iat lies in the future; check the clock"
    }
    guard expires > now.saturatingSubtracting(Self.clockSkewSeconds) else {
      return "the assertion has expired; check the clock"
    }
    guard expires > issued, expires.saturatingSubtracting(issued) <= Self.assertionLifetimeSeconds else {
      return "exp is not within one hour after iat"
    }
    return nil
  }

  private mutating func grant(_ account: ServiceAccount, nowMs: Int64, _ response: inout GatewayResponse) {
    let token = "ya29.emulated-" + String(random.next(), radix: 36) + String(random.next(), radix: 36)
    keep(token, account.projectID, tokenLifetimeSeconds, nowMs)
    response.status = 200
    response.add("content-type", "application/json; charset=utf-8")
    response.body.append(
      contentsOf: JSON.minified([
        "access_token": .string(token), "expires_in": .number(JSONNumber(tokenLifetimeSeconds)),
        "token_type": "Bearer",
      ]))
  }

  private func refuse(
    _ error: String, _ description: String, status: Int = 400, _ response: inout GatewayResponse
  ) {
    response.status = status
    response.add("content-type", "application/json; charset=utf-8")
    response.body.append(
      contentsOf: JSON.minified(["error": .string(error), "error_description": .string(description)]))
  }

  /// The grant behind an access token.
  func grant(_ token: String) -> Grant? { grants[token] }

  /// Makes every access token handed out so far invalid.
  public mutating func revokeAll() {
    grants.removeAll()
    generation += 1
  }

  /// Hands out an access token without an assertion, for tests and load.
  public mutating func issue(projectID: String, lifetimeSeconds: Int = 3599, nowMs: Int64) -> String {
    let token = "ya29.emulated-" + String(random.next(), radix: 36)
    keep(token, projectID, lifetimeSeconds, nowMs)
    return token
  }

  /// Keeps a grant; of too many the expired ones go first, then all.
  private mutating func keep(_ token: String, _ projectID: String, _ lifetimeSeconds: Int, _ nowMs: Int64) {
    if grants.count >= Self.grantsMax { grants = grants.filter { $0.value.expiresMs > nowMs } }
    if grants.count >= Self.grantsMax { grants.removeAll() }
    let lifetimeMs = Int64(clamping: lifetimeSeconds).saturatingMultiplied(by: 1000)
    grants[token] = Grant(projectID: projectID, expiresMs: nowMs.saturatingAdding(lifetimeMs))
  }
}

/// A body of `application/x-www-form-urlencoded`.
struct FormBody {
  private var pairs: [(name: String, value: String)] = []

  /// Reads a form; nil when an escape is broken.
  init?(_ bytes: [UInt8]) {
    for pair in bytes.split(separator: 0x26) {
      let cut = pair.firstIndex(of: 0x3D) ?? pair.endIndex
      guard let name = Self.decode(pair[..<cut]), let value = Self.decode(pair[cut...].dropFirst()) else { return nil }
      pairs.append((name, value))
    }
  }

  subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  private static func decode(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case 0x2B: bytes.append(0x20)
      case 0x25:
        guard let high = rest.popFirst().flatMap(Hex.value), let low = rest.popFirst().flatMap(Hex.value) else {
          return nil
        }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
