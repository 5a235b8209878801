internal import PushRules

/// How the FCM gateway is set up.
public struct FCMGatewaySettings: Sendable, Hashable {
  /// The streams a connection may have; 100 have been observed.
  public var streams = 100
  /// The most messages to one project in a minute, more are `QUOTA_EXCEEDED`; nil for no limit (Google's is 600 000).
  public var messagesPerProjectMinute: Int?
  /// The most messages to one device in a minute; nil for no limit (Google's is 240).
  public var messagesPerDeviceMinute: Int?
  /// The most messages to one device in an hour; nil for no limit (Google's is 5000).
  public var messagesPerDeviceHour: Int?
  /// Whether a 429 for one device says `QUOTA_EXCEEDED`, as one for the project does; Google's pages leave it open.
  public var namesDeviceQuota = true
  /// When connections end; Google's have been seen to end after 4 minutes idle and after an hour.
  public var connectionLifetime = ConnectionLifetime()

  /// The defaults above.
  public init() {}
}

/// What the gateway remembers of one connection: the access token that was checked last.
public struct FCMConnection: Sendable {
  var token: [UInt8] = []
  var projectID = ""
  var expiresMs: Int64 = .min
  var generation = -1

  /// A fresh connection.
  public init() {}
}

/// FCM's HTTP v1 API without its network: a request goes in, a response and an action come out.
public struct FCMGateway: Sendable {
  /// The settings.
  public var settings: FCMGatewaySettings

  private var random: EmulatorRandom
  private var rules = FCMRules()
  private var projectQuotas: [String: QuotaWindow] = [:]

  private static let pathStart: StaticString = "/v1/projects/"
  private static let pathEnd = Array("/messages:send".utf8)
  static let bodyBytesMax = 64 * 1024

  /// A gateway whose message names follow from the seed.
  public init(settings: FCMGatewaySettings = FCMGatewaySettings(), seed: UInt64) {
    self.settings = settings
    random = EmulatorRandom(seed: seed ^ 0x66_636D)
  }

  /// Answers one request; the parameters are those of `APNsGateway.handle`, with the token endpoint for access tokens.
  public mutating func handle(
    _ request: GatewayRequest, on connection: inout FCMConnection, oauth: borrowing OAuthEndpoint,
    devices: inout VirtualDevices, faults: inout FaultEngine, nowMs: Int64, response: inout GatewayResponse
  ) -> GatewayAction {
    response.reset()
    var action = GatewayAction()
    guard let project = Self.project(of: request) else {
      Self.notFoundPage(&response)
      return action
    }
    let facts = rules.examine(Array(request.body))
    if !faults.isIdle {
      let (effect, delayMs) = verdict(on: request, project, facts, &faults, nowMs)
      action.delayMs = delayMs
      if apply(effect, to: &action, &response) { return action }
    }
    let failure =
      authenticate(request, project, &connection, oauth, nowMs)
      ?? overProjectQuota(request, project, nowMs)
      ?? facts.failure
      ?? send(request, project, facts, &devices, &action, nowMs, &response)
    failure?.write(to: &response)
    return action
  }

  // MARK: Path and credential

  private static func project(of request: GatewayRequest) -> Range<Int>? {
    guard
      let path = request.range(.path), let method = request.range(.method), request.matches(method, "POST"),
      request.hasPrefix(path, pathStart), request.hasSuffix(path, pathEnd)
    else { return nil }
    let start = path.lowerBound + pathStart.utf8CodeUnitCount
    let end = path.upperBound - pathEnd.count
    guard start < end, request.bytes[start..<end].allSatisfy(isProjectByte) else { return nil }
    return start..<end
  }

  /// Whether a byte needs no escaping in a JSON name; Google's project ids are letters, digits, `-`, `.` and `:`.
  private static func isProjectByte(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Google's front end answers unknown paths with HTML, which clients must survive.
  private static func notFoundPage(_ response: inout GatewayResponse) {
    response.status = 404
    response.add("content-type", "text/html; charset=UTF-8")
    response.append("<!DOCTYPE html><html lang=en><title>404 Not Found</title><p>No such URL here.</html>\n")
  }

  private func authenticate(
    _ request: GatewayRequest, _ project: Range<Int>, _ connection: inout FCMConnection,
    _ oauth: borrowing OAuthEndpoint, _ nowMs: Int64
  ) -> FCMFailure? {
    guard let authorization = request.range(.authorization) else { return .unauthenticated }
    if oauth.acceptsAnyAccessToken { return nil }
    if connection.generation != oauth.generation || !request.equals(authorization, connection.token) {
      let parts = request.text(authorization).split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer", let grant = oauth.grant(String(parts[1])) else {
        return .unauthenticated
      }
      connection.token = Array(request.bytes[authorization])
      connection.projectID = grant.projectID
      connection.expiresMs = grant.expiresMs
      connection.generation = oauth.generation
    }
    guard nowMs < connection.expiresMs else { return .unauthenticated }
    if connection.projectID.utf8.elementsEqual(request.bytes[project]) { return nil }
    let name = request.text(project)
    return oauth.accounts.contains { $0.projectID == name } ? .wrongProject : .unknownProject
  }

  private mutating func overProjectQuota(
    _ request: GatewayRequest, _ project: Range<Int>, _ nowMs: Int64
  ) -> FCMFailure? {
    guard let limit = settings.messagesPerProjectMinute else { return nil }
    let name = request.text(project)
    if projectQuotas[name] == nil, projectQuotas.count >= EmulatorLimits.projectsMax { projectQuotas.removeAll() }
    var window = projectQuotas[name] ?? QuotaWindow(lengthMs: 60_000)
    defer { projectQuotas[name] = window }
    return window.take(limit: limit, nowMs: nowMs) ? nil : Self.quotaFailure("project \(name)", window, nowMs)
  }

  private static func quotaFailure(_ subject: String, _ window: QuotaWindow, _ nowMs: Int64) -> FCMFailure {
    var failure = FCMFailure.quotaExceeded(subject: subject)
    failure.retryAfterSeconds = Int(window.leftMs(nowMs: nowMs).saturatingAdding(999) / 1000)
    return failure
  }

  // MARK: Message

  private mutating func send(
    _ request: GatewayRequest, _ project: Range<Int>, _ facts: FCMMessageFacts, _ devices: inout VirtualDevices,
    _ action: inout GatewayAction, _ nowMs: Int64, _ response: inout GatewayResponse
  ) -> FCMFailure? {
    let projectID = request.text(project)
    switch facts.target {
    case .device(let token):
      return deliver(request, to: token, projectID, facts, &devices, &action, nowMs, &response)
    case .topic(let topic):
      return fanOut(request, projectID, facts, &devices, nowMs, &response) { $0.subscriptions.contains(topic) }
    case .condition(let condition):
      return fanOut(request, projectID, facts, &devices, nowMs, &response) { condition.holds(for: $0.subscriptions) }
    case nil: return .invalid("message", "the message has no target")
    }
  }

  private mutating func deliver(
    _ request: GatewayRequest, to token: String, _ projectID: String, _ facts: FCMMessageFacts,
    _ devices: inout VirtualDevices, _ action: inout GatewayAction, _ nowMs: Int64,
    _ response: inout GatewayResponse
  ) -> FCMFailure? {
    let known = devices.find(.fcm, token)
    if let known {
      if let failure = refusal(of: &devices[known], projectID, nowMs) { return failure }
      if apply(devices[known].script.next(), to: &action, &response) { return nil }
    } else if !devices.limits.acceptsUnknownTokens {
      return FCMFailure.named("UNREGISTERED")
    }
    let id = writeName(projectID, facts, nowMs, &response)
    guard !facts.isValidationOnly else { return nil }
    let index = devices.indexForPush(.fcm, known: known) { token }
    let key = facts.replacementKey(index.flatMap { devices[$0].carrier })
    devices.accept(request, at: index, id: { id }, replacementKey: { key }, nowMs: nowMs)
    return nil
  }

  private func refusal(of device: inout VirtualDevice, _ projectID: String, _ nowMs: Int64) -> FCMFailure? {
    guard device.registration == .active else { return FCMFailure.named("UNREGISTERED") }
    guard device.projects.isEmpty || device.projects.contains(projectID) else {
      return FCMFailure.named("SENDER_ID_MISMATCH")
    }
    if let limit = settings.messagesPerDeviceMinute, !device.minuteQuota.take(limit: limit, nowMs: nowMs) {
      return deviceQuotaFailure(device.minuteQuota, nowMs)
    }
    if let limit = settings.messagesPerDeviceHour, !device.hourQuota.take(limit: limit, nowMs: nowMs) {
      return deviceQuotaFailure(device.hourQuota, nowMs)
    }
    return nil
  }

  private func deviceQuotaFailure(_ window: QuotaWindow, _ nowMs: Int64) -> FCMFailure {
    var failure = Self.quotaFailure("device", window, nowMs)
    if !settings.namesDeviceQuota { failure.errorCode = nil }
    return failure
  }

  /// A message to a topic reaches every device that has subscribed.
  private mutating func fanOut(
    _ request: GatewayRequest, _ projectID: String, _ facts: FCMMessageFacts, _ devices: inout VirtualDevices,
    _ nowMs: Int64, _ response: inout GatewayResponse, isMeant: (VirtualDevice) -> Bool
  ) -> FCMFailure? {
    let id = writeName(projectID, facts, nowMs, &response)
    guard !facts.isValidationOnly else { return nil }
    for device in devices.registered(.fcm) where isMeant(device) {
      guard device.projects.isEmpty || device.projects.contains(projectID) else { continue }
      let index = devices.find(.fcm, device.token)
      let key = facts.replacementKey(device.carrier)
      devices.accept(request, at: index, id: { id }, replacementKey: { key }, nowMs: nowMs)
    }
    return nil
  }

  // MARK: Answers

  /// Writes `{"name": "projects/…/messages/…"}` and returns the last part.
  private mutating func writeName(
    _ projectID: String, _ facts: FCMMessageFacts, _ nowMs: Int64, _ response: inout GatewayResponse
  ) -> String {
    var id = "fake_message_id"
    if !facts.isValidationOnly {
      id = "0:\(nowMs)\(100 + random.next() % 900)%" + random.hex()
    }
    response.add("content-type", "application/json; charset=UTF-8")
    response.append("{\n  \"name\": \"projects/")
    response.append(projectID)
    response.append("/messages/")
    response.append(id)
    response.append("\"\n}\n")
    return id
  }

  private func verdict(
    on request: GatewayRequest, _ project: Range<Int>, _ facts: FCMMessageFacts, _ faults: inout FaultEngine,
    _ nowMs: Int64
  ) -> (effect: Effect, delayMs: Int) {
    var token: [UInt8] = []
    if case .device(let text) = facts.target { token = Array(text.utf8) }
    return unsafe request.bytes.withUnsafeBufferPointer { bytes in
      unsafe token.withUnsafeBufferPointer { token in
        unsafe faults.verdict(.fcm, token: token, topic: UnsafeBufferPointer(rebasing: bytes[project]), nowMs: nowMs)
      }
    }
  }

  /// Carries out an effect; false when the request goes its ordinary way.
  private func apply(
    _ effect: Effect, to action: inout GatewayAction, _ response: inout GatewayResponse
  ) -> Bool {
    guard case .refuse(let refusal) = effect else { return action.take(effect, &response) }
    var failure =
      FCMFailure.named(refusal.name)
      ?? (refusal.name == "UNAUTHENTICATED"
        ? .unauthenticated : FCMFailure(refusal.status ?? 500, "UNKNOWN", code: refusal.name, "scripted failure"))
    if let status = refusal.status { failure.httpStatus = status }
    failure.retryAfterSeconds = refusal.retryAfterSeconds
    failure.write(to: &response)
    return true
  }
}
