internal import PushPayload
internal import WireJSON

extension RuleCheck {
  /// The rules about the body of `messages:send`.
  mutating func checkFCM(_ root: JSONNode) {
    add(FCMSendRequest.schema.mismatches(in: document, at: root))
    guard document.kind(root) == .object else { return }
    guard let message = member(root, "message") else {
      return add(.fcmMessageMissing, at: root, "the member message is missing; put the message under \"message\"")
    }
    guard document.kind(message) == .object else { return }
    checkMessage(message)
  }

  /// The rules about a message that is given without the request around it.
  mutating func checkBareMessage(_ message: JSONNode) {
    add(.fcmMessageMissing, at: message, "this is \(PushDocumentKind.bareAdvice)")
    add(FCMMessage.schema.mismatches(in: document, at: message))
    checkMessage(message)
  }

  private mutating func checkMessage(_ message: JSONNode) {
    checkTarget(message)
    checkShared(message)
    checkAndroid(message)
    checkWebpush(member(message, "webpush"))
    checkCarriedAPNs(message)
    checkFCMSize(message)
  }

  private mutating func checkTarget(_ message: JSONNode) {
    let targets = [
      member(message, "token"), member(message, "fid"), member(message, "topic"), member(message, "condition"),
    ]
    var first: JSONNode?
    for target in targets {
      guard let target else { continue }
      if first != nil {
        add(.fcmTargetMany, at: target, "a message has one target: token, fid, topic or condition; keep one")
      }
      first = target
    }
    if first == nil {
      add(.fcmTargetMissing, at: message, "the target is missing; add token, fid, topic or condition")
    }
    for address in targets[..<2] { checkAddress(address) }
    if let token = targets[0] { add(.fcmTokenDeprecated, at: token, "token is marked deprecated; fid replaces it") }
    if let topic = targets[2] { checkTopicName(topic) }
    guard let condition = targets[3], let text = text(condition) else { return }
    do throws(FCMCondition.Problem) { _ = try FCMCondition(text) } catch {
      add(.fcmConditionInvalid, at: condition, error.description)
    }
  }

  private mutating func checkAddress(_ node: JSONNode?) {
    guard let node, !isPlainToken(node), let address = text(node) else { return }
    if address.isEmpty {
      add(.fcmTargetMissing, at: node, "the address is empty; write the device's token or installation ID")
    } else if !FCMNames.isToken(address), !FCMNames.isPlaceholder(address) {
      add(
        .fcmTokenInvalid, at: node,
        "a token or installation ID is at most \(FCMNames.tokenBytesMax) letters, digits and - _ :; copy it as the app "
          + "was given it")
    }
  }

  /// Whether the source of a string is that of a token: a text of such bytes has no escapes, so it is judged where it is.
  private func isPlainToken(_ node: JSONNode) -> Bool {
    guard document.kind(node) == .string else { return false }
    return unsafe document.withSource(of: node) { source in
      unsafe (3...FCMNames.tokenBytesMax + 2).contains(source.count)
        && source[1..<source.count - 1].allSatisfy(FCMNames.isTokenByte)
    }
  }

  private mutating func checkTopicName(_ node: JSONNode) {
    guard let topic = text(node), !FCMNames.isTopic(topic) else { return }
    let advice = topic.hasPrefix("/topics/") ? "; write it without /topics/" : ""
    add(
      .fcmTopicInvalid, at: node,
      "expected 1 to \(FCMNames.topicBytesMax) letters, digits or - _ . ~ %, found \(Quoted.text(topic))\(advice)")
  }

  private mutating func checkShared(_ message: JSONNode) {
    if let name = member(message, "name") {
      add(.fcmNameOutputOnly, at: name, "name is what FCM answers; remove it")
    }
    checkData(member(message, "data"))
    checkImage(member(member(message, "notification"), "image"))
    checkOptions(field(message, "fcm_options", "fcmOptions"))
  }

  mutating func checkOptions(_ options: JSONNode?) {
    guard let label = field(options, "analytics_label", "analyticsLabel"), let text = text(label) else { return }
    if FCMNames.isLabel(text) { return }
    add(
      .fcmAnalyticsLabelInvalid, at: label,
      "expected 1 to \(FCMNames.labelBytesMax) letters, digits or - _ . ~ %, found \(Quoted.text(text))")
  }

  mutating func checkImage(_ image: JSONNode?) {
    guard let image, let text = text(image) else { return }
    if WebAddress.isAbsolute(text, "https://") || WebAddress.isAbsolute(text, "http://") { return }
    add(.fcmImageUrl, at: image, "expected an absolute http or https URL, found \(Quoted.text(text))")
  }

  /// The names that FCM or its client keep for themselves.
  mutating func checkData(_ data: JSONNode?) {
    guard let data else { return }
    for (name, value) in document.members(of: data) {
      guard let key = document.string(name) else { continue }
      switch FCMNames.reservation(of: key) {
      case .certain: add(.fcmDataReserved, at: value, "\(Quoted.text(key)) is reserved by FCM; rename the key")
      case .likely:
        add(
          .fcmDataReservedWide, at: value,
          "\(Quoted.text(key)) is reserved by some of Google's pages or dropped by the client; rename the key")
      case .none: break
      }
    }
  }
}

/// The spelling rules of names in FCM messages.
public enum FCMNames {
  /// The longest registration token or installation ID that is accepted, in bytes.
  public static let tokenBytesMax = 4096
  static let topicBytesMax = 900
  static let labelBytesMax = 50

  /// Whether a text can be a registration token or an installation ID; Google documents neither, so this is what every
  /// one that was seen is made of.
  public static func isToken(_ text: String) -> Bool {
    (1...tokenBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(isTokenByte)
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x5F || byte == 0x3A
  }

  /// Whether a text replaces a token until the message is sent: `<device token>` or `{{token}}`.
  static func isPlaceholder(_ text: String) -> Bool {
    text.hasPrefix("<") && text.hasSuffix(">") || text.hasPrefix("{{") && text.hasSuffix("}}")
  }

  static func isTopic(_ text: String) -> Bool { isName(text, bytesMax: topicBytesMax) }

  static func isLabel(_ text: String) -> Bool { isName(text, bytesMax: labelBytesMax) }

  private static func isName(_ text: String, bytesMax: Int) -> Bool {
    (1...bytesMax).contains(text.utf8.count) && text.utf8.allSatisfy { isNameByte($0) }
  }

  /// Whether a text can be a topic of web push: 1 to 32 characters of Base64URL (RFC 8030, section 5.4).
  package static func isWebpushTopic(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { isTokenByte($0) && $0 != UInt8(ascii: ":") }
  }

  /// `[a-zA-Z0-9-_.~%]`.
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "%"): true
    default: false
    }
  }

  enum Reservation {
    case certain, likely, none
  }

  static func reservation(of key: String) -> Reservation {
    switch key.utf8.first {
    case UInt8(ascii: "f") where key == "from", UInt8(ascii: "m") where key == "message_type": .certain
    case UInt8(ascii: "c") where key == "collapse_key": .likely
    case UInt8(ascii: "g") where key.hasPrefix("google.") || key.hasPrefix("gcm.notification."): .certain
    case UInt8(ascii: "g") where key.hasPrefix("google") || key.hasPrefix("gcm"): .likely
    default: .none
    }
  }
}

enum WebAddress {
  /// Whether a text is a URL of this scheme with a host and without spaces or control characters.
  static func isAbsolute(_ text: String, _ scheme: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count > scheme.utf8.count, text.prefix(scheme.count).lowercased() == scheme else { return false }
    let host = bytes.dropFirst(scheme.utf8.count).prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    return !host.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }
}
