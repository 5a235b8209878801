internal import PushPayload
internal import WireJSON

/// How the APNs gateway is set up.
public struct APNsGatewaySettings: Sendable, Hashable {
  /// Which of Apple's gateways it emulates.
  public var environment = APNsEnvironment.development
  /// Whether a request without `apns-push-type` is refused; Apple requires the header for watchOS and recommends it.
  public var requiresPushType = false
  /// Whether an `authorization` of another scheme than `bearer` is a bad provider token; otherwise it is none.
  ///
  /// Apple's table says `MissingProviderToken` where none is specified and names no scheme.
  public var otherSchemeIsInvalid = false
  /// Whether a client that does not use ALPN is served; aioapns is one, as it comes.
  public var acceptsNoALPN = false
  /// The streams a connection may have before its first good provider token; Apple allows one.
  public var streamsBeforeToken = 1
  /// The streams a connection may have afterwards; Apple's figure has been 500 to 1500 over time.
  public var streamsEstablished = 1000
  /// The streams a connection may have after a rejected push, until the next accepted one; nil to leave the limit.
  ///
  /// Apple's gateway has been seen to fall back to 1.
  public var streamsAfterRejection: Int?
  /// The most pushes to one token in a minute, more are `TooManyRequests`; nil for no limit.
  public var pushesPerDeviceMinute: Int?
  /// The order in which a push is checked; the first check that fails names the reason.
  ///
  /// Apple's order is not documented.
  public var checks = APNsCheck.allCases
  /// When connections end; Apple's end after a long idle time with `IdleTimeout`.
  public var connectionLifetime = ConnectionLifetime()

  /// The defaults above.
  public init() {}
}

/// Apple's device push gateway without its network: a request goes in, a response and an action come out.
public struct APNsGateway: Sendable {
  /// The settings.
  public var settings: APNsGatewaySettings
  /// The registered signing keys.
  public var authority = APNsAuthority()

  /// The broadcast channels.
  public internal(set) var channels = APNsChannels()

  var random: EmulatorRandom
  private var document = JSONDocument()
  var idBytes: [UInt8] = []

  /// A gateway whose ids follow from the seed.
  public init(settings: APNsGatewaySettings = APNsGatewaySettings(), seed: UInt64) {
    self.settings = settings
    random = EmulatorRandom(seed: seed ^ 0x6170_6E73)
  }

  /// Answers one request.
  ///
  /// - Parameters:
  ///   - request: the request, whole.
  ///   - connection: what is known of its connection.
  ///   - devices: where an accepted push arrives.
  ///   - faults: what is to go wrong.
  ///   - nowMs: the time, in milliseconds since 1970-01-01 UTC.
  ///   - response: receives the answer.
  public mutating func handle(
    _ request: GatewayRequest, on connection: inout APNsConnection, devices: inout VirtualDevices,
    faults: inout FaultEngine, nowMs: Int64, response: inout GatewayResponse
  ) -> GatewayAction {
    response.reset()
    let channel = Self.channelRequest(request)
    if channel != nil { beginChannelAnswer(to: request, &response) } else { beginAnswer(to: request, &response) }
    var action = GatewayAction()
    if !faults.isIdle {
      let (effect, delayMs) = verdict(on: request, channel, &faults, nowMs)
      action.delayMs = delayMs
      if apply(effect, to: &action, nowMs: nowMs, &response) { return action }
    }
    if let channel {
      handleChannels(request, channel, &connection, devices: &devices, nowMs: nowMs, &response)
      return action
    }
    var facts = APNsPushFacts(request)
    if let rejection = check(request, &connection, devices, nowMs, &facts) {
      reject(rejection, timestampMs: facts.deadSinceMs, nowMs: nowMs, &response)
      action.streamLimit = limitAfter(rejection, &connection) ?? action.streamLimit
      return action
    }
    if let index = facts.device {
      if apply(devices[index].script.next(), to: &action, nowMs: nowMs, &response) { return action }
      if isOverQuota(&devices[index], nowMs) {
        reject(.tooManyRequests, timestampMs: nil, nowMs: nowMs, &response)
        return action
      }
    }
    accept(request, facts, &devices, nowMs, &response)
    action.streamLimit = limitAfter(nil, &connection) ?? action.streamLimit
    return action
  }

  // MARK: Checks

  private mutating func check(
    _ request: GatewayRequest, _ connection: inout APNsConnection, _ devices: borrowing VirtualDevices,
    _ nowMs: Int64, _ facts: inout APNsPushFacts
  ) -> APNsRejection? {
    let around = APNsSurroundings(
      environment: settings.environment, devices: copy devices, requiresPushType: settings.requiresPushType,
      nowMs: nowMs)
    for check in settings.checks {
      let rejection: APNsRejection? =
        switch check {
        case .authentication: authenticate(request, &connection, facts, nowMs)
        case .json: checkContent(request)
        default: check.rule?(request, around, &facts)
        }
      if let rejection { return rejection }
    }
    return nil
  }

  mutating func authenticate(
    _ request: GatewayRequest, _ connection: inout APNsConnection, _ facts: APNsPushFacts, _ nowMs: Int64
  ) -> APNsRejection? {
    if let certificate = connection.certificate {
      guard certificate.isValid else { return .badCertificate }
      if let only = certificate.environment, only != settings.environment { return .badCertificateEnvironment }
      if let kind = facts.kind, APNsPushKind.known[kind].needsToken { return .forbidden }
      return isAllowed(facts, request, certificate.topics) ? nil : .topicDisallowed
    }
    guard let authorization = request.range(.authorization), !authorization.isEmpty else {
      return .missingProviderToken
    }
    guard let token = APNsAuthority.bearer(request, authorization) else {
      return settings.otherSchemeIsInvalid ? .invalidProviderToken : .missingProviderToken
    }
    guard !token.isEmpty else { return .missingProviderToken }
    if let rejection = authority.check(
      request, token, on: &connection, environment: settings.environment, nowMs: nowMs)
    {
      return rejection
    }
    return isAllowed(facts, request, connection.current?.topics ?? []) ? nil : .topicDisallowed
  }

  private func isAllowed(_ facts: APNsPushFacts, _ request: GatewayRequest, _ topics: [String]) -> Bool {
    guard !topics.isEmpty, let bundleID = facts.bundleID else { return true }
    return topics.contains(request.text(bundleID))
  }

  private mutating func checkContent(_ request: GatewayRequest) -> APNsRejection? {
    let range = request.bodyRange
    do throws(JSONError) {
      try unsafe request.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
        try unsafe document.parse(UnsafeBufferPointer(rebasing: bytes[range]))
      }
    } catch {
      return .payloadEmpty
    }
    return APNsRules.content(document)
  }

  private func isOverQuota(_ device: inout VirtualDevice, _ nowMs: Int64) -> Bool {
    guard let limit = settings.pushesPerDeviceMinute else { return false }
    return !device.minuteQuota.take(limit: limit, nowMs: nowMs)
  }

  // MARK: Faults

  private func verdict(
    on request: GatewayRequest, _ channel: ChannelRequest?, _ faults: inout FaultEngine, _ nowMs: Int64
  ) -> (effect: Effect, delayMs: Int) {
    let path = request.range(.path) ?? 0..<0
    let isDevice = request.hasPrefix(path, "/3/device/")
    let token = isDevice ? (path.lowerBound + 10)..<path.upperBound : 0..<0
    let topic = channel?.bundleID ?? request.range(.topic) ?? 0..<0
    return unsafe request.bytes.withUnsafeBufferPointer { bytes in
      unsafe faults.verdict(
        .apns, token: UnsafeBufferPointer(rebasing: bytes[token]), topic: UnsafeBufferPointer(rebasing: bytes[topic]),
        nowMs: nowMs)
    }
  }

  /// Carries out an effect; false when the request goes its ordinary way.
  private func apply(
    _ effect: Effect, to action: inout GatewayAction, nowMs: Int64, _ response: inout GatewayResponse
  ) -> Bool {
    guard case .refuse(let refusal) = effect else { return action.take(effect, &response) }
    let named = APNsRejection.named(refusal.name)
    let rejection = APNsRejection(status: refusal.status ?? named?.status ?? 400, reason: refusal.name)
    reject(rejection, timestampMs: refusal.timestampMs, nowMs: nowMs, &response)
    if let seconds = refusal.retryAfterSeconds { response.add("retry-after", text: String(seconds)) }
    return true
  }

  // MARK: Answers

  /// Every answer carries an `apns-id`: the one that was sent when it is canonical, a new one otherwise.
  private mutating func beginAnswer(to request: GatewayRequest, _ response: inout GatewayResponse) {
    idBytes.removeAll(keepingCapacity: true)
    if let id = request.range(.id), CanonicalUUID.isValid(request, id) {
      idBytes.append(contentsOf: request.bytes[id])
    } else {
      CanonicalUUID.write(&random, into: &idBytes)
    }
    response.add("apns-id", idBytes)
  }

  private mutating func accept(
    _ request: GatewayRequest, _ facts: APNsPushFacts, _ devices: inout VirtualDevices, _ nowMs: Int64,
    _ response: inout GatewayResponse
  ) {
    let index = devices.indexForPush(.apns, known: facts.device) { request.text(facts.token).lowercased() }
    devices.accept(
      request, at: index, id: { String(decoding: idBytes, as: UTF8.self) },
      replacementKey: { request.text(.collapseID) }, nowMs: nowMs)
    response.isAPNsAcceptance = true
    guard settings.environment == .development else { return }
    idBytes.removeAll(keepingCapacity: true)
    CanonicalUUID.write(&random, into: &idBytes)
    response.add("apns-unique-id", idBytes)
  }

  func reject(
    _ rejection: APNsRejection, timestampMs: Int64?, nowMs: Int64, _ response: inout GatewayResponse
  ) {
    response.status = rejection.status
    response.add("content-type", "application/json")
    response.append("{\"reason\":")
    var writer = JSONWriter(capacity: 128)
    writer.string(rejection.reason)
    unsafe writer.withBytes { unsafe response.body.append(contentsOf: $0) }
    // Only 410 has a time: when APNs last found the token dead, in milliseconds.
    if rejection.status == 410 { response.append(",\"timestamp\":\(timestampMs ?? nowMs)") }
    response.append("}")
  }

  /// The stream limit that follows from an outcome; nil when it stays.
  private func limitAfter(_ rejection: APNsRejection?, _ connection: inout APNsConnection) -> Int? {
    var limit = connection.streamLimit
    if rejection == nil {
      connection.isEstablished = true
      limit = settings.streamsEstablished
    } else if connection.isEstablished, rejection?.status != 410, let reduced = settings.streamsAfterRejection {
      limit = reduced
    }
    guard limit != connection.streamLimit else { return nil }
    connection.streamLimit = limit
    return limit
  }
}

extension GatewayAction {
  /// Takes over an effect that needs no knowledge of the provider; false when the request goes its ordinary way.
  mutating func take(_ effect: Effect, _ response: inout GatewayResponse) -> Bool {
    switch effect {
    case .pass, .refuse: return false
    case .answer(let answer):
      response.reset()
      response.status = answer.status
      if let type = answer.contentType { response.add("content-type", text: type) }
      if let seconds = answer.retryAfterSeconds { response.add("retry-after", text: String(seconds)) }
      response.body.append(contentsOf: answer.body)
    case .reset(let code): kind = .reset(code: code)
    case .silence: kind = .silence
    case .goAway(let goAway):
      kind = .goAway(goAway)
      return !goAway.processed
    case .close: kind = .close
    case .halfOpen: kind = .halfOpen
    case .stopReading(let milliseconds):
      readingPauseMs = milliseconds
      return false
    case .streams(let limit):
      streamLimit = limit
      return false
    }
    return true
  }
}
