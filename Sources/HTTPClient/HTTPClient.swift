internal import CCurl
internal import Synchronization
internal import System
public import TLS

/// A request to another server: HTTP/1.1, POST unless it names another method, over TLS unless the address says otherwise.
public struct HTTPPost: Sendable {
  /// `https://…`; `http://…` only together with ``allowsPrivate``.
  public var url: String
  /// Header fields, in order.
  public var headers: [(name: String, value: String)]
  /// The body.
  public var body: [UInt8]
  /// Whether loopback and private addresses are permitted, and plain HTTP.
  public var allowsPrivate: Bool
  /// Who may vouch for the server; nil for the client's own authorities.
  public var trust: TLSTrust?
  /// The HTTP proxy on the way, asked with CONNECT, which looks the server's name up: whoever sets it has made sure that the name
  /// is none of an inner network, unless ``allowsPrivate``.
  package var proxy: HTTPTunnelProxy?
  /// `POST`, or another method.
  package var method = "POST"
  /// The fields of the answer that are wanted, besides those that every answer has.
  package var answerFields: [String] = []

  /// Creates a value from its parts.
  public init(url: String, headers: [(name: String, value: String)], body: [UInt8], allowsPrivate: Bool = false) {
    self.url = url
    self.headers = headers
    self.body = body
    self.allowsPrivate = allowsPrivate
  }
}

/// An HTTP proxy that opens tunnels.
package struct HTTPTunnelProxy: Sendable {
  /// `http://HOST:PORT`.
  let url: String
  /// The whole value of `Proxy-Authorization`.
  let authorization: String?

  /// Names a proxy by its host and port as they are written in addresses.
  package init(authority: String, authorization: String?) {
    url = "http://\(authority)"
    self.authorization = authorization
  }
}

/// How a request ended: with a status, or with the reason why there is none, in one sentence without secrets.
public enum HTTPPostResult: Sendable, Hashable {
  /// The server answered.
  case status(Int)
  /// There is no answer that could be used.
  case failed(String)
}

/// What a server answered.
public struct HTTPAnswer: Sendable, Hashable {
  /// The status code.
  public let status: Int
  /// The body.
  public let body: [UInt8]
  /// The `Location` field, if the answer has one.
  public let location: String?
  /// The seconds until the time of the `Retry-After` field, which may be a number or a date; nil without one.
  public let retryAfter: Int?
  /// The fields that the request wants to know of, under the names that it has for them.
  package let fields: [String: String]
}

/// How a request ended whose answer matters: with an answer, or with the reason why there is none.
public enum HTTPPostAnswer: Sendable, Hashable {
  /// The server answered.
  case answer(HTTPAnswer)
  /// There is no answer that could be used; the server may have had the request.
  case failed(String)
  /// The request was certainly not sent.
  case unsent(String)
}

/// The bounds on a request.
public struct HTTPClientLimits: Sendable, Hashable {
  /// Time to connect, TLS included, in milliseconds.
  public var connectMs = 5_000
  /// Time for the whole request, in milliseconds.
  public var requestMs = 15_000
  /// Bytes of an answer's body; beyond it the request fails.
  public var answerBytesMax = 64 * 1024
  /// Requests under way at once; more wait.
  public var concurrentMax = 16

  /// The defaults.
  public init() {}
}

/// Sends requests to other people's servers, on a thread of its own, through libcurl.
///
/// - An address is checked when the socket is opened, after the name was resolved, so that a name that changes its address
///   meanwhile gains nothing.
/// - Certificates and host names are verified. Redirects are not followed; proxies of the environment are not used.
public final class HTTPClient: Sendable {
  /// A queued request.
  struct Order: Sendable {
    let post: HTTPPost
    /// Whether the answer's body is wanted; it is thrown away otherwise.
    let keepsBody: Bool
    let completion: @Sendable (HTTPPostAnswer) -> Void
  }

  private struct State: Sendable {
    var waiting: [Order] = []
    var isStopping = false
  }

  private let limits: HTTPClientLimits
  private let authorities: String?
  private let state = Mutex(State())
  private let multi: MultiHandle
  private let ended = Semaphore()

  /// The library's own set-up, once for the process.
  static let library: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Starts the thread; nil when the library or the thread cannot be had.
  ///
  /// - Parameter authorities: a PEM file with the authorities that may vouch for servers; nil means the system's.
  public init?(limits: HTTPClientLimits = HTTPClientLimits(), authorities: String? = nil) {
    guard Self.library, let multi = unsafe curl_multi_init() else { return nil }
    self.limits = limits
    self.authorities = authorities
    self.multi = unsafe MultiHandle(pointer: multi)
    do throws(SystemThread.Refusal) { try SystemThread.detach("http-client") { self.run() } } catch {
      unsafe curl_multi_cleanup(multi)
      return nil
    }
  }

  /// Sends a request; `completion` is called on the client's thread and must be quick.
  public func send(_ post: HTTPPost, completion: @escaping @Sendable (HTTPPostResult) -> Void) {
    add(
      Order(post: post, keepsBody: false) { answer in
        switch answer {
        case .answer(let answer): completion(.status(answer.status))
        case .failed(let why), .unsent(let why): completion(.failed(why))
        }
      })
  }

  /// Sends a request and gives the answer's body too.
  public func exchange(_ post: HTTPPost, completion: @escaping @Sendable (HTTPPostAnswer) -> Void) {
    add(Order(post: post, keepsBody: true, completion: completion))
  }

  private func add(_ order: Order) {
    let isStopping = state.withLock { state in
      guard !state.isStopping else { return true }
      state.waiting.append(order)
      multi.wake()
      return false
    }
    if isStopping { order.completion(.unsent("the client is stopped")) }
  }

  /// Breaks off what is under way and ends the thread; calling it twice is harmless.
  public func stop() {
    let isFirst = state.withLock { state in
      guard !state.isStopping else { return false }
      state.isStopping = true
      multi.wake()
      return true
    }
    if isFirst { ended.wait() }
  }

  /// Ends the thread without waiting for it, so that a completion may call it.
  public func end() {
    state.withLock { state in
      guard !state.isStopping else { return }
      state.isStopping = true
      multi.wake()
    }
  }

  // MARK: - The thread

  private func run() {
    var transfers: [UnsafeRawPointer: Transfer] = unsafe [:]
    while true {
      let (orders, isStopping) = state.withLock { state in
        // What still waits when the client stops is answered with the rest.
        let room = unsafe state.isStopping ? 0 : max(0, limits.concurrentMax - transfers.count)
        let orders = Array(state.waiting.prefix(room))
        state.waiting.removeFirst(orders.count)
        return (orders, state.isStopping)
      }
      if isStopping { break }
      for order in orders {
        guard let transfer = Transfer(order, limits, authorities: authorities) else {
          order.completion(.unsent("the request could not be prepared; look at the address"))
          continue
        }
        unsafe curl_multi_add_handle(multi.pointer, transfer.easy)
        unsafe transfers[UnsafeRawPointer(transfer.easy)] = transfer
      }
      var running: Int32 = 0
      unsafe curl_multi_perform(multi.pointer, &running)
      unsafe finishEnded(&transfers)
      if unsafe transfers.isEmpty && hasWaiting { continue }
      unsafe curl_multi_poll(multi.pointer, nil, 0, 1_000, nil)
    }
    unsafe end(transfers)
  }

  private var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  private func finishEnded(_ transfers: inout [UnsafeRawPointer: Transfer]) {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi.pointer, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else { continue }
      let result = unsafe ccurl_result(message)
      guard let transfer = unsafe transfers.removeValue(forKey: UnsafeRawPointer(easy)) else { continue }
      unsafe curl_multi_remove_handle(multi.pointer, easy)
      transfer.order.completion(transfer.answer(result))
    }
  }

  private func end(_ transfers: [UnsafeRawPointer: Transfer]) {
    unsafe transfers.values.forEach { unsafe _ = curl_multi_remove_handle(multi.pointer, $0.easy) }
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for order in unsafe transfers.values.map(\.order) + waiting { order.completion(.failed("the client is stopped")) }
    unsafe curl_multi_cleanup(multi.pointer)
    ended.signal()
  }
}

/// The library's handle of all transfers.
///
/// `@unchecked Sendable`: only the client's thread uses it, except for `wake`, which the library allows from any thread
/// while the handle lives: the client wakes under the lock and only while it is not stopping, and the thread lets go of the
/// handle only after it has taken that lock later.
///
/// `@safe`: the client frees the handle once, when its thread is over.
@safe private struct MultiHandle: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer

  func wake() { unsafe curl_multi_wakeup(pointer) }
}
