import PushPayload
import WireJSON

extension PowerAuth {
  /// Visible attributes are carried only when the message is not silent.
  private static func visible(_ path: String, alsoRead: [String] = []) -> Slot<Message> {
    Slot.at(path, alsoRead: alsoRead).when("not silent") { message, _ in !message.isSilent }
  }

  /// A condition of a slot beside the message and its options.
  private typealias Condition = @Sendable (Lent<Message>) -> Bool

  /// The slots of a visible attribute in the FCM message: Android's block, or its text in the data, and what Apple
  /// devices get through FCM.
  private static func fcm(
    _ name: String?, apns: String? = nil, when text: String = "", _ holds: @escaping Condition = { _ in true }
  ) -> [Slot<Message>] {
    var slots: [Slot<Message>] = []
    if let name {
      slots = [
        Slot.at("message.android.notification.\(name)").when("not silent\(text)", dataOnlyOption, is: false) {
          !$0.pointee.isSilent && holds($0)
        },
        Slot.at("message.data._notification.\(name)").when(
          "not silent\(text), with the option \(dataOnlyOption)", dataOnlyOption, is: true
        ) { !$0.pointee.isSilent && holds($0) },
      ]
    }
    if let apns { slots.append(carried(apns, when: "not silent\(text)") { !$0.pointee.isSilent && holds($0) }) }
    return slots
  }

  /// A slot in `message.apns`.
  private static func carried(
    _ path: String, _ form: SlotForm = .same, when text: String = "", _ holds: @escaping Condition = { _ in true }
  ) -> Slot<Message> {
    let option = "with the option \(apnsOption)"
    return Slot.at("message.apns.\(path)", form).when(
      text.isEmpty ? option : "\(text), \(option)", apnsOption, is: true, holds)
  }

  private static func arguments(
    _ name: String, _ role: FieldRole, of key: String, apns: String, fcm: String,
    _ access: FieldAccess<Message>, isCarried: @escaping Condition
  ) -> Field<Message> {
    let slot = Slot<Message>.at(apns).when(
      "not silent and with \(key)",
      at: { message, _ in
        !message.pointee.isSilent && isCarried(message)
      })
    return Field(
      name, access, role: role, apns: [slot],
      fcm: self.fcm(fcm, apns: "payload.\(apns)", when: " and with \(key)", isCarried),
      doc: "The arguments of the format behind \(key).", rule: "with \(key); not when empty", example: ["Alice", "2"]
    ).rowTest(needs: [key: "example_key"])
  }

  /// The rows of the contract.
  static let fields: [Field<Message>] = [
    Field(
      "title", .string({ $0.title }, { $0.title = $1 }), role: .title, apns: [visible("aps.alert.title")],
      fcm: fcm("title", apns: "payload.aps.alert.title"), doc: "The first line a person reads.",
      example: "Balance update"),
    Field(
      "titleLocKey", .string({ $0.titleLocKey }, { $0.titleLocKey = $1 }), role: .titleLocKey,
      apns: [visible("aps.alert.title-loc-key")],
      fcm: fcm("title_loc_key", apns: "payload.aps.alert.title-loc-key"),
      doc: "A key into the app's string table, for the title.", example: "balance.title"),
    arguments(
      "titleLocArgs", .titleLocArgs, of: "titleLocKey", apns: "aps.alert.title-loc-args",
      fcm: "title_loc_args", .strings({ $0.titleLocArgs }, { $0.titleLocArgs = $1 }),
      isCarried: { $0.pointee.titleLocKey != nil && $0.pointee.titleLocArgs?.isEmpty == false }),
    Field(
      "body", .string({ $0.body }, { $0.body = $1 }), role: .body,
      apns: [visible("aps.alert.body", alsoRead: ["aps.alert"])],
      fcm: fcm("body", apns: "payload.aps.alert.body"),
      doc: "The text a person reads.", example: "Your balance is now $745.00"),
    Field(
      "bodyLocKey", .string({ $0.bodyLocKey }, { $0.bodyLocKey = $1 }), role: .bodyLocKey,
      apns: [visible("aps.alert.loc-key")],
      fcm: fcm("body_loc_key", apns: "payload.aps.alert.loc-key"),
      doc: "A key into the app's string table, for the body.", example: "balance.body"),
    arguments(
      "bodyLocArgs", .bodyLocArgs, of: "bodyLocKey", apns: "aps.alert.loc-args",
      fcm: "body_loc_args", .strings({ $0.bodyLocArgs }, { $0.bodyLocArgs = $1 }),
      isCarried: { $0.pointee.bodyLocKey != nil && $0.pointee.bodyLocArgs?.isEmpty == false }),
    Field(
      "badge", .integer({ $0.badge }, { $0.badge = $1 }), role: .badge, apns: [.at("aps.badge")],
      fcm: [carried("payload.aps.badge")], doc: "The number on the app's icon.",
      rule: "iOS only, also on silent messages", example: 3),
    Field(
      "sound", .string({ $0.sound }, { $0.sound = $1 }), role: .sound, apns: [visible("aps.sound")],
      fcm: fcm("sound", apns: "payload.aps.sound"), doc: "The sound to play.", example: "default"),
    Field(
      "icon", .string({ $0.icon }, { $0.icon = $1 }), role: .icon,
      fcm: fcm("icon"), doc: "The icon.", rule: "Android only",
      example: "ic_balance"),
    Field(
      "category", .string({ $0.category }, { $0.category = $1 }), role: .category, apns: [visible("aps.category")],
      fcm: fcm("tag", apns: "payload.aps.category"), doc: "The kind of notification.",
      rule: "on Android the tag, by which a later notification replaces the earlier one", example: "balance-update"),
    Field(
      "collapseKey", .string({ $0.collapseKey }, { $0.collapseKey = $1 }), role: .collapse,
      apns: [.at("aps.thread-id"), .header("apns-collapse-id")],
      fcm: [.at("message.android.collapse_key"), carried("payload.aps.thread-id")],
      doc: "What groups and replaces notifications.", rule: "at most 64 bytes", example: "balance"),
    Field(
      "validUntil", instant, role: .expiration,
      apns: [.header("apns-expiration")],
      doc: "Until when delivery makes sense, as ISO 8601 or milliseconds since 1970.",
      rule: "seconds since 1970 in the header; not carried to Android without the option fcm-ttl",
      example: "2030-01-02T03:04:05Z"
    ).carriedOtherwise(on: .android) { $0.has("fcm-ttl") },
    .derived(
      "ttl", .derivedInteger(ttl), fcm: [.at("message.android.ttl", .seconds)],
      doc: "How long FCM keeps the message.", rule: "from validUntil, with the option fcm-ttl"),
    Field(
      "extras", .object({ $0.extras }, { $0.extras = $1 }), role: .data, apns: [.at("*", .members)],

      fcm: [.at("message.data.*", .memberTexts), carried("payload.aps.*", .memberTexts)], doc: "The app's own keys.",
      rule: "JSON types on iOS, strings on Android; null left out", example: ["accountId": "1234"]),
    Field(
      "silent", .boolean({ $0.silent }, { $0.silent = $1 }), role: .silent, apns: [.at("aps.content-available", .flag)],
      fcm: [carried("payload.aps.content-available", .flag)], doc: "Nothing is shown: the app is woken instead.",
      rule: "visible attributes are left out", example: true
    ).rowTest(affects: [
      "header apns-push-type", "header apns-priority",
      "message.android.notification.notification_priority",
    ]).carriedOtherwise(on: .android),
    Field(
      "priority", priority, role: .priority,
      doc: "How urgent the message is: NORMAL or HIGH.", rule: "HIGH when absent", example: "NORMAL"
    ).rowTest(affects: ["header apns-priority", "message.android.notification.notification_priority"]),
    .derived(
      "push type", .derivedString { message, _ in message.isSilent ? "background" : "alert" },
      apns: [.header("apns-push-type")], fcm: [carried("headers.apns-push-type", .text)],
      doc: "Shown to a person or not.", rule: "background when silent"),
    .derived(
      "urgency", .derivedInteger { message, _ in message.isUrgent ? 10 : 5 }, apns: [.header("apns-priority")],
      fcm: [carried("headers.apns-priority", .text)], doc: "How urgent delivery is.",
      rule: "10 for HIGH; 5 for NORMAL and when silent"),
    .derived(
      "importance",
      .derivedString { message, _ in
        message.isSilent ? nil : message.priority == .normal ? "PRIORITY_DEFAULT" : "PRIORITY_HIGH"
      }, fcm: fcm("notification_priority"),
      doc: "How prominent the notification is.",
      rule: "PRIORITY_HIGH for HIGH, PRIORITY_DEFAULT for NORMAL; not when silent"),
  ]

  /// An instant: ISO 8601 in the message, or milliseconds since 1970 as Java writes a date; seconds in the header.
  private static let instant: FieldAccess<Message> = {
    let expectation = "an instant such as \"2030-01-02T03:04:05Z\", or milliseconds since 1970"
    return FieldAccess.json(
      .any, isThere: { $0.pointee.validUntil != nil }, at: { $0.pointee.validUntil.map { .string($0.text) } },
      { message, value in
        if let instant = value.string.flatMap({ UTCInstant($0) }) {
          message.validUntil = instant
        } else if let milliseconds = value.int, milliseconds >= 0 {
          message.validUntil = UTCInstant(seconds: Int64(milliseconds / 1_000))
        } else {
          return Mismatch(expectation)
        }
        return nil
      }
    ).header { message, _ in message.validUntil.map { .number(JSONNumber($0.seconds)) } }
  }()

  private static let priority = FieldAccess<Message>.json(
    .string, isThere: { $0.pointee.priority != nil }, at: { $0.pointee.priority.map { .string($0.rawValue) } },
    { message, value in
      guard let priority = value.string.flatMap({ Priority(rawValue: $0) }) else { return "NORMAL or HIGH" }
      message.priority = priority
      return nil
    })
}
