internal import Basics
internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// Makes an identity key from a seed: random, or with an idempotency key the same for the same request, so that a repetition
/// shows the same secret though it is stored nowhere.
struct IdentityKeyMaker: Sendable {
  /// What a new key is stored as, and what is shown of it once.
  struct Made: Sendable {
    let key: NewIdentityKey
    let secret: String?
  }

  /// Begins the secret of HS256, so that whoever finds one knows what it is.
  static let leading = "ids_"

  private let seed: [UInt8]

  init(_ call: Call, _ service: Service) {
    seed =
      call.idempotency.map {
        HMACSHA256.authenticate(
          Array("identity key:".utf8) + $0.digest(call, purpose: call.http.path), key: service.vault.derivation)
      } ?? SecureRandom.bytes(32)
  }

  /// The secret that the answer to a request has had; nil for a key whose private half the server never had.
  ///
  /// The request says which it was, because its first answer may be lost.
  @Sendable static func secret(_ call: Call, _ service: Service, _ answer: JSONObject) -> String? {
    let maker = IdentityKeyMaker(call, service)
    let request = (try? JSON.parse(call.http.body)) ?? .null
    if request["algorithm"]?.string == IdentityAlgorithm.hs256.name { return maker.secret }
    guard publicMembers.allSatisfy({ request[$0] == nil }) else { return nil }
    return (try? maker.privateKey()).flatMap { try? $0.pem() }
  }

  /// The key that a request asks for, whose shape was checked before.
  func make(_ call: Call, _ app: AppID, _ service: Service) throws(Problem) -> Made {
    let algorithm = IdentityAlgorithm(name: call["algorithm"]?.string ?? "") ?? .es256
    let given = try IdentityKeyMaker.given(call, algorithm)
    do throws(SigningError) {
      let (material, secret): ([UInt8], String?)
      switch (algorithm, given) {
      case (.hs256, _):
        secret = self.secret
        material = try service.vault.seal(
          Array(self.secret.utf8), context: IdentityVerifier.sealContext(app: app, name: name))
      case (.es256, let given?): (material, secret) = (Array(try given.pem().utf8), nil)
      case (.es256, nil):
        let made = try privateKey()
        (material, secret) = (Array(try made.publicKey.pem().utf8), try made.pem())
      }
      return Made(
        key: NewIdentityKey(app: app, name: name, algorithm: algorithm, material: material), secret: secret)
    } catch { throw Problem(.internalError, "the key could not be made: \(error.message)") }
  }

  // MARK: - Parts

  /// The key's id; hexadecimal, so that it is one word everywhere.
  private var name: String { Hex.encode(Array(derived("id").prefix(8))) }

  private var secret: String { IdentityKeyMaker.leading + Base64URL.encode(derived("HS256")) }

  private func privateKey() throws(SigningError) -> ECPrivateKey { try ECPrivateKey.derived(from: derived("ES256")) }

  private func derived(_ purpose: String) -> [UInt8] { HMACSHA256.authenticate(Array(purpose.utf8), key: seed) }

  /// The members that bring a public key whose private half the server is not to know.
  private static let publicMembers = ["public_key", "jwk"]

  /// The public key of a request; nil when it has none.
  private static func given(_ call: Call, _ algorithm: IdentityAlgorithm) throws(Problem) -> ECPublicKey? {
    let names = publicMembers.filter { call[$0] != nil }
    guard let name = names.first else { return nil }
    guard algorithm == .es256 else { throw refusal(name, "goes with ES256 only; the server makes the secret of HS256") }
    guard names.count == 1 else { throw refusal(name, "expected either public_key or jwk, found both") }
    do throws(SigningError) {
      if let text = call["public_key"]?.string { return try ECPublicKey(pem: text) }
    } catch { throw refusal(name, error.message) }
    let (x, y) = try coordinates(call["jwk"]?.object ?? [:])
    do throws(SigningError) { return try ECPublicKey(x: x, y: y) } catch { throw refusal(name, error.message) }
  }

  private static func coordinates(_ jwk: JSONObject) throws(Problem) -> (x: [UInt8], y: [UInt8]) {
    guard jwk["d"] == nil else {
      throw refusal(
        "jwk", "this is a private key (d), which nobody else should have; make another, and send x and y only")
    }
    func coordinate(_ name: String) -> [UInt8]? { jwk[name]?.string.flatMap { Base64URL.decode($0) } }
    guard jwk["kty"]?.string == "EC", jwk["crv"]?.string == "P-256", let x = coordinate("x"), let y = coordinate("y")
    else { throw refusal("jwk", "expected kty EC, crv P-256, and x and y in base64url without padding") }
    return (x, y)
  }

  private static func refusal(_ field: String, _ message: String) -> Problem {
    var report = Report()
    report.add(rule: Schema.Rule.value, severity: .error, field: FieldPath(members: field), message: message)
    return Problem(.invalid, report: report)
  }
}
