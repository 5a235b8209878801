internal import APNs
internal import FCM
internal import GatewayPool
internal import HTTP2
internal import PushPayload
internal import PushRules
internal import WireJSON

/// Checks whether a provider accepts a credential, without reaching a device.
///
/// APNs is sent a notification for a token that no device has, FCM a message with `validate_only`: an error about the
/// token shows that the credential was accepted, because the providers check it first.
enum CredentialProbe {
  /// What a provider said.
  struct Verdict: Sendable {
    let isUsable: Bool
    /// What was learned, and what to do when it cannot be used.
    let detail: String

    var json: JSONValue { ["usable": .bool(isUsable), "detail": .string(detail)] }
  }

  /// From the start of the check to its end, at most twice this: once for a connection, once for the answer.
  private static let bound = Duration.seconds(10)
  /// A token that no device has.
  private static let noDevice = String(repeating: "0", count: 64)
  /// A registration token that is easily recognized as a test in the provider's statistics.
  static let noInstallation = "postrider-credential-check"

  /// Asks APNs; `answer` is called once, on a network thread.
  static func ask(
    _ setting: APNsSetting, through proxy: HTTP2Proxy?, threads: GatewayThreads,
    answer: @escaping @Sendable (Verdict) -> Void
  ) {
    var configuration = APNsClientConfiguration(
      gateway: setting.gateway(through: proxy), credential: setting.credential)
    configuration.timing = timing
    do {
      let client = try APNsClient(configuration, threads: threads)
      let request = APNsRequest(
        headers: APNsHeaders(
          pushType: .background, priority: .powerAware, topic: setting.topic, expiration: .once),
        payload: Array(#"{"aps":{"content-available":1}}"#.utf8))
      var generator = SystemRandomNumberGenerator()
      var batch = APNsBatch(APNsTemplate(request), capacity: 1)
      batch.append(tag: 0, token: noDevice, id: APNsID(using: &generator))
      try client.submit(
        batch,
        to: ProbeSink { outcome in
          answer(verdict(outcome))
          client.close(within: .seconds(1))
        })
    } catch { answer(Verdict(isUsable: false, detail: "\(error)")) }
  }

  /// Asks Google's token endpoint, then FCM; `answer` is called once, on a network thread.
  static func ask(
    _ setting: FCMSetting, through proxy: HTTP2Proxy?, threads: GatewayThreads,
    answer: @escaping @Sendable (Verdict) -> Void
  ) {
    var configuration = FCMClientConfiguration(gateway: setting.gateway(through: proxy), account: setting.account)
    configuration.timing = timing
    do {
      let client = try FCMClient(configuration, threads: threads)
      let message: JSONObject = ["token": .string(noInstallation), "data": ["check": "1"]]
      let body = FCMRequest(message: message, validateOnly: true).body
      var batch = FCMBatch(FCMTemplate(FCMRequestTemplate(prefix: body, suffix: [], placeholder: .token)), capacity: 1)
      batch.append(tag: 0, target: "")
      try client.submit(
        batch,
        to: ProbeSink { outcome in
          answer(verdict(outcome))
          client.close(within: .seconds(1))
        })
    } catch { answer(Verdict(isUsable: false, detail: "\(error)")) }
  }

  static var timing: SendTiming {
    var timing = SendTiming()
    timing.queueTimeout = bound
    timing.requestTimeout = bound
    return timing
  }

  private static func verdict(_ outcome: APNsOutcome) -> Verdict {
    switch outcome {
    case .accepted: return taken("APNs")
    case .failed(let failure): return Verdict(isUsable: false, detail: failure.description)
    case .rejected(let rejection):
      switch rejection.consequence {
      case .quarantineDevice, .retireDevice, .slowDevice: return taken("APNs")
      case .fixRequest, .configuration, .refreshToken, .keepOlderToken, .newConnection, .retryLater:
        return refused(.apns, rejection.reason.rawValue, rejection.status)
      }
    }
  }

  private static func verdict(_ outcome: FCMOutcome) -> Verdict {
    switch outcome {
    case .accepted: return taken("FCM")
    case .failed(let failure): return Verdict(isUsable: false, detail: failure.description)
    case .rejected(let rejection):
      switch rejection.consequence {
      case .retireDevice, .fixRequest: return taken("FCM")
      case .configuration, .refreshToken, .waitForQuota, .retryLater:
        return refused(.fcm, rejection.code.rawValue, rejection.status)
      }
    }
  }

  static func taken(_ provider: String) -> Verdict {
    Verdict(isUsable: true, detail: "\(provider) takes the credential")
  }

  static func refused(_ service: Explanation.Service, _ reason: String, _ status: Int) -> Verdict {
    let explanation = Explanations.find(reason, from: [service]).first
    let words = explanation.map { ": \($0.meaning) \($0.next)" } ?? ""
    return Verdict(isUsable: false, detail: "\(service.rawValue) answered \(status) \(reason)\(words)")
  }
}

/// Hands on the one outcome of a probe.
final class ProbeSink<Outcome: Sendable>: Sendable {
  let done: @Sendable (Outcome) -> Void

  init(_ done: @escaping @Sendable (Outcome) -> Void) { self.done = done }
}

extension ProbeSink: APNsSink where Outcome == APNsOutcome {
  func receive(_ results: [APNsResult]) { for result in results { done(result.outcome) } }
}

extension ProbeSink: FCMSink where Outcome == FCMOutcome {
  func receive(_ results: [FCMResult]) { for result in results { done(result.outcome) } }
}
