import Signing
import WireJSON

/// A Google service-account key file: who sends, for which project, and with which key.
///
/// Source: Google, "Using OAuth 2.0 for server to server applications".
public struct FCMServiceAccount: Sendable, CustomStringConvertible {
  /// The largest key file that is read; real ones are about 2.4 kB.
  public static let fileBytesMax = 64 * 1024
  /// The OAuth scope that sends messages.
  public static let scope = "https://www.googleapis.com/auth/firebase.messaging"

  /// `project_id`: the Firebase project.
  public let projectID: String
  /// `client_email`: the account.
  public let clientEmail: String
  /// `private_key_id`: names the key.
  public let privateKeyID: String
  /// `token_uri`: where an assertion is exchanged for an access token.
  public let tokenURI: FCMTokenURI
  let key: RSAPrivateKey

  /// Reads a key file.
  ///
  /// - Parameters:
  ///   - keyFile: the JSON that Google lets you download.
  ///   - projectID: the project to send for, when it is not the account's own.
  /// - Throws: ``FCMCredentialError`` with the member that is missing or wrong and what to do.
  public init(keyFile: [UInt8], projectID: String? = nil) throws(FCMCredentialError) {
    let members = try FCMServiceAccount.members(keyFile)
    func text(_ name: String) throws(FCMCredentialError) -> String {
      guard let value = members[name] else {
        throw FCMCredentialError("\"\(name)\" is missing; download a new key file from the project's service accounts")
      }
      guard case .string(let text) = value, !text.isEmpty else {
        throw FCMCredentialError("\"\(name)\" must be a string that is not empty")
      }
      return text
    }
    let kind = try text("type")
    guard kind == "service_account" else {
      throw FCMCredentialError(
        "\"type\" is \"\(kind.prefix(40))\", expected \"service_account\"; this is another kind of Google credential")
    }
    if let projectID {
      self.projectID = try FCMServiceAccount.checkedProject(projectID)
    } else {
      self.projectID = try FCMServiceAccount.checkedProject(text("project_id"))
    }
    clientEmail = try FCMServiceAccount.checkedName(text("client_email"), of: "client_email")
    privateKeyID = try FCMServiceAccount.checkedName(text("private_key_id"), of: "private_key_id")
    tokenURI = try FCMTokenURI(text("token_uri"))
    let pem = try text("private_key")
    do {
      key = try RSAPrivateKey(pem: pem)
    } catch {
      throw FCMCredentialError("\"private_key\": \(error.message)")
    }
  }

  private static func members(_ file: [UInt8]) throws(FCMCredentialError) -> JSONObject {
    guard file.count <= fileBytesMax else {
      throw FCMCredentialError("\(file.count) bytes, at most \(fileBytesMax) are read; this is not a key file")
    }
    let json: JSONValue
    do {
      json = try JSON.parse(file)
    } catch {
      throw FCMCredentialError("not JSON: \(error)")
    }
    guard case .object(let object) = json else {
      throw FCMCredentialError("expected a JSON object with \"type\": \"service_account\"")
    }
    return object
  }

  /// What is shown to people is one short word, so that a private key that was put there by mistake is not shown.
  private static func checkedName(_ name: String, of member: String) throws(FCMCredentialError) -> String {
    guard name.utf8.count <= 320, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw FCMCredentialError("\"\(member)\" must be at most 320 characters of ASCII without spaces")
    }
    return name
  }

  /// The project becomes part of a path, so it holds nothing that would change the path's meaning.
  private static func checkedProject(_ id: String) throws(FCMCredentialError) -> String {
    let isPlain = id.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: ":"):
        true
      default: false
      }
    }
    guard isPlain, !id.isEmpty, id.utf8.count <= 100, id != ".", id != ".." else {
      throw FCMCredentialError("\"project_id\" may hold letters, digits and - _ . : only")
    }
    return id
  }

  /// The account and project; never the key.
  public var description: String { "service account \(clientEmail) of project \(projectID)" }
}

extension FCMServiceAccount {
  /// How long an assertion is valid, in seconds: the most that Google allows.
  static let assertionSeconds: Int64 = 3600

  /// The body of the POST to the token endpoint.
  ///
  /// - Parameter wall: seconds since 1970.
  func tokenRequest(wall: Int64) throws(SigningError) -> [UInt8] {
    let header: JSONObject = ["alg": "RS256", "typ": "JWT", "kid": .string(privateKeyID)]
    let claims: JSONObject = [
      "iss": .string(clientEmail), "scope": .string(Self.scope), "aud": .string(tokenURI.text),
      "iat": .number(JSONNumber(Int(wall))), "exp": .number(JSONNumber(Int(wall + Self.assertionSeconds))),
    ]
    let assertion = try JWS.compact(
      header: JSON.minified(.object(header)), claims: JSON.minified(.object(claims)), key: key)
    // A compact JWS is Base64URL with dots: nothing in it needs form encoding.
    return Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
  }
}

/// A service-account key file that cannot be used.
public struct FCMCredentialError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with the file and what to do; never a part of the key.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message, with the kind of file in front.
  public var description: String { "service-account key file: \(message)" }
}
