internal import Basics
internal import Signing
internal import WireJSON

/// How the web push service is set up.
public struct WebPushGatewaySettings: Sendable, Hashable {
  /// The streams a connection may have.
  public var streams = 100
  /// The longest body that is accepted, in bytes; RFC 8030 section 7.2 asks for at least 4096.
  public var bodyBytesMax = 4096
  /// The longest time to live that is granted, in seconds; longer ones are cut, and the answer's `ttl` says so.
  public var ttlSecondsMax: Int64 = 2_419_200
  /// Whether tokens need a `sub`, as Apple's push service demands; RFC 8292 leaves it open.
  public var requiresSubject = true
  /// Whether every message needs a VAPID token, also to subscriptions that belong to no key.
  public var requiresVAPID = true
  /// The most messages to one subscription in a minute, more are 429; nil for no limit.
  public var messagesPerSubscriptionMinute: Int?
  /// When connections end.
  public var connectionLifetime = ConnectionLifetime()

  /// The defaults above.
  public init() {}
}

/// A push service for browsers without its network (RFC 8030, 8291, 8292): a request goes in, a response and an action
/// come out.
///
/// Subscriptions are virtual devices whose token is the last part of the endpoint, `/push/TOKEN`. Messages are decrypted
/// with the virtual browser's keys, so that what was received can be looked at.
public struct WebPushGateway: Sendable {
  /// The settings.
  public var settings: WebPushGatewaySettings

  private var random: EmulatorRandom
  private var authority = VAPIDAuthority()

  static let pathStart: StaticString = "/push/"

  /// A gateway whose message ids follow from the seed.
  public init(settings: WebPushGatewaySettings = WebPushGatewaySettings(), seed: UInt64) {
    self.settings = settings
    random = EmulatorRandom(seed: seed ^ 0x7765_6270)
  }

  /// Whether a path is one of this service.
  static func isPath(_ request: GatewayRequest) -> Bool {
    request.range(.path).map { request.hasPrefix($0, pathStart) } ?? false
  }

  /// Answers one request.
  ///
  /// - Parameter origin: the scheme, host and port of the endpoint that the request came to.
  mutating func handle(
    _ request: GatewayRequest, origin: String, devices: inout VirtualDevices, faults: inout FaultEngine, nowMs: Int64,
    response: inout GatewayResponse
  ) -> GatewayAction {
    response.reset()
    var action = GatewayAction()
    guard let token = Self.token(of: request) else {
      WebPushFailure(404, "there is no such push resource").write(to: &response)
      return action
    }
    if !faults.isIdle {
      let (effect, delayMs) = unsafe token.withUnsafeBufferPointer { token in
        unsafe faults.verdict(.web, token: token, topic: UnsafeBufferPointer(start: nil, count: 0), nowMs: nowMs)
      }
      action.delayMs = delayMs
      if Self.apply(effect, to: &action, &response) { return action }
    }
    do throws(WebPushFailure) {
      try deliver(request, token, origin, &devices, &action, nowMs, &response)
    } catch {
      error.write(to: &response)
    }
    return action
  }

  private static func token(of request: GatewayRequest) -> [UInt8]? {
    guard let path = request.range(.path), let method = request.range(.method), request.matches(method, "POST"),
      request.hasPrefix(path, pathStart)
    else { return nil }
    let token = Array(request.bytes[(path.lowerBound + pathStart.utf8CodeUnitCount)..<path.upperBound])
    return VirtualBrowser.isToken(token) ? token : nil
  }

  // MARK: Message

  private mutating func deliver(
    _ request: GatewayRequest, _ token: [UInt8], _ origin: String, _ devices: inout VirtualDevices,
    _ action: inout GatewayAction, _ nowMs: Int64, _ response: inout GatewayResponse
  ) throws(WebPushFailure) {
    let known = unsafe token.withUnsafeBufferPointer { unsafe devices.find(.web, $0) }
    guard let index = known else { throw WebPushFailure(404, "there is no subscription with this endpoint") }
    let key = devices[index].browser?.applicationServerKey
    try authority.check(request, origin: origin, subscriptionKey: key, settings: settings, nowMs: nowMs)
    let message = try WebPushFacts(request, settings: settings)
    guard devices[index].registration == .active else { throw WebPushFailure(410, "the subscription has ended") }
    if let limit = settings.messagesPerSubscriptionMinute,
      !devices[index].minuteQuota.take(limit: limit, nowMs: nowMs)
    {
      var failure = WebPushFailure(429, "too many messages to this subscription")
      failure.retryAfterSeconds = Int(devices[index].minuteQuota.leftMs(nowMs: nowMs).saturatingAdding(999) / 1000)
      throw failure
    }
    if Self.apply(devices[index].script.next(), to: &action, &response) { return }
    let id = random.hex()
    response.status = 201
    response.add("location", text: "\(origin)/message/\(id)")
    response.add("ttl", text: "\(message.ttl)")
    var received = request
    let problem = devices[index].browser?.open(&received)
    if problem == nil, devices.windows[index] != nil {
      let endpoint = "\(origin)/push/\(devices[index].token)"
      devices.windows[index]?.receive(
        Array(received.body), endpoint: endpoint, topic: message.topic, ttl: message.ttl, nowMs: nowMs)
    }
    devices.accept(
      received, at: index, id: { id }, replacementKey: { message.topic }, nowMs: nowMs, problem: problem)
  }

  /// Carries out an effect; false when the request goes its ordinary way.
  private static func apply(_ effect: Effect, to action: inout GatewayAction, _ response: inout GatewayResponse) -> Bool
  {
    guard case .refuse(let refusal) = effect else { return action.take(effect, &response) }
    // There are no names of refusals here; the status is the name.
    var failure = WebPushFailure(refusal.status ?? Int(refusal.name) ?? 500, refusal.name)
    failure.retryAfterSeconds = refusal.retryAfterSeconds
    failure.write(to: &response)
    return true
  }
}

/// Why a push service refuses a message.
struct WebPushFailure: Error, Hashable {
  let status: Int
  /// What is wrong, as the answer says it.
  let message: String
  var retryAfterSeconds: Int?

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }

  /// RFC 8030 defines no body; this is a problem detail (RFC 9457), as Mozilla's service answers.
  func write(to response: inout GatewayResponse) {
    response.status = status
    response.add("content-type", "application/problem+json")
    if let retryAfterSeconds { response.add("retry-after", text: "\(retryAfterSeconds)") }
    response.body = JSON.minified(["status": .number(JSONNumber(status)), "detail": .string(message)])
  }
}

/// What a push service reads of a message without being able to decrypt it.
struct WebPushFacts {
  /// How long it is stored, in seconds, as granted.
  let ttl: Int64
  /// What replaces it.
  let topic: String?

  init(_ request: GatewayRequest, settings: WebPushGatewaySettings) throws(WebPushFailure) {
    guard let ttl = request.value(of: "ttl") else {
      throw WebPushFailure(400, "the TTL header is missing (RFC 8030 section 5.2)")
    }
    guard !ttl.isEmpty, ttl.utf8.count <= 10, ttl.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let seconds = Int64(ttl)
    else { throw WebPushFailure(400, "the TTL header is not a number of seconds") }
    self.ttl = min(seconds, settings.ttlSecondsMax)
    if let urgency = request.value(of: "urgency"), !["very-low", "low", "normal", "high"].contains(urgency) {
      throw WebPushFailure(400, "the Urgency header is not very-low, low, normal or high")
    }
    topic = request.value(of: "topic")
    if let topic, !Self.isTopic(topic) {
      throw WebPushFailure(400, "the Topic header is not 1 to 32 characters of Base64URL")
    }
    let body = request.body
    guard body.count <= settings.bodyBytesMax else {
      throw WebPushFailure(413, "the body has \(body.count) bytes; the limit is \(settings.bodyBytesMax)")
    }
    guard body.isEmpty || request.value(of: "content-encoding") == "aes128gcm" else {
      throw WebPushFailure(400, "the Content-Encoding of a message is aes128gcm (RFC 8291)")
    }
  }

  private static func isTopic(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(VirtualBrowser.isTokenByte)
  }
}

extension GatewayRequest {
  /// The value of a header that is not a ``GatewayHeader``, by its lower-case name.
  func value(of name: String) -> String? {
    for field in fields where bytes[Int(field.nameStart)..<Int(field.valueStart)].elementsEqual(name.utf8) {
      return text(Int(field.valueStart)..<Int(field.valueEnd))
    }
    return nil
  }
}
