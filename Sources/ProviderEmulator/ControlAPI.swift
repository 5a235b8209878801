internal import HTTP2
internal import Signing
internal import Synchronization
internal import WireJSON

/// An answer of the control API.
struct ControlAnswer: Sendable {
  var status: Int
  var contentType: String
  var body: [UInt8]
  /// What the answer becomes after waiting for another server; nil when it is ready.
  var later: (@Sendable () -> ControlAnswer)?

  static func json(_ value: JSONValue, status: Int = 200) -> ControlAnswer {
    ControlAnswer(status: status, contentType: "application/json", body: Array((JSON.pretty(value) + "\n").utf8))
  }

  static func problem(_ status: Int, _ detail: String) -> ControlAnswer {
    ControlAnswer(
      status: status, contentType: "application/problem+json",
      body: JSON.minified(["status": .number(JSONNumber(status)), "detail": .string(detail)]))
  }

  static let done = ControlAnswer(status: 204, contentType: "application/json", body: [])
  static let noDevice = problem(404, "no device with this token")

  static func full(_ what: String, _ max: Int) -> ControlAnswer {
    problem(400, "there are \(max) \(what) already; remove some, or begin another scenario")
  }
}

/// A device by what a request calls it: found anew for each step, since others remove devices meanwhile.
struct DeviceName: Sendable {
  let provider: EmulatedProvider
  let token: String

  func index(in state: borrowing EmulatorCore.State) -> Int? { state.devices.find(provider, token) }

  /// The device that has its phone.
  func phone(in state: borrowing EmulatorCore.State) -> Int? {
    index(in: state).map { state.devices.phoneIndex(of: $0) }
  }
}

/// The control API without its network: reads an emulator's state and changes its behavior.
///
/// All paths are under `/control`; a table in `docs/emulator.md` lists them.
struct ControlAPI: Sendable {
  let core: EmulatorCore
  let credentials: EmulatorCredentials
  let authorityPEM: String
  let ports: EmulatorPorts

  /// Answers one request; `segments` are the decoded parts of the path after `/control`.
  func handle(method: String, segments: [String], body: [UInt8]) -> ControlAnswer {
    do throws(ScenarioError) {
      return try route(method, segments, body) ?? .problem(404, "no such resource; see /control")
    } catch {
      return .problem(400, error.description)
    }
  }

  private func route(_ method: String, _ segments: [String], _ body: [UInt8]) throws(ScenarioError) -> ControlAnswer? {
    switch (method, segments.first ?? "", segments.count) {
    case ("GET", "", 0): return .json(summary)
    case ("GET", "trust", 1):
      return ControlAnswer(status: 200, contentType: "application/x-pem-file", body: Array(authorityPEM.utf8))
    case ("GET", "credentials", 1): return .json(credentialsJSON)
    case ("PUT", "scenario", 1), ("POST", "reset", 1): return try begin(body)
    case (_, "devices", _): return try devices(method, Array(segments.dropFirst()), body)
    case ("DELETE", "pushes", 1):
      core.state.withLock { $0.devices.forgetPushes() }
      return .done
    case ("GET", "channels", 1): return .json(.array(core.state.withLock { $0.services.apns.channels.all.map(\.json) }))
    case (_, "rules", _): return try rules(method, segments.dropFirst().first, body)
    case (_, "connections", _): return try connections(method, Array(segments.dropFirst()), body)
    case ("POST", "clock", 1): return try clock(body)
    case ("POST", "revoke-access-tokens", 1):
      core.state.withLock { state in
        for provider in EmulatedProvider.withDevices { provider.row.revokeAccessTokens(&state) }
      }
      return .done
    case ("POST", "access-tokens", 1): return try accessToken(body)
    case ("POST", "keys", 1): return try registerKey(body)
    case ("POST", "accounts", 1): return try registerAccount(body)
    default: return nil
    }
  }

  func parse(_ body: [UInt8]) throws(ScenarioError) -> JSONValue {
    do {
      return try JSON.parse(body)
    } catch {
      throw ScenarioError(path: "", problem: "the body is not JSON: \(error)")
    }
  }

  private func object(_ body: [UInt8]) throws(ScenarioError) -> ScenarioObject {
    try ScenarioObject(parse(body), path: "")
  }

  // MARK: The whole

  private var summary: JSONValue {
    let state = core.state.withLock { $0.summary(nowMs: core.nowMs($0)) }
    var ports = JSONObject()
    for provider in EmulatedProvider.withDevices {
      ports.append(provider.rawValue, .number(JSONNumber(self.ports[provider])))
    }
    ports.append("plain", .number(JSONNumber(self.ports.plain)))
    return ["ports": .object(ports), "state": state]
  }

  private var credentialsJSON: JSONValue {
    var object = JSONObject()
    for provider in EmulatedProvider.withDevices {
      for (name, value) in provider.row.handout.credentials(credentials, ports) { object.append(name, value) }
    }
    return .object(object)
  }

  private func begin(_ body: [UInt8]) throws(ScenarioError) -> ControlAnswer {
    let scenario = body.isEmpty ? Scenario() : try Scenario(parsing: body)
    let bounded = try scenario.bounded(to: core.state.withLock { $0.reportServer })
    core.state.withLock { $0.begin(bounded, nowMs: core.nowMs($0)) }
    return .json(summary)
  }

  private func clock(_ body: [UInt8]) throws(ScenarioError) -> ControlAnswer {
    var object = try object(body)
    guard let value = object.value("advance_ms"), let advance = value.int else {
      throw object.error("advance_ms", "expected milliseconds, negative to go back")
    }
    try object.end()
    guard let now = core.state.withLock({ core.advance(&$0, byMs: Int64(advance)) }) else {
      throw object.error("advance_ms", "the clock goes from 1970 to 9999")
    }
    return .json(["time_ms": .number(JSONNumber(now))])
  }

  // MARK: Devices

  private func devices(_ method: String, _ rest: [String], _ body: [UInt8]) throws(ScenarioError) -> ControlAnswer? {
    switch (method, rest.count) {
    case ("GET", 0): return .json(.array(core.state.withLock { $0.devices.all.map(json) }))
    case ("GET", 1) where rest[0] == "phones":
      return .json(
        .array(
          core.state.withLock { state in
            (Array(state.devices.phones.keys) + Array(state.devices.windows.keys)).sorted()
              .map { json(state.devices[$0]) }
          }))
    case ("POST", 0):
      return try makeDevice(DeviceDescription(parse(body), path: ""), status: 201)
    case (_, 2...): return try device(method, rest, body)
    default: return nil
    }
  }

  private func device(_ method: String, _ rest: [String], _ body: [UInt8]) throws(ScenarioError) -> ControlAnswer? {
    guard let provider = EmulatedProvider(rawValue: rest[0]), provider.hasDevices else {
      return .problem(404, "devices are under devices/PROVIDER/TOKEN; providers are \(EmulatedProvider.names("and"))")
    }
    if method == "PUT", rest.count == 2 {
      var description = try DeviceDescription(parse(body), path: "")
      description.provider = provider
      description.token = rest[1]
      guard provider.row.isToken(rest[1]) else { return .problem(400, "that is no token") }
      return try makeDevice(description, status: 200)
    }
    let name = DeviceName(provider: provider, token: rest[1])
    guard let device = core.state.withLock({ state in name.index(in: state).map { state.devices[$0] } }) else {
      return .noDevice
    }
    switch (method, rest.count) {
    case ("GET", 2): return .json(json(device))
    case ("DELETE", 2):
      core.state.withLock { state in
        if let index = name.index(in: state) { state.devices.remove(index) }
      }
      return .done
    case ("PUT", 3) where rest[2] == "script":
      var object = try object(body)
      let script = try DeviceScript(&object)
      try object.end()
      return core.state.withLock { state in
        guard let index = name.index(in: state) else { return .noDevice }
        state.devices[index].script = script
        return .json(json(state.devices[index]))
      }
    case (_, 3...) where rest[2] == "phone": return try phone(method, of: name, Array(rest.dropFirst(3)), body)
    case ("GET", 3...) where rest[2] == "pushes": return pushes(of: device, Array(rest.dropFirst(3)))
    default: return nil
    }
  }

  /// A device; a browser with its subscription, as `toJSON()` gives it, and the endpoint without TLS.
  private func json(_ device: VirtualDevice) -> JSONValue {
    guard let browser = device.browser, case .object(var object) = device.json else { return device.json }
    object.append("subscription", browser.subscription(endpoint: "\(ports.webOrigin)/push/\(device.token)"))
    object.append("plain_endpoint", .string("\(ports.plainWebOrigin)/push/\(device.token)"))
    return .object(object)
  }

  /// Makes a device, or changes the one with the same token.
  private func makeDevice(_ description: DeviceDescription, status: Int) throws(ScenarioError) -> ControlAnswer {
    let bounded = try description.bounded(to: core.state.withLock { $0.reportServer }, path: "")
    return core.state.withLock { state in
      guard state.devices.hasRoom(for: bounded) else {
        return .problem(400, "there are \(EmulatorLimits.devicesMax) devices already; POST /control/reset begins anew")
      }
      if let owner = bounded.phoneOf, state.devices.find(.apns, owner).map({ state.devices.phones[$0] != nil }) != true
      {
        return .problem(400, "phone_of: no apns device with this token has a phone; PUT …/phone makes one")
      }
      return .json(json(state.devices[state.make(bounded)]), status: status)
    }
  }

  private func pushes(of device: VirtualDevice, _ rest: [String]) -> ControlAnswer? {
    if rest.isEmpty {
      var writer = JSONWriter()
      device.writePushes(into: &writer)
      return ControlAnswer(status: 200, contentType: "application/json", body: writer.bytes)
    }
    let push =
      rest[0] == "last" ? device.receivedPushes.last : device.receivedPushes.first { String($0.sequence) == rest[0] }
    guard let push else { return .problem(404, "the device has no such push, or no longer") }
    if rest.count == 2, rest[1] == "payload" {
      return ControlAnswer(status: 200, contentType: "application/json", body: push.payload)
    }
    guard rest.count == 1 else { return nil }
    var writer = JSONWriter()
    push.write(into: &writer, isCurrent: device.currentPushes.contains { $0.sequence == push.sequence })
    return ControlAnswer(status: 200, contentType: "application/json", body: writer.bytes)
  }

  // MARK: Faults

  private func rules(_ method: String, _ name: String?, _ body: [UInt8]) throws(ScenarioError) -> ControlAnswer? {
    switch (method, name) {
    case ("GET", nil): return .json(.array(core.state.withLock { $0.rulesJSON }))
    case ("POST", nil):
      let rule = try FaultRule(parse(body), path: "rule")
      return core.state.withLock { state in
        guard state.faults.rules.count < EmulatorLimits.rulesMax else { return .full("rules", EmulatorLimits.rulesMax) }
        state.faults.rules.append(rule)
        return .json(["name": .string(rule.name)], status: 201)
      }
    case ("DELETE", let name):
      core.state.withLock { state in state.faults.rules.removeAll { name == nil || $0.name == name } }
      return .done
    default: return nil
    }
  }

  private func connections(
    _ method: String, _ rest: [String], _ body: [UInt8]
  ) throws(ScenarioError) -> ControlAnswer? {
    switch (method, rest) {
    case ("POST", []):
      let fault = try ConnectionFault(parse(body), path: "connection")
      return core.state.withLock { state in
        guard state.connectionFaults.count < EmulatorLimits.connectionFaultsMax else {
          return .full("connection faults", EmulatorLimits.connectionFaultsMax)
        }
        state.connectionFaults.append(fault)
        return .json(["faults": .number(JSONNumber(state.connectionFaults.count))], status: 201)
      }
    case ("DELETE", []):
      core.state.withLock { $0.connectionFaults.removeAll() }
      return .done
    case ("POST", ["now"]): return try strikeOpenConnections(body)
    default: return nil
    }
  }

  /// Does something to the connections that are open: `{"provider": …, "effect": …}` or `{"streams": n}`.
  private func strikeOpenConnections(_ body: [UInt8]) throws(ScenarioError) -> ControlAnswer {
    var object = try object(body)
    let provider = try object.choice("provider", EmulatedProvider.self)
    let streams = try object.int("streams")
    let effect = try object.value("effect").map { value throws(ScenarioError) in
      try Effect(value, path: "effect")
    }
    try object.end()
    guard streams != nil || effect != nil else { throw object.error("effect", "expected an effect, or streams") }
    let open = core.state.withLock { state in
      state.connections.values.filter { provider == nil || $0.provider == provider }.map(\.connection)
    }
    for connection in open {
      if let streams { connection.update(HTTP2Settings(maxConcurrentStreams: UInt32(clamping: streams))) }
      if let effect { Self.strike(connection, effect) }
    }
    return .json(["connections": .number(JSONNumber(open.count))])
  }

  private static func strike(_ connection: HTTP2ServerConnection, _ effect: Effect) {
    switch effect {
    case .close: connection.closeAbruptly()
    case .halfOpen, .silence: connection.fallSilent()
    case .goAway(let goAway):
      connection.goAway(code: HTTP2ErrorCode(rawValue: goAway.code), debugData: goAway.debugData)
    case .stopReading(let milliseconds):
      connection.pauseReading(true)
      connection.loop.schedule(after: .milliseconds(milliseconds)) { connection.pauseReading(false) }
    case .streams(let limit): connection.update(HTTP2Settings(maxConcurrentStreams: UInt32(clamping: limit)))
    case .pass, .refuse, .answer, .reset: break
    }
  }

  // MARK: Credentials

  private func accessToken(_ body: [UInt8]) throws(ScenarioError) -> ControlAnswer {
    var object = try object(body)
    let project = try object.text("project") ?? credentials.projectID
    let seconds = try object.int("seconds") ?? 3599
    try object.end()
    let token = core.state.withLock { state in
      state.services.oauth.issue(projectID: project, lifetimeSeconds: seconds, nowMs: core.nowMs(state))
    }
    return .json(["access_token": .string(token)], status: 201)
  }

  private func registerKey(_ body: [UInt8]) throws(ScenarioError) -> ControlAnswer {
    var object = try object(body)
    guard
      let keyID = try object.text("key_id"), let teamID = try object.text("team_id"),
      let pem = try object.text("public_key")
    else { throw object.error("public_key", "key_id, team_id and public_key (PEM) are required") }
    let environment = try object.choice("environment", APNsEnvironment.self)
    let topics = try object.texts("topics") ?? []
    try object.end()
    do {
      let key = APNsSigningKey(
        keyID: keyID, teamID: teamID, publicKey: try ECPublicKey(pem: pem), environment: environment, topics: topics)
      return core.state.withLock { state in
        state.services.apns.authority.keys.removeAll { $0.keyID == keyID && $0.teamID == teamID }
        guard state.services.apns.authority.keys.count < EmulatorLimits.credentialsMax else {
          return .full("keys", EmulatorLimits.credentialsMax)
        }
        state.services.apns.authority.keys.append(key)
        return .json(["key_id": .string(keyID)], status: 201)
      }
    } catch {
      throw object.error("public_key", error.message)
    }
  }

  private func registerAccount(_ body: [UInt8]) throws(ScenarioError) -> ControlAnswer {
    var object = try object(body)
    guard
      let email = try object.text("client_email"), let project = try object.text("project_id"),
      let keyID = try object.text("private_key_id"), let pem = try object.text("public_key")
    else {
      throw object.error("public_key", "client_email, project_id, private_key_id and public_key (PEM) are required")
    }
    try object.end()
    do {
      let account = ServiceAccount(
        clientEmail: email, projectID: project, keyID: keyID, publicKey: try RSAPublicKey(pem: pem))
      return core.state.withLock { state in
        state.services.oauth.accounts.removeAll { $0.clientEmail == email }
        guard state.services.oauth.accounts.count < EmulatorLimits.credentialsMax else {
          return .full("accounts", EmulatorLimits.credentialsMax)
        }
        state.services.oauth.accounts.append(account)
        return .json(["client_email": .string(email)], status: 201)
      }
    } catch {
      throw object.error("public_key", error.message)
    }
  }
}
