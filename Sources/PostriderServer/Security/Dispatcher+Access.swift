internal import HTTPServer
internal import StoreModel

/// Who may send a request.
extension Dispatcher {
  /// The caller of a route's request; nil where anyone may send it.
  func authorize(
    _ head: HTTPRequestHead, _ route: Route, _ parameters: [String], _ now: Timestamp
  ) throws(Problem) -> Caller? {
    guard case .scopes(let accepted) = route.access else { return nil }
    if let vendor = route.traits.vendor { return try compatCaller(vendor, head, route, parameters, now) }
    let target = AccessTarget(
      operation: route.name, accepted: accepted, app: route.parameterNames.first == "app" ? parameters[0] : nil,
      isStateless: route.traits.isStateless)
    let caller = try caller(of: head, at: target, now: now)
    try checkRate(caller, head, now)
    if let app = caller.app, !target.isStateless {
      // A key of one app sees nothing outside of it, lists of apps and server-wide acts included, nor which apps exist.
      guard let name = target.app, try service.apps.id(named: name, now: now) == app
      else { throw Problem(.forbidden, "the key is for one app only, and this lies outside of it") }
    }
    return caller
  }

  /// Refuses a request beyond the rate of its key.
  func checkRate(_ caller: Caller, _ head: HTTPRequestHead, _ now: Timestamp) throws(Problem) {
    guard let rate = caller.ratePerMinute ?? service.ratePerMinute,
      let seconds = service.rates.wait(caller, head.peer, perMinute: rate, now: now)
    else { return }
    throw Problem(
      .tooMany, "the key is good for \(rate) requests a minute; try again in \(seconds) s",
      headers: [("Retry-After", String(seconds))])
  }

  /// Who sent a request, by session or key, when scopes or roles allow it.
  func caller(of head: HTTPRequestHead, at target: AccessTarget, now: Timestamp) throws(Problem) -> Caller {
    // Which of two keys is meant would be a guess.
    guard head.headers.occurrences(of: "Authorization") < 2 else {
      throw KeyRing.refusal("send one Authorization header, not several")
    }
    let signedIn = try SessionAccess.caller(head, at: target, service, now: now)
    let caller =
      if let signedIn { signedIn } else {
        try service.keys.authenticate(head.headers.valueBytes("Authorization"), now: now)
      }
    guard caller.scopes.satisfies(target.accepted) else {
      let wanted = target.accepted.union(.admin).names.joined(separator: ", ")
      throw Problem(
        .forbidden,
        "the key has the scope \(caller.scopes.names.joined(separator: ", ")); this needs one of: \(wanted)")
    }
    return caller
  }
}
