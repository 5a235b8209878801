internal import Basics
internal import HTTPServer
internal import Signing
internal import StoreModel
internal import WireJSON

/// The entity tag of a representation (RFC 9110 section 8.8.3): a digest of its bytes, so that it changes exactly when
/// they do.
///
/// Where some members change by themselves, a digest of the others precedes a period: `If-None-Match` compares the
/// whole, `If-Match` only the part that callers write.
enum EntityTag {
  private static let gzipMark = "-gzip"
  static let nothingToCompare = "If-Match: this path has no representation of its own to compare with"

  static func of(_ bytes: [UInt8], excluding names: [String] = []) -> String {
    guard !names.isEmpty, var object = (try? JSON.parse(bytes))?.object else { return "\"\(hex(bytes, 16))\"" }
    for name in names { object[name] = nil }
    return "\"\(hex(JSON.minified(.object(object)), 8)).\(hex(bytes, 16))\""
  }

  private static func hex(_ bytes: [UInt8], _ count: Int) -> String {
    Hex.encode(SHA256.digest(bytes).prefix(count))
  }

  /// The part of a tag that identifies the written members; all of it where nothing changes by itself.
  private static func written(_ tag: Substring) -> Substring {
    let end = tag.hasSuffix(gzipMark + "\"") ? tag.dropLast(gzipMark.utf8.count + 1) : tag.dropLast()
    return tag.contains(".") ? tag.prefix { $0 != "." } : end
  }

  /// Whether a list of tags, or `*`, names what somebody wrote as it is in a representation with this tag.
  static func matchesWritten(_ list: String, _ tag: String) -> Bool {
    let wanted = written(tag[...])
    return names(list).contains { $0 == "*" || written($0) == wanted }
  }

  /// The tag of the same representation, compressed: another sequence of bytes has another tag.
  static func gzipped(_ tag: String) -> String { tag.dropLast() + gzipMark + "\"" }

  /// Whether a list of tags, or `*`, names a tag; compressed or not, weak or not.
  static func matches(_ list: String, _ tag: String) -> Bool {
    names(list).contains { $0 == "*" || $0 == tag || $0 == gzipped(tag) }
  }

  /// The tags of a list, without the mark of weak ones.
  private static func names(_ list: String) -> [Substring] {
    list.split(separator: ",").map { part in
      var name = part.drop { $0 == " " }
      while name.last == " " { name.removeLast() }
      return name.hasPrefix("W/") ? name.dropFirst(2) : name
    }
  }
}

extension Dispatcher {
  /// Whether a request is to change something only when it is as the caller last saw it.
  static func isConditional(_ request: HTTPRequest) -> Bool {
    request.method != .get && request.headers.first("If-Match") != nil
  }

  /// Does what a request asks when its `If-Match`, if any, names what is there now; 412 otherwise.
  func acting(_ call: Call, _ action: Route.Work) async throws(Problem) -> Reply {
    guard Dispatcher.isConditional(call.http), let wanted = call.http.headers.first("If-Match") else {
      return try await action(call, service)
    }
    guard case .route(let index, _) = router.match(.get, call.http.segments), let show = router.routes[index].showing
    else { throw Problem(.badRequest, EntityTag.nothingToCompare) }
    let outside = router.routes[index].traits.outsideETag
    let check = { @Sendable [service] () async throws(Problem) in
      let shown = Call(
        http: call.http, parameters: call.parameters, caller: call.caller, body: .null, report: call.report,
        now: call.now, idempotency: nil)
      let tag = EntityTag.of(try await show(shown, service).json, excluding: outside)
      guard EntityTag.matchesWritten(wanted, tag) else {
        throw Problem(.preconditionFailed, "it has changed since it was read; GET it again, and decide anew")
      }
    }
    let name = call.http.segments.joined(separator: "/")
    return try await service.exclusively([name], now: call.now) { () async throws(Problem) in
      // What is remembered may be older than what another node has changed.
      if service.isShared { service.forgetAll() }
      try await check()
      return try await action(call.with(recheck: check), service)
    }
  }

  /// Names what a GET shows, and answers 304 when the client has it already.
  func tagged(_ response: HTTPResponse, _ request: HTTPRequest, route: Int?) -> HTTPResponse {
    guard request.method == .get || request.method == .head, response.status == 200,
      case .bytes(let bytes) = response.body, route.map({ !router.routes[$0].isLong }) ?? true,
      !response.headers.contains(where: { $0.name == "ETag" || $0.name == "Cache-Control" })
    else { return response }
    let tag = EntityTag.of(bytes, excluding: route.map { router.routes[$0].traits.outsideETag } ?? [])
    if let known = request.headers.first("If-None-Match"), EntityTag.matches(known, tag) {
      return HTTPResponse(status: 304, headers: [("ETag", tag)])
    }
    var response = response
    response.headers.append(("ETag", tag))
    return response
  }
}
