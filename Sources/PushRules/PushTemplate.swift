public import PushPayload
public import WireJSON

/// A message with `{{placeholders}}`, and what it will cost for any recipient.
///
/// A placeholder is inside a string: `{{first_name}}`, or `{{first_name|there}}` with a default for recipients without a
/// value, who get nothing otherwise. ``PlaceholderText`` has the syntax.
public struct PushTemplate: Sendable {
  /// A limit that the message has to keep, and its parts.
  public struct Budget: Sendable, Hashable {
    /// The platform whose limit it is.
    public let platform: Platform
    /// The limit.
    public let bytesMax: Int
    /// How values count.
    public let cost: TextShortener.Cost
    /// The bytes without any value.
    public let fixedBytes: Int
    /// The placeholders that count, once for each occurrence.
    public let placeholders: [String]
    /// The bytes of the default, for each of the placeholders.
    public let fallbackBytes: [Int]

    /// The size for a recipient, in bytes.
    public func bytes(_ value: (String) -> String?) -> Int {
      var bytes = fixedBytes
      for (name, fallback) in zip(placeholders, fallbackBytes) {
        bytes += value(name).map { TextShortener.bytes($0, cost) } ?? fallback
      }
      return bytes
    }
  }

  /// The limits, one for each platform the document has a message for.
  public let budgets: [Budget]
  /// Every placeholder, once, in the order of the document.
  public let placeholders: [String]

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - bytes: a document as `PushChecker.check(document:)` takes it.
  ///   - kind: what it is; nil recognises it.
  ///   - settings: the limit of topic messages.
  /// - Throws: `JSONError` when it is not JSON.
  public init(
    _ bytes: [UInt8], kind: PushDocumentKind? = nil, settings: RuleSettings = RuleSettings()
  ) throws(JSONError) {
    var document = JSONDocument()
    try document.parse(bytes)
    var reader = TemplateReader(document: document, settings: settings)
    if let kind = kind ?? PushDocumentKind.recognize(document) { reader.read(document.root, kind) }
    budgets = reader.budgets
    let whole = TemplateText(JSON.minified(document.value(document.root)))
    var names: [String] = []
    for name in whole.names where !names.contains(name) { names.append(name) }
    placeholders = names
  }
}

/// A text cut at its placeholders.
struct TemplateText {
  /// The bytes outside of placeholders.
  private(set) var fixedBytes = 0
  /// The placeholders, in order.
  private(set) var names: [String] = []
  /// The bytes of the default, as they are in the text.
  private(set) var fallbackBytes: [Int] = []

  init(_ bytes: [UInt8]) {
    var index = 0
    while index < bytes.count {
      if let found = TemplateText.placeholder(in: bytes, at: index) {
        names.append(found.name)
        fallbackBytes.append(found.fallback.count)
        index = found.end
      } else {
        fixedBytes += 1
        index += 1
      }
    }
  }

  /// The placeholder that begins at an index.
  ///
  /// Two braces in a row open one and nothing else: minified JSON has them only inside strings.
  static func placeholder(
    in bytes: [UInt8], at start: Int
  ) -> (name: String, fallback: Range<Int>, end: Int)? {
    guard start + 4 < bytes.count, bytes[start] == 0x7B, bytes[start + 1] == 0x7B else { return nil }
    var index = start + 2
    while index < bytes.count, bytes[index] == 0x20 { index += 1 }
    let first = index
    while index < bytes.count, isNameByte(bytes[index]) { index += 1 }
    let last = index
    while index < bytes.count, bytes[index] == 0x20 { index += 1 }
    guard last > first, index < bytes.count else { return nil }
    var fallback = index..<index
    if bytes[index] == UInt8(ascii: "|") {
      fallback = self.fallback(in: bytes, from: index + 1)
      index = fallback.upperBound
      while index < bytes.count, bytes[index] == 0x20 { index += 1 }
    }
    guard index + 1 < bytes.count, bytes[index] == 0x7D, bytes[index + 1] == 0x7D else { return nil }
    return (String(decoding: bytes[first..<last], as: UTF8.self), fallback, index + 2)
  }

  /// Everything up to a brace, without the spaces around it.
  private static func fallback(in bytes: [UInt8], from start: Int) -> Range<Int> {
    var first = start
    while first < bytes.count, bytes[first] == 0x20 { first += 1 }
    var end = first
    while end < bytes.count, bytes[end] != 0x7B, bytes[end] != 0x7D { end += 1 }
    while end > first, bytes[end - 1] == 0x20 { end -= 1 }
    return first..<end
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
    default: false
    }
  }
}

struct TemplateReader {
  let document: JSONDocument
  let settings: RuleSettings
  var budgets: [PushTemplate.Budget] = []

  mutating func read(_ node: JSONNode, _ kind: PushDocumentKind) {
    switch kind {
    case .apnsPayload: addAPNs(node, bytesMax: APNsPushType.alert.payloadBytesMax)
    case .apnsRequest:
      let type = document.member(of: node, "headers").flatMap { document.member(of: $0, "apns-push-type") }
      let pushType = type.flatMap { document.string($0) }.map { APNsPushType(rawValue: $0) } ?? .alert
      if let payload = document.member(of: node, "payload") { addAPNs(payload, bytesMax: pushType.payloadBytesMax) }
    case .broadcastRequest:
      if let payload = document.member(of: node, "payload") {
        addAPNs(payload, bytesMax: APNsBroadcast.payloadBytesMax)
      }
    case .fcmRequest:
      if let message = document.member(of: node, "message") { addFCM(message) }
    case .rendering:
      if let apns = document.member(of: node, "apns") { read(apns, .apnsRequest) }
      if let fcm = document.member(of: node, "fcm") { read(fcm, .fcmRequest) }
    case .channelCreation, .fcmMessage, .receivedMessage, .fcmLegacyRequest: break
    }
  }

  private mutating func addAPNs(_ payload: JSONNode, bytesMax: Int) {
    let text = TemplateText(JSON.minified(document.value(payload)))
    budgets.append(
      PushTemplate.Budget(
        platform: .ios, bytesMax: bytesMax, cost: .escaped, fixedBytes: text.fixedBytes, placeholders: text.names,
        fallbackBytes: text.fallbackBytes))
  }

  /// What FCM counts is the same as for a message without placeholders, with each of them taken out.
  private mutating func addFCM(_ message: JSONNode) {
    let isTopic = document.member(of: message, "topic") != nil || document.member(of: message, "condition") != nil
    var counted = TemplateText([])
    var fixed = 0
    var names: [String] = []
    var fallbacks: [Int] = []
    FCMBudget.forEachText(of: message, in: document) { text in
      counted = TemplateText(text)
      fixed += counted.fixedBytes
      names += counted.names
      fallbacks += counted.fallbackBytes
    }
    budgets.append(
      PushTemplate.Budget(
        platform: .android, bytesMax: isTopic ? settings.fcmTopicBytesMax : FCMBudget.bytesMax, cost: .plain,
        fixedBytes: fixed, placeholders: names, fallbackBytes: fallbacks))
  }
}
