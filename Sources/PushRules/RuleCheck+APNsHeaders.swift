internal import Basics
internal import PushPayload

extension RuleCheck {
  /// The rules about the headers of a send to one device.
  mutating func checkHeaders(_ headers: APNsHeaders) {
    if headers.pushType == nil {
      add(
        .apnsPushTypeMissing, header: "apns-push-type",
        "the header is missing; add it, for example apns-push-type: alert")
    }
    if headers.topic == nil {
      add(
        .apnsTopicMissing, header: "apns-topic", "the header is missing; add the bundle ID, for example com.example.app"
      )
    }
    checkGiven(headers)
    checkPriority(headers)
  }

  /// The rules about headers that are given, also where another service adds the missing ones.
  mutating func checkGiven(_ headers: APNsHeaders) {
    checkForm(headers)
    checkBroadcastOnly(headers)
    if let type = headers.pushType { checkPushType(type) }
    if let topic = headers.topic { checkTopic(topic, headers.pushType) }
    if headers.priority != nil { checkPriorityValue(headers) }
    checkExpiration(headers)
    if let id = headers.collapseID, !APNsHeaderForm.collapseID.admits(id) {
      add(
        .apnsCollapseIdTooLong, header: "apns-collapse-id",
        "expected at most \(APNsHeaders.collapseIDBytesMax) bytes, found \(id.utf8.count); shorten it or use a hash")
    }
  }

  /// What is true of every header: it can be carried, its name is documented, its value is well-formed, none is repeated.
  ///
  /// - Parameters:
  ///   - headers: the headers.
  ///   - isBroadcast: whether they are those of a broadcast, which may have an `apns-request-id`.
  mutating func checkForm(_ headers: APNsHeaders, isBroadcast: Bool = false) {
    if let topic = headers.topic { checkCharacters("apns-topic", topic) }
    if let id = headers.collapseID { checkCharacters("apns-collapse-id", id) }
    if let type = headers.pushType { checkCharacters("apns-push-type", type.rawValue) }
    if let id = headers.channelID { checkCharacters("apns-channel-id", id) }
    guard !headers.extras.isEmpty else { return }
    var names = RuleCheck.typedNames(headers)
    for extra in headers.extras {
      checkName(extra)
      checkCharacters(extra.name, extra.value)
      checkExtra(extra, headers, isBroadcast)
      if names.insert(ByteKey(extra.name)).inserted { continue }
      add(.apnsHeaderDuplicate, header: extra.name, "the header is repeated; keep one")
    }
  }

  /// The names of the headers that were read into their typed members.
  private static func typedNames(_ headers: APNsHeaders) -> Set<ByteKey> {
    var typed = headers
    typed.extras = []
    return Set(typed.fields.map { ByteKey($0.name) })
  }

  /// RFC 9110 field names are tokens; RFC 9113 leaves out those that speak of the connection.
  private mutating func checkName(_ header: APNsHeader) {
    let name = header.name
    if RuleCheck.connectionHeaders.contains(name) || name == "te" && header.value != "trailers" {
      add(.apnsHeaderInvalid, header: name, "HTTP/2 does not carry \(Quoted.text(name)); remove the header")
    } else if name.isEmpty || !name.utf8.allSatisfy(RuleCheck.isTokenByte) {
      add(
        .apnsHeaderInvalid, header: name,
        "expected a name of letters, digits and hyphens, found \(Quoted.text(name)); correct it")
    }
  }

  private static let connectionHeaders = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
  ]

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// RFC 9110 field values: no control characters but tab, no white space at the ends.
  ///
  /// Line breaks would end the header.
  private mutating func checkCharacters(_ name: String, _ value: String) {
    var isValid = true
    for byte in value.utf8 where byte < 0x20 && byte != 0x09 || byte == 0x7F { isValid = false }
    if isValid, !RuleCheck.isBlank(value.utf8.first), !RuleCheck.isBlank(value.utf8.last) { return }
    add(.apnsHeaderInvalid, header: name, "the value holds a control character, or white space at an end; remove it")
  }

  private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }

  /// A header of broadcasts says nothing beside a push to one device, whatever its value.
  private mutating func checkBroadcastOnly(_ headers: APNsHeaders) {
    if headers.channelID != nil {
      add(.apnsHeaderUnknown, header: "apns-channel-id", "apns-channel-id belongs to broadcasts; remove it")
    }
    if headers.requestID != nil || headers.extras.contains(where: { $0.name == "apns-request-id" }) {
      add(.apnsHeaderUnknown, header: "apns-request-id", "apns-request-id belongs to broadcasts; remove it")
    }
  }

  private mutating func checkExtra(_ extra: APNsHeader, _ headers: APNsHeaders, _ isBroadcast: Bool) {
    switch extra.name {
    case "apns-priority" where headers.priority == nil:
      add(.apnsPriorityInvalid, header: extra.name, "expected 1, 5 or 10, found \(Quoted.text(extra.value))")
    case "apns-expiration" where headers.expiration == nil:
      add(
        .apnsExpirationInvalid, header: extra.name,
        "expected whole seconds since 1970, found \(Quoted.text(extra.value))")
    case "apns-id" where headers.id == nil,
      "apns-request-id" where headers.requestID == nil && isBroadcast:
      let advice = APNsID(anyCase: extra.value).map { "; write \($0.text)" } ?? ""
      add(
        .apnsIdInvalid, header: extra.name,
        "expected a UUID of lower-case digits, 8-4-4-4-12, found \(Quoted.text(extra.value))\(advice)")
    // A repetition, or a header of broadcasts beside a push to one device.
    case let name where APNsHeaders.names.contains(name): break
    case let name where name.hasPrefix("apns-"):
      add(.apnsHeaderUnknown, header: name, "Apple documents no header \(Quoted.text(name)); check the spelling")
    default: break
    }
  }

  private mutating func checkPushType(_ type: APNsPushType) {
    if !APNsPushType.known.contains(type) {
      add(
        .apnsPushTypeUnknown, header: "apns-push-type",
        "expected one of \(APNsPushType.known.map { $0.rawValue }.joined(separator: ", ")), "
          + "found \(Quoted.text(type.rawValue))")
    }
    if settings.authentication == .certificate, type.needsProviderToken {
      add(
        .apnsCertificateForbidden, header: "apns-push-type",
        "\(type.rawValue) pushes need token authentication; send with a .p8 key, not a certificate")
    }
  }

  private mutating func checkTopic(_ topic: String, _ type: APNsPushType?) {
    guard APNsHeaderForm.topic.admits(topic) else {
      // A control character is the business of the rule about characters.
      if topic.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
        add(
          .apnsTopicInvalid, header: "apns-topic",
          "expected letters, digits, dots, hyphens and underscores, found \(Quoted.text(topic))")
      }
      return
    }
    if let type { checkSuffix(of: topic, type) }
  }

  private mutating func checkSuffix(of topic: String, _ type: APNsPushType) {
    guard let suffix = type.topicSuffix else { return }
    if !suffix.isEmpty {
      if TopicSuffix.ends(topic, suffix) { return }
      let bundle = TopicSuffix.all.first { TopicSuffix.ends(topic, $0) }.map { topic.dropLast($0.count) } ?? topic[...]
      return add(
        .apnsTopicSuffix, header: "apns-topic",
        "\(type.rawValue) pushes need a topic that ends in \(suffix), found \(Quoted.text(topic)); "
          + "write \(bundle)\(suffix)")
    }
    // The longest suffix comes first, so that ".push-type.widgets" is not taken for anything shorter.
    if let suffix = TopicSuffix.all.first(where: { TopicSuffix.ends(topic, $0) }) {
      add(
        .apnsTopicSuffixSurplus, header: "apns-topic",
        "\(type.rawValue) pushes have the plain bundle ID as topic, found \(Quoted.text(topic)); remove \(suffix), unless "
          + "the bundle ID ends so")
    }
  }

  private mutating func checkPriorityValue(_ headers: APNsHeaders) {
    guard let priority = headers.priority, !APNsHeaderForm.priority.admits(priority.text) else { return }
    add(.apnsPriorityInvalid, header: "apns-priority", "expected 1, 5 or 10, found \(priority.text)")
  }

  mutating func checkPriority(_ headers: APNsHeaders) {
    let type = headers.pushType
    // A malformed priority is reported as such and not judged further.
    if headers.priority == nil, headers.extras.contains(where: { $0.name == "apns-priority" }) { return }
    if let type, type == .background, !type.prioritiesAllowed.contains(headers.priority ?? .immediate) {
      let found = headers.priority.map { $0.text } ?? "no header, which means 10"
      add(.apnsBackgroundPriority, header: "apns-priority", "background pushes have priority 5, found \(found)")
    }
    if type == .liveactivity, headers.priority == .neverWake {
      add(.apnsLiveActivityPriority, header: "apns-priority", "Live Activity pushes have priority 5 or 10, found 1")
    }
    if type == .pushtotalk, headers.priority != nil && headers.priority != .immediate {
      add(
        .apnsPushToTalkImmediate, header: "apns-priority",
        "Push to Talk is sent with priority 10, found \(headers.priority?.text ?? "")")
    }
    if let type, headers.priority == .neverWake, RuleCheck.neverWakeUnstated.contains(type) {
      add(.apnsPriorityUnstated, header: "apns-priority", "\(type.rawValue) pushes are sent with 10 or 5, found 1")
    }
  }

  /// The types that priority 1 is not known to suit; the rules of other types say more.
  static let neverWakeUnstated: [APNsPushType] = [.location, .complication, .widgets, .controls]

  /// Seconds beyond this are the year 5138, or milliseconds.
  static let secondsMax: Int64 = 100_000_000_000

  private mutating func checkExpiration(_ headers: APNsHeaders) {
    if let expiration = headers.expiration, expiration.epochSeconds >= RuleCheck.secondsMax {
      add(
        .apnsExpirationMilliseconds, header: "apns-expiration",
        "expected seconds since 1970, found \(expiration.text), which looks like milliseconds; divide by 1000")
    }
    if headers.pushType == .pushtotalk, headers.expiration != .once {
      add(
        .apnsPushToTalkImmediate, header: "apns-expiration",
        "Push to Talk is sent with expiration 0, found \(headers.expiration?.text ?? "no header")")
    }
  }
}

enum TopicSuffix {
  /// Every suffix a push type asks for, the longest first.
  static let all = APNsPushType.known.compactMap { $0.topicSuffix }.filter { !$0.isEmpty }.sorted {
    $0.utf8.count > $1.utf8.count
  }

  static func ends(_ topic: String, _ suffix: String) -> Bool {
    topic.utf8.count > suffix.utf8.count && topic.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }
}
