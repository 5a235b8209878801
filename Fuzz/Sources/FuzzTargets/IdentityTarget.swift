import PostriderServer
import PushStore
import Signing
import StoreModel
import WireJSON

extension FuzzTarget {
  private static let identitySecret = Array("a secret that no input knows, of 41 bytes".utf8)
  private static let identityApp = "shop"
  private static let identityNow = Timestamp(milliseconds: 1_790_000_000_000)

  static let identity = FuzzTarget(
    name: "identity",
    about: "identity tokens: none is signed that was not, a signed one names its user only when its claims hold"
  ) { (bytes) throws(FuzzFailure) in
    // One byte says what the rest is: a whole token, the claims of a signed one, or its header.
    guard let kind = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    let header = Array(#"{"alg":"HS256","typ":"JWT","kid":"k"}"#.utf8)
    switch kind % 3 {
    case 0:
      guard let token = try identityToken(rest) else { return }
      try expect(!token.isSigned(by: .hs256(identitySecret)), "a token that nobody signed is believed")
    case 1:
      let signed = JWS.compact(header: header, claims: rest, secret: identitySecret)
      guard let token = try identityToken(Array(signed.utf8)) else {
        return try expect(signed.utf8.count > IdentityToken.bytesMax, "a signed token of an allowed length is not read")
      }
      try expect(token.isSigned(by: .hs256(identitySecret)), "a signed token is not believed")
      try expect(!token.isSigned(by: .hs256(identitySecret.reversed())), "another secret verifies it")
      try subjectHolds(token, claims: rest)
    default:
      let claims = Array(#"{"sub":"ann","aud":"shop","exp":1790000600}"#.utf8)
      let signed = JWS.compact(header: rest, claims: claims, secret: identitySecret)
      guard let token = try identityToken(Array(signed.utf8)) else { return }
      let given = (try? JSON.parse(rest))?.object
      try expect(given?["kid"]?.string == token.keyName, "the key's name is not the header's")
      try expect(given?["alg"]?.string == token.algorithm, "the algorithm is not the header's")
      try expect(given?["crit"] == nil, "a critical extension is passed over")
    }
  }

  private static func identityToken(_ bytes: [UInt8]) throws(FuzzFailure) -> IdentityToken? {
    do throws(IdentityFault) { return try IdentityToken(bytes[...]) } catch {
      try expect(!error.code.isEmpty && !error.detail.isEmpty, "a fault that says nothing")
      return nil
    }
  }

  /// A user comes from claims that a second look finds whole.
  private static func subjectHolds(_ token: IdentityToken, claims: [UInt8]) throws(FuzzFailure) {
    let subject: String
    do throws(IdentityFault) { subject = try token.subject(app: identityApp, now: identityNow) } catch {
      return try expect(!error.code.isEmpty && !error.detail.isEmpty, "a fault that says nothing")
    }
    guard let object = (try? JSON.parse(claims))?.object, let end = object["exp"]?.int else {
      throw FuzzFailure("claims that are no JSON, or never end, name a user")
    }
    try expect(object["sub"]?.string == subject && !subject.isEmpty, "the user is not the claims'")
    let now = Int(identityNow.seconds)
    try expect(end > now - 61 && end <= now + 86_460, "a token that ends at \(end) holds at \(now)")
    let audience = object["aud"].map { $0.array ?? [$0] } ?? []
    try expect(audience.contains { $0.string == identityApp }, "a token for another app holds")
    try expect(object.count { $0.key == "sub" } == 1, "a token with two users holds")
  }
}
