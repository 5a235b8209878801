public import APNs
internal import GatewayPool
internal import PushPayload
internal import StoreModel

/// Sends through an APNs client.
public final class APNsSender: Sender {
  private let client: APNsClient
  private let topics: TopicChange
  /// The way to channels with the same credential; nil where there are none.
  public let channels: ChannelSender?

  /// Takes a client.
  ///
  /// - Parameters:
  ///   - topics: which topics replace those in the push.
  ///   - channels: sends what goes to channels.
  public init(_ client: APNsClient, topics: TopicChange = TopicChange(), channels: ChannelSender? = nil) {
    self.client = client
    self.topics = topics
    self.channels = channels
  }

  /// Hands a batch to the client.
  public func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    // The pipeline retries with the sender that replaced this one.
    guard !client.isClosed else { return false }
    if batch.payload.rendered.kinds == [.iosBroadcast], let channels { return channels.submit(batch, to: sink) }
    var sends = APNsBatch(
      batch.payload.apns(topics), capacity: batch.entries.count, urgency: batch.urgent ? .urgent : .bulk,
      notAfter: batch.notAfter?.seconds, texts: batch.texts)
    sends.recall = batch.recall
    for entry in batch.entries {
      sends.append(
        tag: entry.tag, token: entry.token, id: APNsID(high: entry.apnsID.high, low: entry.apnsID.low), row: entry.row)
    }
    do {
      try client.submit(sends, to: APNsAnswers(sink))
      return true
    } catch {
      return false
    }
  }

  /// Closes the client.
  public func close(within limit: Duration) {
    client.close(within: limit)
    channels?.close(within: limit)
  }
}

/// Translates the client's outcomes.
private final class APNsAnswers: APNsSink {
  private let sink: any SendSink

  init(_ sink: any SendSink) { self.sink = sink }

  func receive(_ results: [APNsResult]) {
    sink.receive(results.map { SendAnswer(tag: $0.tag, outcome: SendOutcome($0.outcome)) })
  }
}

extension SendOutcome {
  init(_ outcome: APNsOutcome) {
    switch outcome {
    case .accepted: self = .accepted(name: nil)
    case .rejected(let rejection): self = .rejected(SendRejection(rejection))
    case .failed(let failure): self = SendOutcome(failure)
    }
  }

  init(_ failure: SendFailure) {
    switch (failure.processing, failure.cause) {
    case (_, .expired): self = .expired
    case (.notProcessed, .recalled): self = .recalled
    case (.notProcessed, .invalidRequest):
      self = .rejected(SendRejection(status: 0, reason: failure.cause.rawValue, meaning: .badRequest))
    case (.notProcessed, .credential):
      self = .rejected(SendRejection(status: 0, reason: failure.cause.rawValue, meaning: .badCredential))
    case (.notProcessed, _): self = .notProcessed(reason: failure.cause.rawValue)
    case (.unknown, _): self = .unknown(reason: failure.cause.rawValue)
    }
  }
}

extension SendRejection {
  init(_ rejection: APNsRejection) {
    self.init(
      status: rejection.status, reason: rejection.reason.rawValue, meaning: Self.meaning(rejection),
      deadSince: rejection.timestamp.map(Timestamp.init(milliseconds:)), retryAfterSeconds: rejection.retryAfter)
  }

  private static func meaning(_ rejection: APNsRejection) -> Meaning {
    switch rejection.consequence {
    case .fixRequest: .badRequest
    case .configuration where rejection.reason == .topicDisallowed: .doubtfulCredential
    case .configuration:
      // An answer without a reason is not Apple's: something in between refused it.
      if rejection.reason.rawValue.isEmpty {
        .trouble(.apns)
      } else if wrongForOne.contains(rejection.reason) {
        .wrongDevice
      } else {
        .badCredential
      }
    case .quarantineDevice: .suspectToken
    case .retireDevice: .deadToken
    case .slowDevice: .deviceBusy
    // The client has already retried on another connection; now Apple's backoff for 5xx applies (facts 1.5).
    case .newConnection where rejection.status >= 500: .trouble(.apns)
    case .refreshToken, .keepOlderToken, .newConnection: .renewConnection
    case .retryLater: .trouble(.apns)
    }
  }

  /// Refusals that one device or one push can cause while all others go through (facts 1.5): stopping the app for them would let
  /// one bad request stop everything.
  private static let wrongForOne: Set<APNsReason> = [.deviceTokenNotForTopic, .forbidden]
}
