import HTTP2
import Synchronization
import TLS

/// Answers by closures.
final class TestHandler: HTTP2ServerHandler {
  typealias Answer = @Sendable (HTTP2ServerRequest) -> Void
  typealias Plan = @Sendable (HTTP2ServerConnection) -> HTTP2ConnectionBehavior

  private let answer: Answer
  private let behavior: Plan
  let connections = Mutex<[HTTP2ServerConnection]>([])
  let handled = Mutex(0)

  init(behavior: @escaping Plan = { _ in HTTP2ConnectionBehavior() }, answer: @escaping Answer) {
    self.behavior = behavior
    self.answer = answer
  }

  func accept(_ connection: HTTP2ServerConnection) -> HTTP2ConnectionBehavior {
    connections.withLock { $0.append(connection) }
    return behavior(connection)
  }

  func handle(_ request: HTTP2ServerRequest) {
    handled.withLock { $0 += 1 }
    answer(request)
  }
}

/// A server and the means to connect to it; both loops end with the test.
final class Pair {
  let clientLoop: EventLoop
  let serverLoop: EventLoop
  let server: HTTP2Server
  let handler: TestHandler
  var configuration: HTTP2ClientConfiguration
  let template: HTTP2RequestTemplate

  init(
    behavior: @escaping TestHandler.Plan = { _ in HTTP2ConnectionBehavior() },
    server change: (inout HTTP2ServerConfiguration) -> Void = { _ in },
    answer: @escaping TestHandler.Answer = { $0.respond(status: 200) }
  ) throws {
    clientLoop = try EventLoop(name: "client")
    serverLoop = try EventLoop(name: "server")
    handler = TestHandler(behavior: behavior, answer: answer)
    var serverConfiguration = HTTP2ServerConfiguration(tls: try .server(identity: TestCertificate.shared.identity))
    change(&serverConfiguration)
    server = try HTTP2Server(configuration: serverConfiguration, loops: [serverLoop], handler: handler)
    configuration = HTTP2ClientConfiguration(
      host: "127.0.0.1", port: server.port, tls: try .client(trust: TestCertificate.shared.trust))
    template = try HTTP2RequestTemplate(
      authority: "localhost", pathPrefix: "/3/device/",
      headers: [HTTP2Header("apns-topic", "com.example.app"), HTTP2Header("authorization", "bearer secret")],
      variableHeaders: ["apns-id"], body: Array("{}".utf8))
  }

  deinit {
    server.stop(abruptly: true)
    clientLoop.shutdown()
    serverLoop.shutdown()
  }

  func connect(_ recorder: Recorder) -> HTTP2ClientConnection {
    let connection = HTTP2ClientConnection(loop: clientLoop, configuration: configuration, observer: recorder)
    connection.start()
    return connection
  }

  /// A batch of requests numbered from `first`.
  func batch(_ count: Int, first: Int = 0, timeout: Duration = .seconds(5)) -> HTTP2RequestBatch {
    var batch = HTTP2RequestBatch()
    for index in first..<(first + count) {
      batch.append(template, id: UInt64(index), path: "\(index)", values: ["id-\(index)"], timeout: timeout)
    }
    return batch
  }

  /// The connection that the server accepted last.
  func serverConnection() -> HTTP2ServerConnection? { handler.connections.withLock { $0.last } }
}
