internal import Basics
internal import PushPayload
internal import PushRules
internal import WireJSON

extension EmulatedService {
  /// Apple's device push gateway.
  static let apns = EmulatedService(
    pushMember: "apns_id", hasHexadecimalTokens: true, idleWords: #"{"reason":"IdleTimeout"}"#,
    tokenForm: "expected hexadecimal bytes", phone: .ios, hasLiveActivities: true, takesCertificates: true,
    port: Port(words: "APNs", usual: 2197),
    isToken: { token in
      (2...FCMNames.tokenBytesMax).contains(token.utf8.count) && token.utf8.count % 2 == 0
        && token.utf8.allSatisfy { Hex.value($0) != nil }
    },
    sections: [Section(name: "apns") { scenario, object throws(ScenarioError) in try scenario.readAPNs(&object) }],
    begin: { state, scenario, seed in
      let authority = state.services.apns.authority
      state.services.apns = APNsGateway(settings: scenario.settings.apns, seed: seed)
      state.services.apns.authority = authority
      state.services.apns.authority.acceptsUnknownKeys = scenario.acceptsUnknownKeys
    },
    register: { state, credentials in state.services.apns.authority.keys = [try credentials.signingKey()] },
    terms: { state in
      let settings = state.services.apns.settings
      return ConnectionTerms(
        streams: settings.streamsBeforeToken, lifetime: settings.connectionLifetime,
        acceptsNoALPN: settings.acceptsNoALPN)
    },
    handle: { state, request, connection, response, nowMs in
      let action = state.services.apns.handle(
        request, on: &connection.apns, devices: &state.devices, faults: &state.faults, nowMs: nowMs,
        response: &response)
      state.counters.count(.apns, action, response)
      return action
    },
    describe: { device, object in
      object.append("topics", .array(device.topics.map { .string($0) }))
      object.append("environment", device.environment.map { .string($0.rawValue) } ?? .null)
    },
    show: { $0.receiveAPNs($1) },
    handout: Handout(
      credentials: { credentials, _ in
        [
          "apns": [
            "key_id": .string(credentials.keyID), "team_id": .string(credentials.teamID),
            "private_key": .string(credentials.signingKeyPEM),
          ]
        ]
      },
      names: { ["key_id": .string($0.keyID), "team_id": .string($0.teamID)] },
      files: [File(name: "apns-key.p8") { credentials, _ in credentials.signingKeyPEM }],
      setting: { credentials, _ in
        [
          "key": .string(credentials.signingKeyPEM), "key_id": .string(credentials.keyID),
          "team_id": .string(credentials.teamID),
        ]
      }))
}

extension EmulatorPorts {
  /// APNs: TLS and HTTP/2.
  public var apns: UInt16 { self[.apns] }
}

extension Scenario {
  fileprivate mutating func readAPNs(_ object: inout ScenarioObject) throws(ScenarioError) {
    settings.apns.environment = try object.choice("environment", APNsEnvironment.self) ?? settings.apns.environment
    settings.apns.otherSchemeIsInvalid =
      try object.flag("other_scheme_is_invalid") ?? settings.apns.otherSchemeIsInvalid
    settings.apns.requiresPushType = try object.flag("requires_push_type") ?? settings.apns.requiresPushType
    settings.apns.acceptsNoALPN = try object.flag("accepts_no_alpn") ?? settings.apns.acceptsNoALPN
    settings.apns.streamsBeforeToken = try object.int("streams_before_token") ?? settings.apns.streamsBeforeToken
    settings.apns.streamsEstablished = try object.int("streams") ?? settings.apns.streamsEstablished
    settings.apns.streamsAfterRejection = try object.int("streams_after_rejection")
    settings.apns.pushesPerDeviceMinute = try object.int("pushes_per_device_minute")
    acceptsUnknownKeys = try object.flag("accepts_unknown_keys") ?? false
    settings.apns.checks = try object.order("checks_first", APNsCheck.self).map(APNsCheck.order) ?? settings.apns.checks
    settings.apns.connectionLifetime = try ConnectionLifetime(&object)
    try readLatency(.apns, &object)
    try object.end()
  }
}
