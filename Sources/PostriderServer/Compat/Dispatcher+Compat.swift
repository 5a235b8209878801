internal import HTTPServer
internal import Signing
internal import StoreModel

/// Keys and refusals of the vendors' interfaces.
extension Dispatcher {
  /// A refusal in the form of the interface that the request came to.
  func refused(_ problem: Problem, _ head: HTTPRequestHead) -> HTTPResponse {
    guard let path = CompatPath(head, hosts: compatHosts) else { return problem.response(requestID: head.id) }
    return path.vendor.response(to: problem)
  }

  /// The caller of a vendor's route: a key of the one app that the request names, which answers to this vendor.
  func compatCaller(
    _ vendor: CompatVendor, _ head: HTTPRequestHead, _ route: Route, _ parameters: [String], _ now: Timestamp
  ) throws(Problem) -> Caller {
    let caller = try compatKey(vendor, head, isOfApp: route.traits.readsIdentity, now)
    guard case .scopes(let accepted) = route.access, caller.scopes.satisfies(accepted), let app = caller.app else {
      let scopes = route.traits.readsIdentity ? "client or compat" : "compat"
      throw Problem(.forbidden, "the key must have the scope \(scopes), and be of one app")
    }
    try checkRate(caller, head, now)
    let entry = try service.apps.app(id: app, now: now)
    guard let id = vendor.appID(of: entry.app, entry.settings) else {
      throw Problem(
        .notFound,
        "this app does not answer here; an administrator enables it: PATCH /v1/apps/\(entry.app.name)"
          + " {\"compat\": {\"\(vendor.rawValue)\": {}}}")
    }
    guard let member = vendor.appMember else { return caller }
    let named = zip(route.parameterNames, parameters).filter { $0.0 == member }.map(\.1)
    let asked = head.target.query.pairs.filter { $0.name == member }.map(\.value)
    for other in named + asked where other.lowercased() != id.lowercased() { throw CompatCall.otherApp }
    return caller
  }

  /// The key of a request, in exactly one of the forms that the vendor's clients can send.
  /// - Parameter isOfApp: whether the request comes from an app on a phone: its `Authorization` has the user's token then.
  private func compatKey(
    _ vendor: CompatVendor, _ head: HTTPRequestHead, isOfApp: Bool, _ now: Timestamp
  ) throws(Problem) -> Caller {
    if let caller = try compatKeyApart(vendor, head, now) { return caller }
    let headers = head.headers.occurrences(of: "Authorization")
    guard headers < 2 else { throw KeyRing.refusal("send one Authorization header, not several") }
    if let caller = try compatKeyInOwnHeader(vendor, head, now) {
      // Which of two keys is meant would be a guess.
      guard headers == 0 || isOfApp || vendor.authorizationSchemes.isEmpty else {
        throw KeyRing.refusal("send the key in \(vendor.keyHeaders[0]) or in Authorization, not in both")
      }
      return caller
    }
    if let name = vendor.keyHeaders.first, isOfApp || vendor.authorizationSchemes.isEmpty {
      throw KeyRing.refusal("send the key in the header \(isOfApp ? vendor.keyHeaders.last ?? name : name)")
    }
    let header = head.headers.valueBytes("Authorization")
    if vendor.acceptsKeyInAddress, let header, let text = KeyRing.text(header, after: "basic") {
      return try service.keys.caller(text: try Dispatcher.key(inBasic: text), now: now)
    }
    return try service.keys.authenticate(header, schemes: vendor.authorizationSchemes, now: now)
  }

  /// The key in a field of its own, the header `Postrider-Key` or the path; nil without one.
  ///
  /// What is in the vendor's fields is then the vendor's, and is not looked at: a backend whose requests are forwarded sends
  /// both keys, and keeps doing so when they are live.
  private func compatKeyApart(
    _ vendor: CompatVendor, _ head: HTTPRequestHead, _ now: Timestamp
  ) throws(Problem) -> Caller? {
    let inPath = CompatPath(head, hosts: compatHosts)?.key
    switch head.headers.occurrences(of: CompatKeyLocation.header) {
    case 0: break
    case 1 where inPath == nil:
      return try service.keys.caller(text: head.headers.valueBytes(CompatKeyLocation.header) ?? [], now: now)
    default: throw KeyRing.refusal("send one key: in the path, or in one header \(CompatKeyLocation.header)")
    }
    guard let key = inPath else { return nil }
    // The push server has no keys of its own: which of two is meant would be a guess.
    guard !vendor.acceptsKeyInAddress || head.headers.occurrences(of: "Authorization") == 0 else {
      throw KeyRing.refusal("send the key in the path or in Authorization, not in both")
    }
    let caller = try service.keys.caller(text: Array(key.utf8)[...], now: now)
    // Proxies write paths into their logs: what is in one opens nothing but this interface.
    guard caller.scopes == .compat else {
      throw Problem(.forbidden, "a key in the path must have the scope compat and no other; send others in a header")
    }
    return caller
  }

  /// The key in a header of the vendor's own; nil without one.
  private func compatKeyInOwnHeader(
    _ vendor: CompatVendor, _ head: HTTPRequestHead, _ now: Timestamp
  ) throws(Problem) -> Caller? {
    let sent = vendor.keyHeaders.filter { head.headers.occurrences(of: $0) > 0 }
    guard let name = sent.first, let key = head.headers.valueBytes(name) else { return nil }
    guard sent.count == 1, head.headers.occurrences(of: name) == 1 else {
      throw KeyRing.refusal("send one key, not several")
    }
    return try service.keys.caller(text: key, now: now)
  }

  /// The key in the credentials of HTTP Basic: the user name or the password, whichever has the form of a key.
  private static func key(inBasic text: ArraySlice<UInt8>) throws(Problem) -> ArraySlice<UInt8> {
    guard let pair = Base64.decode(Array(text)), let colon = pair.firstIndex(of: UInt8(ascii: ":")) else {
      throw KeyRing.refusal("what follows \"Basic\" must be USER:PASSWORD in base64")
    }
    let keys = [pair[..<colon], pair[(colon + 1)...]].filter(APIKeyText.hasForm)
    guard keys.count == 1, let key = keys.first else {
      throw KeyRing.refusal("either the user name or the password must be an API key, and not both")
    }
    return key
  }
}
