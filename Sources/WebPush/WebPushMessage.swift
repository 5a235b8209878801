internal import Signing

/// How urgent a message is (RFC 8030 section 5.3): what a device that saves power still takes.
public struct WebPushUrgency: RawRepresentable, Sendable, Hashable {
  /// The value of the header.
  public let rawValue: String

  /// Wraps a value, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// On power and Wi-Fi: advertisements.
  public static let veryLow = WebPushUrgency(rawValue: "very-low")
  /// On either power or Wi-Fi: topic updates.
  public static let low = WebPushUrgency(rawValue: "low")
  /// On neither: chat or calendar messages; what push services assume.
  public static let normal = WebPushUrgency(rawValue: "normal")
  /// Also with a low battery: incoming calls, time-sensitive alerts.
  public static let high = WebPushUrgency(rawValue: "high")

  /// The four of RFC 8030, the least urgent first.
  public static let known: [WebPushUrgency] = [.veryLow, .low, .normal, .high]
}

/// What a later message replaces an earlier one by, while that waits at the push service (RFC 8030 section 5.4).
public struct WebPushTopic: Sendable, Hashable {
  /// The longest topic: 32 characters.
  public static let bytesMax = 32

  /// The value of the header.
  public let text: String

  /// Takes a topic: 1 to 32 characters of Base64URL.
  public init(_ text: String) throws(WebPushError) {
    guard Self.isTopic(text) else {
      throw WebPushError("topic", "a topic has 1 to \(Self.bytesMax) letters, digits, - and _")
    }
    self.text = text
  }

  /// The topic of a campaign: its id where that is a valid topic, and otherwise the first 32 characters of the Base64URL
  /// of its SHA-256, so that the same campaign always has the same topic.
  public init(campaign: String) {
    text = Self.isTopic(campaign) ? campaign : String(Base64URL.encode(SHA256.digest(campaign)).prefix(Self.bytesMax))
  }

  private static func isTopic(_ text: String) -> Bool {
    (1...bytesMax).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }
}

/// One message for any number of subscribers; each gets it encrypted for itself.
public struct WebPushMessage: Sendable, Hashable {
  /// The longest time to live that push services have to understand, 2³¹ − 1 seconds (RFC 8030 section 5.2).
  public static let ttlMax: UInt32 = 2_147_483_647
  /// The longest content, in bytes: what is left of 4096 by the encryption.
  public static let payloadBytesMax = WebPushCipher.plaintextBytesMax
  /// Four weeks, as long as push services keep messages at most.
  public static let ttlDefault: UInt32 = 2_419_200

  /// The content that the subscriber's service worker gets; empty for a push without data.
  public let payload: [UInt8]
  /// For how many seconds the push service keeps it for a device that cannot be reached; 0: delivered at once or never.
  public let ttl: UInt32
  /// How urgent it is; nil leaves that to the push service, which takes it for normal.
  public let urgency: WebPushUrgency?
  /// What later messages replace it by.
  public let topic: WebPushTopic?
  /// How much longer it is made.
  public let padding: WebPushPadding

  /// Checks and takes the parts of a message.
  ///
  /// - Throws: ``WebPushError`` when the payload is too long, or the time to live beyond its range.
  public init(
    payload: [UInt8], ttl: UInt32 = WebPushMessage.ttlDefault, urgency: WebPushUrgency? = nil,
    topic: WebPushTopic? = nil, padding: WebPushPadding = .none
  ) throws(WebPushError) {
    guard payload.count <= Self.payloadBytesMax else {
      throw WebPushError(
        "",
        "the message has \(payload.count) bytes; a web push holds \(Self.payloadBytesMax): shorten it")
    }
    guard ttl <= Self.ttlMax else { throw WebPushError("ttl", "the time to live is at most \(Self.ttlMax) seconds") }
    self.payload = payload
    self.ttl = ttl
    self.urgency = urgency
    self.topic = topic
    self.padding = padding
  }
}
