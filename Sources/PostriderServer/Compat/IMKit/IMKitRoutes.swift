internal import HTTPServer
internal import WireJSON

/// The REST API of IMKit that has to do with pushes, below `/compat/imkit`: each request is translated to operations of our own,
/// and its answer back.
enum IMKitRoutes {
  static let routes: [Route] = IMKitPush.routes + IMKitDevices.routes + IMKitRooms.routes + IMKitAbsent.routes

  typealias Work = @Sendable (CompatCall) async throws(Problem) -> JSONValue

  /// A route of the vendor's; the work returns the envelope's result.
  static func route(
    _ method: HTTPMethod, _ path: String, _ name: String, _ about: String,
    _ traits: CompatVendor.Traits = CompatVendor.Traits(), body: Schema? = nil, _ work: @escaping Work
  ) -> Route {
    CompatVendor.imKit.route(
      method, path, name, about, traits, body: body
    ) { c async throws(Problem) in ok(try await work(c)) }
  }

  /// The envelope of an operation that succeeded.
  static func ok(_ result: JSONValue) -> Reply { Reply(200, ["RC": 0, "RM": "OK", "result": result]) }
}

/// Who asks: a backend with its API key, or an app with the key that is shipped in it and its user's token.
enum IMKitCaller {
  static let backendHeader: StaticString = "IM-API-KEY"
  static let appHeader: StaticString = "IM-CLIENT-KEY"
  private static let tokenHeader: StaticString = "IM-Authorization"

  /// The user on whose behalf a request comes: that of the token, or the one whom a backend names.
  static func client(_ c: CompatCall, named: String?) throws(Problem) -> String {
    guard isBackend(c) else {
      let user = try IdentityCheck.user(ofSession: token(c), c.call, c.entry.app, c.service)
      guard named == nil || named.map({ $0.utf8.elementsEqual(user.utf8) }) == true else {
        throw Problem(.identityMismatch, "clientId: is not the client of the token")
      }
      return user
    }
    guard c.call.caller?.scopes.satisfies(.compat) == true else {
      throw Problem(.forbidden, "a key in \(backendHeader) must have the scope compat")
    }
    guard let named else { throw IMKitErrors.missing("clientId is required with \(backendHeader)") }
    return named
  }

  static func isBackend(_ c: CompatCall) -> Bool { c.call.http.headers.first(backendHeader) != nil }

  /// The token: older clients have it in `Authorization`, as it is or after “Bearer”.
  private static func token(_ c: CompatCall) throws(Problem) -> ArraySlice<UInt8>? {
    let headers = c.call.http.headers
    let own = headers.occurrences(of: tokenHeader)
    guard own + headers.occurrences(of: "Authorization") < 2 else {
      throw Problem(.identityRefused, "send one token, in \(tokenHeader) or in Authorization")
    }
    guard own == 0 else { return headers.valueBytes(tokenHeader) }
    guard let value = headers.valueBytes("Authorization") else { return nil }
    return KeyRing.text(value, after: "bearer") ?? value
  }
}
