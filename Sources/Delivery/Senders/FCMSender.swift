public import FCM
internal import GatewayPool
internal import StoreModel

/// Sends through an FCM client.
public final class FCMSender: Sender {
  private let client: FCMClient

  /// Takes a client.
  public init(_ client: FCMClient) { self.client = client }

  /// Hands a batch to the client.
  public func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    // The pipeline retries with the sender that replaced this one.
    guard !client.isClosed else { return false }
    var sends = FCMBatch(
      batch.payload.fcm, capacity: batch.entries.count, urgency: batch.urgent ? .urgent : .bulk,
      notAfter: batch.notAfter?.seconds, texts: batch.texts)
    sends.recall = batch.recall
    for entry in batch.entries { sends.append(tag: entry.tag, target: entry.token, row: entry.row) }
    do {
      try client.submit(sends, to: FCMAnswers(sink))
      return true
    } catch {
      return false
    }
  }

  /// Closes the client.
  public func close(within limit: Duration) { client.close(within: limit) }
}

/// Translates the client's outcomes.
private final class FCMAnswers: FCMSink {
  private let sink: any SendSink

  init(_ sink: any SendSink) { self.sink = sink }

  func receive(_ results: [FCMResult]) {
    sink.receive(results.map { SendAnswer(tag: $0.tag, outcome: SendOutcome($0.outcome)) })
  }
}

extension SendOutcome {
  init(_ outcome: FCMOutcome) {
    switch outcome {
    case .accepted(let name): self = .accepted(name: name)
    case .rejected(let rejection): self = .rejected(SendRejection(rejection))
    case .failed(let failure): self = SendOutcome(failure)
    }
  }
}

extension SendRejection {
  init(_ rejection: FCMRejection) {
    let reason = rejection.code.rawValue.isEmpty ? rejection.rpcStatus : rejection.code.rawValue
    self.init(
      status: rejection.status, reason: reason, meaning: Self.meaning(rejection),
      retryAfterSeconds: rejection.retryAfter)
  }

  private static func meaning(_ rejection: FCMRejection) -> Meaning {
    switch rejection.consequence {
    case .fixRequest: .badRequest
    case .configuration:
      switch rejection.code {
      // The token's own sender (facts 2.5).
      case .senderIDMismatch: .wrongDevice
      // Apple's or the browsers' part of the message: what goes to Android goes through.
      case .thirdPartyAuthError, .apnsAuthError: .doubtfulCredential
      // An answer without a code or a status of Google's APIs is not Google's: something in between refused it.
      default: rejection.code.rawValue.isEmpty ? .trouble(.fcm) : .badCredential
      }
    case .retireDevice: .deadToken
    case .refreshToken: .renewConnection
    case .waitForQuota: rejection.code == .quotaExceeded ? .quotaUsedUp : .tooMany
    case .retryLater: .trouble(.fcm)
    }
  }
}
