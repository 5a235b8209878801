public import Basics
public import PushPayload
public import WireJSON

extension OneSignal {
  /// A received notification: the properties of `OSNotification`, typed.
  ///
  /// Absent, null and mistyped keys are nil; the report names the mistyped ones.
  public struct Notification: Sendable, Hashable {
    /// Where the payload was received.
    public var platform: Platform
    /// Which of OneSignal's payload formats it is.
    public var format: Format

    // MARK: Both platforms

    /// Body text of the notification.
    public var body: String?
    /// Title of the notification.
    public var title: String?
    /// The address opened when the notification is clicked, without spaces around it.
    public var launchURL: String?
    /// OneSignal's id of the notification.
    public var notificationID: String?
    /// The app's own members, set in the dashboard or by the REST API.
    public var additionalData: JSONObject?
    /// The id of the template it was made from.
    public var templateID: String?
    /// The name of the template it was made from.
    public var templateName: String?
    /// The sound played; `null` and `nil` as text mean none on Android.
    public var sound: String?
    /// Notifications with the same value replace each other.
    public var collapseID: String?
    /// The buttons; empty or nil when there are none, as the format has it.
    public var actionButtons: [ActionButton]?
    /// The id of the button that was tapped; nil for a tap on the notification.
    public var actionID: String?

    // MARK: iOS

    /// Subtitle text.
    public var subtitle: String?
    /// The notification category.
    public var category: String?
    /// Groups notifications into threads.
    public var threadID: String?
    /// How much the notification may interrupt.
    public var interruptionLevel: String?
    /// The number to set on the icon; nil leaves it.
    public var badge: WholeNumber?
    /// True when `aps.badge` is there: tells a badge of 0 from none.
    public var hasBadge = false
    /// The number to add to the one on the icon.
    public var badgeIncrement: WholeNumber = 0
    /// True when the push wakes the app.
    public var contentAvailable = false
    /// True when the push starts the notification service extension.
    public var mutableContent = false
    /// The weight in a summary.
    public var relevanceScore: JSONNumber?
    /// Attachments by id.
    public var attachments: JSONObject?

    // MARK: Android

    /// What only Android notifications have; nil on iOS.
    public var android: AndroidProperties? {
      get { if case .some(let properties) = androidBox { properties } else { nil } }
      set { androidBox = newValue.map { .some($0) } ?? .none }
    }

    /// Kept elsewhere, so that notifications on iOS stay small.
    private var androidBox = AndroidBox.none

    /// The bytes of the payload.
    public var rawBytes: [UInt8]

    /// An empty notification.
    public init(platform: Platform = .ios) {
      self.init(platform: platform, format: platform == .ios ? .original : .android, rawBytes: [])
    }

    /// A notification with nothing but its origin.
    init(platform: Platform, format: Format, rawBytes: [UInt8]) {
      self.platform = platform
      self.format = format
      self.rawBytes = rawBytes
    }
  }

  private indirect enum AndroidBox: Sendable, Hashable {
    case none
    case some(AndroidProperties)
  }

  /// The formats of OneSignal payloads.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// iOS: `custom` at the root.
    case original
    /// iOS: `custom` at the root, the texts in `m`.
    case originalMinified = "original-minified"
    /// iOS: `os_data` at the root.
    case new
    /// iOS: `os_data` at the root, the texts in `os_data.buttons.m`.
    case newMinified = "new-minified"
    /// Android: strings, with `custom` as JSON text.
    case android
  }

  /// A button of a received notification.
  public struct ActionButton: Sendable, Hashable {
    /// What tells it from the others: its text when the payload has no id, and nil for a button that the Android SDK has
    /// read before.
    public var id: String?
    /// The label.
    public var text: String
    /// The icon (Android).
    public var icon: String?
    /// The name of a system icon (iOS).
    public var systemIcon: String?
    /// The name of a template icon in the app (iOS).
    public var templateIcon: String?

    /// Makes a button.
    public init(
      id: String?, text: String, icon: String? = nil, systemIcon: String? = nil, templateIcon: String? = nil
    ) {
      self.id = id
      self.text = text
      self.icon = icon
      self.systemIcon = systemIcon
      self.templateIcon = templateIcon
    }
  }

  /// What a person did with a notification: `OSNotificationAction`.
  public struct NotificationAction: Sendable, Hashable {
    /// The kinds of tap.
    public enum Kind: String, Sendable, Hashable {
      /// A tap on the notification.
      case opened = "Opened"
      /// A tap on a button.
      case actionTaken = "ActionTaken"
    }

    /// The id of the button that was tapped.
    public var actionID: String?

    /// A tap on the button with this id, or on the notification.
    public init(actionID: String? = nil) { self.actionID = actionID }

    /// Which of the two it was.
    public var type: Kind { actionID == nil ? .opened : .actionTaken }
  }
}

extension OneSignal.Notification {
  /// The whole payload: on iOS the dictionary, on Android its JSON text in a string.
  public var rawPayload: JSONValue {
    switch platform {
    case .ios: (try? JSON.parse(rawBytes, limits: OneSignal.limits)) ?? .null
    case .android: .string(rawPayloadText)
    }
  }

  /// The JSON text of the whole payload.
  public var rawPayloadText: String { String(decoding: rawBytes, as: UTF8.self) }

  /// What a tap handler that is given this payload reports: the tapped button, or the default tap.
  public var action: OneSignal.NotificationAction { OneSignal.NotificationAction(actionID: actionID) }

  /// The members beside `aps` that are not OneSignal's own, where `additional_data_is_root_payload` puts the data (iOS).
  ///
  /// The SDK leaves them out of ``additionalData`` in the original formats; in the new ones they are in both.
  public var rootData: JSONObject {
    var data = JSONObject()
    guard platform == .ios else { return data }
    for (key, value) in rawPayload.object ?? [:] where OneSignal.isRootData(key) { data.append(key, value) }
    return data
  }

  /// The id of the in-app message that this notification is a preview of; the SDK reports no opening then.
  public var inAppMessagePreviewID: String? { additionalData?[OneSignal.previewName]?.string }

  /// True for the preview of an in-app message: the app in the foreground shows that message, and otherwise Android's SDK
  /// draws the notification even without a text.
  var isInAppPreview: Bool { additionalData?[OneSignal.previewName] != nil }

  /// The sound that is played, where the payload says anything of one: a name, or `default` for Android's own.
  ///
  /// Nil for the sound of a channel that the app made. On Android a sound is that of the channel.
  public var heardSound: String? {
    guard platform == .android, let sound, !sound.isEmpty else { return platform == .ios ? sound : nil }
    guard OneSignal.appChannel(android?.existingChannelID.map { .string($0) }) == nil else { return nil }
    guard let android, android.channel != nil, !android.isChannelUnreadable else { return "default" }
    guard OneSignal.hasSound(sound), android.displayPriority >= 0 else { return nil }
    return OneSignal.isResource(sound) ? sound : "default"
  }

  /// True when there is nothing to see or hear.
  public var isSilent: Bool {
    switch platform {
    case .ios: title == nil && subtitle == nil && body == nil && badge == nil && sound == nil
    case .android: (body?.isEmpty ?? true) && !isInAppPreview
    }
  }
}

extension OneSignal {
  /// What came in as a value is read in any depth.
  static let limits = JSONLimits(maxDepth: JSONLimits.maxDepthCeiling)

  /// False for the names OneSignal's SDK reads at the root of an iOS payload, and for marks of FCM's transport.
  static func isRootData(_ name: String) -> Bool {
    for taken in rootNames where taken == name { return false }
    return !isTransport(name)
  }

  static func isTransport(_ name: String) -> Bool {
    name.utf8.starts(with: "google.".utf8) || name.utf8.starts(with: "gcm.".utf8) || name.utf8.starts(with: "hms.".utf8)
  }
}
