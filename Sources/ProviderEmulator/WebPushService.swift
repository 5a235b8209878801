internal import Signing
internal import WireJSON

extension EmulatedService {
  /// A push service for browsers.
  static let webPush = EmulatedService(
    tokenForm: "expected 1 to \(VirtualBrowser.tokenBytesMax) letters, digits, -_", hasBrowsers: true,
    port: Port(words: "Web push"),
    isToken: { VirtualBrowser.isToken($0.utf8) },
    sections: [Section(name: "web") { scenario, object throws(ScenarioError) in try scenario.readWeb(&object) }],
    begin: { state, scenario, seed in
      state.services.web = WebPushGateway(settings: scenario.settings.web, seed: seed)
    },
    // The keys of senders are known by the subscriptions.
    register: { _, _ in },
    terms: { state in
      let settings = state.services.web.settings
      return ConnectionTerms(streams: settings.streams, lifetime: settings.connectionLifetime)
    },
    handle: { state, request, connection, response, nowMs in
      let origin =
        connection.isPlain
        ? "http://" + (request.value(of: "host") ?? "") : "https://" + (request.value(of: ":authority") ?? "")
      let action = state.services.web.handle(
        request, origin: origin, devices: &state.devices, faults: &state.faults, nowMs: nowMs, response: &response)
      state.counters.count(.web, action, response)
      return action
    },
    isItsPath: { WebPushGateway.isPath($0) },
    describe: { device, object in
      let key = device.browser?.applicationServerKey
      object.append("application_server_key", key.map { .string(Base64URL.encode($0)) } ?? .null)
    },
    handout: Handout())
}

extension EmulatorPorts {
  /// Push subscriptions of browsers: TLS and HTTP/2.
  public var web: UInt16 { self[.web] }
  /// Scheme, host and port of the endpoints of push subscriptions.
  public var webOrigin: String { origin(of: .web) }
  /// The same for clients without TLS, such as tests with tools that cannot trust another authority.
  public var plainWebOrigin: String { plainOrigin }
}

extension Scenario {
  fileprivate mutating func readWeb(_ object: inout ScenarioObject) throws(ScenarioError) {
    settings.web.streams = try object.int("streams") ?? settings.web.streams
    settings.web.bodyBytesMax = try object.int("body_bytes_max") ?? settings.web.bodyBytesMax
    settings.web.ttlSecondsMax = try object.int("ttl_seconds_max").map { Int64($0) } ?? settings.web.ttlSecondsMax
    settings.web.requiresSubject = try object.flag("requires_subject") ?? settings.web.requiresSubject
    settings.web.requiresVAPID = try object.flag("requires_vapid") ?? settings.web.requiresVAPID
    settings.web.messagesPerSubscriptionMinute = try object.int("messages_per_subscription_minute")
    settings.web.connectionLifetime = try ConnectionLifetime(&object)
    try readLatency(.web, &object)
    try object.end()
  }
}
