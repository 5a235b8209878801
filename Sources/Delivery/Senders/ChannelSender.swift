public import APNs
public import GatewayPool
public import PushPayload
internal import StoreModel
internal import Synchronization

/// Sends to broadcast channels of APNs and manages them, with one credential.
///
/// Its client is made with the first request: most apps have no channels.
public final class ChannelSender: Sendable {
  private enum State {
    case unused
    case open(APNsChannelClient)
    case closed
  }

  private let configuration: APNsChannelClientConfiguration
  private let threads: GatewayThreads
  private let state = Mutex(State.unused)

  /// Takes what a client is made from.
  public init(_ configuration: APNsChannelClientConfiguration, threads: GatewayThreads) {
    self.configuration = configuration
    self.threads = threads
  }

  /// The client; nil when it was closed, or cannot be made.
  private var client: APNsChannelClient? {
    state.withLock { state in
      switch state {
      case .open(let client): return client
      case .closed: return nil
      case .unused:
        guard let client = try? APNsChannelClient(configuration, threads: threads) else { return nil }
        state = .open(client)
        return client
      }
    }
  }

  /// Asks the channel management service; nil when there is no room for another request.
  public func ask(_ request: APNsChannelRequest) async -> APNsChannelOutcome? {
    guard let client else { return nil }
    return try? await client.send(request)
  }

  /// Hands a batch of broadcasts to the client; each is a push of its own, so that a batch is one broadcast.
  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    guard let client else { return false }
    var answers: [SendAnswer] = []
    for (index, entry) in batch.entries.enumerated() {
      guard let broadcast = Self.broadcast(batch.payload.rendered, entry) else {
        let rejection = SendRejection(status: 0, reason: "invalid-request", meaning: .badRequest)
        answers.append(SendAnswer(tag: entry.tag, outcome: .rejected(rejection)))
        continue
      }
      do throws(QueueFull) {
        try client.submit(broadcast, notAfter: batch.notAfter?.seconds) { outcome in
          sink.receive([SendAnswer(tag: entry.tag, outcome: SendOutcome(outcome))])
        }
      } catch {
        if index == 0 { return false }
        answers.append(SendAnswer(tag: entry.tag, outcome: .notProcessed(reason: "queue-full")))
      }
    }
    if !answers.isEmpty { sink.receive(answers) }
    return true
  }

  /// The request of a payload, whose topic is the app of the path; it is named like any delivery's.
  private static func broadcast(_ payload: RenderedPayload, _ entry: SendBatch.Entry) -> APNsBroadcast? {
    var headers = APNsHeaders(reading: payload.headers.map { APNsHeader(name: $0.name, value: $0.value) })
    guard let bundleID = headers.topic else { return nil }
    headers.topic = nil
    headers.channelID = entry.token
    headers.requestID = APNsID(high: entry.apnsID.high, low: entry.apnsID.low)
    return APNsBroadcast(bundleID: bundleID, request: APNsRequest(headers: headers, payload: payload.body))
  }

  /// Takes nothing new, lets what was submitted end within `limit`, and closes the connections.
  func close(within limit: Duration) {
    let old = state.withLock { state in
      defer { state = .closed }
      return state
    }
    if case .open(let client) = old { client.close(within: limit) }
  }
}

extension SendOutcome {
  init(_ outcome: APNsChannelOutcome) {
    switch outcome {
    case .accepted: self = .accepted(name: nil)
    case .rejected(let rejection): self = .rejected(SendRejection(broadcast: rejection))
    case .failed(let failure): self = SendOutcome(failure)
    }
  }
}

extension SendRejection {
  /// What a refusal of a broadcast means: whatever it says of the app, the channel or the credential ends this broadcast
  /// and nothing else, because devices are reached without channels.
  init(broadcast rejection: APNsRejection) {
    let meaning: Meaning =
      switch rejection.consequence {
      case .slowDevice: .deviceBusy
      case .newConnection, .retryLater: .trouble(.apns)
      case .refreshToken, .keepOlderToken: .renewConnection
      case .fixRequest, .configuration, .quarantineDevice, .retireDevice:
        rejection.status >= 500 ? .trouble(.apns) : .badRequest
      }
    self.init(
      status: rejection.status, reason: rejection.reason.rawValue, meaning: meaning,
      retryAfterSeconds: rejection.retryAfter)
  }
}
