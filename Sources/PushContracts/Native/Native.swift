public import WireJSON

/// No dialect: Apple's and FCM's own keys under their own names, and the app's data beside them.
///
/// It also reads every payload that no other contract claims.
/// Source: Apple, “Generating a remote notification”; Firebase, REST `Message`.
public enum Native {
  /// The fields that both providers, or one of them, have a key for.
  public struct Message: Sendable, Hashable {
    /// The first line a person reads.
    public var title: String?
    /// The second line (iOS).
    public var subtitle: String?
    /// The text a person reads.
    public var body: String?
    /// A key into the app's string table, for the title.
    public var titleLocKey: String?
    /// The arguments of the title's format.
    public var titleLocArgs: [String]?
    /// A key into the app's string table, for the subtitle (iOS).
    public var subtitleLocKey: String?
    /// The arguments of the subtitle's format (iOS).
    public var subtitleLocArgs: [String]?
    /// A key into the app's string table, for the body.
    public var bodyLocKey: String?
    /// The arguments of the body's format.
    public var bodyLocArgs: [String]?
    /// The number on the app's icon.
    public var badge: Int?
    /// The sound to play: a name, or Apple's object for critical alerts.
    public var sound: JSONValue?
    /// A picture's address (Android).
    public var image: String?
    /// The kind of notification, which selects its buttons (iOS); the action of a tap (Android).
    public var category: String?
    /// Notifications of one thread are grouped (iOS).
    public var threadID: String?
    /// A later notification with the same value replaces the earlier one.
    public var collapseID: String?
    /// The Android channel.
    public var channelID: String?
    /// The small icon (Android).
    public var icon: String?
    /// The accent colour as `#rrggbb` (Android).
    public var color: String?
    /// Wakes the app in the background (iOS).
    public var contentAvailable: Bool?
    /// A notification service extension may change the notification (iOS).
    public var mutableContent: Bool?
    /// How much the notification may interrupt (iOS).
    public var interruptionLevel: String?
    /// The weight in a summary, 0 to 1 (iOS).
    public var relevanceScore: JSONNumber?
    /// Which window or scene a tap opens (iOS).
    public var targetContentID: String?
    /// The app's own keys.
    public var data: JSONObject?

    /// A message without any field.
    public init() {}

    /// True when there is nothing to see or hear.
    public var isSilent: Bool {
      title == nil && subtitle == nil && body == nil && titleLocKey == nil && subtitleLocKey == nil
        && bodyLocKey == nil && sound == nil && badge == nil
    }
  }

  static let policy = ContractPolicy(
    androidStyle: .messageNotification,
    coercion: .jsonText,
    apnsReserved: [.aps(.refuse, advice: "it is Apple's own object; rename the key")],
    fcmReserved: [.fcm, .fcmUnseen],
    apnsOrder: ["aps.alert"],
    fcmOrder: ["message.notification", "message.android"],
    statements: [
      "A message with nothing to see or hear is a background push: `apns-push-type: background`, priority 5.",
      "The data keys stand beside `aps` on iOS with their JSON types, and in `message.data` on Android as strings.",
      "A data key `aps` and the names that FCM keeps for itself are refused.",
    ])

  /// The rows of the contract.
  static let fields: [Field<Message>] = textFields + presentationFields + deliveryFields

  /// The contract.
  public static let contract = Contract(
    .native, summary: "No dialect: Apple's and FCM's own keys.", policy: policy, empty: Message(), fields: fields,
    common: { message, _, members in
      if message.isSilent { members["silent"] = true }
    })

  static let entry = ContractEntry(contract)
}
