import PostriderServer
import Signing
import TestSupport
import Testing
import WireJSON

/// A backend that signs identity tokens, and what an attacker makes of them.
struct TokenMaker {
  /// What signs.
  enum Signer {
    case es256(ECPrivateKey)
    case hs256(String)
  }

  var signer: Signer
  var header: [(String, JSONValue)]
  var claims: [(String, JSONValue)]

  /// A token of the user `ann` for the app `demo`, ten minutes long.
  init(_ signer: Signer, kid: String, now: Int64, user: String = "ann") {
    self.signer = signer
    let algorithm: JSONValue =
      switch signer {
      case .es256: "ES256"
      case .hs256: "HS256"
      }
    header = [("alg", algorithm), ("typ", "JWT"), ("kid", .string(kid))]
    claims = [("sub", .string(user)), ("aud", "demo"), ("iat", .number(JSONNumber(Int(now)))), ("exp", .null)]
    self["exp"] = .number(JSONNumber(Int(now + 600)))
  }

  /// A claim.
  subscript(name: String) -> JSONValue? {
    get { claims.first { $0.0 == name }?.1 }
    set {
      claims.removeAll { $0.0 == name }
      if let newValue { claims.append((name, newValue)) }
    }
  }

  func with(_ change: (inout TokenMaker) -> Void) -> TokenMaker {
    var copy = self
    change(&copy)
    return copy
  }

  func text() throws -> String { try text(header: object(header), claims: object(claims)) }

  func text(header: String, claims: String) throws -> String {
    switch signer {
    case .es256(let key): try JWS.compact(header: Array(header.utf8), claims: Array(claims.utf8), key: key)
    case .hs256(let secret):
      JWS.compact(header: Array(header.utf8), claims: Array(claims.utf8), secret: Array(secret.utf8))
    }
  }

  /// The members in order, also those that are there twice.
  func object(_ members: [(String, JSONValue)]) -> String {
    "{" + members.map { "\(JSON.minifiedText(.string($0.0))):\(JSON.minifiedText($0.1))" }.joined(separator: ",") + "}"
  }
}

/// An app with a key of each algorithm, and keys of the API.
struct IdentityFixture {
  let fixture: ServerFixture
  let clock: SteppedClock
  let client: String
  let backend: String
  let private256: ECPrivateKey
  let es256: String
  let hs256: (id: String, secret: String)
  static let path = "/v1/apps/demo/identity"
  static let now: Int64 = 1_795_176_000

  init(folder: TemporaryFolder? = nil) throws {
    clock = SteppedClock(seconds: Self.now)
    fixture = try ServerFixture(folder: folder, clock: clock.clock)
    #expect(try fixture.post("/v1/apps", ["name": "demo", "contract": "amba"]).status == 201)
    client = try fixture.key(["client"], app: "demo")
    backend = try fixture.key(["send"], app: "demo")
    private256 = try ECPrivateKey.generate()
    let pem = try private256.publicKey.pem()
    let uploaded = try fixture.post(Self.path + "/keys", ["algorithm": "ES256", "public_key": .string(pem)])
    #expect(uploaded.status == 201 && uploaded.json["secret"] == nil, "\(uploaded.text)")
    es256 = try #require(uploaded.json["id"]?.string)
    let made = try fixture.post(Self.path + "/keys", ["algorithm": "HS256"])
    hs256 = (try #require(made.json["id"]?.string), try #require(made.json["secret"]?.string))
  }

  func set(_ mode: String) throws {
    let answer = try fixture.send("PUT", Self.path, #"{"mode":"\#(mode)"}"#)
    #expect(answer.status == 200 && answer.json["mode"]?.string == mode, "\(answer.text)")
  }

  func token(_ user: String = "ann") -> TokenMaker {
    TokenMaker(.es256(private256), kid: es256, now: Self.now, user: user)
  }

  func secretToken(_ user: String = "ann") -> TokenMaker {
    TokenMaker(.hs256(hs256.secret), kid: hs256.id, now: Self.now, user: user)
  }

  /// An APNs token that no other number has.
  static func address(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  /// Registers a device as an app on a phone does.
  func register(_ number: Int, user: String? = nil, name: String? = nil, token: String? = nil, key: String? = nil)
    throws -> ServerFixture.Answer
  {
    var body: JSONObject = ["type": "ios", "token": .string(Self.address(number))]
    if let user { body["user"] = .string(user) }
    if let name { body["name"] = .string(name) }
    return try fixture.send(
      "POST", "/v1/apps/demo/devices", JSON.minifiedText(.object(body)), key: key ?? client,
      headers: token.map { ["Postrider-Identity: \($0)"] } ?? [])
  }
}
