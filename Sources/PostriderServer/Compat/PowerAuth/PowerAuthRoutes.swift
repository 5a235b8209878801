internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// The REST API of the PowerAuth push server below `/compat/powerauth`: each request is translated to operations of our own,
/// and its answer back.
enum PowerAuthRoutes {
  static let routes: [Route] =
    PowerAuthStatus.routes + PowerAuthDevices.routes + PowerAuthMessages.routes + PowerAuthCampaigns.routes
    + PowerAuthCampaignUsers.routes + PowerAuthInbox.routes + PowerAuthAbsent.routes

  /// Of every answer: an address may have a key in it, and neither is to be stored on the way.
  static let headers = [(name: "Cache-Control", value: "no-store")]

  typealias Work = @Sendable (CompatCall) async throws(Problem) -> JSONValue?

  /// The routes of an operation, one for each method; it returns the answer's object.
  static func route(
    _ methods: [HTTPMethod], _ path: String, _ name: String, _ about: String, query: [Route.Query] = [],
    body: Schema? = nil, isAbsent: Bool = false, _ work: @escaping Work
  ) -> [Route] {
    replying(methods, path, name, about, query: query, body: body, isAbsent: isAbsent) { c async throws(Problem) in
      ok(try await work(c))
    }
  }

  /// The routes of an operation that returns its whole answer.
  static func replying(
    _ methods: [HTTPMethod], _ path: String, _ name: String, _ about: String, query: [Route.Query] = [],
    body: Schema? = nil, isAbsent: Bool = false, _ work: @escaping CompatWork.Work
  ) -> [Route] {
    methods.enumerated().map { index, method in
      Route(
        Route.Endpoint(method: method, pattern: "/compat/powerauth" + path, access: .scopes([.compat])),
        name: "powerauth" + name + (index == 0 ? "" : "By\(method.rawValue.capitalizedASCII)"), about: about,
        query: query, body: body,
        answers: [Route.Answer(status: 200, about: "The push server's answer.", schema: Schema(.map))],
        traits: Route.Traits(repetition: .harmless, vendor: .powerAuth, isAbsent: isAbsent),
        action: CompatWork.action(.powerAuth, work))
    }
  }

  /// The answer of an operation that succeeded.
  static func ok(_ object: JSONValue? = nil, more: JSONObject = [:]) -> Reply {
    var whole: JSONObject = ["status": "OK"]
    for (name, value) in more { whole[name] = value }
    if let object { whole["responseObject"] = object }
    var reply = Reply(200, .object(whole))
    reply.headers = headers
    return reply
  }

  static func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
}

extension String {
  /// `DELETE` as `Delete`.
  fileprivate var capitalizedASCII: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
