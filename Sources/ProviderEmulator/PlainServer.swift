internal import HTTP2
internal import HTTPServer
internal import Synchronization

/// The HTTP/1.1 port: all services but APNs, for clients without HTTP/2, and the control API.
final class PlainServer: HTTPHandler {
  private let core: EmulatorCore
  private let api: ControlAPI
  private let control: ControlGuard
  private let loop: EventLoop
  /// Requests that are never answered, kept so that they are not answered by being dropped.
  private let parked = Mutex<[HTTPResponder]>([])

  static let parkedMax = 1000

  init(core: EmulatorCore, api: ControlAPI, guard control: ControlGuard, loop: EventLoop) {
    self.core = core
    self.api = api
    self.control = control
    self.loop = loop
  }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    if request.head.target.segments.first == "control" { return handleControl(request, responder) }
    if let refusal = ControlGuard.crossSiteRefusal(of: request.head) { return refusal.send(to: responder) }
    let gateway = GatewayRequest(
      method: request.method.rawValue, path: request.path, headers: request.headers.all.map { ($0.name, $0.value) },
      body: request.body)
    var connection = GatewayConnection()
    connection.isPlain = true
    var response = GatewayResponse()
    let provider = EmulatedProvider.withDevices.first { $0.row.isItsPath(gateway) } ?? .fcm
    let action = core.handle(provider.row.handle, gateway, &connection, &response)
    carryOut(action, response, responder)
  }

  private func handleControl(_ request: HTTPRequest, _ responder: HTTPResponder) {
    if let refusal = control.refusal(of: request.head, bodyBytes: request.body.count) {
      return refusal.send(to: responder)
    }
    let answer = api.handle(
      method: request.method.rawValue, segments: Array(request.head.target.segments.dropFirst()), body: request.body)
    answer.finish { $0.send(to: responder) }
  }

  /// HTTP/1.1 knows no GOAWAY and no RST_STREAM; where one is wanted, the request stays without an answer.
  private func carryOut(_ action: GatewayAction, _ response: GatewayResponse, _ responder: HTTPResponder) {
    switch action.kind {
    case .respond, .goAway:
      let answer = HTTPResponse(status: response.status, headers: response.headers, bytes: response.body)
      guard action.delayMs > 0 else { return _ = responder.respond(answer) }
      loop.schedule(after: .milliseconds(action.delayMs)) { responder.respond(answer) }
    case .silence, .reset, .close, .halfOpen:
      parked.withLock { parked in
        if parked.count >= Self.parkedMax { parked.removeFirst() }
        parked.append(responder)
      }
    }
  }
}

extension ControlAnswer {
  func send(to responder: HTTPResponder) {
    responder.respond(response)
  }

  /// Delivers the answer: immediately, or from a thread of its own when it depends on another server.
  func finish(_ body: @escaping @Sendable (ControlAnswer) -> Void) {
    guard let later else { return body(self) }
    if !PhoneThreads.runBounded({ body(later()) }) {
      body(.problem(503, "\(EmulatorLimits.waitingAnswersMax) answers wait for another server already; try again"))
    }
  }
}
