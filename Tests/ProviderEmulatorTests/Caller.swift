import HTTP2
import ProviderEmulator
import Signing
import Synchronization
import TLS
import WireJSON

/// The outcome of one request, in comparable form.
struct Answer: Sendable, Equatable, CustomStringConvertible {
  var status: Int?
  var headers: [String: String] = [:]
  var body = ""
  var failure: HTTP2Failure?

  var description: String {
    if let failure { return "\(failure)" }
    return "\(status ?? 0) \(body)"
  }
}

/// A real HTTP/2 client on one connection to an emulator: each request ends in an answer within its deadline.
final class Caller: HTTP2ClientObserver {
  static let wanted = ["apns-id", "apns-unique-id", "content-type", "retry-after"]

  private struct State {
    var nextID: UInt64 = 1
    var waiting: [UInt64: CheckedContinuation<Answer, Never>] = [:]
    var events: [String] = []
    var closed: HTTP2CloseReason?
    var closeWaiters: [CheckedContinuation<HTTP2CloseReason, Never>] = []
  }

  private let state = Mutex(State())
  private let connection = Mutex<HTTP2ClientConnection?>(nil)
  private let loop: EventLoop
  let authority: String

  init(_ emulator: ProviderEmulator, _ provider: EmulatedProvider, identity: TLSIdentity? = nil) throws {
    loop = try EventLoop(name: "caller")
    let port = provider == .apns ? emulator.ports.apns : emulator.ports.fcm
    authority = "127.0.0.1:\(port)"
    let tls = try TLSContext.client(trust: .pem(Array(emulator.authorityPEM.utf8)), identity: identity)
    var configuration = HTTP2ClientConfiguration(host: "127.0.0.1", port: port, tls: tls)
    configuration.wantedHeaders = Self.wanted
    configuration.connectTimeout = .seconds(3)
    configuration.settingsTimeout = .seconds(3)
    let connection = HTTP2ClientConnection(loop: loop, configuration: configuration, observer: self)
    self.connection.withLock { $0 = connection }
    connection.start()
  }

  deinit { loop.shutdown() }

  /// What happened to the connection so far: stream limits and the end.
  var events: [String] { state.withLock { $0.events } }

  func close() { connection.withLock { $0 }?.close() }

  /// Why the connection ended; waits for its end.
  func closeReason() async -> HTTP2CloseReason {
    await withCheckedContinuation { continuation in
      let reason = state.withLock { state in
        if state.closed == nil { state.closeWaiters.append(continuation) }
        return state.closed
      }
      if let reason { continuation.resume(returning: reason) }
    }
  }

  func send(
    method: String = "POST", _ path: String, headers: [(String, String)], body: [UInt8],
    timeout: Duration = .seconds(10), hasAuthority: Bool = true
  ) async throws -> Answer {
    let template = try HTTP2RequestTemplate(
      method: method, authority: hasAuthority ? authority : "", headers: headers.map { HTTP2Header($0.0, $0.1) })
    return await withCheckedContinuation { continuation in
      let id = state.withLock { state in
        let id = state.nextID
        state.nextID += 1
        state.waiting[id] = continuation
        return id
      }
      var batch = HTTP2RequestBatch()
      batch.append(template, id: id, path: path, body: body, timeout: timeout)
      if let connection = connection.withLock({ $0 }) { return connection.submit(batch) }
      // The connection has ended before the request was made.
      let reason = state.withLock { state in
        state.waiting.removeValue(forKey: id)
        return state.closed ?? .requested
      }
      continuation.resume(returning: Answer(failure: HTTP2Failure(.notProcessed, .connectionClosed(reason))))
    }
  }

  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent) {
    let waiters: ([CheckedContinuation<HTTP2CloseReason, Never>], HTTP2CloseReason)? = state.withLock { state in
      switch event {
      case .settings(_, let streams): state.events.append("streams \(streams)")
      case .goAway(let frame): state.events.append("goaway \(String(decoding: frame.debugData, as: UTF8.self))")
      case .closed(let reason):
        state.closed = reason
        defer { state.closeWaiters = [] }
        return (state.closeWaiters, reason)
      case .ready, .pong: break
      }
      return nil
    }
    guard let waiters else { return }
    self.connection.withLock { $0 = nil }
    for waiter in waiters.0 { waiter.resume(returning: waiters.1) }
  }

  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results) {
    for index in 0..<results.count {
      let result = results[index]
      var answer = Answer()
      switch result.outcome {
      case .failure(let failure): answer.failure = failure
      case .response(let response):
        answer.status = response.status
        answer.body = String(decoding: results.body(of: response), as: UTF8.self)
        for (position, name) in Self.wanted.enumerated() {
          guard let value = results.header(position, of: response) else { continue }
          answer.headers[name] = String(decoding: value, as: UTF8.self)
        }
      }
      let continuation = state.withLock { $0.waiting.removeValue(forKey: result.id) }
      continuation?.resume(returning: answer)
    }
  }
}

extension ProviderEmulator {
  /// An `authorization` value by the emulator's own key.
  func bearer(nowSeconds: Int) throws -> String {
    try "bearer "
      + JWS.compact(
        header: JSON.minified(["alg": "ES256", "kid": .string(credentials.keyID)]),
        claims: JSON.minified(["iss": .string(credentials.teamID), "iat": .number(JSONNumber(nowSeconds))]),
        key: ECPrivateKey(pem: credentials.signingKeyPEM))
  }
}
