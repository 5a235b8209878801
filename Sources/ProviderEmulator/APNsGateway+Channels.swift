internal import PushPayload
internal import Signing
internal import WireJSON

/// Broadcasts and channel management. Sources: Apple, “Sending broadcast push notification requests to APNs”, “Sending
/// channel management requests to APNs”, “Handling error responses from APNs”.
///
/// Apple serves them from hosts of their own; here they share the port of the device pushes.
extension APNsGateway {
  static let broadcastBytesMax = 5120

  private static let broadcastPath: StaticString = "/4/broadcasts/apps/"
  private static let managementPath: StaticString = "/1/apps/"

  /// A channel request.
  struct ChannelRequest {
    enum Kind {
      case broadcast
      case channel
      case list
    }

    var kind: Kind
    var bundleID: Range<Int>
  }

  /// Recognizes a channel request; nil for device pushes and unknown paths.
  static func channelRequest(_ request: GatewayRequest) -> ChannelRequest? {
    guard let path = request.range(.path) else { return nil }
    if request.hasPrefix(path, broadcastPath) {
      let name = (path.lowerBound + broadcastPath.utf8CodeUnitCount)..<path.upperBound
      return isBundleID(request, name) ? ChannelRequest(kind: .broadcast, bundleID: name) : nil
    }
    guard request.hasPrefix(path, managementPath) else { return nil }
    let start = path.lowerBound + managementPath.utf8CodeUnitCount
    for (suffix, kind) in [("/all-channels", ChannelRequest.Kind.list), ("/channels", .channel)] {
      let suffix = Array(suffix.utf8)
      guard request.hasSuffix(path, suffix), path.upperBound - suffix.count > start else { continue }
      let name = start..<(path.upperBound - suffix.count)
      return isBundleID(request, name) ? ChannelRequest(kind: kind, bundleID: name) : nil
    }
    return nil
  }

  private static func isBundleID(_ request: GatewayRequest, _ range: Range<Int>) -> Bool {
    !range.isEmpty && !request.bytes[range].contains(0x2F)
  }

  /// Answers a channel request.
  mutating func handleChannels(
    _ request: GatewayRequest, _ channel: ChannelRequest, _ connection: inout APNsConnection,
    devices: inout VirtualDevices, nowMs: Int64, _ response: inout GatewayResponse
  ) {
    let id = String(decoding: idBytes, as: UTF8.self)
    let rejection =
      checkChannelHeaders(request)
      ?? authenticateChannels(request, channel, &connection, nowMs)
      ?? answer(request, channel, id, nowMs, &response)
    if let rejection { return reject(rejection, timestampMs: nil, nowMs: nowMs, &response) }
    guard case .broadcast = channel.kind, let name = request.text(.channelID),
      let index = channels.find(request.text(channel.bundleID), name)
    else { return }
    let isStored = channels[index].storagePolicy == .mostRecent
    devices.broadcast(request, channel: name, isStored: isStored, id: id, nowMs: nowMs)
  }

  /// Every answer about channels carries an `apns-request-id`, also a scripted one: the one that was sent when it is
  /// canonical, a new one otherwise.
  mutating func beginChannelAnswer(to request: GatewayRequest, _ response: inout GatewayResponse) {
    idBytes.removeAll(keepingCapacity: true)
    if let range = request.range(.requestID), CanonicalUUID.isValid(request, range) {
      idBytes.append(contentsOf: request.bytes[range])
    } else {
      CanonicalUUID.write(&random, into: &idBytes)
    }
    response.add("apns-request-id", idBytes)
  }

  private func checkChannelHeaders(_ request: GatewayRequest) -> APNsRejection? {
    guard !request.hasDuplicates else { return .badRequestParams }
    for header in [GatewayHeader.requestID, .id] {
      if let range = request.range(header), !CanonicalUUID.isValid(request, range) { return .badMessageID }
    }
    return nil
  }

  private mutating func authenticateChannels(
    _ request: GatewayRequest, _ channel: ChannelRequest, _ connection: inout APNsConnection, _ nowMs: Int64
  ) -> APNsRejection? {
    var facts = APNsPushFacts()
    facts.bundleID = channel.bundleID
    let rejection = authenticate(request, &connection, facts, nowMs)
    // A certificate for another app is a mismatch; a key limited to others is not allowed.
    return rejection == .topicDisallowed && connection.certificate != nil ? .topicMismatch : rejection
  }

  private mutating func answer(
    _ request: GatewayRequest, _ channel: ChannelRequest, _ requestID: String, _ nowMs: Int64,
    _ response: inout GatewayResponse
  ) -> APNsRejection? {
    let bundleID = request.text(channel.bundleID)
    switch (channel.kind, request.text(.method) ?? "") {
    case (.broadcast, "POST"): return broadcast(request, bundleID, requestID, nowMs, &response)
    case (.channel, "POST"): return create(request, bundleID, &response)
    case (.channel, "GET"): return read(request, bundleID, &response)
    case (.channel, "DELETE"): return delete(request, bundleID, &response)
    case (.list, "GET"):
      let ids = channels.all.filter { $0.bundleID == bundleID }.map { JSONValue.string($0.id) }
      write(["channels": .array(ids)], &response)
      return nil
    default: return .methodNotAllowed
    }
  }

  private func write(_ value: JSONValue, _ response: inout GatewayResponse) {
    response.add("content-type", "application/json")
    response.body.append(contentsOf: JSON.minified(value))
  }

  private enum Lookup {
    case channel(Int)
    case rejection(APNsRejection)
  }

  private func find(_ request: GatewayRequest, _ bundleID: String) -> Lookup {
    guard let id = request.text(.channelID), !id.isEmpty else { return .rejection(.missingChannelID) }
    guard Base64.decode(id) != nil else { return .rejection(.badChannelID) }
    return channels.find(bundleID, id).map { .channel($0) } ?? .rejection(.channelNotRegistered)
  }

  // MARK: Management

  private mutating func create(
    _ request: GatewayRequest, _ bundleID: String, _ response: inout GatewayResponse
  ) -> APNsRejection? {
    guard !request.bodyRange.isEmpty else { return .payloadEmpty }
    guard let body = try? JSON.parse(Array(request.body)), body.object != nil else { return .badRequestPayload }
    guard let type = body["push-type"] else { return .missingPushType }
    guard type.string?.lowercased() == "liveactivity" else { return .invalidPushType }
    guard let policy = body["message-storage-policy"]?.int.flatMap(APNsChannel.StoragePolicy.init) else {
      return .badRequestPayload
    }
    guard channels.count(bundleID) < APNsChannels.perAppMax, channels.all.count < EmulatorLimits.channelsMax else {
      return .cannotCreateChannelConfig
    }
    var bytes: [UInt8] = []
    for _ in 0..<2 { unsafe withUnsafeBytes(of: random.next()) { unsafe bytes.append(contentsOf: $0) } }
    let id = Base64.encode(bytes)
    channels.make(bundleID, id: id, policy)
    response.status = 201
    response.add("apns-channel-id", text: id)
    return nil
  }

  private func read(
    _ request: GatewayRequest, _ bundleID: String, _ response: inout GatewayResponse
  ) -> APNsRejection? {
    switch find(request, bundleID) {
    case .rejection(let rejection): return rejection
    case .channel(let index):
      let policy = channels[index].storagePolicy.rawValue
      write(["message-storage-policy": .number(JSONNumber(policy)), "push-type": "LiveActivity"], &response)
      return nil
    }
  }

  private mutating func delete(
    _ request: GatewayRequest, _ bundleID: String, _ response: inout GatewayResponse
  ) -> APNsRejection? {
    switch find(request, bundleID) {
    case .rejection(let rejection): return rejection
    case .channel(let index):
      channels.remove(index)
      response.status = 204
      return nil
    }
  }

  // MARK: Broadcast

  private mutating func broadcast(
    _ request: GatewayRequest, _ bundleID: String, _ requestID: String, _ nowMs: Int64,
    _ response: inout GatewayResponse
  ) -> APNsRejection? {
    let index: Int
    switch find(request, bundleID) {
    case .rejection(let rejection): return rejection
    case .channel(let found): index = found
    }
    if let rejection = checkBroadcast(request, channels[index]) { return rejection }
    channels.accept(request, at: index, id: requestID, nowMs: nowMs)
    idBytes.removeAll(keepingCapacity: true)
    CanonicalUUID.write(&random, into: &idBytes)
    response.add("apns-unique-id", idBytes)
    return nil
  }

  private func admits(_ form: APNsHeaderForm, _ request: GatewayRequest, _ range: Range<Int>) -> Bool {
    form.admits(request.bytes.span.extracting(range))
  }

  private func checkBroadcast(_ request: GatewayRequest, _ channel: APNsChannel) -> APNsRejection? {
    guard let type = request.text(.pushType) else { return .missingPushType }
    guard type.lowercased() == "liveactivity" else { return .invalidPushType }
    // Priority and expiration are required; Live Activities have priority 5 or 10.
    guard let priority = request.range(.priority), admits(.priority, request, priority),
      let value = request.decimal(priority), value == 5 || value == 10
    else { return .badPriority }
    guard let expiration = request.range(.expiration), admits(.expiration, request, expiration) else {
      return .badExpirationDate
    }
    // A channel that stores nothing takes messages for now only.
    if channel.storagePolicy == .none, request.decimal(expiration) != 0 { return .badExpirationDate }
    guard !request.bodyRange.isEmpty else { return .payloadEmpty }
    guard request.bodyRange.count <= Self.broadcastBytesMax else { return .payloadTooLarge }
    guard let body = try? JSON.parse(Array(request.body)), let aps = body["aps"]?.object else {
      return .badRequestPayload
    }
    return ["update", "end"].contains(aps["event"]?.string) ? nil : .badRequestPayload
  }
}
