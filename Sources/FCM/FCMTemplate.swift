package import GatewayPool
package import HTTP2
public import PushPayload
internal import Synchronization

/// The common content of one push's messages: a body with a placeholder for the target, laid out once.
public final class FCMTemplate: Sendable {
  /// The bytes before and after the target.
  public let body: FCMRequestTemplate
  /// The same, when each send has texts of its own in them.
  let gapped: (prefix: GappedBytes, suffix: GappedBytes)?

  private struct Layout {
    var address: FCMProjectAddress
    var authorization: PoolAuthorization
    var wire: HTTP2RequestTemplate
  }

  private let layout = Mutex<Layout?>(nil)

  /// Takes a body with a placeholder.
  ///
  /// - Parameters:
  ///   - prefixGaps: where before the target each send has texts of its own, in rising order.
  ///   - suffixGaps: where in the bytes behind the target it has.
  public init(_ body: FCMRequestTemplate, prefixGaps: [Int] = [], suffixGaps: [Int] = []) {
    self.body = body
    gapped =
      prefixGaps.isEmpty && suffixGaps.isEmpty
      ? nil
      : (
        GappedBytes(Array(body.prefix), gaps: prefixGaps), GappedBytes(Array(body.suffix), gaps: suffixGaps)
      )
  }

  /// How many texts of its own each send has.
  var gapCount: Int { gapped.map { $0.prefix.gaps.count + $0.suffix.gaps.count } ?? 0 }

  /// The wire form for one gateway, project and authorization.
  package func wire(_ project: FCMProjectAddress, _ authorization: PoolAuthorization) throws(SendFailure)
    -> HTTP2RequestTemplate
  {
    let ready = layout.withLock { layout in
      layout.flatMap {
        $0.authorization == authorization && $0.address == project ? $0.wire : nil
      }
    }
    if let ready { return ready }
    let wire = try make(project, authorization)
    layout.withLock {
      $0 = Layout(address: project, authorization: authorization, wire: wire)
    }
    return wire
  }

  private func make(_ project: FCMProjectAddress, _ authorization: PoolAuthorization) throws(SendFailure)
    -> HTTP2RequestTemplate
  {
    var headers = [HTTP2Header("content-type", project.contentType)]
    if let value = authorization.header { headers.append(HTTP2Header("authorization", value)) }
    do throws(HTTP2HeaderError) {
      return try HTTP2RequestTemplate(
        method: "POST", authority: project.authority, pathPrefix: project.path, headers: headers)
    } catch {
      throw SendFailure(.notProcessed, .invalidRequest, "\(error)")
    }
  }
}

/// Where the messages of one project go.
package struct FCMProjectAddress: Sendable, Hashable {
  package let authority: String
  package let path: String
  package let contentType: String

  /// Names an address of another service that takes messages with a token in them.
  package init(authority: String, path: String, contentType: String) {
    self.authority = authority
    self.path = path
    self.contentType = contentType
  }

  init(endpoint: GatewayEndpoint, projectID: String) {
    authority = endpoint.authority
    path = "/v1/projects/\(projectID)/messages:send"
    contentType = "application/json"
  }
}
