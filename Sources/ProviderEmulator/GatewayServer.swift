internal import HTTP2
internal import Signing
internal import Synchronization

/// Drives the gateways over HTTP/2: fills requests, carries out actions.
///
/// `core` locks itself; everything about one connection lives in its `context` and is touched on its loop only.
final class GatewayServer: HTTP2ServerHandler {
  private let core: EmulatorCore
  private let provider: EmulatedProvider
  /// Its row's: looked up once, not with each request.
  private let handler: EmulatedService.Handler
  private let certificates: FaultyCertificates
  private let accepted: [HTTP2ResponseTemplate]

  init(core: EmulatorCore, provider: EmulatedProvider, certificates: FaultyCertificates) throws(HTTP2HeaderError) {
    self.core = core
    self.provider = provider
    handler = provider.row.handle
    self.certificates = certificates
    accepted = [
      try HTTP2ResponseTemplate(status: 200, variableHeaders: ["apns-id"]),
      try HTTP2ResponseTemplate(status: 200, variableHeaders: ["apns-id", "apns-unique-id"]),
    ]
  }

  /// What is kept of one connection, buffers included.
  private final class Memory {
    /// How many requests came in.
    var requests = 0
    /// The highest stream that was acted on, whatever the answer.
    var lastStream: Int32 = 0
    var connection = GatewayConnection()
    var request = GatewayRequest()
    var response = GatewayResponse()
  }

  func accept(_ connection: HTTP2ServerConnection) -> HTTP2ConnectionBehavior {
    let life = core.state.withLock { provider.row.terms($0).lifetime }
    if let idleMs = life.idleMs { watchIdle(connection, milliseconds: idleMs, requests: 0) }
    if let ageMs = life.ageMs {
      connection.loop.schedule(after: .milliseconds(ageMs)) { connection.goAway(debugData: Array("max_age".utf8)) }
    }
    return core.open(provider, connection, certificates: certificates)
  }

  /// Ends the connection once a whole period passes without a request.
  private func watchIdle(_ connection: HTTP2ServerConnection, milliseconds: Int, requests: Int) {
    connection.loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in
      let now = (connection.context as? Memory)?.requests ?? 0
      if now > requests { self?.watchIdle(connection, milliseconds: milliseconds, requests: now) }
      guard now == requests, let self else { return }
      let words = self.provider.row.idleWords
      connection.goAway(debugData: Array(words.utf8))
    }
  }

  func closed(_ connection: HTTP2ServerConnection) {
    connection.context = nil
    core.close(connection)
  }

  private func memory(of connection: HTTP2ServerConnection) -> Memory {
    if let memory = connection.context as? Memory { return memory }
    let memory = Memory()
    connection.context = memory
    if provider.row.takesCertificates, let pem = connection.clientCertificatePEM,
      let subject = try? CertificateSubject(certificatePEM: pem)
    {
      memory.connection.apns.certificate = APNsClientCertificate(topics: subject.userID.map { [$0] } ?? [])
      let streams = core.state.withLock { $0.services.apns.settings.streamsEstablished }
      connection.update(HTTP2Settings(maxConcurrentStreams: UInt32(clamping: streams)))
    }
    return memory
  }

  func handle(_ request: HTTP2ServerRequest) {
    let memory = memory(of: request.connection)
    memory.requests += 1
    memory.request.fill(from: request)
    let action = core.handle(handler, memory.request, &memory.connection, &memory.response)
    if let limit = action.streamLimit {
      request.connection.update(HTTP2Settings(maxConcurrentStreams: UInt32(clamping: limit)))
    }
    carryOut(action, request, memory)
  }

  private func carryOut(_ action: GatewayAction, _ request: HTTP2ServerRequest, _ memory: Memory) {
    let connection = request.connection
    if action.readingPauseMs > 0 {
      connection.pauseReading(true)
      connection.loop.schedule(after: .milliseconds(action.readingPauseMs)) { connection.pauseReading(false) }
    }
    defer { memory.lastStream = max(memory.lastStream, request.streamID) }
    switch action.kind {
    case .respond: respond(request, memory, delayMs: action.delayMs)
    case .silence: break
    case .reset(let code):
      request.responder.reset(HTTP2ErrorCode(rawValue: code), after: .milliseconds(action.delayMs))
    case .goAway(let goAway): leave(goAway, action, request, memory)
    case .close: connection.closeAbruptly()
    case .halfOpen: connection.fallSilent()
    }
  }

  /// Sends GOAWAY.
  ///
  /// Requests above its last stream are treated as not processed (RFC 9113 section 6.8), so that stream is never below
  /// one that was processed: requests are completed in any order.
  private func leave(_ goAway: GoAwayEffect, _ action: GatewayAction, _ request: HTTP2ServerRequest, _ memory: Memory) {
    let stream = request.streamID
    let connection = request.connection
    var last = max(memory.lastStream, goAway.processed ? stream : stream - 2)
    if goAway.processed {
      respond(request, memory, delayMs: action.delayMs)
    } else if last > stream {
      request.reset(.refusedStream)
    }
    last = max(last, 0)
    connection.goAway(
      lastStreamID: last, code: HTTP2ErrorCode(rawValue: goAway.code), debugData: goAway.debugData)
  }

  private func respond(_ request: HTTP2ServerRequest, _ memory: Memory, delayMs: Int) {
    if delayMs == 0, memory.response.isAPNsAcceptance {
      let ids = memory.response.valueSlices
      return request.respond(accepted[ids.count - 1], values: ids)
    }
    let headers = memory.response.headers.map { HTTP2Header($0.name, $0.value, indexed: $0.name == "content-type") }
    if delayMs == 0 {
      request.respond(status: memory.response.status, headers: headers, body: memory.response.body)
    } else {
      request.responder.respond(
        status: memory.response.status, headers: headers, body: memory.response.body, after: .milliseconds(delayMs))
    }
  }
}

extension GatewayRequest {
  /// Takes over a request.
  ///
  /// A body that the server has cut is still longer than every size rule allows.
  mutating func fill(from request: HTTP2ServerRequest) {
    reset()
    for (name, value) in request.headers {
      unsafe name.withUnsafeBufferPointer { name in
        unsafe value.withUnsafeBufferPointer { unsafe add(name: name, value: $0) }
      }
    }
    unsafe request.body.withUnsafeBufferPointer { unsafe setBody($0) }
  }
}
