internal import HTTP2
internal import HTTPClient
internal import PushPayload

/// The way of webhooks, and of traces, out of the network.
struct WebhookEgress: Sendable {
  /// How a request leaves.
  enum Way: Sendable, Equatable {
    /// Without a proxy; the address is checked when the connection is opened.
    case direct
    /// Through the proxy.
    case proxy
    /// Not at all, for this reason.
    case refused(String)
  }

  /// The HTTP proxy that the server is started with; nil for none.
  var proxy: HTTP2Proxy?
  /// Whether receivers may have loopback and private addresses, and plain HTTP.
  var allowsPrivate = false

  /// The way to a receiver.
  ///
  /// A proxy looks names up in its own network, so that what is known to be inside of a network is never asked of it: such
  /// a receiver is reached directly where it is allowed, and refused else.
  func way(to url: String) -> Way {
    guard proxy != nil else { return .direct }
    guard let host = Self.host(of: url) else {
      return .refused("the proxy cannot be asked for this host; write a name or an address without escapes")
    }
    guard HTTP2Proxy.leadsInside(host: host) else { return .proxy }
    return allowsPrivate ? .direct : .refused("the address is loopback, private or reserved, which is not allowed")
  }

  /// Sends a request its way; `completion` is called on a thread of the client's, or on this one for what is refused.
  func send(
    _ post: HTTPPost, through client: HTTPClient, completion: @escaping @Sendable (HTTPPostResult) -> Void
  ) {
    switch addressed(post) {
    case .success(let post): client.send(post, completion: completion)
    case .failure(let refusal): completion(.failed(refusal.why))
    }
  }

  /// The same, with the whole answer.
  func exchange(
    _ post: HTTPPost, through client: HTTPClient, completion: @escaping @Sendable (HTTPPostAnswer) -> Void
  ) {
    switch addressed(post) {
    case .success(let post): client.exchange(post, completion: completion)
    case .failure(let refusal): completion(.unsent(refusal.why))
    }
  }

  private struct Refusal: Error { let why: String }

  private func addressed(_ post: HTTPPost) -> Result<HTTPPost, Refusal> {
    var post = post
    switch way(to: post.url) {
    case .direct: break
    case .proxy: post.proxy = proxy.map { HTTPTunnelProxy(authority: $0.description, authorization: $0.authorization) }
    case .refused(let why): return .failure(Refusal(why: why))
    }
    return .success(post)
  }

  /// An address that requests may be sent to, as far as its text tells; the socket's own address is checked when it is opened.
  func checked(_ url: String, field: String = "url") throws(Problem) -> String {
    let schemes = allowsPrivate ? ["https://", "http://"] : ["https://"]
    let scheme = schemes.first { url.lowercased().hasPrefix($0) }
    let rest = url.dropFirst(scheme?.count ?? 0)
    let host = rest.prefix { $0 != "/" && $0 != "?" }
    let isPlain = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !url.contains("#") && !url.contains("\\")
    guard scheme != nil, isPlain, !host.isEmpty, !host.contains("@"), host.first != ":" else {
      var report = Report()
      report.add(
        rule: Schema.Rule.value, severity: .error, field: field,
        message:
          "expected an address that begins with \(schemes.joined(separator: " or ")), of printable ASCII, without"
          + " user name and fragment")
      throw Problem(.invalid, report: report)
    }
    return url
  }

  /// The host in an address; nil for one that a client could read in another way, such as with escapes.
  private static func host(of url: String) -> String? {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    var authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      authority = authority[authority.index(after: authority.startIndex)..<end]
      return authority.utf8.allSatisfy { $0 == 0x3A || $0 == 0x2E || isHexadecimal($0) } ? String(authority) : nil
    }
    if let colon = authority.firstIndex(of: ":") { authority = authority[..<colon] }
    let isPlain = authority.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    return isPlain && !authority.isEmpty ? String(authority) : nil
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6
  }
}
