internal import HTTPServer
internal import StoreModel
internal import Synchronization

/// The trace of one request: a span for the whole, and one for each of its steps.
final class RequestTrace: Sendable {
  private let tracer: Tracer
  /// The trace, and the caller's span.
  private let context: TraceContext
  private let id: UInt64
  private let start: UInt64
  /// Where the last step ended, and whether there was one.
  private let steps: Mutex<(end: UInt64, count: Int)>

  init(_ tracer: Tracer, _ context: TraceContext, start: UInt64) {
    self.tracer = tracer
    self.context = context
    self.start = start
    id = tracer.spanID()
    steps = Mutex((start, 0))
  }

  /// The context of what belongs to the request.
  private var inner: TraceContext {
    var inner = context
    inner.parent = id
    return inner
  }

  /// A step has ended: from the end of the one before until now.
  func step(_ name: StaticString) { step(name, failure: nil) }

  private func step(_ name: StaticString, failure: String?) {
    let now = Tracer.now()
    let begin = steps.withLock { steps in
      defer { steps = (now, steps.count + 1) }
      return steps.end
    }
    tracer.add(
      Span(
        context: inner, id: tracer.spanID(), name: "\(name)", kind: .inside, start: begin, end: now, failure: failure))
  }

  /// The request made pushes, which are durable.
  ///
  /// Called before anyone can lease them: on the writer's thread, after the commit.
  func made(_ created: [CreatedPush], of pushes: [NewPush]) {
    for (created, push) in zip(created, pushes) where created.isCreated && !created.replayed {
      tracer.follow(created.id, push, inner)
    }
  }

  /// The request is answered.
  func end(_ request: HTTPRequest, route: Route, status: Int, problem: Problem?) {
    // What is refused before a step has ended was refused by the checks.
    if problem != nil, status < 500, steps.withLock({ $0.count == 0 }) {
      step("validation", failure: problem?.kind.name)
    }
    var attributes: Span.Attributes = [
      ("http.request.method", .text(route.method.rawValue)), ("http.route", .text(route.pattern)),
      ("http.response.status_code", .int(status)), ("postrider.request_id", .text(request.id.description)),
    ]
    if let problem { attributes.append(("error.type", .text(problem.kind.name))) }
    // A refusal is the caller's, not the server's, as OpenTelemetry has it for servers.
    tracer.add(
      Span(
        context: context, id: id, name: "\(route.method.rawValue) \(route.pattern)", kind: .server, start: start,
        end: Tracer.now(), attributes: attributes, failure: status >= 500 ? problem?.kind.name ?? "error" : nil))
  }
}
