public import Basics
import PushPayload
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
    public var badge: WholeNumber?
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
    /// The accent color as `#rrggbb` (Android).
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
    /// Apple's own request, `{"headers": {…}, "payload": {…}}`, merged over what the other fields write.
    public var apns: JSONObject?
    /// The members of Google's own `Message`, merged over what the other fields write.
    public var fcm: JSONObject?

    /// A message without any field.
    public init() {}

    /// True when there is nothing to see or hear.
    public var isSilent: Bool { lending(self) { Native.isSilent($0) } }
  }

  // A message is asked by its address, as what it has would be copied for a function that takes it.

  /// ``Message/isSilent`` of a message.
  private static func isSilent(_ message: Lent<Message>) -> Bool {
    message.pointee.title == nil && message.pointee.subtitle == nil && message.pointee.body == nil
      && message.pointee.titleLocKey == nil && message.pointee.subtitleLocKey == nil
      && message.pointee.bodyLocKey == nil && message.pointee.sound == nil && message.pointee.badge == nil
      && !(message.pointee.apns.map(showsByItself) ?? false)
  }

  /// True when Apple's own object has something to see or hear.
  private static func showsByItself(_ apns: JSONObject) -> Bool {
    guard let aps = apns["payload"]?["aps"] else { return false }
    return aps["alert"] != nil || aps["sound"] != nil || aps["badge"] != nil
  }

  /// True when Apple's own object has what only a push to a Live Activity has.
  private static func isLiveActivity(_ apns: JSONObject) -> Bool {
    guard let aps = apns["payload"]?["aps"] else { return false }
    return ["event", "content-state"].contains { aps[$0]?.isNull == false }
  }

  /// What Apple's own object says about a header; nil when it says nothing.
  private static func header(_ name: String, _ apns: JSONObject) -> String? {
    for (key, value) in apns["headers"]?.object ?? [:] where key.lowercased() == name { return value.scalarText }
    return nil
  }

  /// `apns-push-type`; arguments alone show nothing, and a background push must not have the alert that they are in.
  static func pushType(_ message: Lent<Message>) -> String {
    let hasArguments =
      message.pointee.titleLocArgs != nil || message.pointee.subtitleLocArgs != nil
      || message.pointee.bodyLocArgs != nil
    let isBackground = isSilent(message) && !hasArguments
    guard let apns = message.pointee.apns else { return isBackground ? "background" : "alert" }
    let isLive = isLiveActivity(apns)
    return header("apns-push-type", apns)
      ?? (isBackground && !isLive ? "background" : isLive ? "liveactivity" : "alert")
  }

  /// `apns-priority`.
  static func priority(_ message: Lent<Message>) -> WholeNumber {
    message.pointee.apns.flatMap { header("apns-priority", $0) }.flatMap { WholeNumber($0) }
      ?? (pushType(message) == "background" ? 5 : 10)
  }

  static let policy = ContractPolicy(
    androidStyle: .messageNotification,
    coercion: .jsonText,
    reserved: (apns: [.aps(.refuse, advice: "it is Apple's own object; rename the key")], fcm: [.fcm, .fcmUnseen]),
    order: (
      apns: ["aps.alert"],
      fcm: ["message.notification", "message.android"]
    ),
    statements: [
      "A message with nothing to see or hear is a background push: `apns-push-type: background`, priority 5.",
      "The data keys are beside `aps` on iOS with their JSON types, and in `message.data` on Android as strings.",
      "A data key `aps` and the names that FCM keeps for itself are refused.",
      "`apns` and `fcm` hold the providers' own objects for everything that the other fields do not cover. They are "
        + "merged over what the others write, object by object; where both have a value, the own one wins, with a warning "
        + "(`field-overridden`). Their types are checked against what Apple and Google document.",
      "Push type and priority that `apns.headers` states are taken; otherwise an own `event` or `content-state` "
        + "makes it a push to a Live Activity, and an own `alert`, `sound` or `badge` an alert like the message's own.",
      "Whom a message goes to is the send's: `token`, `fid`, `topic`, `condition` and the output member `name` in `fcm` "
        + "are left out, with a note. An own `android_v2` replaces `android`.",
    ])

  /// The rows of the contract.
  static let fields: [Field<Message>] = textFields + presentationFields + deliveryFields + ownFields

  private static let own = ProviderObjects<Message>(
    get: { message, platform in
      switch platform {
      case .ios: message.apns
      case .android: message.fcm
      }
    },
    set: { message, platform, members in
      switch platform {
      case .ios: message.apns = ["payload": .object(members)]
      case .android: message.fcm = members
      }
    })

  /// The rows without all of which there is nothing to see or hear.
  private static let noticedRows = [
    "title", "subtitle", "body", "title_loc_key", "subtitle_loc_key", "body_loc_key", "sound", "badge",
  ].map { fields.row($0) }

  /// The contract.
  public static let contract = Contract(
    .native, summary: "No dialect: Apple's and FCM's own keys.", policy: policy, empty: Message(), fields: fields,
    own: own,
    hooks: ContractHooks(
      reading: takeDrawnTexts,
      common: { message, _, members in
        if message.isSilent { members["silent"] = true }
      }, device: DeviceModel(saysSilent: { $0.contentAvailable == true }).refusing(on: .ios, emptiness),
      direct: DirectHooks(judge: { reading in
        if !reading.isVisible, !noticedRows.contains(where: { reading[$0].isThere }) { reading.setSilent() }
        return true
      })))

  static let entry = ContractEntry(contract)

  /// A PushKit push may be empty to APNs, and gives the app nothing to ring for.
  @Sendable private static func emptiness(
    of message: Message, _ members: JSONObject, _ context: WriteContext
  ) -> String? {
    guard lending(message, { pushType($0) }) == "voip" else { return nil }
    let isEmpty = members.allSatisfy { $0.value.isNull || $0.key == "aps" && $0.value.object?.isEmpty == true }
    return isEmpty ? "a PushKit push without data gives the app nothing to ring for" : nil
  }

  /// Of the texts of two blocks Android's own are drawn.
  @Sendable private static func takeDrawnTexts(
    _ message: inout Message, _ members: JSONObject, _ platform: Platform, _ report: inout Report
  ) {
    guard platform == .android, let block = NotificationBlock(members) else { return }
    if message.title != nil, let title = block["title"]?.string { message.title = title }
    if message.body != nil, let body = block["body"]?.string { message.body = body }
  }
}
