import Signing
import TestSupport
import Testing
import WireJSON

/// Passkeys at a server under test.
extension ServerFixture {
  typealias Browser = SessionTests.Browser

  /// What an authenticator answers, as a browser sends it.
  static func credential(_ passkey: TestPasskey, _ answer: TestPasskey.Answer, handle: String? = nil) -> JSONValue {
    var response: JSONObject = ["clientDataJSON": .string(Base64URL.encode(answer.clientData))]
    if let handle {
      response["authenticatorData"] = .string(Base64URL.encode(answer.said))
      response["signature"] = .string(Base64URL.encode(answer.signature))
      response["userHandle"] = .string(handle)
    } else {
      response["attestationObject"] = .string(Base64URL.encode(answer.said))
    }
    let id = Base64URL.encode(passkey.id)
    return ["id": .string(id), "rawId": .string(id), "type": "public-key", "response": .object(response)]
  }

  /// The options for a new passkey, of a browser or an invitation.
  func options(_ body: JSONValue = [:], by browser: Browser? = nil) throws -> Answer {
    try open("POST", "/session/passkeys/options", body, headers: browser?.writing ?? [])
  }

  /// The challenge for a sign-in.
  func challenge(headers: [String] = []) throws -> String {
    let answer = try open("POST", "/session/passkey/options", nil, headers: headers)
    #expect(answer.status == 200, "\(answer)")
    return try #require(answer.json["publicKey"]?["challenge"]?.string)
  }

  /// Adds a passkey; gives the handle of the person.
  @discardableResult
  func add(_ passkey: TestPasskey, name: String = "Phone", by browser: Browser) throws -> (id: String, handle: String) {
    let asked = try options(by: browser).json["publicKey"]
    let challenge = try #require(asked?["challenge"]?.string)
    let answer = try send(
      "POST", "/session/passkeys",
      ["name": .string(name), "credential": Self.credential(passkey, passkey.register(challenge: challenge))],
      by: browser)
    #expect(answer.status == 201, "\(answer)")
    return (try #require(answer.json["id"]?.string), try #require(asked?["user"]?["id"]?.string))
  }

  /// Signs in.
  func signIn(
    _ passkey: TestPasskey, handle: String, counter: UInt32 = 0, email: String? = nil, headers: [String] = [],
    change: (inout TestPasskey.Ceremony) -> Void = { _ in }
  ) throws -> Answer {
    let answer = passkey.sign(challenge: try challenge(headers: headers), counter: counter, change: change)
    var body: JSONObject = ["credential": Self.credential(passkey, answer, handle: handle)]
    if let email { body["email"] = .string(email) }
    return try open("POST", "/session/passkey", .object(body), headers: headers)
  }
}
