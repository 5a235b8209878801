internal import Signing
internal import WireJSON

/// How ID tokens may be signed; nothing else is looked at, and nothing is verified with a secret.
enum OIDCAlgorithm: String, Sendable {
  case rs256 = "RS256"
  case es256 = "ES256"
}

/// The keys of a provider (RFC 7517): those that sign in a way that is verified here.
struct OIDCKeySet: Sendable {
  /// One key.
  struct Key: Sendable {
    enum Material: Sendable {
      case rs256(RSAPublicKey)
      case es256(ECPublicKey)
    }

    /// Its name; nil for the only key of a provider that names none.
    let name: String?
    let material: Material

    var algorithm: OIDCAlgorithm {
      switch material {
      case .rs256: .rs256
      case .es256: .es256
      }
    }

    func verifies(_ jws: JWS) -> Bool {
      switch material {
      case .rs256(let key): jws.verify(key)
      case .es256(let key): jws.verify(key)
      }
    }
  }

  /// More are not read.
  static let keysMax = 64
  private static let nameBytesMax = 256
  /// A longer modulus only burns time.
  private static let modulusBytesMax = 1_024

  let keys: [Key]

  init(_ bytes: [UInt8]) throws(OIDCFault) {
    let document = try OIDCProvider.object(bytes, "the provider's list of keys")
    guard let list = document["keys"]?.array, list.count <= OIDCKeySet.keysMax else {
      throw .provider("the provider's list of keys has no member keys with at most \(OIDCKeySet.keysMax) of them")
    }
    // Keys for other purposes, and of kinds that are not known, may be in the list (RFC 7517 section 5).
    keys = list.compactMap(OIDCKeySet.key)
  }

  private static func key(_ json: JSONValue) -> Key? {
    guard json["use"].map({ $0.string == "sig" }) ?? true else { return nil }
    let name = json["kid"]?.string
    guard name.map({ $0.utf8.count <= nameBytesMax }) ?? true else { return nil }
    guard let material = material(json) else { return nil }
    let key = Key(name: name, material: material)
    guard json["alg"].map({ $0.string == key.algorithm.rawValue }) ?? true else { return nil }
    return key
  }

  private static func material(_ json: JSONValue) -> Key.Material? {
    func bytes(_ name: String) -> [UInt8]? { json[name]?.string.flatMap { Base64URL.decode($0) } }
    switch json["kty"]?.string {
    case "RSA":
      guard let modulus = bytes("n"), let exponent = bytes("e"), modulus.count <= modulusBytesMax else { return nil }
      return (try? RSAPublicKey(modulus: modulus, exponent: exponent)).map { .rs256($0) }
    case "EC":
      guard json["crv"]?.string == "P-256", let x = bytes("x"), let y = bytes("y") else { return nil }
      return (try? ECPublicKey(x: x, y: y)).map { .es256($0) }
    default: return nil
    }
  }

  /// The key that a token names; a token without a name is of the only key of its algorithm.
  func key(named name: String?, _ algorithm: OIDCAlgorithm) -> Key? {
    let fitting = keys.filter { $0.algorithm == algorithm }
    guard let name else { return fitting.count == 1 ? fitting[0] : nil }
    return fitting.first { $0.name.map { $0.utf8.elementsEqual(name.utf8) } ?? false }
  }
}
