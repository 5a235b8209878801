internal import Basics
internal import PushContracts
internal import PushPayload
internal import PushRules
internal import Signing
internal import WireJSON

extension EmulatedService {
  /// Huawei's Push Kit, and its token endpoint, which is a counter of its own.
  static let huawei = EmulatedService(
    pushMember: "request_id", tokenForm: "expected letters, digits and marks, and no colon",
    port: Port(words: "Huawei's Push Kit and its OAuth"),
    client: {
      EmulatedClient(id: "101010101", secret: Hex.encode(SecureRandom.bytes(32)), projectID: "202020202020")
    },
    isToken: { (try? DeviceToken($0, kind: .hms)) != nil }, makeToken: { $0.letters(130) },
    sections: [Section(name: "hms") { scenario, object throws(ScenarioError) in try scenario.readHuawei(&object) }],
    begin: { state, scenario, seed in
      let before = state.services.hms.authority
      state.services.hms = HuaweiGateway(settings: scenario.settings.hms, seed: seed)
      state.services.hms.authority.clients = before.clients
      state.services.hms.authority.projects = before.projects
    },
    register: { state, credentials in
      let client = credentials[.hms]
      state.services.hms.authority.clients = [client.id: client.secret]
      state.services.hms.authority.projects = [client.id: client.projectID]
    },
    revokeAccessTokens: { $0.services.hms.authority.revokeAll() },
    terms: { state in
      let settings = state.services.hms.settings
      return ConnectionTerms(streams: settings.streams, lifetime: settings.connectionLifetime)
    },
    handle: { state, request, _, response, nowMs in state.handleHuawei(request, &response, nowMs: nowMs) },
    isItsPath: { HuaweiGateway.isPath($0) },
    describe: { device, object in object.append("projects", .array(device.projects.map { .string($0) })) },
    show: { phone, arrival in
      phone.receiveFCM(
        arrival, payload: HuaweiDevice.android(arrival.payload["message"] ?? .null),
        lifetime: Int(HuaweiRequest.ttlDefault))
    },
    handout: Handout(
      credentials: { credentials, _ in ["hms": .object(credentials.huaweiClient.merging(project: credentials[.hms]))] },
      names: { ["hms_client_id": .string($0.huaweiClientID)] },
      files: [File(name: "hms-client.json") { credentials, _ in credentials.huaweiClientJSON }],
      setting: { credentials, _ in credentials.huaweiClient }))
}

extension EmulatorCore.State {
  fileprivate mutating func handleHuawei(
    _ request: GatewayRequest, _ response: inout GatewayResponse, nowMs: Int64
  ) -> GatewayAction {
    if let path = request.range(.path), request.matches(path, HuaweiAuthority.path) {
      let action = services.hms.authority.handle(request, faults: &faults, nowMs: nowMs, response: &response)
      counters.count(.hmsOAuth, action, response)
      return action
    }
    let action = services.hms.handle(request, devices: &devices, faults: &faults, nowMs: nowMs, response: &response)
    counters.count(.hms, action, response)
    return action
  }
}

extension EmulatorPorts {
  /// Huawei's Push Kit and `/oauth2/v3/token`: TLS and HTTP/2.
  public var hms: UInt16 { self[.hms] }
}

extension EmulatorCredentials {
  /// The OAuth client id of the app at Huawei.
  public var huaweiClientID: String { self[.hms].id }
  /// The OAuth client's secret.
  public var huaweiClientSecret: String { self[.hms].secret }
  /// The project of the app at Huawei.
  public var huaweiProjectID: String { self[.hms].projectID }

  /// The OAuth client of Huawei's, as `postrider send --hms-client` reads it.
  public var huaweiClientJSON: String { JSON.pretty(.object(huaweiClient)) + "\n" }

  fileprivate var huaweiClient: JSONObject {
    ["client_id": .string(huaweiClientID), "client_secret": .string(huaweiClientSecret)]
  }
}

extension JSONObject {
  fileprivate func merging(project client: EmulatedClient) -> JSONObject {
    var object = self
    object.append("project_id", .string(client.projectID))
    return object
  }
}

extension Scenario {
  fileprivate mutating func readHuawei(_ object: inout ScenarioObject) throws(ScenarioError) {
    settings.hms.streams = try object.int("streams") ?? settings.hms.streams
    settings.hms.messagesPerAppMinute = try object.int("messages_per_app_minute")
    settings.hms.accessTokenSeconds = try object.int("access_token_seconds") ?? settings.hms.accessTokenSeconds
    settings.hms.connectionLifetime = try ConnectionLifetime(&object)
    try readLatency(.hms, &object)
    if let value = object.value("token_latency") {
      latencies[.hmsOAuth] = try Latency(value, path: object.memberPath("token_latency"))
    }
    try object.end()
  }
}
