/// The value of the `apns-push-type` header.
///
/// An open set: a type that Apple adds later is carried as it is written.
/// Source: Apple, “Sending notification requests to APNs”.
public struct APNsPushType: RawRepresentable, Sendable, Hashable {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a push type from its wire text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A notification that the user notices: an alert, a badge, a sound.
  public static let alert = APNsPushType(rawValue: "alert")
  /// Wakes the app in the background; `aps` holds only `content-available`, priority 5.
  public static let background = APNsPushType(rawValue: "background")
  /// Asks a location push extension for the position; token authentication only.
  public static let location = APNsPushType(rawValue: "location")
  /// An incoming call, for PushKit; bodies up to 5120 bytes.
  public static let voip = APNsPushType(rawValue: "voip")
  /// An update of a watchOS complication.
  public static let complication = APNsPushType(rawValue: "complication")
  /// A change signal for a File Provider extension.
  public static let fileprovider = APNsPushType(rawValue: "fileprovider")
  /// Wakes a device to contact its device management server.
  public static let mdm = APNsPushType(rawValue: "mdm")
  /// Starts, updates or ends a Live Activity.
  public static let liveactivity = APNsPushType(rawValue: "liveactivity")
  /// A Push to Talk service notification.
  public static let pushtotalk = APNsPushType(rawValue: "pushtotalk")
  /// Reloads widgets.
  public static let widgets = APNsPushType(rawValue: "widgets")
  /// Reloads controls.
  public static let controls = APNsPushType(rawValue: "controls")

  /// Every documented push type.
  public static let known: [APNsPushType] = [
    .alert, .background, .location, .voip, .complication, .fileprovider, .mdm, .liveactivity, .pushtotalk, .widgets,
    .controls,
  ]

  /// The required suffix of `apns-topic` after the bundle ID; nil for an unknown type and for `mdm`, whose topic is the
  /// UID of its certificate.
  public var topicSuffix: String? {
    switch self {
    case .alert, .background: ""
    case .voip: ".voip"
    case .complication: ".complication"
    case .fileprovider: ".pushkit.fileprovider"
    case .location: ".location-query"
    case .liveactivity: ".push-type.liveactivity"
    case .pushtotalk: ".voip-ptt"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    default: nil
    }
  }

  /// The priorities that APNs accepts for this type; an absent header means 10.
  public var prioritiesAllowed: [APNsPriority] {
    switch self {
    case .background: [.powerAware]
    case .liveactivity: [.powerAware, .immediate]
    default: APNsPriority.known
    }
  }

  /// Whether APNs accepts the type with a provider token only, not over a client certificate.
  public var needsProviderToken: Bool { self == .location || self == .liveactivity }

  /// The position in ``known`` of the type that a header's bytes name; nil for an unknown one.
  public static func knownIndex(_ value: Span<UInt8>) -> Int? {
    known.firstIndex { type in
      let name = type.rawValue.utf8
      guard name.count == value.count else { return false }
      for (index, byte) in name.enumerated() where value[index] != byte { return false }
      return true
    }
  }

  /// The largest body in bytes that APNs takes for this type.
  public var payloadBytesMax: Int { self == .voip ? 5120 : 4096 }
}
