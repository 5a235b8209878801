internal import HTTPServer
internal import PushStore
internal import Signing
internal import Synchronization
internal import WireJSON

/// The name of a representation (RFC 9110 section 8.8.3): a digest of its bytes, so that it changes exactly when they do.
enum EntityTag {
  private static let gzipMark = "-gzip"

  static func of(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    let hex = SHA256.digest(bytes).prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "\"\(String(hex))\""
  }

  /// The tag of the same representation, compressed: another sequence of bytes has another tag.
  static func gzipped(_ tag: String) -> String { tag.dropLast() + gzipMark + "\"" }

  /// Whether a list of tags, or `*`, names a tag; compressed or not, weak or not.
  static func matches(_ list: String, _ tag: String) -> Bool {
    list.split(separator: ",").contains { part in
      var name = part.drop { $0 == " " }
      while name.last == " " { name.removeLast() }
      if name == "*" { return true }
      if name.hasPrefix("W/") { name = name.dropFirst(2) }
      return name == tag || name == gzipped(tag)
    }
  }
}

/// Requests that are to change something only when it is as the caller last saw it.
///
/// They are worked on one after the other, so that of two callers who saw the same only one changes it.
final class ConditionalWrites: Sendable {
  private let turn = Mutex<Void>(())

  func one(_ body: () throws(Problem) -> Reply) throws(Problem) -> Reply {
    let result = turn.withLock { _ in Result(catching: body) }
    return try result.get()
  }
}

extension Dispatcher {
  /// Does what a request asks when its `If-Match` names what is there now; 412 otherwise.
  func acting(
    _ call: Call, _ action: (Call, Service) throws(Problem) -> Reply
  ) throws(Problem) -> Reply {
    guard call.http.method != .get, let wanted = call.http.headers.first("If-Match") else {
      return try action(call, service)
    }
    guard case .route(let index, _) = router.match(.get, call.http.segments),
      case .now(let show) = router.routes[index].action
    else { throw Problem(.badRequest, "If-Match: this path has no representation of its own to compare with") }
    return try service.conditional.one { () throws(Problem) in
      let shown = Call(
        http: call.http, parameters: call.parameters, caller: call.caller, body: .null, report: call.report,
        now: call.now, idempotency: nil)
      let tag = EntityTag.of(try show(shown, service).json)
      guard EntityTag.matches(wanted, tag) else {
        throw Problem(.preconditionFailed, "it has changed since it was read; GET it again, and decide anew")
      }
      return try action(call, service)
    }
  }

  /// Names what a GET shows, and answers 304 when the client has it already.
  func tagged(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
    guard request.method == .get || request.method == .head, response.status == 200,
      case .bytes(let bytes) = response.body,
      !response.headers.contains(where: { $0.name == "ETag" || $0.name == "Cache-Control" })
    else { return response }
    let tag = EntityTag.of(bytes)
    if let known = request.headers.first("If-None-Match"), EntityTag.matches(known, tag) {
      return HTTPResponse(status: 304, headers: [("ETag", tag)])
    }
    var response = response
    response.headers.append(("ETag", tag))
    return response
  }
}
