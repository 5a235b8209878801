internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// The work of vendors' operations, away from the server's own threads: some read many devices.
enum CompatWork {
  /// What an operation does; it may suspend until the store has a change.
  typealias Work = @Sendable (CompatCall) async throws(Problem) -> Reply

  private static let threads = WorkerThreads("compat", threads: threadsMax, requests: threadsMax + queuedMax)
  static let threadsMax = 8
  static let queuedMax = 1_000
  /// How long a request may wait for a thread; its client has given up by then.
  static let queuedSecondsMax = 20

  static func action(_ vendor: CompatVendor, _ work: @escaping Work) -> Route.Action {
    .write { call, service async throws(Problem) in
      let end = ContinuousClock.now.advanced(by: .seconds(queuedSecondsMax))
      return try await threads.run { () async throws(Problem) in
        guard ContinuousClock.now < end else { throw busy }
        return try await work(CompatCall(call, service, vendor))
      }
    }
  }

  private static let busy = Problem(
    .busy, "too many requests are being worked on", headers: [("Retry-After", "1")])
}

extension CompatVendor {
  /// Who asks: a backend with its key, or an app on a phone with the key that is shipped in it and the token of its user.
  enum Caller: Sendable { case backend, app }

  /// What few routes need.
  struct Traits: Sendable {
    var caller = Caller.backend
    var query: [Route.Query] = []
    /// Of the answer.
    var status = 200
    /// Whether it only refuses, whatever is sent.
    var isAbsent = false
  }

  /// A route of the vendor's that is worked on away from the server's threads; `path` is the vendor's own.
  func route(
    _ method: HTTPMethod, _ path: String, _ name: String, _ about: String, _ traits: Traits = Traits(),
    body: Schema? = nil, _ work: @escaping CompatWork.Work
  ) -> Route {
    Route(
      Route.Endpoint(
        method: method, pattern: "/compat/\(rawValue)" + path,
        access: .scopes(traits.caller == .app ? [.client, .compat] : [.compat])),
      name: rawValue + name, about: about, query: traits.query, body: body,
      answers: [
        Route.Answer(
          status: traits.status, about: "The vendor's answer.", schema: traits.status == 204 ? nil : Schema(.map))
      ],
      traits: Route.Traits(
        repetition: .harmless, readsIdentity: traits.caller == .app, vendor: self, isAbsent: traits.isAbsent),
      action: CompatWork.action(self, work))
  }

  /// Where the interface describes itself.
  var document: Route {
    Route(
      .get("/compat/\(rawValue)/openapi.json", .open), name: rawValue + "Document",
      about: "This document: the operations of the vendor's interface that are here.",
      answers: [Route.Answer(status: 200, about: "The document.", schema: Schema(.map))], traits: .init(vendor: self),
      action: .now { _, service throws(Problem) in
        Reply(200, OpenAPI(routes: routes, schemas: SchemaTable.all, version: service.version).document)
      })
  }
}
