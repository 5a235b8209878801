internal import Signing

/// The answer of an authenticator that signed a challenge.
public struct AssertionAnswer: Sendable {
  /// What the browser says.
  public let clientData: [UInt8]
  /// What the authenticator says.
  public let authenticatorData: [UInt8]
  /// The signature of both.
  public let signature: [UInt8]

  /// Creates a value from its parts.
  public init(clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
    self.clientData = clientData
    self.authenticatorData = authenticatorData
    self.signature = signature
  }

  /// What of an answer needs no passkey to be checked, so that its refusal says nothing of who is known.
  public struct Checked: Sendable {
    fileprivate let data: AuthenticatorData
    fileprivate let message: [UInt8]
    fileprivate let signature: [UInt8]
    /// The challenge that is answered.
    public let challenge: [UInt8]
  }

  /// Verifies what does not depend on the passkey (WebAuthn level 3, section 7.2, steps 10 to 19).
  ///
  /// - Parameter isChallenge: whether a challenge was given for this, and is still good.
  public func checked(for party: RelyingParty, isChallenge: ([UInt8]) -> Bool) throws(WebAuthnRefusal) -> Checked {
    let client = try ClientData(clientData, of: .signIn, for: party)
    guard isChallenge(client.challenge) else { throw .challenge }
    let data = try AuthenticatorData(authenticatorData)
    try data.check(party)
    return Checked(
      data: data, message: authenticatorData + client.hash, signature: signature, challenge: client.challenge)
  }
}

extension AssertionAnswer.Checked {
  /// Verifies the signature and the counter (steps 20 to 22), and returns the passkey to store from now on.
  ///
  /// - Throws: `signature`; `counter` when the signature is right and the counter did not move on; `key` of a damaged row.
  public func verified(by passkey: StoredPasskey) throws(WebAuthnRefusal) -> StoredPasskey {
    let cose: CBOR
    do throws(CBORError) { cose = try CBORReader.read(passkey.key) } catch {
      throw WebAuthnRefusal(.key, "the stored public key: \(error)")
    }
    guard try CredentialKey(cose).verifies(signature, of: message) else {
      throw WebAuthnRefusal(.signature, "the signature is wrong")
    }
    // A passkey is made for one device or for several, and does not change that.
    guard data.flags.contains(.backupEligible) == passkey.isBackupEligible else {
      throw WebAuthnRefusal(.flags, "the passkey says differently than before whether it may be on several devices")
    }
    guard (data.counter == 0 && passkey.counter == 0) || data.counter > passkey.counter else {
      throw WebAuthnRefusal(
        .counter,
        "the signature counter went from \(passkey.counter) to \(data.counter): the passkey may have been copied")
    }
    return StoredPasskey(
      credential: passkey.credential, key: passkey.key, counter: data.counter,
      isBackupEligible: passkey.isBackupEligible, isBackedUp: data.flags.contains(.backedUp))
  }
}

extension AuthenticatorData {
  /// Refuses another relying party, and a person who is absent or was not verified.
  func check(_ party: RelyingParty) throws(WebAuthnRefusal) {
    guard constantTimeEqual(relyingPartyHash, SHA256.digest(party.id)) else {
      throw WebAuthnRefusal(.relyingParty, "the answer is for another host than \(party.id)")
    }
    guard flags.contains(.userPresent) else { throw WebAuthnRefusal(.flags, "the authenticator saw nobody") }
    guard flags.contains(.userVerified) else {
      throw WebAuthnRefusal(
        .flags,
        "the authenticator verified nobody; a passkey replaces a password and needs a PIN or biometrics")
    }
    guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else {
      throw WebAuthnRefusal(.flags, "the passkey is on several devices and may not be")
    }
  }
}
