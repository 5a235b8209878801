internal import PushPayload
internal import WireJSON

extension RuleCheck {
  /// The rules about the headers of a broadcast.
  mutating func checkBroadcastHeaders(_ headers: APNsHeaders) {
    checkForm(headers, isBroadcast: true)
    checkChannel(headers)
    if let topic = headers.topic {
      add(.apnsBroadcastTopic, header: "apns-topic", "the path names the app; remove apns-topic: \(topic)")
    }
    checkBroadcastPushType(headers.pushType)
    checkBroadcastPriority(headers)
    checkBroadcastExpiration(headers)
  }

  private mutating func checkBroadcastPushType(_ type: APNsPushType?) {
    if type == .liveactivity { return }
    if let type, type.rawValue.lowercased() == APNsPushType.liveactivity.rawValue {
      return add(
        .apnsBroadcastPushTypeCase, header: "apns-push-type",
        "write liveactivity, found \(Quoted.text(type.rawValue)); LiveActivity is for channels")
    }
    add(
      .apnsBroadcastPushType, header: "apns-push-type",
      "expected liveactivity, found \(type.map { Quoted.text($0.rawValue) } ?? "no header")")
  }

  private mutating func checkBroadcastPriority(_ headers: APNsHeaders) {
    switch headers.priority {
    case .immediate?, .powerAware?: break
    case .neverWake?:
      add(.apnsLiveActivityPriority, header: "apns-priority", "Live Activity pushes have priority 5 or 10, found 1")
    case let priority?:
      add(.apnsPriorityInvalid, header: "apns-priority", "expected 5 or 10, found \(priority.text)")
    case nil:
      if headers.extras.contains(where: { $0.name == "apns-priority" }) { return }
      add(.apnsBroadcastPriority, header: "apns-priority", "the header is missing; add apns-priority: 10 or 5")
    }
  }

  private mutating func checkChannel(_ headers: APNsHeaders) {
    guard let channel = headers.channelID, !channel.isEmpty else {
      return add(
        .apnsBroadcastChannelMissing, header: "apns-channel-id",
        "the header is missing; add the channel ID that the creation answered")
    }
    if !RuleCheck.isBase64(channel) {
      add(.apnsBroadcastChannelInvalid, header: "apns-channel-id", "expected base64, found \(Quoted.text(channel))")
    }
  }

  private mutating func checkBroadcastExpiration(_ headers: APNsHeaders) {
    guard let expiration = headers.expiration else {
      if headers.extras.contains(where: { $0.name == "apns-expiration" }) { return }
      return add(
        .apnsBroadcastExpiration, header: "apns-expiration", "the header is missing; add it, 0 for one attempt")
    }
    if settings.channelStorage == .nothing, expiration != .once {
      add(
        .apnsBroadcastExpiration, header: "apns-expiration",
        "the channel stores nothing, so the expiration is 0, found \(expiration.text)")
    }
  }

  /// Whether a text is padded base64 of at least one byte.
  static func isBase64(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count % 4 == 0 else { return false }
    let padding = bytes.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
    if padding == 2, bytes[bytes.count - 2] != UInt8(ascii: "=") { return false }
    return bytes.dropLast(padding).allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
    }
  }

  /// The rules about the payload of a broadcast.
  mutating func checkBroadcastPayload(_ root: JSONNode) {
    checkPayload(root, APNsHeaders(pushType: .liveactivity))
    guard let aps = member(root, "aps"), let event = member(aps, "event") else { return }
    if document.isString(event, "start") {
      add(.apnsBroadcastEvent, at: event, "a broadcast may update or end; send the start to a push-to-start token")
    }
  }

  /// The rules about the body that creates a channel.
  mutating func checkChannelCreation(_ root: JSONNode) {
    add(APNsChannel.schema.mismatches(in: document, at: root))
    guard document.kind(root) == .object else { return }
    let policy = member(root, "message-storage-policy")
    let number = policy.flatMap { document.int($0) }
    if number != 0, number != 1 {
      add(.apnsChannelPolicy, at: policy ?? root, "expected \"message-storage-policy\": 0 or 1")
    }
    let type = member(root, "push-type")
    if type.map({ document.isString($0, "LiveActivity") }) != true {
      add(.apnsChannelPolicy, at: type ?? root, "expected \"push-type\": \"LiveActivity\"")
    }
  }
}
