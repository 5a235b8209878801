/// How insistent a notification is, before Android 8.
public struct FCMNotificationPriority: PayloadEnumeration {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a value from its wire text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `PRIORITY_UNSPECIFIED`: as if absent.
  public static let unspecified = FCMNotificationPriority(rawValue: "PRIORITY_UNSPECIFIED")
  /// `PRIORITY_MIN`: the lowest.
  public static let min = FCMNotificationPriority(rawValue: "PRIORITY_MIN")
  /// `PRIORITY_LOW`: less than usual.
  public static let low = FCMNotificationPriority(rawValue: "PRIORITY_LOW")
  /// `PRIORITY_DEFAULT`: the usual.
  public static let normal = FCMNotificationPriority(rawValue: "PRIORITY_DEFAULT")
  /// `PRIORITY_HIGH`: more than usual.
  public static let high = FCMNotificationPriority(rawValue: "PRIORITY_HIGH")
  /// `PRIORITY_MAX`: the highest.
  public static let max = FCMNotificationPriority(rawValue: "PRIORITY_MAX")

  /// The documented values, in the provider’s order.
  public static let known: [FCMNotificationPriority] = [.unspecified, .min, .low, .normal, .high, .max]
}

/// What the lock screen shows of a notification.
public struct FCMVisibility: PayloadEnumeration {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a value from its wire text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `VISIBILITY_UNSPECIFIED`: as if absent.
  public static let unspecified = FCMVisibility(rawValue: "VISIBILITY_UNSPECIFIED")
  /// `PRIVATE`: that there is one, without its text.
  public static let `private` = FCMVisibility(rawValue: "PRIVATE")
  /// `PUBLIC`: all of it.
  public static let `public` = FCMVisibility(rawValue: "PUBLIC")
  /// `SECRET`: nothing.
  public static let secret = FCMVisibility(rawValue: "SECRET")

  /// The documented values, in the provider’s order.
  public static let known: [FCMVisibility] = [.unspecified, .`private`, .`public`, .secret]
}

/// Whether Google Play services may post a notification on the app’s behalf.
public struct FCMProxy: PayloadEnumeration {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a value from its wire text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `PROXY_UNSPECIFIED`: as if absent.
  public static let unspecified = FCMProxy(rawValue: "PROXY_UNSPECIFIED")
  /// `ALLOW`: may.
  public static let allow = FCMProxy(rawValue: "ALLOW")
  /// `DENY`: may not.
  public static let deny = FCMProxy(rawValue: "DENY")
  /// `IF_PRIORITY_LOWERED`: may when the message’s priority was lowered.
  public static let ifPriorityLowered = FCMProxy(rawValue: "IF_PRIORITY_LOWERED")

  /// The documented values, in the provider’s order.
  public static let known: [FCMProxy] = [.unspecified, .allow, .deny, .ifPriorityLowered]
}

/// The direction of a Web Notification’s texts.
public struct FCMWebDirection: PayloadEnumeration {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a value from its wire text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `auto`: from the text.
  public static let auto = FCMWebDirection(rawValue: "auto")
  /// `ltr`: left to right.
  public static let leftToRight = FCMWebDirection(rawValue: "ltr")
  /// `rtl`: right to left.
  public static let rightToLeft = FCMWebDirection(rawValue: "rtl")

  /// The documented values, in the provider’s order.
  public static let known: [FCMWebDirection] = [.auto, .leftToRight, .rightToLeft]
}
