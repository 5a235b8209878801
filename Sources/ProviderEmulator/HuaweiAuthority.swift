internal import PushPayload
internal import Signing
internal import WireJSON

/// Huawei's OAuth endpoint without its network: client id and secret in, an access token out (RFC 6749, section 4.4).
///
/// Source for errors: Huawei, "Error codes" of `https://oauth-login.cloud.huawei.com/oauth2/v3/token`.
struct HuaweiAuthority: Sendable {
  /// An access token that was handed out.
  private struct Grant: Sendable {
    let clientID: String
    let expiresMs: Int64
  }

  /// The secrets of the registered clients by their ids.
  var clients: [String: String] = [:]
  /// The project that each client belongs to; of a client without one the project's number is its own.
  var projects: [String: String] = [:]
  /// How long an access token is good, in seconds.
  var tokenLifetimeSeconds = 3600
  private var grants: [String: Grant] = [:]
  private var random: EmulatorRandom

  static let path: StaticString = "/oauth2/v3/token"
  private static let grantsMax = 10_000

  init(seed: UInt64) { random = EmulatorRandom(seed: seed ^ 0x686D_73) }

  /// Answers one request to the token endpoint, which rules name as a service of its own.
  mutating func handle(
    _ request: GatewayRequest, faults: inout FaultEngine, nowMs: Int64, response: inout GatewayResponse
  ) -> GatewayAction {
    response.reset()
    var action = GatewayAction()
    let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    let (effect, delayMs) = unsafe faults.verdict(.hmsOAuth, token: none, topic: none, nowMs: nowMs)
    action.delayMs = delayMs
    if case .refuse(let refusal) = effect {
      // An error has a number; one that is a status comes with it.
      let number = Int(refusal.name) ?? Self.invalidGrant
      let status = refusal.status ?? ((400...599).contains(number) ? number : 400)
      refuse(number, nil, "refused by the scenario", status: status, &response)
      if let seconds = refusal.retryAfterSeconds { response.add("retry-after", text: String(seconds)) }
      return action
    }
    if action.take(effect, &response) { return action }
    answer(request, nowMs: nowMs, &response)
    return action
  }

  /// Huawei's number for what is wrong with a request for a token.
  private static let invalidGrant = 1101

  private mutating func answer(_ request: GatewayRequest, nowMs: Int64, _ response: inout GatewayResponse) {
    guard request.text(.method) == "POST" else {
      return refuse(Self.invalidGrant, nil, "POST only", status: 405, &response)
    }
    guard request.body.count <= OAuthEndpoint.bodyBytesMax, let form = FormBody(Array(request.body)) else {
      return refuse(Self.invalidGrant, nil, "the body is no form", &response)
    }
    guard form["grant_type"] == "client_credentials" else {
      return refuse(Self.invalidGrant, nil, "grant_type must be client_credentials", &response)
    }
    guard let id = form["client_id"], !id.isEmpty, id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return refuse(Self.invalidGrant, 20002, "invalid client_id", &response)
    }
    guard let secret = form["client_secret"], !secret.isEmpty else {
      return refuse(Self.invalidGrant, 20171, "client_secret is empty", &response)
    }
    guard let known = clients[id] else { return refuse(Self.invalidGrant, 20003, "unknown client_id", &response) }
    guard known == secret else { return refuse(Self.invalidGrant, 12304, "invalid client secret", &response) }
    let token = "DQEmulated" + random.hex() + random.hex() + "=="
    keep(token, id, nowMs)
    response.status = 200
    response.add("content-type", "application/json;charset=UTF-8")
    response.body = JSON.minified([
      "access_token": .string(token), "expires_in": .number(JSONNumber(tokenLifetimeSeconds)), "token_type": "Bearer",
    ])
  }

  private mutating func keep(_ token: String, _ id: String, _ nowMs: Int64) {
    if grants.count >= Self.grantsMax { grants = grants.filter { $0.value.expiresMs > nowMs } }
    if grants.count >= Self.grantsMax { grants.removeAll() }
    let lifetimeMs = Int64(clamping: tokenLifetimeSeconds).saturatingMultiplied(by: 1000)
    grants[token] = Grant(clientID: id, expiresMs: nowMs.saturatingAdding(lifetimeMs))
  }

  private func refuse(
    _ error: Int, _ sub: Int?, _ text: String, status: Int = 400, _ response: inout GatewayResponse
  ) {
    response.status = status
    response.add("content-type", "application/json;charset=UTF-8")
    var object: JSONObject = ["error": .number(JSONNumber(error))]
    if let sub { object["sub_error"] = .number(JSONNumber(sub)) }
    object["error_description"] = .string(text)
    response.body = JSON.minified(.object(object))
  }

  /// Makes every access token handed out so far invalid.
  mutating func revokeAll() { grants.removeAll() }

  /// Checks the token of a request to an app's or a project's address; returns what is refused.
  func check(_ request: GatewayRequest, _ target: HuaweiTarget, nowMs: Int64) -> HuaweiFailure? {
    guard let value = request.text(.authorization) else { return HuaweiFailure("80200001", "no Authorization") }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer", let grant = grants[String(parts[1])] else {
      return HuaweiFailure("80200001", "OAuth authentication error")
    }
    guard nowMs < grant.expiresMs else { return HuaweiFailure("80200003", "OAuth token expired") }
    let isOwn =
      switch target {
      case .app(let id): id == grant.clientID
      case .project(let id): id == projects[grant.clientID, default: grant.clientID]
      }
    return isOwn ? nil : HuaweiFailure("80200001", "the access token is another client's")
  }
}

/// What the path of a send names.
enum HuaweiTarget: Hashable {
  case app(String)
  case project(String)

  private static let pathEnd = "/messages:send"

  /// Reads `/v1/{app}/messages:send` or `/v2/{project}/messages:send`; nil for any other path.
  init?(path: String) {
    guard path.hasSuffix(Self.pathEnd) else { return nil }
    let parts = path.dropLast(Self.pathEnd.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, !parts[2].isEmpty,
      parts[2].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    switch parts[1] {
    case "v1": self = .app(String(parts[2]))
    case "v2": self = .project(String(parts[2]))
    default: return nil
    }
  }

  /// The id.
  var id: String {
    switch self {
    case .app(let id), .project(let id): id
    }
  }
}

/// A refusal by Push Kit.
struct HuaweiFailure: Error, Hashable {
  /// The service response code; for a name that is no code, the answer has none.
  let code: String
  let message: String
  var status: Int
  var retryAfterSeconds: Int?

  /// - Parameter status: nil for the one that goes with the code.
  init(_ code: String, _ message: String, status: Int? = nil) {
    self.code = code
    self.message = message
    self.status = status ?? Self.status(of: code)
  }

  /// Huawei's pages name statuses and codes, and leave open which go together: parameters are 400 there, tokens 401.
  private static func status(of code: String) -> Int {
    switch code.prefix(4) {
    case "8010": code == "80100000" ? 200 : 400
    case "8020": 401
    case "8100": 500
    default: 200
    }
  }

  /// Whether the code is one of Push Kit's, by its form.
  private var isCode: Bool { code.utf8.count == 8 && code.utf8.allSatisfy { (0x30...0x39).contains($0) } }

  func write(to response: inout GatewayResponse, requestID: String) {
    response.status = status
    if let retryAfterSeconds { response.add("retry-after", text: String(retryAfterSeconds)) }
    guard isCode else {
      // A front end answers with a page, which clients must survive.
      response.add("content-type", "text/html")
      return response.append("<html><body>\(status)</body></html>\n")
    }
    response.add("content-type", "application/json")
    response.body = JSON.minified([
      "code": .string(code), "msg": .string(message), "requestId": .string(requestID),
    ])
  }
}
