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
    if let type = headers.pushType { checkPushType(type) }
    if let topic = headers.topic { checkTopic(topic, headers.pushType) }
    if headers.priority != nil { checkPriorityValue(headers) }
    checkExpiration(headers)
    if let id = headers.collapseID, id.utf8.count > APNsHeaders.collapseIDBytesMax {
      add(
        .apnsCollapseIdTooLong, header: "apns-collapse-id",
        "expected at most \(APNsHeaders.collapseIDBytesMax) bytes, found \(id.utf8.count); shorten it or use a hash")
    }
  }

  /// What is true of every header: legal characters, documented names, well-formed values, no repetition.
  mutating func checkForm(_ headers: APNsHeaders) {
    if let topic = headers.topic { checkCharacters("apns-topic", topic) }
    if let id = headers.collapseID { checkCharacters("apns-collapse-id", id) }
    if let type = headers.pushType { checkCharacters("apns-push-type", type.rawValue) }
    if let id = headers.channelID { checkCharacters("apns-channel-id", id) }
    for extra in headers.extras {
      checkCharacters(extra.name, extra.value)
      checkExtra(extra, headers)
    }
  }

  /// RFC 9110 field values: no control characters, no white space at the ends.
  ///
  /// Line breaks would end the header.
  private mutating func checkCharacters(_ name: String, _ value: String) {
    var isLegal = true
    for byte in value.utf8 where byte < 0x20 || byte == 0x7F { isLegal = false }
    if isLegal, value.utf8.first != 0x20, value.utf8.last != 0x20 { return }
    add(.apnsHeaderIllegal, header: name, "the value holds a control character, or a space at an end; remove it")
  }

  private mutating func checkExtra(_ extra: APNsHeader, _ headers: APNsHeaders) {
    switch extra.name {
    case "apns-priority" where headers.priority == nil:
      add(.apnsPriorityInvalid, header: extra.name, "expected 1, 5 or 10, found \(Quoted.text(extra.value))")
    case "apns-expiration" where headers.expiration == nil:
      add(
        .apnsExpirationInvalid, header: extra.name,
        "expected whole seconds since 1970, found \(Quoted.text(extra.value))")
    case "apns-id" where headers.id == nil, "apns-request-id" where headers.requestID == nil:
      let advice = APNsID(anyCase: extra.value).map { "; write \($0.text)" } ?? ""
      add(
        .apnsIdInvalid, header: extra.name,
        "expected a UUID of lower-case digits, 8-4-4-4-12, found \(Quoted.text(extra.value))\(advice)")
    case let name where APNsHeaders.names.contains(name):
      add(.apnsHeaderDuplicate, header: name, "the header stands more than once; keep one")
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
    if settings.authentication == .certificate, type == .location || type == .liveactivity {
      add(
        .apnsCertificateForbidden, header: "apns-push-type",
        "\(type.rawValue) pushes need token authentication; send with a .p8 key, not a certificate")
    }
  }

  private mutating func checkTopic(_ topic: String, _ type: APNsPushType?) {
    let isLegal = topic.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    guard isLegal, !topic.isEmpty else {
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
        .apnsTopicSuffix, header: "apns-topic",
        "\(type.rawValue) pushes have the plain bundle ID as topic, found \(Quoted.text(topic)); remove \(suffix)")
    }
  }

  private mutating func checkPriorityValue(_ headers: APNsHeaders) {
    guard let priority = headers.priority, priority != .immediate, priority != .powerAware, priority != .neverWake
    else { return }
    add(.apnsPriorityInvalid, header: "apns-priority", "expected 1, 5 or 10, found \(priority.text)")
  }

  private mutating func checkPriority(_ headers: APNsHeaders) {
    let type = headers.pushType
    // A malformed priority is reported as such and not judged further.
    if headers.priority == nil, headers.extras.contains(where: { $0.name == "apns-priority" }) { return }
    if type == .background, headers.priority != .powerAware {
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
