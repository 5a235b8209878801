import Signing
import Testing
import WireJSON

@testable import FCM

@Suite struct FCMServiceAccountTests {
  static let key: RSAPrivateKey? = try? RSAPrivateKey.generate()

  static func members() throws -> JSONObject {
    let pem = try #require(try key?.pem())
    return [
      "type": "service_account", "project_id": "demo-1", "private_key_id": "k1", "private_key": .string(pem),
      "client_email": "sender@demo-1.iam.gserviceaccount.com", "client_id": "1",
      "token_uri": "https://oauth2.googleapis.com/token",
    ]
  }

  static func message(_ change: (inout JSONObject) -> Void) throws -> String {
    var object = try members()
    change(&object)
    return message(JSON.minified(.object(object)))
  }

  static func message(_ file: [UInt8]) -> String {
    do throws(FCMCredentialError) {
      _ = try FCMServiceAccount(keyFile: file)
      return "accepted"
    } catch {
      return error.description
    }
  }

  @Test func aKeyFileIsRead() throws {
    let account = try FCMServiceAccount(keyFile: JSON.minified(.object(try Self.members())))
    #expect(account.projectID == "demo-1")
    #expect(account.privateKeyID == "k1")
    #expect(account.tokenURI.host == "oauth2.googleapis.com")
    #expect(account.tokenURI.path == "/token")
    #expect("\(account)" == "service account sender@demo-1.iam.gserviceaccount.com of project demo-1")
  }

  @Test func theAssertionIsWhatGoogleDescribes() throws {
    let account = try FCMServiceAccount(keyFile: JSON.minified(.object(try Self.members())))
    let body = String(decoding: try account.tokenRequest(wall: 1_800_000_000), as: UTF8.self)
    let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
    #expect(body.hasPrefix(prefix))
    let token = try JWS.split(String(body.dropFirst(prefix.count)))
    #expect(String(decoding: token.header, as: UTF8.self) == #"{"alg":"RS256","typ":"JWT","kid":"k1"}"#)
    #expect(
      String(decoding: token.claims, as: UTF8.self)
        == #"{"iss":"sender@demo-1.iam.gserviceaccount.com","#
        + #""scope":"https://www.googleapis.com/auth/firebase.messaging","#
        + #""aud":"https://oauth2.googleapis.com/token","iat":1800000000,"exp":1800003600}"#)
    let key = try #require(Self.key)
    #expect(token.verify(key.publicKey))
  }

  @Test func eachMistakeIsNamed() throws {
    #expect(
      Self.message(Array("nonsense".utf8)).hasPrefix("service-account key file: not JSON: "))
    #expect(
      Self.message(Array("[]".utf8))
        == "service-account key file: expected a JSON object with \"type\": \"service_account\"")
    #expect(
      try Self.message { $0["type"] = "authorized_user" }
        == "service-account key file: \"type\" is \"authorized_user\", expected \"service_account\"; this is another "
        + "kind of Google credential")
    let remove: (String, inout JSONObject) -> Void = { name, object in object[name] = nil }
    for name in ["project_id", "client_email", "private_key_id", "private_key", "token_uri"] {
      #expect(
        try Self.message { remove(name, &$0) }
          == "service-account key file: \"\(name)\" is missing; download a new key file from the project's service "
          + "accounts")
      #expect(
        try Self.message { $0[name] = 7 }
          == "service-account key file: \"\(name)\" must be a string that is not empty")
    }
    #expect(
      try Self.message { $0["project_id"] = "../x" }
        == "service-account key file: \"project_id\" may hold letters, digits and - _ . : only")
    // What is shown to people is no private key that was put there by mistake.
    for name in ["client_email", "private_key_id"] {
      for value in ["a b", "a\nb", "a\u{E9}", String(repeating: "a", count: 321)] {
        #expect(
          try Self.message { $0[name] = .string(value) }
            == "service-account key file: \"\(name)\" must be at most 320 characters of ASCII without spaces")
      }
      #expect(try Self.message { $0[name] = .string(String(repeating: "a", count: 320)) } == "accepted")
    }
    let broken = try Self.message {
      $0["private_key"] = "-----BEGIN PRIVATE KEY-----\nmarked-secret\n-----END PRIVATE KEY-----"
    }
    #expect(broken.hasPrefix("service-account key file: \"private_key\": "))
    #expect(!broken.contains("marked"))
    #expect(Self.message([UInt8](repeating: 0x20, count: FCMServiceAccount.fileBytesMax + 1)).contains("at most"))
  }

  @Test(
    arguments: [
      ("https://oauth2.googleapis.com/token", "oauth2.googleapis.com", 443, "/token", "oauth2.googleapis.com"),
      ("https://127.0.0.1:8443/token?x=1#f", "127.0.0.1", 8443, "/token?x=1", "127.0.0.1:8443"),
      ("https://[::1]:8443", "::1", 8443, "/", "[::1]:8443"),
      ("https://[::1]/t", "::1", 443, "/t", "[::1]"),
      ("https://host?q", "host", 443, "/?q", "host"),
    ] as [(String, String, UInt16, String, String)])
  func tokenURIs(text: String, host: String, port: UInt16, path: String, authority: String) throws {
    let uri = try FCMTokenURI(text)
    #expect(uri.host == host)
    #expect(uri.port == port)
    #expect(uri.path == path)
    #expect(uri.authority == authority)
  }

  @Test(arguments: [
    "http://oauth2.googleapis.com/token", "https://", "https:///token", "https://user@host/", "https://host:0/",
    "https://host:x/", "https://host:70000/", "https://a b/", "ftp://x", "",
  ])
  func badTokenURIs(text: String) {
    #expect(throws: FCMCredentialError.self) { try FCMTokenURI(text) }
  }
}
