internal import HTTPServer
internal import PushStore
internal import Signing
internal import WebAuthn
internal import WireJSON

/// The JSON of WebAuthn (level 3, section 5.1): what a browser is given, and what it sends back.
enum PasskeyFields {
  // MARK: - Shapes

  private static func encoded(_ about: String, _ bytes: Int) -> Schema {
    .string("\(about) Base64URL.", max: (bytes * 4 + 2) / 3)
  }
  private static let clientData = Schema.Property.required(
    "clientDataJSON", encoded("What the browser says.", WebAuthnLimits.clientDataBytesMax))

  private static func credential(_ response: [Schema.Property]) -> Schema {
    .object(
      [
        .required("id", encoded("The id.", WebAuthnLimits.credentialBytesMax)),
        .optional("rawId", encoded("The same.", WebAuthnLimits.credentialBytesMax)),
        .required("type", .choice(["public-key"], "The kind of credential.")),
        .required("response", .object(response, "What the authenticator says.")),
        .optional("authenticatorAttachment", .string("Ignored.", max: 40)),
        .optional("clientExtensionResults", Schema(.map, "Ignored.")),
      ], "A PublicKeyCredential as its toJSON() writes it.")
  }

  /// What a browser sends that made a passkey.
  static let registration = credential([
    clientData,
    .required(
      "attestationObject", encoded("What the authenticator says.", WebAuthnLimits.attestationBytesMax)),
    .optional("transports", .array(of: .string("Ignored.", max: 40), max: 20)),
    .optional("authenticatorData", .string("Ignored: it is in attestationObject.", max: 6_000)),
    .optional("publicKey", .string("Ignored: it is in attestationObject.", max: 6_000)),
    .optional("publicKeyAlgorithm", .integer(-65_536...65_536, "Ignored: it is in attestationObject.")),
  ])

  /// What a browser sends that has used a passkey.
  static let assertion = credential([
    clientData,
    .required(
      "authenticatorData", encoded("What the authenticator says.", WebAuthnLimits.authenticatorDataBytesMax)),
    .required("signature", encoded("The signature.", WebAuthnLimits.signatureBytesMax)),
    .required("userHandle", encoded("Whose passkey it is.", 64)),
  ])

  /// What a browser is asked with.
  static let options = Schema.object(
    [
      .required(
        "publicKey",
        Schema(.map, "What navigator.credentials is called with, as PublicKeyCredential reads it from JSON.")),
      .optional("report", .named("Report")),
    ], "Options of WebAuthn.")

  static let passkey = Schema.object(
    [
      .required("id", .string("The passkey's id.", max: 20)),
      .required("name", .string("How its owner calls it.")),
      .required("host", .string("The host name at which it signs in.", max: 253)),
      .required("synced", .boolean("Whether it is on several devices, as a password manager keeps it.")),
      .required("created_at", .time("When it was added.")),
      .optional("used_at", .time("When it last signed in.")), .optional("report", .named("Report")),
    ], "With what a person signs in instead of a password.")

  // MARK: - Reading

  private static func bytes(_ value: JSONValue?, _ name: String) throws(Problem) -> [UInt8] {
    guard let bytes = value?.string.flatMap({ Base64URL.decode($0) }) else {
      throw Problem(.invalid, "credential.\(name): expected Base64URL without padding")
    }
    return bytes
  }

  private static func id(_ credential: JSONValue) throws(Problem) -> [UInt8] {
    let id = try bytes(credential["id"], "id")
    if let raw = credential["rawId"], try bytes(raw, "rawId") != id {
      throw Problem(.invalid, "credential.rawId: is another one than id")
    }
    return id
  }

  /// The answer of a registration, and the id that it must be for.
  static func registration(_ call: Call) throws(Problem) -> (id: [UInt8], answer: RegistrationAnswer) {
    guard let credential = call["credential"] else {
      throw Problem(.invalid, "credential: is needed")
    }
    let response = credential["response"]
    return (
      try id(credential),
      RegistrationAnswer(
        clientData: try bytes(response?["clientDataJSON"], "response.clientDataJSON"),
        attestation: try bytes(response?["attestationObject"], "response.attestationObject"))
    )
  }

  /// The answer of a sign-in, with the passkey and the person that it names.
  static func assertion(
    _ call: Call
  ) throws(Problem) -> (id: [UInt8], handle: [UInt8], answer: AssertionAnswer) {
    guard let credential = call["credential"] else { throw Problem(.invalid, "credential: is needed") }
    let response = credential["response"]
    return (
      try id(credential), try bytes(response?["userHandle"], "response.userHandle"),
      AssertionAnswer(
        clientData: try bytes(response?["clientDataJSON"], "response.clientDataJSON"),
        authenticatorData: try bytes(response?["authenticatorData"], "response.authenticatorData"),
        signature: try bytes(response?["signature"], "response.signature"))
    )
  }

  // MARK: - Writing

  /// What a browser makes a passkey with.
  static func creation(
    _ account: Account, handle: [UInt8], excluding known: [Passkey], challenge: [UInt8], _ party: RelyingParty
  ) -> JSONObject {
    let person: JSONValue = [
      "id": .string(Base64URL.encode(handle)), "name": .string(account.email ?? account.name),
      "displayName": .string(account.name),
    ]
    let options: JSONObject = [
      "rp": ["id": .string(party.id), "name": "Postrider"], "user": person,
      "challenge": .string(Base64URL.encode(challenge)),
      "pubKeyCredParams": .array(
        RelyingParty.algorithms.map { ["type": "public-key", "alg": .number(JSONNumber(Int($0)))] }),
      "timeout": .number(JSONNumber(Int(ChallengeDesk.lifetimeMs))),
      "excludeCredentials": .array(
        known.map { ["type": "public-key", "id": .string(Base64URL.encode($0.made.credential))] }),
      // Found by the browser without an email, and unlocked by its owner.
      "authenticatorSelection": [
        "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
      ],
      "attestation": "none",
    ]
    return ["publicKey": .object(options)]
  }

  /// What a browser signs in with: it names no passkey, so that it says nothing of who is here.
  static func request(challenge: [UInt8], _ party: RelyingParty) -> JSONValue {
    [
      "publicKey": [
        "challenge": .string(Base64URL.encode(challenge)), "rpId": .string(party.id),
        "timeout": .number(JSONNumber(Int(ChallengeDesk.lifetimeMs))), "allowCredentials": [],
        "userVerification": "required",
      ]
    ]
  }

  static func json(_ passkey: Passkey) -> JSONObject {
    var object: JSONObject = [
      "id": .string(passkey.id.description), "name": .string(passkey.made.name), "host": .string(passkey.made.host),
      "synced": .bool(passkey.made.isBackedUp), "created_at": .string(TimeText.text(passkey.createdAt)),
    ]
    if let used = passkey.usedAt { object["used_at"] = .string(TimeText.text(used)) }
    return object
  }
}
