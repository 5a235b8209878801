internal import HTTPServer
internal import Signing
internal import StoreModel
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

  private static let descriptor = Schema.object([
    .required("type", .string("The kind of credential.")), .required("id", .string("The id, Base64URL.", max: 1_400)),
  ])
  private static let challenge = Schema.Property.required("challenge", .string("To be signed, Base64URL."))
  private static let timeout = Schema.Property.required(
    "timeout", .integer(0...3_600_000, "How long it can be answered, in milliseconds."))
  private static let verification = Schema.Property.required(
    "userVerification", .string("Whether the person is asked for a PIN or biometrics."))

  private static func options(_ members: [Schema.Property], _ call: String) -> Schema {
    .object(
      [
        .required(
          "publicKey", .object(members, "What \(call) takes, as PublicKeyCredential reads it from JSON.")),
        .optional("report", .named("Report")),
      ], "Options of WebAuthn.")
  }

  /// What a browser makes a passkey with.
  static let creationOptions = options(
    [
      .required("rp", .object([.required("id", .string("The host name.")), .required("name", .string("A name."))])),
      .required(
        "user",
        .object([
          .required("id", .string("By what authenticators know the person, Base64URL.")),
          .required("name", .string("The email.", max: AccountLimits.emailBytesMax)),
          .required("displayName", .string("The person's name.")),
        ])),
      challenge,
      .required(
        "pubKeyCredParams",
        .array(
          of: .object([
            .required("type", .string("The kind of credential.")),
            .required("alg", .integer(-65_536...65_536, "The algorithm (COSE).")),
          ]), max: 10)),
      timeout,
      .required("excludeCredentials", .array(of: descriptor, max: PasskeyLimits.passkeysMax, "Those there are.")),
      .required(
        "authenticatorSelection",
        .object([
          .required("residentKey", .string("Whether the authenticator keeps it.")),
          .required("requireResidentKey", .boolean("The same, for older browsers.")), verification,
        ])),
      .required("attestation", .string("None is wanted.")),
    ], "navigator.credentials.create")

  /// What a browser signs in with.
  static let requestOptions = options(
    [
      challenge, .required("rpId", .string("The host name.")), timeout,
      .required("allowCredentials", .array(of: descriptor, max: 20, "Empty: the browser knows them.")),
      verification,
    ], "navigator.credentials.get")

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
