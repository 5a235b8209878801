import PushPayload
import WireJSON

/// How payloads of a platform are read without their message.
struct DirectPlatform: Sendable {
  /// The message in a payload; nil for a payload of another shape.
  let message: @Sendable (JSONDocument, JSONNode) -> JSONNode?
  /// Reads the message; false when the system shows nothing of it, or less than it asks for.
  let read: @Sendable (inout DirectReading) -> Bool
  /// What identifies the contract of the message; nil where that cannot be known without decoding a text.
  let mark: @Sendable (DirectRecognition, DirectTexts) -> DirectRecognition.Mark?
  static let all = PerPlatform(
    ios: DirectPlatform(
      message: { $1 }, read: { $0.readApple() }, mark: { recognition, _ in recognition.appleMark() }),
    android: DirectPlatform(
      message: { DirectReading.message($0, $1) }, read: { $0.readAndroid() }, mark: { $0.androidMark($1) }))
}

// What the systems do with a payload, as far as nothing needs to be said of it: `AppleDevice` and `FirebaseDevice` say the
// rest.
extension DirectReading {
  /// Reads an APNs payload; false when iOS shows nothing of it, or less than it asks for.
  mutating func readApple() -> Bool {
    guard let aps = document.member(of: payload, "aps"), document.kind(aps) == .object,
      document.member(of: payload, "fcm_options") == nil, read(program.root)
    else { return false }
    isVisible = showsAlert(document.member(of: aps, "alert"))
    return isVisible || isNoticed(aps)
  }

  private func showsAlert(_ alert: JSONNode?) -> Bool {
    guard let alert else { return false }
    guard document.kind(alert) == .object else { return isText(alert) }
    var cursor = document.cursor(alert)
    while let (name, value) = document.nextMember(&cursor) {
      if isText(value), document.index(of: name, in: DirectReading.alertTexts) != nil { return true }
    }
    return false
  }

  private static let alertTexts = JSONKeyTable([
    "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key",
  ])

  /// True for what iOS does something with that has no text.
  private func isNoticed(_ aps: JSONNode) -> Bool {
    if let badge = document.member(of: aps, "badge"), document.int(badge) != nil { return true }
    guard let wakes = document.member(of: aps, "content-available") else { return false }
    return document.int(wakes) == 1 || document.bool(wakes) == true
  }

  /// The message of a request to FCM; nil for every other shape of an Android payload.
  static func message(_ document: JSONDocument, _ root: JSONNode) -> JSONNode? {
    guard document.count(root) == 1, let message = document.member(of: root, "message"),
      document.kind(message) == .object
    else { return nil }
    return message
  }

  /// Reads an FCM message; false when Firebase's client shows less of it than it asks for, or nothing.
  mutating func readAndroid() -> Bool {
    var cursor = document.cursor(payload)
    var own: JSONNode?
    var shared: JSONNode?
    var hasData = false
    while let (name, value) = document.nextMember(&cursor) {
      switch document.index(of: name, in: DirectReading.messageKeys) {
      case 0: own = document.member(of: value, "notification")
      case 1: shared = value
      case 2: hasData = document.kind(value) == .object && document.count(value) > 0
      // What FCM passes on to Apple devices is judged by others.
      case 3: return false
      default: break
      }
    }
    guard let node = program.message, read(node) else { return false }
    guard own != nil || shared != nil else { return hasData }
    guard readBlocks(own, shared) else { return false }
    isVisible = ownBlock.hasText || sharedBlock.hasText
    guard isVisible, ownBlock.isDrawn(document), sharedBlock.isDrawn(document) else { return false }
    ignored = ownBlock.ignored(document)
    // A shared block has neither an icon nor a sound.
    return sharedBlock.ignored(document).isEmpty
  }

  private static let messageKeys = JSONKeyTable(["android", "notification", "data", "apns"])
}

/// A notification block of an FCM message.
struct DirectBlock {
  private(set) var title, body, titleKey, bodyKey, bodyArguments, image, count, icon, sound: JSONNode?
  /// True when there is a letter to read: a text, or the key of one.
  private(set) var hasText = false

  /// No block.
  init() {}

  /// Reads a block, which may be no object.
  init(_ block: JSONNode, _ document: JSONDocument) {
    var cursor = document.cursor(block)
    guard document.kind(block) == .object else { return }
    while let (name, value) = document.nextMember(&cursor) {
      let index = document.index(of: name, in: DirectBlock.keys)
      switch index {
      case 0: title = value
      case 1: body = value
      case 2: titleKey = value
      case 3: bodyKey = value
      case 4: bodyArguments = value
      case 5: image = value
      case 6: count = value
      case 7: icon = value
      case 8: sound = value
      default: continue
      }
      if let index, index < 4, document.kind(value) == .string, !document.isEmptyString(value) { hasText = true }
    }
  }

  private static let keys = JSONKeyTable([
    "title", "body", "title_loc_key", "body_loc_key", "body_loc_args", "image", "notification_count",
    "icon", "sound",
  ])

  /// True when something of one block replaces something of the other.
  func overlaps(_ other: DirectBlock) -> Bool {
    title != nil && other.title != nil || body != nil && other.body != nil || image != nil && other.image != nil
  }

  /// The names for which Firebase's client takes its own.
  func ignored(_ document: JSONDocument) -> DirectIgnored {
    DirectIgnored(icon: isNoName(icon, document), sound: isNoName(sound, document))
  }

  private func isNoName(_ node: JSONNode?, _ document: JSONDocument) -> Bool {
    guard let node, !document.isPlainName(node) else { return false }
    return document.string(node).map { !FCMAndroidNotification.isResourceName($0) } ?? false
  }

  /// True when Firebase's client leaves nothing out: no picture without a web address, and no count below 0.
  func isDrawn(_ document: JSONDocument) -> Bool {
    if let count, document.int(count).map({ $0 < 0 }) ?? true { return false }
    guard let image, !document.isPlainAddress(image) else { return true }
    return document.string(image).map { $0.isEmpty || Contracts.isFirebasePicture($0) } ?? false
  }
}

/// Names of a drawn notification that no resource of an app has: what `Report.addIgnored` says of them.
struct DirectIgnored {
  let icon: Bool
  let sound: Bool

  var isEmpty: Bool { !icon && !sound }

  var findings: [Finding] {
    (icon ? [DirectIgnored.said.icon] : []) + (sound ? [DirectIgnored.said.sound] : [])
  }

  func write(into writer: inout JSONWriter) {
    if icon { writer.raw(DirectIgnored.written.icon) }
    if sound { writer.raw(DirectIgnored.written.sound) }
  }

  private static let said = (icon: Finding.ignored("icon"), sound: Finding.ignored("sound"))
  private static let written = (icon: said.icon.bytes, sound: said.sound.bytes)
}

extension Finding {
  /// The finding as it is written in a report.
  var bytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }
}

extension JSONDocument {
  /// True for the address of something on a host, by `https` and without anything unusual in it; nobody refuses such a one.
  func isPlainAddress(_ node: JSONNode) -> Bool {
    guard begins(node, with: "https://") == true else { return false }
    return unsafe withSource(of: node) { source in
      // Behind the quote and the scheme; the closing quote is no letter.
      guard unsafe DirectBlock.isLetter(source[9]) else { return false }
      var isHost = true
      for index in 9..<source.count - 1 {
        let byte = unsafe source[index]
        guard byte > 0x20 else { return false }
        guard isHost, !DirectBlock.isLetter(byte), byte != UInt8(ascii: "."), byte != UInt8(ascii: "-") else {
          continue
        }
        // A port, or a user's name, is looked at more closely.
        guard byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") else { return false }
        isHost = false
      }
      return true
    }
  }

  /// True for a text of letters, digits and underscores alone, as the names of resources are.
  func isPlainName(_ node: JSONNode) -> Bool {
    guard kind(node) == .string else { return false }
    return unsafe withSource(of: node) { source in
      unsafe source[1..<source.count - 1].allSatisfy { DirectBlock.isLetter($0) || $0 == UInt8(ascii: "_") }
    }
  }
}

extension DirectBlock {
  /// True for a letter or digit.
  fileprivate static func isLetter(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }
}
