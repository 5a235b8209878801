internal import Basics

/// A complete request: head and body are there.
public struct HTTPRequest: Sendable {
  /// What came before the body.
  public let head: HTTPRequestHead
  /// The body, at most the body limit; empty when there was none.
  public let body: [UInt8]

  /// Puts a request together.
  public init(head: HTTPRequestHead, body: [UInt8]) {
    self.head = head
    self.body = body
  }

  /// The method.
  public var method: HTTPMethod { head.method }
  /// The path as sent, without the query.
  public var path: String { head.target.path }
  /// The decoded path segments.
  public var segments: [String] { head.target.segments }
  /// The decoded query.
  public var query: HTTPQuery { head.target.query }
  /// The header fields.
  public var headers: HTTPHeaders { head.headers }
  /// This server's name for the request.
  public var id: HTTPRequestID { head.id }
}

/// The part of a request before its body.
public struct HTTPRequestHead: Sendable {
  /// This server's name for the request.
  public let id: HTTPRequestID
  /// The method.
  public let method: HTTPMethod
  /// Path and query.
  public let target: HTTPTarget
  /// The header fields.
  public let headers: HTTPHeaders
  /// Where it came from.
  public let peer: HTTPPeer
  /// Whether it came by TLS to this server itself.
  public let isSecure: Bool

  /// Puts a head together.
  public init(
    id: HTTPRequestID, method: HTTPMethod, target: HTTPTarget, headers: HTTPHeaders, peer: HTTPPeer = .unknown,
    isSecure: Bool = false
  ) {
    self.id = id
    self.method = method
    self.target = target
    self.headers = headers
    self.peer = peer
    self.isSecure = isSecure
  }
}

/// A name for one request, unique in this process and, by a random start, very likely beyond it.
public struct HTTPRequestID: Sendable, Hashable, CustomStringConvertible {
  /// The number behind the name.
  public let number: UInt64

  /// Wraps a number.
  public init(number: UInt64) { self.number = number }

  /// 16 lowercase hex digits.
  public var description: String {
    unsafe String(unsafeUninitializedCapacity: 16) { buffer in
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 15
        unsafe buffer[index] = Hex.digit(digit)
      }
      return 16
    }
  }
}
