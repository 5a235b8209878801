internal import DevicePreview
internal import PushContracts
internal import PushPayload
internal import PushRules
internal import WireJSON

extension EmulatedService {
  /// Google's FCM v1 API, and its token endpoint, which is a section and a counter of its own.
  static let fcm = EmulatedService(
    pushMember: "message_name", platforms: ["android": nil, "ios": .ios, "web": .web],
    port: Port(words: "FCM and OAuth", usual: 8443),
    isToken: { FCMNames.isToken($0) },
    // 22 characters, a colon and 140 more.
    makeToken: { $0.letters(22) + ":" + $0.letters(140) },
    sections: [
      Section(name: "fcm") { scenario, object throws(ScenarioError) in try scenario.readFCM(&object) },
      Section(name: "oauth") { scenario, object throws(ScenarioError) in try scenario.readOAuth(&object) },
    ],
    begin: { state, scenario, seed in
      let (accounts, generation) = (state.services.oauth.accounts, state.services.oauth.generation)
      state.services.fcm = FCMGateway(settings: scenario.settings.fcm, seed: seed)
      state.services.oauth = OAuthEndpoint(seed: seed)
      state.services.oauth.generation = generation + 1
      state.services.oauth.accounts = accounts
      state.services.oauth.tokenLifetimeSeconds = scenario.accessTokenSeconds
      state.services.oauth.acceptsAnyAccessToken = scenario.acceptsAnyAccessToken
    },
    register: { state, credentials in state.services.oauth.accounts = [try credentials.account()] },
    revokeAccessTokens: { $0.services.oauth.revokeAll() },
    terms: { state in
      let settings = state.services.fcm.settings
      return ConnectionTerms(streams: settings.streams, lifetime: settings.connectionLifetime)
    },
    handle: { $0.handleGoogle($1, &$2.fcm, &$3, nowMs: $4) },
    describe: { device, object in
      object.append("projects", .array(device.projects.map { .string($0) }))
      object.append("subscriptions", .array(device.subscriptions.sorted().map { .string($0) }))
      object.append("platform", .string(device.carrier?.platform ?? "android"))
    },
    show: { phone, arrival in
      switch phone.tray.platform {
      case .ios: phone.receiveCarried(arrival)
      case .android: phone.receiveFCM(arrival)
      }
    },
    handout: Handout(
      credentials: { credentials, ports in
        let account = credentials.serviceAccountJSON(tokenURI: ports.tokenURI)
        let plain = credentials.serviceAccountJSON(tokenURI: ports.plainTokenURI)
        return [
          "service_account": (try? JSON.parse(account)) ?? .null,
          "service_account_plain": (try? JSON.parse(plain)) ?? .null,
        ]
      },
      names: { ["project_id": .string($0.projectID)] },
      files: [
        File(name: "service-account.json") { credentials, ports in
          credentials.serviceAccountJSON(tokenURI: ports.tokenURI)
        }
      ],
      setting: { credentials, ports in
        let account = credentials.serviceAccountJSON(tokenURI: ports.tokenURI)
        return ["service_account": (try? JSON.parse(account)) ?? .null]
      }))
}

extension EmulatorCore.State {
  fileprivate mutating func handleGoogle(
    _ request: GatewayRequest, _ connection: inout FCMConnection, _ response: inout GatewayResponse, nowMs: Int64
  ) -> GatewayAction {
    if let path = request.range(.path), request.matches(path, "/token") {
      let action = services.oauth.handle(request, faults: &faults, nowMs: nowMs, response: &response)
      counters.count(.oauth, action, response)
      return action
    }
    let action = services.fcm.handle(
      request, on: &connection, oauth: services.oauth, devices: &devices, faults: &faults, nowMs: nowMs,
      response: &response)
    counters.count(.fcm, action, response)
    return action
  }
}

extension EmulatorPorts {
  /// FCM and `/token`: TLS and HTTP/2.
  public var fcm: UInt16 { self[.fcm] }
  /// The token endpoint over TLS and HTTP/2.
  public var tokenURI: String { origin(of: .fcm) + "/token" }
  /// The token endpoint over plain HTTP/1.1.
  public var plainTokenURI: String { plainOrigin + "/token" }
}

extension Scenario {
  fileprivate mutating func readFCM(_ object: inout ScenarioObject) throws(ScenarioError) {
    settings.fcm.streams = try object.int("streams") ?? settings.fcm.streams
    settings.fcm.messagesPerProjectMinute = try object.int("messages_per_project_minute")
    settings.fcm.messagesPerDeviceMinute = try object.int("messages_per_device_minute")
    settings.fcm.messagesPerDeviceHour = try object.int("messages_per_device_hour")
    settings.fcm.namesDeviceQuota = try object.flag("names_device_quota") ?? settings.fcm.namesDeviceQuota
    settings.fcm.connectionLifetime = try ConnectionLifetime(&object)
    try readLatency(.fcm, &object)
    try object.end()
  }

  fileprivate mutating func readOAuth(_ object: inout ScenarioObject) throws(ScenarioError) {
    accessTokenSeconds = try object.int("access_token_seconds") ?? accessTokenSeconds
    acceptsAnyAccessToken = try object.flag("accepts_any_access_token") ?? false
    try readLatency(.oauth, &object)
    try object.end()
  }
}
