internal import HTTPServer
internal import Signing
internal import StoreModel

/// On whose behalf a request comes from an app on a phone.
struct IdentityCheck: Sendable {
  /// The header that has the token.
  static let header: StaticString = "Postrider-Identity"

  /// For whom the store may act.
  let principal: Principal
  /// The user of the verified token; nil when none was sent or read.
  let subject: String?

  /// Reads and verifies the token of a request, as the app's setting says.
  ///
  /// The setting and keys are read from the store each time, so that a deleted key is not believed once its deletion is answered.
  init(_ call: Call, _ app: App, _ service: Service) throws(Problem) {
    let identity = try service.ask { store throws(StoreError) in try store.identity(app: app.id) }
    guard identity.mode != .off else {
      (principal, subject) = (.trusted, nil)
      return
    }
    let isClient = call.caller.map { !$0.scopes.satisfies(.send) } ?? true
    do throws(Problem) { subject = try IdentityCheck.subject(call, app, identity.keys, service) } catch {
      if isClient { service.identityCounters.refused() }
      throw error
    }
    if isClient { subject == nil ? service.identityCounters.absent() : service.identityCounters.verified() }
    // A backend may act for every user; until tokens are required, so may every client.
    principal = isClient && identity.mode == .required ? .client(user: subject) : .trusted
  }

  /// The user of the token that a vendor's client sends as its session; whatever the app's setting says, there has to be one.
  static func user(
    ofSession token: ArraySlice<UInt8>?, _ call: Call, _ app: App, _ service: Service
  ) throws(Problem) -> String {
    guard let token else {
      service.identityCounters.absent()
      throw Problem(
        .identityRequired, "a token of the user is required; have the backend sign one (docs/identity.md)",
        headers: [challenge("required")])
    }
    let keys = try service.ask { store throws(StoreError) in try store.identity(app: app.id).keys }
    do throws(Problem) {
      let user = try subject(of: token, call, app, keys, service)
      service.identityCounters.verified()
      return user
    } catch {
      service.identityCounters.refused()
      throw error
    }
  }

  /// Refuses to register a device under a user that the token is not of.
  func check(user: String?) throws(Problem) {
    guard let user else { return }
    guard let subject else {
      guard principal == .trusted else { throw IdentityCheck.needed("to register a device under a user") }
      return
    }
    guard subject.utf8.elementsEqual(user.utf8) else {
      throw Problem(
        .identityMismatch,
        "the token is of another user than the request names; send the token of the user that is signed in")
    }
  }

  /// What the store's refusal means for the caller.
  func problem(_ error: StoreError) -> Problem {
    guard error.code == .notPermitted else { return Problem(error) }
    guard subject != nil else {
      return IdentityCheck.needed("to change a device that belongs to a user; that user's own, to sign them out")
    }
    return Problem(
      .identityMismatch,
      "the device belongs to another user; to take it over, register its current push token under your user, without the name"
        + " of another device")
  }

  // MARK: - Steps

  private static func needed(_ purpose: String) -> Problem {
    Problem(
      .identityRequired,
      "this app requires a token in the header \(header) \(purpose); have the backend sign one (docs/identity.md)",
      headers: [challenge("required")])
  }

  private static func challenge(_ code: String) -> (name: String, value: String) {
    ("WWW-Authenticate", "\(header) error=\"\(code)\"")
  }

  private static func subject(
    _ call: Call, _ app: App, _ keys: [IdentityKey], _ service: Service
  ) throws(Problem) -> String? {
    let headers = call.http.headers
    guard headers.occurrences(of: header) <= 1 else { throw refusal(.malformed("sent more than once")) }
    guard let bytes = headers.valueBytes(header) else { return nil }
    return try subject(of: bytes, call, app, keys, service)
  }

  private static func subject(
    of bytes: ArraySlice<UInt8>, _ call: Call, _ app: App, _ keys: [IdentityKey], _ service: Service
  ) throws(Problem) -> String {
    let fault: IdentityFault
    do throws(IdentityFault) {
      let token = try IdentityToken(bytes)
      let key = try key(of: token, keys)
      guard token.isSigned(by: try verifier(key, service)) else {
        throw IdentityFault(
          code: "signature",
          detail:
            "the token's signature is not of the key \(key.name); sign with the key whose id the token names as kid")
      }
      return try token.subject(app: app.name, now: call.now)
    } catch { fault = error }
    throw refusal(fault)
  }

  private static func refusal(_ fault: IdentityFault) -> Problem {
    Problem(.identityRefused, fault.detail, headers: [challenge(fault.code)])
  }

  /// The key that a token names, when the algorithm is the key's own: a token does not choose how it is verified.
  private static func key(of token: IdentityToken, _ keys: [IdentityKey]) throws(IdentityFault) -> IdentityKey {
    guard let key = keys.first(where: { $0.name.utf8.elementsEqual(token.keyName.utf8) }) else {
      throw IdentityFault(
        code: "unknown-key",
        detail:
          "the app has no identity key with the token's kid; it may have been deleted. Sign with a key that the app"
          + " has, and set kid to its id")
    }
    guard token.algorithm.utf8.elementsEqual(key.algorithm.name.utf8) else {
      throw IdentityFault(
        code: "algorithm", detail: "the token's alg is not that of the key \(key.name), which is \(key.algorithm.name)")
    }
    return key
  }

  private static func verifier(_ key: IdentityKey, _ service: Service) throws(IdentityFault) -> IdentityVerifier {
    do throws(SigningError) { return try IdentityVerifier(key, service.vault) } catch {
      service.log(
        .error, "identity key not usable", ["app": .text(key.app.description), "detail": .text(error.message)])
      throw IdentityFault(
        code: "unknown-key",
        detail:
          "the server cannot open the key \(key.name), which was sealed with another sealing key; an administrator"
          + " has to delete it and make another")
    }
  }
}
