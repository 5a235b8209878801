internal import PushContracts
internal import WireJSON

/// How the Push Kit gateway is set up.
public struct HuaweiGatewaySettings: Sendable, Hashable {
  /// The streams a connection may have.
  public var streams = 100
  /// The most messages of one app or project in a minute, more are 503; nil for no limit.
  public var messagesPerAppMinute: Int?
  /// How long an access token is good, in seconds.
  public var accessTokenSeconds = 3600
  /// When connections end.
  public var connectionLifetime = ConnectionLifetime()

  /// The defaults above.
  public init() {}
}

/// Huawei's Push Kit without its network: a request goes in, a response and an action come out.
public struct HuaweiGateway: Sendable {
  /// The settings.
  public var settings: HuaweiGatewaySettings
  /// The token endpoint.
  var authority: HuaweiAuthority

  private var random: EmulatorRandom
  private var quotas: [String: QuotaWindow] = [:]

  /// A gateway whose ids and tokens follow from the seed.
  public init(settings: HuaweiGatewaySettings = HuaweiGatewaySettings(), seed: UInt64) {
    self.settings = settings
    authority = HuaweiAuthority(seed: seed)
    authority.tokenLifetimeSeconds = settings.accessTokenSeconds
    random = EmulatorRandom(seed: seed ^ 0x6875_6177)
  }

  /// Whether a path is one of this service.
  static func isPath(_ request: GatewayRequest) -> Bool {
    guard let path = request.range(.path) else { return false }
    return request.matches(path, HuaweiAuthority.path) || HuaweiTarget(path: request.text(path)) != nil
  }

  /// Answers one request to Push Kit itself; the token endpoint is ``HuaweiAuthority/handle(_:faults:nowMs:response:)``.
  mutating func handle(
    _ request: GatewayRequest, devices: inout VirtualDevices, faults: inout FaultEngine, nowMs: Int64,
    response: inout GatewayResponse
  ) -> GatewayAction {
    response.reset()
    var action = GatewayAction()
    guard let target = HuaweiTarget(path: request.text(.path) ?? ""), request.text(.method) == "POST" else {
      HuaweiFailure("not found", "", status: 404).write(to: &response, requestID: "")
      return action
    }
    let read = Result { () throws(HuaweiFailure) in try HuaweiMessageFacts(Array(request.body)) }
    if !faults.isIdle {
      let token = Array(((try? read.get())?.tokens.first ?? "").utf8)
      let topic = Array(target.id.utf8)
      let (effect, delayMs) = unsafe token.withUnsafeBufferPointer { token in
        unsafe topic.withUnsafeBufferPointer { unsafe faults.verdict(.hms, token: token, topic: $0, nowMs: nowMs) }
      }
      action.delayMs = delayMs
      if apply(effect, (try? read.get())?.tokens ?? [], to: &action, &response) { return action }
    }
    do throws(HuaweiFailure) {
      if let failure = authority.check(request, target, nowMs: nowMs) { throw failure }
      try count(target, nowMs)
      try deliver(request, read.get(), target, &devices, &action, nowMs, &response)
    } catch {
      error.write(to: &response, requestID: requestID(nowMs))
    }
    return action
  }

  private mutating func count(_ target: HuaweiTarget, _ nowMs: Int64) throws(HuaweiFailure) {
    guard let limit = settings.messagesPerAppMinute else { return }
    if quotas[target.id] == nil, quotas.count >= EmulatorLimits.projectsMax { quotas.removeAll() }
    var window = quotas[target.id] ?? QuotaWindow(lengthMs: 60_000)
    defer { quotas[target.id] = window }
    guard window.take(limit: limit, nowMs: nowMs) else { throw HuaweiFailure("flow control", "", status: 503) }
  }

  /// Delivers a message to each of its tokens; the answer names those that are illegal.
  private mutating func deliver(
    _ request: GatewayRequest, _ facts: HuaweiMessageFacts, _ target: HuaweiTarget, _ devices: inout VirtualDevices,
    _ action: inout GatewayAction, _ nowMs: Int64, _ response: inout GatewayResponse
  ) throws(HuaweiFailure) {
    let id = requestID(nowMs)
    var illegal: [String] = []
    for token in facts.tokens {
      let known = devices.find(.hms, token)
      if let known {
        let device = devices[known]
        guard device.registration == .active, device.projects.isEmpty || device.projects.contains(target.id) else {
          illegal.append(token)
          continue
        }
        if apply(devices[known].script.next(), [token], to: &action, &response) { return }
      } else if !devices.limits.acceptsUnknownTokens {
        illegal.append(token)
        continue
      }
      guard !facts.isValidationOnly else { continue }
      let index = devices.indexForPush(.hms, known: known) { token }
      devices.accept(request, at: index, id: { id }, replacementKey: { facts.tag }, nowMs: nowMs)
    }
    guard illegal.count < facts.tokens.count else { throw HuaweiFailure("80300007", "All the tokens are invalid") }
    response.status = 200
    response.add("content-type", "application/json")
    let succeeded = facts.tokens.count - illegal.count
    let message: JSONValue = [
      "success": .number(JSONNumber(succeeded)), "failure": .number(JSONNumber(illegal.count)),
      "illegal_tokens": .array(illegal.map { .string($0) }),
    ]
    response.body = JSON.minified([
      "code": illegal.isEmpty ? "80000000" : "80100000",
      "msg": .string(illegal.isEmpty ? "Success" : JSON.minifiedText(message)), "requestId": .string(id),
    ])
  }

  private mutating func requestID(_ nowMs: Int64) -> String { "\(nowMs)\(100_000 + random.next() % 900_000)" }

  /// Carries out an effect; false when the request goes its ordinary way.
  private mutating func apply(
    _ effect: Effect, _ tokens: [String], to action: inout GatewayAction, _ response: inout GatewayResponse
  ) -> Bool {
    guard case .refuse(let refusal) = effect else { return action.take(effect, &response) }
    var failure = HuaweiFailure(refusal.name, "scripted failure", status: refusal.status)
    if refusal.status == nil, let status = Int(refusal.name), (400...599).contains(status) { failure.status = status }
    if refusal.name == "80100000" {
      let counts: JSONValue = [
        "success": 0, "failure": .number(JSONNumber(tokens.count)),
        "illegal_tokens": .array(tokens.map { .string($0) }),
      ]
      failure = HuaweiFailure(refusal.name, JSON.minifiedText(counts), status: refusal.status)
    }
    failure.retryAfterSeconds = refusal.retryAfterSeconds
    failure.write(to: &response, requestID: "0")
    return true
  }
}
