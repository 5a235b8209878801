internal import HTTPServer
internal import StoreModel

/// What works on threads of its own beside the requests.
struct ServiceWorkers {
  let sending: Sending
  let progress: ProgressStreams
  let webhooks: WebhookSender
  let upkeep: Upkeep
  let tracer: Tracer?
  let oidc: OIDCDesk?

  /// Starts all of them; when one fails, those before it are stopped.
  init(
    store: any Store, vault: Vault, configuration: PostriderServerConfiguration, log: Log
  ) throws(PostriderServerError) {
    let clock = configuration.clock
    var stops: [() -> Void] = []
    do throws(PostriderServerError) {
      let tracer = try configuration.tracing.map { setting throws(PostriderServerError) in
        try Tracer(setting, store: store, proxy: configuration.proxy, version: configuration.version, log: log)
      }
      self.tracer = tracer
      stops.append { tracer?.stop() }
      let sending = try Sending(
        store: store, vault: vault, clock: clock, log: log, limits: configuration.sending, proxy: configuration.proxy,
        tracer: tracer)
      stops.append { sending.stop(within: .zero) }
      let progress = try Self.started { () throws(HTTPServerError) in try ProgressStreams(store: store) }
      stops.append { progress.stop() }
      let webhooks = try WebhookSender(
        store: store, vault: vault, clock: clock, log: log,
        egress: WebhookEgress(
          proxy: configuration.webhooksGoDirectly ? nil : configuration.proxy,
          allowsPrivate: configuration.allowsPrivateWebhooks))
      stops.append { webhooks.stop() }
      let oidc = try configuration.oidc.map { setting throws(PostriderServerError) in
        guard let client = OIDCClient(setting, proxy: configuration.proxy) else {
          throw PostriderServerError("a thread for the identity provider cannot be had; raise the limits")
        }
        return OIDCDesk(client, store: store, vault: vault)
      }
      self.oidc = oidc
      stops.append { oidc?.client.stop() }
      upkeep = try Self.started { () throws(HTTPServerError) in
        try Upkeep(store: store, clock: clock, log: log)
      }
      (self.sending, self.progress, self.webhooks) = (sending, progress, webhooks)
    } catch {
      for stop in stops.reversed() { stop() }
      throw error
    }
  }

  private static func started<Worker>(
    _ start: () throws(HTTPServerError) -> Worker
  ) throws(PostriderServerError) -> Worker {
    do throws(HTTPServerError) { return try start() } catch { throw PostriderServerError(error) }
  }
}
