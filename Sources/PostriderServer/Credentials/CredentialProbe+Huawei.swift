internal import FCM
internal import GatewayPool
internal import HTTP2
internal import Huawei
internal import PushPayload
internal import PushRules
internal import WireJSON

extension CredentialProbe {
  /// Asks Huawei's token endpoint, then Push Kit with `validate_only`; `answer` is called once, on a network thread.
  ///
  /// What Push Kit says of the token, which is none, shows that it took the credential.
  static func ask(
    _ setting: HuaweiSetting, through proxy: HTTP2Proxy?, threads: GatewayThreads,
    answer: @escaping @Sendable (Verdict) -> Void
  ) {
    var configuration = HuaweiClientConfiguration(
      gateway: setting.gateway(through: proxy), account: setting.account)
    configuration.timing = timing
    do {
      let client = try HuaweiClient(configuration, threads: threads)
      let request = HuaweiRequest(message: ["data": "check"], validateOnly: true)
      var batch = FCMBatch(FCMTemplate(request.template()), capacity: 1)
      batch.append(tag: 0, target: noInstallation)
      try client.submit(
        batch,
        to: ProbeSink { outcome in
          answer(verdict(outcome))
          client.close(within: .seconds(1))
        })
    } catch { answer(Verdict(isUsable: false, detail: "\(error)")) }
  }

  private static func verdict(_ outcome: HuaweiOutcome) -> Verdict {
    switch outcome {
    case .accepted: return taken("Push Kit")
    case .failed(let failure): return Verdict(isUsable: false, detail: failure.description)
    case .rejected(let rejection):
      let isTaken =
        switch rejection.consequence {
        case .retireDevice: true
        // Without a code it may not be Push Kit that answered.
        case .fixRequest: rejection.code != .none
        case .configuration, .refreshToken, .slowDown, .retryLater: false
        }
      guard !isTaken else { return taken("Push Kit") }
      return refused(.huawei, rejection.reason, rejection.status)
    }
  }
}

extension ProbeSink: HuaweiSink where Outcome == HuaweiOutcome {
  func receive(_ results: [HuaweiResult]) { for result in results { done(result.outcome) } }
}
