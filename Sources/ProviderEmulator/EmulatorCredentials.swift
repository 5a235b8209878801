internal import Basics
public import Signing
internal import WireJSON

/// The OAuth client of an app.
public struct EmulatedClient: Sendable {
  /// Its id.
  public var id: String
  /// Its secret.
  public var secret: String
  /// The app's project.
  public var projectID: String

  /// Puts a client together.
  public init(id: String, secret: String, projectID: String) {
    (self.id, self.secret, self.projectID) = (id, secret, projectID)
  }
}

/// Credentials that an emulator accepts: an APNs signing key, a Google service account and OAuth clients, private halves
/// included.
///
/// They open nothing but the emulator. Keep the texts to start the next emulator with the same ones.
public struct EmulatorCredentials: Sendable, CustomStringConvertible {
  /// The APNs key ID.
  public var keyID: String
  /// The APNs team ID.
  public var teamID: String
  /// The APNs signing key, the content of a `.p8` file.
  public var signingKeyPEM: String
  /// The Firebase project.
  public var projectID: String
  /// The service account's name.
  public var clientEmail: String
  /// The service account's key ID.
  public var privateKeyID: String
  /// The service account's private key, PEM.
  public var accountKeyPEM: String
  /// The OAuth clients of apps at the services that give them an id and a secret.
  public var clients: [EmulatedProvider: EmulatedClient]

  /// Makes fresh keys under fixed names.
  ///
  /// - Throws: ``SigningError`` when OpenSSL makes no key.
  public static func generate() throws(SigningError) -> EmulatorCredentials {
    EmulatorCredentials(
      keyID: "EMULATEKEY", teamID: "EMULATETEA", signingKeyPEM: try ECPrivateKey.generate().pem(),
      projectID: "emulated-project", clientEmail: "sender@emulated-project.iam.gserviceaccount.com",
      privateKeyID: Hex.encode(SecureRandom.bytes(20)), accountKeyPEM: try RSAPrivateKey.generate().pem())
  }

  /// Puts credentials together.
  public init(
    keyID: String, teamID: String, signingKeyPEM: String, projectID: String, clientEmail: String,
    privateKeyID: String, accountKeyPEM: String
  ) {
    self.keyID = keyID
    self.teamID = teamID
    self.signingKeyPEM = signingKeyPEM
    self.projectID = projectID
    self.clientEmail = clientEmail
    self.privateKeyID = privateKeyID
    self.accountKeyPEM = accountKeyPEM
    clients = EmulatedProvider.withDevices.reduce(into: [:]) { $0[$1] = $1.row.client?() }
  }

  /// The key file of the service account, as Google hands it out.
  ///
  /// - Parameter tokenURI: where the sender gets its access tokens, such as `https://127.0.0.1:8443/token`.
  public func serviceAccountJSON(tokenURI: String) -> String {
    JSON.pretty([
      "type": "service_account", "project_id": .string(projectID), "private_key_id": .string(privateKeyID),
      "private_key": .string(accountKeyPEM), "client_email": .string(clientEmail), "client_id": "1",
      "token_uri": .string(tokenURI),
    ]) + "\n"
  }

  /// The OAuth client at a service; an empty one, which nothing accepts, when it has none.
  public subscript(provider: EmulatedProvider) -> EmulatedClient {
    clients[provider] ?? EmulatedClient(id: "", secret: "", projectID: "")
  }

  /// Names, never keys.
  public var description: String { "key \(keyID) of team \(teamID), account \(clientEmail)" }

  package func signingKey() throws(SigningError) -> APNsSigningKey {
    APNsSigningKey(keyID: keyID, teamID: teamID, publicKey: try ECPrivateKey(pem: signingKeyPEM).publicKey)
  }

  package func account() throws(SigningError) -> ServiceAccount {
    ServiceAccount(
      clientEmail: clientEmail, projectID: projectID, keyID: privateKeyID,
      publicKey: try RSAPrivateKey(pem: accountKeyPEM).publicKey)
  }
}
