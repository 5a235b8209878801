/// A passkey as it is stored.
public struct StoredPasskey: Sendable, Hashable {
  /// The id of the credential.
  public let credential: [UInt8]
  /// The public key (COSE).
  public let key: [UInt8]
  /// The signature counter of its last use.
  public let counter: UInt32
  /// Whether it may be on several devices.
  public let isBackupEligible: Bool
  /// Whether it is on several devices.
  public let isBackedUp: Bool

  /// Creates a value from its parts.
  public init(credential: [UInt8], key: [UInt8], counter: UInt32, isBackupEligible: Bool, isBackedUp: Bool) {
    self.credential = credential
    self.key = key
    self.counter = counter
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
  }
}

/// The answer of an authenticator that made a credential.
public struct RegistrationAnswer: Sendable {
  /// What the browser says.
  public let clientData: [UInt8]
  /// What the authenticator says, in CBOR.
  public let attestation: [UInt8]

  /// Creates a value from its parts.
  public init(clientData: [UInt8], attestation: [UInt8]) {
    self.clientData = clientData
    self.attestation = attestation
  }

  /// Verifies it (WebAuthn level 3, section 7.1), and returns the passkey to store.
  ///
  /// No attestation is asked for, and none taken: which models of authenticators there are is not the server's to judge.
  ///
  /// - Parameter isChallenge: whether a challenge was given for this, and is still good.
  public func verified(
    for party: RelyingParty, isChallenge: ([UInt8]) -> Bool
  ) throws(WebAuthnRefusal) -> StoredPasskey {
    let client = try ClientData(clientData, of: .registration, for: party)
    guard isChallenge(client.challenge) else { throw .challenge }
    guard attestation.count <= WebAuthnLimits.attestationBytesMax else {
      throw WebAuthnRefusal(
        .form, "attestationObject: \(attestation.count) bytes, at most \(WebAuthnLimits.attestationBytesMax) are read")
    }
    let object: CBOR
    do throws(CBORError) { object = try CBORReader.read(attestation) } catch {
      throw WebAuthnRefusal(.form, "attestationObject: \(error)")
    }
    guard let format = object["fmt"]?.text, case .map(let statement)? = object["attStmt"],
      let bytes = object["authData"]?.bytes
    else { throw WebAuthnRefusal(.form, "attestationObject: lacks fmt, attStmt or authData") }
    guard format == "none", statement.isEmpty else {
      throw WebAuthnRefusal(
        .attestation, "the answer has an attestation (\(format.prefix(40))), which was not asked for")
    }
    let data = try AuthenticatorData(bytes)
    try data.check(party)
    guard let credential = data.credential else {
      throw WebAuthnRefusal(.form, "authenticator data: has no credential")
    }
    let cose: CBOR
    do throws(CBORError) { cose = try CBORReader.read(credential.key) } catch {
      throw WebAuthnRefusal(.key, "the public key: \(error)")
    }
    _ = try CredentialKey(cose)
    return StoredPasskey(
      credential: credential.id, key: credential.key, counter: data.counter,
      isBackupEligible: data.flags.contains(.backupEligible), isBackedUp: data.flags.contains(.backedUp))
  }
}

extension WebAuthnRefusal {
  static let challenge = WebAuthnRefusal(
    .challenge, "the challenge was not given for this, was used, or has expired; begin again")
}
