internal import System

/// What many requests have in common: method, authority, constant headers, the names of the headers that differ from
/// request to request, and, when all send the same bytes, the body.
///
/// The bytes live in stable memory for as long as the template does, so that a request costs no copy of them.
/// Make one template per push (or per credential refresh), not one per request.
public final class HTTP2RequestTemplate: Sendable {
  let block: HeaderBlock
  let pathPrefix: StableBytes
  let body: StableBytes

  /// How many variable headers a template may name.
  public static let variableHeaderLimit = 8

  /// Builds a template.
  /// - Parameters:
  ///   - method: the `:method`.
  ///   - authority: the `:authority`, such as `api.push.apple.com`; empty to leave it out (give a `host` header then).
  ///   - pathPrefix: bytes that start each request's `:path`; the request adds the rest.
  ///   - headers: constant headers, lower-case names, sent in this order after the pseudo-headers.
  ///   - variableHeaders: lower-case names whose values each request gives, in this order, never remembered by the
  ///     header compression.
  ///   - body: the body of each request that gives none of its own.
  /// - Throws: ``HTTP2HeaderError`` when a name or a value is invalid in HTTP/2.
  public init(
    method: String = "POST", authority: String, pathPrefix: String = "", headers: [HTTP2Header] = [],
    variableHeaders: [String] = [], body: [UInt8] = []
  ) throws(HTTP2HeaderError) {
    var pseudo = [HTTP2Header(":method", method), HTTP2Header(":scheme", "https")]
    if !authority.isEmpty { pseudo.append(HTTP2Header(":authority", authority)) }
    block = try HeaderBlock(pseudo: pseudo, path: true, headers: headers, variable: variableHeaders)
    self.pathPrefix = StableBytes(Array(pathPrefix.utf8))
    self.body = StableBytes(body)
  }
}
