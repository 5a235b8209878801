internal import GatewayPool
internal import HTTP2
internal import WebPush

extension CredentialProbe {
  /// Asks whether the proxy on the way to push services opens tunnels; the key itself nobody can be asked about, because
  /// push services take it with each subscription.
  ///
  /// `answer` is called once, where there is a proxy on a network thread.
  static func ask(
    _ setting: WebPushSetting, through proxy: HTTP2Proxy?, threads: GatewayThreads,
    answer: @escaping @Sendable (Verdict) -> Void
  ) {
    var configuration = WebPushClientConfiguration(key: setting.keys[0], subject: setting.subject)
    setting.apply(through: proxy, to: &configuration)
    configuration.timing = timing
    let own = configuration.ownService
    guard (own == nil ? configuration.proxy : own?.proxy) != nil else { return answer(valid(setting)) }
    // The service that most browsers use, or the one that the credential names.
    let endpoint = own.map { "\($0.origin)/push/" } ?? "https://fcm.googleapis.com/fcm/send/"
    do {
      let client = try WebPushClient(configuration, threads: threads)
      // The app's own key is a point of the curve, and nobody can decrypt what is encrypted for this subscription.
      let nobody = try WebPushSubscription(
        endpoint: endpoint + noInstallation, p256dh: setting.keys[0].publicText, auth: "AAAAAAAAAAAAAAAAAAAAAA")
      var batch = WebPushBatch(try WebPushMessage(payload: [], ttl: 0))
      batch.append(tag: 0, to: nobody)
      try client.submit(
        batch,
        to: ProbeSink { outcome in
          answer(verdict(outcome, setting))
          client.close(within: .seconds(1))
        })
    } catch { answer(Verdict(isUsable: false, detail: "\(error)")) }
  }

  private static func valid(_ setting: WebPushSetting) -> Verdict {
    Verdict(
      isUsable: true,
      detail:
        "the key \(setting.keys[0].publicText) is valid; only a push to a subscriber shows what a push service says")
  }

  /// Whatever a push service says of a subscription that is none: it was reached.
  private static func verdict(_ outcome: WebPushOutcome, _ setting: WebPushSetting) -> Verdict {
    guard case .failed(let failure) = outcome else { return valid(setting) }
    return Verdict(isUsable: false, detail: failure.description)
  }
}

extension ProbeSink: WebPushSink where Outcome == WebPushOutcome {
  func receive(_ results: [WebPushResult]) { for result in results { done(result.outcome) } }
}
