internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import System
internal import WireJSON

/// Takes requests from the HTTP server to their routes: finds the route and checks the key on the head, reads and checks
/// the body, and turns what comes back into a response, a count and a log line.
struct Dispatcher: HTTPHandler {
  let router: Router
  let service: Service
  let lab: Lab?
  let coreModule: CoreModule?
  /// Called when a request with an `Idempotency-Key` has made its change and its answer is not stored yet.
  var onUnstoredAnswer: (@Sendable () -> Void)?
  var compatHosts: [String: CompatVendor] { service.compatHosts }

  /// What a request needs is decided on its head: a body is read only for those who may send one.
  func upload(for head: HTTPRequestHead) -> HTTPBodyHandling {
    let started = ContinuousClock.now
    let compat = CompatPath(head, hosts: compatHosts)
    if compat == nil, Dashboard.leads(head) || lab != nil && Lab.leads(head.target.segments) { return page(head) }
    if compat == nil, let answer = preflight(head) {
      finished(
        HTTPRequest(head: head, body: []), route: nil, caller: nil, response: answer, problem: nil, started: started)
      return .refused(answer)
    }
    var route: Int?
    var caller: Caller?
    do throws(Problem) {
      let found = try self.route(head.method, compat?.segments ?? head.target.segments)
      route = found.index
      let now = service.now
      caller = try authorize(head, router.routes[found.index], found.parameters, now)
      guard case .upload(let handler, _) = router.routes[found.index].action else {
        return .handled(maxBytes: maxBodyBytes(head, router.routes[found.index])) { [caller] body, responder in
          handle(HTTPRequest(head: head, body: body), found.index, found.parameters, caller, responder)
        }
      }
      return try upload(head, found.index, found.parameters, caller, now, started, handler)
    } catch {
      return .refused(refusal(error, head, route, caller, started))
    }
  }

  private func refusal(
    _ problem: Problem, _ head: HTTPRequestHead, _ route: Int?, _ caller: Caller?, _ started: ContinuousClock.Instant
  ) -> HTTPResponse {
    let request = HTTPRequest(head: head, body: [])
    let response = refused(problem.shown(to: caller), head)
    finished(request, route: route, caller: caller, response: response, problem: problem, started: started)
    return whole(response, request, route: route)
  }

  /// The response with what the server adds to each.
  private func whole(_ response: HTTPResponse, _ request: HTTPRequest, route: Int?) -> HTTPResponse {
    var whole = tagged(response.kept(from: request), request, route: route).encoded(for: request)
    if let route, request.headers.occurrences(of: "Origin") > 0,
      case .route(_, let parameters) = router.match(request.method, request.head.target.segments),
      let origin = allowedOrigin(request.head, router.routes[route], parameters)
    {
      whole.headers += [("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "Retry-After")]
      whole.headers.append(("Vary", "Origin"))
    }
    whole.headers.append(("X-Request-Id", request.id.description))
    return whole
  }

  /// A file of the dashboard, or the lab: the lab reads its caller's key on the head too.
  private func page(_ head: HTTPRequestHead) -> HTTPBodyHandling {
    let started = ContinuousClock.now
    guard !Dashboard.leads(head) else {
      return .handled(maxBytes: Dispatcher.openBytesMax) { body, responder in
        handle(HTTPRequest(head: head, body: body), responder)
      }
    }
    do throws(Problem) { try checkLab(head) } catch { return .refused(refusal(error, head, nil, nil, started)) }
    return .buffered
  }

  /// Files of the dashboard, and the lab; every route is handled by the plan that ``upload(for:)`` made.
  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let started = ContinuousClock.now
    let finish: @Sendable (HTTPResponse) -> Void = { response in
      responder.respond(whole(response, request, route: nil))
      finished(request, route: nil, caller: nil, response: response, problem: nil, started: started)
    }
    if let page = Dashboard.response(to: request, module: coreModule) { return finish(page) }
    guard let lab else { return }
    enter(lab, request, finish)
  }

  private func handle(
    _ request: HTTPRequest, _ index: Int, _ parameters: [String], _ caller: Caller?, _ responder: HTTPResponder
  ) {
    let started = ContinuousClock.now
    let route = router.routes[index]
    let trace = service.tracer?.trace(request.headers, sends: route.sends)
    let finish: @Sendable (HTTPResponse, Problem?) -> Void = { response, problem in
      responder.respond(whole(response, request, route: index))
      trace?.end(request, route: route, status: response.status, problem: problem)
      finished(request, route: index, caller: caller, response: response, problem: problem, started: started)
    }
    let bare: Call
    do throws(Problem) { bare = try self.bare(request, route, parameters, caller, service.now, trace) } catch {
      return finish(refused(error.shown(to: caller), request.head), error)
    }
    let answer: @Sendable (Result<Reply, Problem>) -> Void = { result in
      switch result {
      case .success(let reply):
        remembered(bare, route, reply) { audited(bare, route, reply) { finish($0.response, nil) } }
      case .failure(let problem):
        do throws(Problem) {
          // Pushes are looked up only here, because the store compares keys when it creates one.
          if let reply = try repeated(bare, route) { return finish(reply.response, nil) }
          finish(refused(problem.shown(to: caller), request.head), problem)
        } catch {
          finish(refused(error.shown(to: caller), request.head), error)
        }
      }
    }
    let call: Call
    do throws(Problem) {
      if route.repetition != .push, let reply = try repeated(bare, route) { return finish(reply.response, nil) }
      if let reply = direct(bare, route) { return answer(.success(reply)) }
      call = try self.call(bare, route)
    } catch {
      guard isShadowed(bare, route) else { return answer(.failure(error)) }
      // The vendor may accept what cannot be read here.
      let refused: Route.Work = { _, _ throws(Problem) in throw error }
      return perform(bare, route, shadowed(refused, route), responder, answer)
    }
    act(call, route, responder, answer)
  }

  /// The answer of a route that makes it of the body's bytes; nil where it has to be read for the action.
  private func direct(_ bare: Call, _ route: Route) -> Reply? {
    guard let direct = route.traits.direct, bare.http.query.pairs.isEmpty, !Dispatcher.isConditional(bare.http) else {
      return nil
    }
    return direct(bare.http.body, service).map { Reply(json: $0) }
  }

  private func act(
    _ call: Call, _ route: Route, _ responder: HTTPResponder,
    _ answer: @escaping @Sendable (Result<Reply, Problem>) -> Void
  ) {
    let work: Route.Work
    switch route.action {
    case .now(let action):
      guard Dispatcher.isConditional(call.http) else {
        return answer(Result { () throws(Problem) in try action(call, service) })
      }
      work = action
    case .write(let action): work = action
    case .long(let action):
      work = { call, service async throws(Problem) in
        try await service.longWork.run { () async throws(Problem) in try await action(call, service) }
      }
    case .upload: return answer(.failure(Problem(.internalError, "the body was buffered, not read as it arrived")))
    }
    perform(call, route, shadowed(work, route), responder, answer)
  }

  private func perform(
    _ call: Call, _ route: Route, _ work: @escaping Route.Work, _ responder: HTTPResponder,
    _ answer: @escaping @Sendable (Result<Reply, Problem>) -> Void
  ) {
    responder.run {
      let result: Result<Reply, Problem> = await Author.$current.withValue(call.caller?.author) {
        do throws(Problem) {
          return .success(
            try await keyed(call, route) { () async throws(Problem) in try await acting(call, work) })
        } catch { return .failure(error) }
      }
      answer(result)
    }
  }

  /// No request may make the thread wait that others are served on.
  func onServingThread(_ serve: () -> Void) { DiskWaits.$areForbidden.withValue(true) { serve() } }

  private func upload(
    _ head: HTTPRequestHead, _ index: Int, _ parameters: [String], _ caller: Caller?, _ now: Timestamp,
    _ started: ContinuousClock.Instant, _ handler: Route.UploadHandler
  ) throws(Problem) -> HTTPBodyHandling {
    let request = HTTPRequest(head: head, body: [])
    let call = try call(bare(request, router.routes[index], parameters, caller, now), router.routes[index])
    if head.headers.first("If-Match") != nil { throw Problem(.badRequest, EntityTag.nothingToCompare) }
    return try handler(call, service) { responder, result in
      let (response, problem): (HTTPResponse, Problem?) =
        switch result {
        case .success(let reply): (reply.response, nil)
        case .failure(let problem): (problem.response(requestID: head.id), problem)
        }
      var whole = response.kept(from: request)
      whole.headers.append(("X-Request-Id", head.id.description))
      responder.respond(whole)
      finished(request, route: index, caller: caller, response: response, problem: problem, started: started)
    }
  }

  /// A list of tokens is longer than other requests.
  static let pushBytesMax = 4 * 1024 * 1024
  /// What anyone may send without a key.
  static let openBytesMax = 16 * 1024

  /// Ends of paths that take a list of whom a push is for.
  static let takers: Set<String> = ["pushes", "schedules", "notifications", "push2clients"]

  private func maxBodyBytes(_ head: HTTPRequestHead, _ route: Route) -> Int? {
    guard case .scopes = route.access else { return Dispatcher.openBytesMax }
    let segments = head.target.segments
    let takesTokens =
      switch head.method {
      case .post: segments.last.map(Dispatcher.takers.contains) ?? false
      case .patch: segments.dropLast().last == "pushes"
      default: false
      }
    return takesTokens ? Dispatcher.pushBytesMax : nil
  }

  /// Whoever watches the server sees it when it is full, too.
  func isEssential(_ head: HTTPRequestHead) -> Bool {
    ["/healthz", "/readyz", "/metrics"].contains(head.target.path)
  }

  func response(to fault: HTTPFault, id: HTTPRequestID, head: HTTPRequestHead?) -> HTTPResponse {
    let kind: Problem.Kind =
      switch fault.status {
      case 413: .tooLarge
      case 503: .busy
      case 500: .internalError
      case 414, 417, 431, 501, 505:
        Problem.Kind(name: Problem.Kind.badRequest.name, status: fault.status, title: fault.title)
      default: .badRequest
      }
    service.metrics.count(route: nil, status: fault.status, microseconds: 0)
    service.log(
      fault.status >= 500 ? .error : .info, "refused",
      [
        "request": .text(id.description), "status": .int(fault.status), "detail": .text(fault.detail),
      ])
    let wait = fault.retryAfterSeconds.map { [(name: "Retry-After", value: String($0))] } ?? []
    let problem = Problem(kind, fault.detail, headers: wait)
    return head.map { refused(problem, $0) } ?? problem.response(requestID: id)
  }

  // MARK: - Steps

  private func route(
    _ method: HTTPMethod, _ segments: [String]
  ) throws(Problem) -> (index: Int, parameters: [String]) {
    switch router.match(method, segments) {
    case .route(let index, let parameters): return (index, parameters)
    case .otherMethods(let methods):
      let names = methods.map(\.rawValue).joined(separator: ", ")
      throw Problem(
        .methodNotAllowed, "\(method.rawValue.prefix(20)) is not possible here; possible: \(names)",
        headers: [("Allow", names)])
    case .none:
      throw Problem(.notFound, "no such path; GET /openapi.json lists the paths that exist")
    }
  }

  /// A request of a caller who may make it, before its body was read.
  private func bare(
    _ request: HTTPRequest, _ route: Route, _ parameters: [String], _ caller: Caller?, _ now: Timestamp,
    _ trace: RequestTrace? = nil
  ) throws(Problem) -> Call {
    Call(
      http: request, parameters: parameters, caller: caller, body: .null, report: Report(), now: now,
      idempotency: route.method == .post ? try IdempotencyHeader.read(request.headers) : nil,
      company: Call.Company(trace: trace))
  }

  /// The request with its body.
  private func call(_ bare: Call, _ route: Route) throws(Problem) -> Call {
    var report = Report()
    let body = try route.body.map { schema throws(Problem) in
      // Vendors' clients send no body when every member is optional.
      if route.traits.vendor != nil, bare.http.body.isEmpty { return JSONValue.object([:]) }
      return try RequestBody.read(bare.http.body, schema, into: &report)
    }
    if !route.traits.isAbsent { try checkQuery(bare.http, route) }
    return Call(
      http: bare.http, parameters: bare.parameters, caller: bare.caller, body: body ?? .null, report: report,
      now: bare.now, idempotency: bare.idempotency, company: bare.company)
  }

  private func checkQuery(_ request: HTTPRequest, _ route: Route) throws(Problem) {
    var report = Report()
    for pair in request.query.pairs {
      guard let known = route.query.first(where: { $0.name == pair.name }) else {
        let names = route.query.map(\.name).joined(separator: ", ")
        report.add(
          rule: Schema.Rule.unknownField, severity: .error, field: "?" + pair.name,
          message: names.isEmpty ? "this path takes no query" : "unknown query parameter; known: \(names)")
        continue
      }
      // Query values are text; a schema for a number gets a number.
      let number = Int(pair.value).map { JSONValue.number(JSONNumber($0)) }
      let value: JSONValue =
        if case .integer = known.schema.form { number ?? .string(pair.value) } else {
          .string(pair.value)
        }
      var found = Report()
      known.schema.check(value, schemas: SchemaTable.byName, into: &found)
      for finding in found.findings {
        report.add(rule: finding.rule, severity: finding.severity, field: "?" + pair.name, message: finding.message)
      }
    }
    if report.hasErrors { throw Problem(.badRequest, report: report) }
  }

  private func finished(
    _ request: HTTPRequest, route: Int?, caller: Caller?, response: HTTPResponse, problem: Problem?,
    started: ContinuousClock.Instant
  ) {
    let elapsed = (ContinuousClock.now - started).components
    let microseconds = elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    service.metrics.count(route: route, status: response.status, microseconds: microseconds)
    let level: LogLevel = response.status >= 500 ? .error : response.status >= 400 ? .info : .debug
    // Routes and not paths are logged: a path may hold what a caller did not mean to put there.
    service.log(
      level, "request",
      [
        "request": .text(request.id.description), "method": .text(String(request.method.rawValue.prefix(20))),
        "route": .text(route.map { router.routes[$0].pattern } ?? "none"), "status": .int(response.status),
        "ms": .milliseconds(Double(microseconds) / 1_000), "key": .text(caller?.key?.description ?? ""),
        "person": .text(caller?.account?.description ?? ""),
        "problem": .text(problem?.kind.name ?? ""),
      ])
  }
}
