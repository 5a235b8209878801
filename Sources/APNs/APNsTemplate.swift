internal import GatewayPool
internal import HTTP2
public import PushPayload
internal import Synchronization

/// What every device of one push is sent: headers and body, laid out once.
///
/// A device adds its token and an `apns-id`.
public final class APNsTemplate: Sendable {
  /// The headers and the body this was made from.
  public let request: APNsRequest
  /// The body, when each send has texts of its own in it.
  let gapped: GappedBytes?

  /// The wire form, and the authority and authorization it was built for.
  ///
  /// A client uses the same one until its token changes, so one cached form is enough; two clients that share a
  /// template rebuild it in turn.
  private struct Layout {
    var authority: String
    var authorization: PoolAuthorization
    var wire: HTTP2RequestTemplate

    func matching(_ authority: String, _ authorization: PoolAuthorization) -> HTTP2RequestTemplate? {
      self.authorization == authorization && self.authority == authority ? wire : nil
    }
  }

  private let layout = Mutex<Layout?>(nil)

  /// Takes a rendered request.
  ///
  /// An `apns-id` among its headers is left out: each send has its own.
  ///
  /// - Parameter gaps: where in the payload each send has texts of its own, in rising order.
  public init(_ request: APNsRequest, gaps: [Int] = []) {
    self.request = request
    gapped = gaps.isEmpty ? nil : GappedBytes(request.payload, gaps: gaps)
  }

  /// The wire form for one authority and authorization.
  func wire(authority: String, _ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate {
    if let ready = layout.withLock({ $0?.matching(authority, authorization) }) { return ready }
    let wire = try make(authority: authority, authorization)
    layout.withLock { $0 = Layout(authority: authority, authorization: authorization, wire: wire) }
    return wire
  }

  private func make(authority: String, _ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate {
    var headers: [HTTP2Header] = []
    // Apple's advice is to let the authorization be remembered by the header compression: it changes once in an hour.
    if let value = authorization.header { headers.append(HTTP2Header("authorization", value)) }
    request.headers.forEach { name, value in
      if name != APNsTemplate.idHeader { headers.append(HTTP2Header(name, value)) }
    }
    do throws(HTTP2HeaderError) {
      return try HTTP2RequestTemplate(
        method: "POST", authority: authority, pathPrefix: "/3/device/", headers: headers,
        variableHeaders: [APNsTemplate.idHeader], body: gapped == nil ? request.payload : [])
    } catch {
      throw SendFailure(.notProcessed, .invalidRequest, "\(error)")
    }
  }

  static let idHeader = "apns-id"
}
