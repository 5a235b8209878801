internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// The REST API of OneSignal, both generations, below `/compat/onesignal`: each request is translated to an operation of our
/// own, and its answer back.
enum OneSignalRoutes {
  static let routes: [Route] =
    OneSignalNotifications.routes + OneSignalViews.routes + OneSignalUsers.routes + OneSignalAliases.routes
    + OneSignalSubscriptions.routes
    + OneSignalPlayers.routes + OneSignalSegments.routes + OneSignalTemplates.routes + OneSignalOutcomes.routes
    + OneSignalExport.routes + OneSignalFiles.routes + OneSignalHistory.routes + OneSignalActivities.routes
    + OneSignalAbsent.routes

  /// A query parameter that most requests may have.
  static let app = Route.Query(name: CompatCall.appMember, schema: .string("The app's id.", max: 36))
  static let limit = Route.Query(name: "limit", schema: .integer(0...300, "How many."))
  static let offset = Route.Query(name: "offset", schema: .integer(0...10_000, "How many are passed over."))

  typealias Work = @Sendable (CompatCall) async throws(Problem) -> Reply

  /// How an operation works: on the server's thread, or on those for long requests.
  enum Pace: Sendable { case quick, long, absent }

  /// A route of the vendor's; `path` is the vendor's own.
  static func route(
    _ method: HTTPMethod, _ path: String, _ name: String, _ about: String, query: [Route.Query] = [],
    body: Schema? = nil, pace: Pace = .quick, _ work: @escaping Work
  ) -> Route {
    let action: Route.Work = { call, service async throws(Problem) in
      try await work(CompatCall(call, service, .oneSignal))
    }
    return route(
      Route.Endpoint(method: method, pattern: path, access: .scopes([.compat])), name, about, query: query, body: body,
      isAbsent: pace == .absent, pace == .long ? .long(action) : .write(action))
  }

  static func route(
    _ endpoint: Route.Endpoint, _ name: String, _ about: String, query: [Route.Query] = [], body: Schema? = nil,
    isAbsent: Bool = false, _ action: Route.Action
  ) -> Route {
    Route(
      Route.Endpoint(
        method: endpoint.method, pattern: "/compat/onesignal" + endpoint.pattern, access: endpoint.access),
      name: "onesignal" + name, about: about, query: [app] + query, body: body,
      answers: [Route.Answer(status: 200, about: "OneSignal's answer.", schema: Schema(.map))],
      traits: Route.Traits(repetition: .harmless, vendor: .oneSignal, isAbsent: isAbsent), action: action)
  }

  /// The page that a request asks for.
  static func page(_ c: CompatCall, limitMax: Int) -> (offset: Int, limit: Int) {
    let limit = c.query["limit"].flatMap { Int($0) } ?? limitMax
    return (c.query["offset"].flatMap { Int($0) } ?? 0, min(max(limit, 1), limitMax))
  }

  static func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  /// A time as OneSignal writes it: seconds since 1970.
  static func seconds(_ time: Timestamp?) -> JSONValue { time.map { number(Int($0.milliseconds / 1_000)) } ?? .null }
}
