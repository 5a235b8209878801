internal import Signing
internal import WireJSON

/// Checks who sends a web push (VAPID, RFC 8292).
struct VAPIDAuthority: Sendable {
  /// The values of `authorization` that were checked last, with the key and when they expire: senders repeat them.
  private var checked: [[UInt8]: Checked] = [:]

  private static let checkedMax = 64

  private struct Checked: Sendable {
    let origin: String
    let key: [UInt8]
    let expires: Int64
    let hasSubject: Bool
  }

  /// Checks a request to a subscription.
  ///
  /// - Parameters:
  ///   - origin: what the token's audience has to be.
  ///   - subscriptionKey: the public key that the subscription is bound to; nil for none.
  /// - Throws: 401 without a token, 403 for one that is wrong or of another key (RFC 8292 section 4.2).
  mutating func check(
    _ request: GatewayRequest, origin: String, subscriptionKey: [UInt8]?, settings: WebPushGatewaySettings, nowMs: Int64
  ) throws(WebPushFailure) {
    guard let range = request.range(.authorization) else {
      guard subscriptionKey != nil || settings.requiresVAPID else { return }
      throw WebPushFailure(401, "the Authorization header is missing: vapid t=TOKEN, k=KEY (RFC 8292 section 3)")
    }
    let value = Array(request.bytes[range])
    let token: Checked
    if let known = checked[value], known.origin == origin {
      token = known
    } else {
      token = try Self.read(value, origin: origin)
      if checked.count >= Self.checkedMax { checked.removeAll() }
      checked[value] = token
    }
    let now = nowMs / 1000
    guard token.expires > now else { throw WebPushFailure(403, "the token has expired: exp is \(token.expires)") }
    guard token.expires <= now + 86_400 else {
      throw WebPushFailure(403, "the token's exp is more than 24 hours away (RFC 8292 section 2)")
    }
    guard token.hasSubject || !settings.requiresSubject else {
      throw WebPushFailure(403, "the token has no sub: mailto: or https: of whom to contact")
    }
    if let subscriptionKey, subscriptionKey != token.key {
      throw WebPushFailure(403, "the subscription belongs to another VAPID key than k")
    }
  }

  private static func read(_ value: [UInt8], origin: String) throws(WebPushFailure) -> Checked {
    let text = String(decoding: value, as: UTF8.self)
    guard let space = text.firstIndex(of: " "), text[..<space].lowercased() == "vapid" else {
      throw WebPushFailure(401, "the Authorization header is not vapid t=TOKEN, k=KEY (RFC 8292 section 3)")
    }
    var parameters: [String: String] = [:]
    for part in text[space...].split(separator: ",") {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = part[..<equals].filter { $0 != " " }.lowercased()
      parameters[name] = part[part.index(after: equals)...].filter { $0 != " " && $0 != "\"" }
    }
    guard let token = parameters["t"], let point = parameters["k"].flatMap({ Base64URL.decode($0) }) else {
      throw WebPushFailure(401, "the Authorization header needs both t and k")
    }
    let key: ECPublicKey
    let jws: JWS
    do {
      key = try ECPublicKey(point: point)
      jws = try JWS.split(token)
    } catch {
      throw WebPushFailure(403, "\(error)")
    }
    let header = try? JSON.parse(jws.header)
    guard header?["alg"]?.string == "ES256", jws.verify(key) else {
      throw WebPushFailure(403, "the token is not signed with ES256 by the owner of k")
    }
    guard let claims = try? JSON.parse(jws.claims), case .object(let members) = claims else {
      throw WebPushFailure(403, "the token's claims are not a JSON object")
    }
    guard members["aud"]?.string == origin else {
      throw WebPushFailure(403, "the token's aud is not \(origin), the origin of the endpoint")
    }
    guard case .number(let expires)? = members["exp"], let seconds = expires.int else {
      throw WebPushFailure(403, "the token's exp is missing or not a whole number of seconds")
    }
    let subject = members["sub"]?.string ?? ""
    return Checked(
      origin: origin, key: point, expires: Int64(seconds),
      hasSubject: subject.hasPrefix("mailto:") || subject.hasPrefix("https:"))
  }
}
