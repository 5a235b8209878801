import Glibc
import HTTP2
import TLS

/// Answers every request with 200 at once: an echo of `apns-id` for APNs paths, a message name for FCM, a token for the
/// rest; with 201 for web pushes.
///
/// To APNs one device in so many may be one that is gone. The common server of clients that are compared.
private final class AnswerAll: HTTP2ServerHandler {
  private let apns: HTTP2ResponseTemplate
  private let fcm: HTTP2ResponseTemplate
  private let token: HTTP2ResponseTemplate
  private let web: HTTP2ResponseTemplate
  private let gone: HTTP2ResponseTemplate
  /// Of how many devices of APNs one is gone; 0 when none is.
  private let goneEvery: Int
  /// How long each answer takes.
  private let latency: Duration

  init(latency: Duration, goneEvery: Int) throws {
    self.latency = latency
    self.goneEvery = goneEvery
    // Later than any device of a benchmark registers.
    let since = wallClock().adding(seconds: 86_400).milliseconds
    gone = try HTTP2ResponseTemplate(
      status: 410, variableHeaders: ["apns-id"], body: Array(#"{"reason":"Unregistered","timestamp":\#(since)}"#.utf8))
    apns = try HTTP2ResponseTemplate(status: 200, variableHeaders: ["apns-id"])
    let json = [HTTP2Header("content-type", "application/json; charset=UTF-8")]
    fcm = try HTTP2ResponseTemplate(
      status: 200, headers: json,
      body: Array("{\n  \"name\": \"projects/bench/messages/0:1500415314455276%31bd1c9631bd1c96\"\n}\n".utf8))
    web = try HTTP2ResponseTemplate(
      status: 201,
      headers: [HTTP2Header("location", "https://127.0.0.1/message/31bd1c9631bd1c96"), HTTP2Header("ttl", "3600")])
    token = try HTTP2ResponseTemplate(
      status: 200, headers: json,
      body: Array(#"{"access_token":"bench","expires_in":3599,"token_type":"Bearer"}"#.utf8))
  }

  func handle(_ request: HTTP2ServerRequest) {
    if request.path.starts(with: "/3/".utf8) {
      guard latency != .zero else { return accept(request) }
      request.resume(after: latency) { self.accept($0) }
    } else {
      let answer =
        request.path.starts(with: "/v1/".utf8) ? fcm : request.path.starts(with: "/push/".utf8) ? web : token
      guard latency != .zero else { return request.respond(answer) }
      request.resume(after: latency) { $0.respond(answer) }
    }
  }

  private func accept(_ request: HTTP2ServerRequest) {
    request.respond(isGone(request.path) ? gone : apns, values: [request.header("apns-id")])
  }

  /// Whether the device of a path is gone: its token says so, to every push.
  private func isGone(_ path: some BidirectionalCollection<UInt8>) -> Bool {
    guard goneEvery > 0 else { return false }
    return path.suffix(4).reduce(0) { $0 &* 31 &+ Int($1) }.isMultiple(of: goneEvery)
  }
}

/// Serves until it is stopped; prints its port.
func answer(_ arguments: [String]) throws {
  let options = try Options(arguments, known: ["port", "cert", "key", "streams", "latency", "gone"])
  let identity = TLSIdentity(certificatePEM: try options.file("cert"), keyPEM: try options.file("key"))
  var configuration = HTTP2ServerConfiguration(tls: try TLSContext.server(identity: identity))
  guard let port = UInt16(exactly: try options.number("port")) else {
    throw Options.Failure(description: "--port: expected 1 to 65535")
  }
  configuration.port = port
  configuration.settings.maxConcurrentStreams = UInt32(try options.number("streams", default: 1000))
  // Nothing looks at the bodies: thousands of them would be kept while their requests wait for an answer.
  configuration.requestBodyLimit = 0
  let latency = options.has("latency") ? try options.number("latency") : 0
  let handler = try AnswerAll(
    latency: .milliseconds(latency), goneEvery: options.has("gone") ? try options.number("gone") : 0)
  let server = try HTTP2Server(
    configuration: configuration, loops: [try EventLoop(name: "answer")], handler: handler)
  print("answering on port \(server.port)")
  while true { pause() }
}
