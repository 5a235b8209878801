internal import FCM
internal import GatewayPool
public import Huawei
internal import StoreModel

/// Sends through a client of Huawei's Push Kit.
public final class HuaweiSender: Sender {
  private let client: HuaweiClient

  /// Takes a client.
  public init(_ client: HuaweiClient) { self.client = client }

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
      try client.submit(sends, to: HuaweiAnswers(sink))
      return true
    } catch {
      return false
    }
  }

  /// Closes the client.
  public func close(within limit: Duration) { client.close(within: limit) }
}

/// Translates the client's outcomes.
private final class HuaweiAnswers: HuaweiSink {
  private let sink: any SendSink

  init(_ sink: any SendSink) { self.sink = sink }

  func receive(_ results: [HuaweiResult]) {
    sink.receive(results.map { SendAnswer(tag: $0.tag, outcome: SendOutcome($0.outcome)) })
  }
}

extension SendOutcome {
  init(_ outcome: HuaweiOutcome) {
    switch outcome {
    case .accepted(let id): self = .accepted(name: id.isEmpty ? nil : id)
    case .rejected(let rejection): self = .rejected(SendRejection(rejection))
    case .failed(let failure): self = SendOutcome(failure)
    }
  }
}

extension SendRejection {
  init(_ rejection: HuaweiRejection) {
    self.init(
      status: rejection.status, reason: rejection.reason, meaning: Self.meaning(rejection),
      retryAfterSeconds: rejection.retryAfter)
  }

  private static func meaning(_ rejection: HuaweiRejection) -> Meaning {
    switch rejection.consequence {
    case .fixRequest: .badRequest
    case .configuration:
      switch rejection.status {
      // The address, which has the ids of the credential in it.
      case 404 where rejection.code == .none: .badCredential
      // A permission, or the token of another app: what goes to other phones may go through.
      default: .doubtfulCredential
      }
    case .retireDevice: .deadToken
    case .refreshToken: .renewConnection
    case .slowDown: .quotaUsedUp
    case .retryLater: .trouble(.hms)
    }
  }
}
