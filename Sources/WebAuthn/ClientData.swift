internal import Signing
internal import WireJSON

/// What the browser says of a ceremony (WebAuthn level 3, section 5.8.1), as the authenticator signs it.
struct ClientData: Sendable {
  /// Which ceremony it is of.
  enum Ceremony: String, Sendable {
    case registration = "webauthn.create"
    case signIn = "webauthn.get"
  }

  /// SHA-256 of the bytes.
  let hash: [UInt8]
  /// The challenge that is answered.
  let challenge: [UInt8]

  /// Reads it, and refuses what another ceremony or another page made.
  init(_ bytes: [UInt8], of ceremony: Ceremony, for party: RelyingParty) throws(WebAuthnRefusal) {
    guard bytes.count <= WebAuthnLimits.clientDataBytesMax else {
      throw WebAuthnRefusal(
        .form, "clientDataJSON: \(bytes.count) bytes, at most \(WebAuthnLimits.clientDataBytesMax) are read")
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSON.parse(bytes) } catch {
      throw WebAuthnRefusal(.form, "clientDataJSON: is no JSON")
    }
    guard let type = json["type"]?.string, let challenge = json["challenge"]?.string.flatMap({ Base64URL.decode($0) }),
      let origin = json["origin"]?.string
    else { throw WebAuthnRefusal(.form, "clientDataJSON: lacks type, challenge or origin") }
    guard type == ceremony.rawValue else {
      throw WebAuthnRefusal(.type, "the answer is of the type “\(type.prefix(40))”, expected \(ceremony.rawValue)")
    }
    guard origin == party.origin else {
      throw WebAuthnRefusal(
        .origin, "the answer comes from the page \(origin.prefix(200)), and this server is called at \(party.origin)")
    }
    // A page of another site may hold ours in a frame; ours never asks for a passkey from there.
    guard json["crossOrigin"].map({ $0 == false }) ?? true, json["topOrigin"] == nil else {
      throw WebAuthnRefusal(.origin, "the answer was made in a frame of another site's page")
    }
    self.challenge = challenge
    hash = SHA256.digest(bytes)
  }
}
