internal import HTTPServer
internal import PushStore

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
    guard head.headers.occurrences(of: "Authorization") < 2 else {
      throw KeyRing.refusal("send one Authorization header, not several")
    }
    let caller = try service.keys.authenticate(
      head.headers.valueBytes("Authorization"), schemes: vendor.authorizationSchemes, now: now)
    guard caller.scopes.satisfies(.compat), let app = caller.app else {
      throw Problem(.forbidden, "the key must have the scope compat, and be of one app")
    }
    try checkRate(caller, head, now)
    let entry = try service.apps.app(id: app, now: now)
    guard let id = entry.app.compat[vendor.rawValue] else {
      throw Problem(
        .notFound,
        "this app does not answer here; an administrator enables it: PATCH /v1/apps/\(entry.app.name)"
          + " {\"compat\": {\"\(vendor.rawValue)\": {}}}")
    }
    let named = zip(route.parameterNames, parameters).filter { $0.0 == CompatCall.appMember }.map(\.1)
    let asked = head.target.query.pairs.filter { $0.name == CompatCall.appMember }.map(\.value)
    for other in named + asked where other.lowercased() != id { throw CompatCall.otherApp }
    return caller
  }
}
