internal import PushPayload
internal import PushRules
public import StoreModel
internal import WebPush

/// When a delivery is abandoned.
public struct GivingUp: Sendable, Hashable {
  /// Milliseconds after a push's start at which its deliveries are not tried again, for APNs.
  public var apnsAgeMs: Int64
  /// The same for FCM, which recommends to stop after about an hour (facts 2.6): it outlasts an outage of an hour and
  /// the longest backoff after it.
  public var fcmAgeMs: Int64
  /// The same for push services of browsers.
  public var webAgeMs: Int64
  /// The same for Huawei's Push Kit.
  public var hmsAgeMs: Int64
  /// Tries after which a delivery is not tried again.
  public var attemptsMax: Int

  /// Creates a value from its parts.
  public init(
    apnsAgeMs: Int64 = 6 * 3_600_000, fcmAgeMs: Int64 = 5_400_000, webAgeMs: Int64 = 6 * 3_600_000,
    hmsAgeMs: Int64 = 6 * 3_600_000, attemptsMax: Int = 16
  ) {
    self.apnsAgeMs = apnsAgeMs
    self.fcmAgeMs = fcmAgeMs
    self.webAgeMs = webAgeMs
    self.hmsAgeMs = hmsAgeMs
    self.attemptsMax = attemptsMax
  }

  /// Milliseconds after a push's start at which its deliveries are not tried again.
  func ageMs(_ provider: Provider) -> Int64 {
    switch provider {
    case .apns: apnsAgeMs
    case .fcm: fcmAgeMs
    case .web: webAgeMs
    case .hms: hmsAgeMs
    }
  }
}

extension Backoff {
  /// APNs 5xx: not before 15 minutes (facts 1.6).
  public static let apns = Backoff(firstMs: 900_000, maxMs: 3_600_000, isFloor: true)
  /// FCM 5xx: not before 10 s (facts 2.6).
  public static let fcm = Backoff(firstMs: 10_000, maxMs: 600_000, isFloor: true)

  /// After a provider has said that it is in trouble.
  public static func trouble(of provider: Provider) -> Backoff {
    switch provider {
    case .apns: apns
    // Of the push services of browsers RFC 8030 says no more than `Retry-After`, and Huawei's pages say "later": as FCM, which is
    // the largest of them.
    case .fcm, .web, .hms: fcm
    }
  }
}

/// How a provider counts a message.
struct MessageBudget {
  var bytesMax = FCMBudget.bytesMax
  /// The bytes that count, of a body; nil where all of it counts.
  var bytes: (([UInt8]) -> Int)?
  /// Whether texts count as they are, and not as JSON writes them.
  var countsDecoded = false
}

extension RenderedPayload {
  /// The kinds of one payload are of one provider; a payload of FCM is one kind's.
  var budget: MessageBudget {
    switch kinds.first ?? .ios {
    case .ios, .iosVoIP, .iosLiveActivity, .iosLiveActivityStart, .iosBroadcast:
      let type = headers.first { $0.name == "apns-push-type" }.map { APNsPushType(rawValue: $0.value) }
      return MessageBudget(bytesMax: (type ?? .alert).payloadBytesMax)
    case .web: return MessageBudget(bytesMax: WebContent.bytesMax)
    case .hms: return MessageBudget(bytesMax: HuaweiRequest.bytesMax)
    case .android, .androidFID: return MessageBudget(bytes: FCMBudget.bytes(ofRequest:), countsDecoded: true)
    // APNs is handed JSON.
    case .fcmIOS: return MessageBudget(bytes: FCMBudget.bytes(ofCarried:))
    case .fcmWeb: return MessageBudget(bytes: FCMBudget.bytes(ofCarried:), countsDecoded: true)
    }
  }
}
