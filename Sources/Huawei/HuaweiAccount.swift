internal import WireJSON

/// Who sends through Push Kit: an app's OAuth client of AppGallery Connect, and for which app or project.
///
/// Source: Huawei, "OAuth 2.0-based Authorization" (client credentials mode) and "Sending Downlink Messages".
public struct HuaweiAccount: Sendable, CustomStringConvertible {
  /// The OAuth 2.0 client id: the app's id, digits alone.
  public let clientID: String
  /// The project; nil for the app's own address.
  public let projectID: String?
  let clientSecret: String

  /// The longest id, in digits.
  public static let idDigitsMax = 64
  /// The longest secret, in characters; real ones are hexadecimal and have 64.
  public static let secretBytesMax = 256

  /// Takes the parts.
  ///
  /// - Parameters:
  ///   - clientID: the OAuth 2.0 client id.
  ///   - clientSecret: its secret.
  ///   - projectID: the project, for messages that go to all its apps; nil for the app of the client.
  /// - Throws: ``HuaweiCredentialError`` with the part that is wrong and what to do.
  public init(
    clientID: String, clientSecret: String, projectID: String? = nil
  ) throws(HuaweiCredentialError) {
    guard HuaweiAccount.isID(clientID) else {
      throw HuaweiCredentialError(
        "client_id",
        "expected 1 to \(HuaweiAccount.idDigitsMax) digits, as AppGallery Connect shows the OAuth 2.0 client id")
    }
    // What is wrong is said without the text: it may be another secret.
    let isSecret = clientSecret.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isSecret, (16...HuaweiAccount.secretBytesMax).contains(clientSecret.utf8.count) else {
      throw HuaweiCredentialError(
        "client_secret",
        "expected 16 to \(HuaweiAccount.secretBytesMax) characters of ASCII without spaces; copy the client secret of the OAuth"
          + " 2.0 client whole")
    }
    if let projectID, !HuaweiAccount.isID(projectID) {
      throw HuaweiCredentialError(
        "project_id", "expected 1 to \(HuaweiAccount.idDigitsMax) digits, as the project settings show the project id")
    }
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.projectID = projectID
  }

  /// The ids become parts of a path, so that nothing else than digits is in them.
  private static func isID(_ text: String) -> Bool {
    (1...idDigitsMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The path that messages are posted to: the project's where one is named, the app's otherwise.
  public var path: String {
    projectID.map { "/v2/\($0)/messages:send" } ?? "/v1/\(clientID)/messages:send"
  }

  /// The body of the POST to the token endpoint.
  var tokenRequest: [UInt8] {
    Array("grant_type=client_credentials&client_id=\(clientID)&client_secret=".utf8)
      + HuaweiAccount.escaped(clientSecret)
  }

  /// A value of a form: all that is no letter or digit is escaped.
  private static func escaped(_ text: String) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return text.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: [byte]
      default: [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }

  /// The client and the project; never the secret.
  public var description: String {
    "OAuth client \(clientID)" + (projectID.map { " for project \($0)" } ?? "")
  }
}

/// A credential for Push Kit that cannot be used.
public struct HuaweiCredentialError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The part that is wrong; empty for none.
  public let field: String
  /// What is wrong and what to do; never a part of the secret.
  public let message: String

  init(_ field: String, _ message: String) {
    self.field = field
    self.message = message
  }

  /// The part and the message.
  public var description: String { field.isEmpty ? message : "\(field): \(message)" }
}
