internal import Basics
import PushPayload
import WireJSON

extension IMKit {
  /// ``Message/isSilent`` of a message that is not copied for it.
  private static func isSilent(_ message: Lent<Message>) -> Bool {
    if message.pointee.silent == true { return true }
    return message.pointee.title == nil && message.pointee.body == nil && message.pointee.locKey == nil
      && message.pointee.messageType?.isEmpty != false
  }

  /// ``Message/key`` of a message that is not copied for it.
  private static func key(_ message: Lent<Message>) -> String? {
    if let key = message.pointee.locKey { return key }
    guard let type = message.pointee.messageType, !type.isEmpty else { return Optional.none }
    return "im_loc_" + type
  }

  /// A slot of iOS for what a person sees or hears.
  private static func visible(_ path: String, alsoRead: [String] = []) -> Slot<Message> {
    Slot.at(path, alsoRead: alsoRead).when("neither silent nor ios-voip", voipOption, is: false) { !isSilent($0) }
  }

  /// A slot of Android's notification block, which silent pushes do not have.
  private static func notification(_ path: String, alsoRead: [String] = []) -> Slot<Message> {
    Slot.at("message.android.notification.\(path)", alsoRead: alsoRead).when(
      "not silent", at: { message, _ in !isSilent(message) })
  }

  private static let keyPaths = [
    "aps.alert.loc-key", "message.android.notification.body_loc_key", "message.data.loc-key",
  ]
  private static let argumentPaths = [
    "aps.alert.loc-args", "message.android.notification.body_loc_args", "message.data.loc-args",
  ]

  /// The rows of the contract.
  static let fields: [Field<Message>] = [
    Field(
      "messageType", .string({ $0.messageType }, { $0.messageType = $1 }),
      doc: "The kind of message or event: text, image, video, audio, sticker, location, file, joinRoom …",
      rule: "makes the localization key", example: "text"
    ).rowTest(needs: ["title": "t"], affects: keyPaths),
    Field(
      "sender", .string({ $0.sender }, { $0.sender = $1 }), doc: "The sender's nickname.", rule: "$1 of the texts",
      example: "Alice"
    ).rowTest(affects: argumentPaths),
    Field(
      "content", .string({ $0.content }, { $0.content = $1 }), doc: "The message's content.", rule: "$2 of the texts",
      example: "Hello"
    ).rowTest(needs: ["sender": "Alice"], affects: argumentPaths),
    Field(
      "room", .string({ $0.room }, { $0.room = $1 }), doc: "The chat room's id.", rule: "makes the type",
      example: "room-1"
    ).rowTest(affects: ["message.data.type"]),
    Field(
      "message", .object({ $0.message }, { $0.message = $1 }), role: .data,
      apns: [Slot.at("payload").when("ios-voip", voipOption, is: true) { _ in true }],
      fcm: [.at("message.data.payload", .text, lenient: true)], doc: "The full message object, for the app's own use.",
      rule: "JSON text on Android; on iOS in PushKit requests only", example: ["id": "m-1", "text": "Hello"]
    ).missed().rowTest(needs: ["title": "t"]),
    Field(
      "title", .string({ $0.title }, { $0.title = $1 }), role: .title, apns: [visible("aps.alert.title")],
      fcm: [notification("title", alsoRead: ["message.notification.title"])], doc: "The title, as it is shown.",
      example: "Book club"
    ).rowTest(needs: ["body": "b"]),
    Field(
      "body", .string({ $0.body }, { $0.body = $1 }), role: .body,
      apns: [visible("aps.alert.body", alsoRead: ["aps.alert"])],
      fcm: [notification("body", alsoRead: ["message.notification.body"])],
      doc: "The text shown when the app does not know the localization key.", example: "Alice sent a message"
    ).rowTest(needs: ["title": "t"]),
    Field(
      "loc-key", .string({ $0.locKey }, { $0.locKey = $1 }).writing { key($0) }, role: .bodyLocKey,
      apns: [visible("aps.alert.loc-key")], fcm: [notification("body_loc_key"), .at("message.data.loc-key")],
      doc: "The localization key.", rule: "im_loc_ and the message type unless set", example: "im_loc_text"
    ).rowTest(needs: ["title": "t"]),
    Field(
      "loc-args", arguments, role: .bodyLocArgs,
      apns: [visible("aps.alert.loc-args")],
      fcm: [notification("body_loc_args"), .at("message.data.loc-args", .text, lenient: true)],
      doc: "The arguments of the localized text.", rule: "sender and content unless set; JSON text in data",
      example: ["Alice", "Hello"]
    ).rowTest(needs: ["loc-key": "im_loc_text"]),
    Field(
      "alert",
      .json(
        .any, isThere: { _ in false }, at: { _ in Optional.none },
        { message, value in
          if let text = value.string {
            message.body = text
          } else if let alert = value.object, let key = alert["loc-key"]?.string {
            message.locKey = key
            message.locArgs = alert["loc-args"]?.array?.map { $0.string ?? JSON.minifiedText($0) }
          } else {
            return "a string, or an object with loc-key and loc-args"
          }
          return Optional.none
        }), doc: "The text or the localized text in the form of the custom push API.",
      rule: "a string is body; an object is loc-key and loc-args", example: "Hello"
    ).rowTest(
      needs: ["title": "t"],
      affects: keyPaths + argumentPaths + ["aps.alert.body", "message.android.notification.body"]
    ).setting("body", "loc-key", "loc-args"),
    Field(
      "icon", .string({ $0.icon }, { $0.icon = $1 }), role: .icon, fcm: [notification("icon")],
      doc: "The icon: a resource name or URL.", rule: "Android only", example: "ic_chat"
    ).rowTest(needs: ["title": "t"]),
    Field(
      "badge", .integer({ $0.badge }, { $0.badge = $1 }), role: .badge, apns: [visible("aps.badge")],
      fcm: [notification("notification_count")], doc: "The unread count on the app's icon.", rule: "not when silent",
      example: 1
    ).rowTest(needs: ["title": "t"]),
    Field(
      "sound", .string({ $0.sound }, { $0.sound = $1 }), role: .sound, apns: [visible("aps.sound")],
      doc: "The sound to play.", rule: "iOS only", example: "chime.aiff"
    ).rowTest(needs: ["title": "t"]),
    Field(
      "click_action",
      .string({ $0.clickAction }, { $0.clickAction = $1 }, wire: { $0.clickAction ?? clickActionDefault }),
      fcm: [notification("click_action")], doc: "The intent action of a tap.",
      rule: "Android only; push_chatroom unless set", example: "open_room"
    ).rowTest(needs: ["title": "t"]),
    Field(
      "type",
      .string({ $0.type }, { $0.type = $1 }).writing {
        $0.pointee.type ?? $0.pointee.room.map { "chatroom_chat:" + $0 }
      },
      apns: [Slot.at("type").when("ios-voip", voipOption, is: true) { _ in true }], fcm: [.at("message.data.type")],
      doc: "The app's classification of the push.",
      rule: "chatroom_chat: and the room unless set; on iOS in PushKit requests only",
      example: "announcement"
    ).missed(),
    Field(
      "collapseKey", .string({ $0.collapseKey }, { $0.collapseKey = $1 }), role: .collapse,
      apns: [.header("apns-collapse-id")], fcm: [.at("message.android.collapse_key")],
      doc: "Notifications with the same key are merged.", rule: "at most 64 bytes", example: "room-1"),
    Field(
      "timeToLive", seconds(.integer({ $0.timeToLive }, { $0.timeToLive = $1 })), role: .expiration,
      fcm: [.at("message.android.ttl", .seconds)],
      doc: "How long the push is stored for a device that is away, in seconds: 0 to 2419200 (28 days).",
      rule: "on iOS the time when it ends, when the clock is known", example: 3600
    ).carriedOtherwise(on: .ios) { $0.now != nil },
    .derived(
      "expiration", .derivedInteger(at: { expiration($0.pointee.timeToLive, $1.pointee.now) }),
      apns: [.header("apns-expiration")], doc: "When APNs gives up.",
      rule: "now and timeToLive"),
    Field(
      "silent", .boolean({ $0.silent }, { $0.silent = $1 }), role: .silent, doc: "Only data, nothing shown.",
      rule: "true of itself without title, body and localization key", example: true
    ).rowTest(
      needs: ["title": "t", "type": "unread"],
      affects: [
        "aps", "header apns-push-type", "header apns-priority", "message.android.notification",
      ]),
    .derived(
      "content available", .derivedBoolean(at: { isSilent($0) && !$1.pointee.has(voipOption) }),
      apns: [.at("aps.content-available", .flag)], doc: "Wakes the app.", rule: "when silent"),
    .derived(
      "push type",
      .derivedString(at: { $1.pointee.has(voipOption) ? "voip" : isSilent($0) ? "background" : "alert" }),
      apns: [.header("apns-push-type")], doc: "How the device treats the push.",
      rule: "voip for ios-voip tokens, background when silent"),
    .derived(
      "urgency", .derivedInteger(at: { isSilent($0) && !$1.pointee.has(voipOption) ? 5 : 10 }),
      apns: [.header("apns-priority")], doc: "How urgent delivery is.", rule: "5 when silent"),
  ]

  /// The arguments of the localized text; their list is written without making one.
  private static let arguments: FieldAccess<Message> = {
    var access = FieldAccess<Message>.strings({ $0.locArgs }, { $0.locArgs = $1 }, wire: { $0.arguments })
    #if !_pointerBitWidth(_32)
      access.emit = { message, _, key, writer in
        guard message.pointee.locArgs != nil || message.pointee.sender != nil else { return }
        writer.key(key)
        writeArguments(message, &writer)
      }
      access.emitText = { message, _, key, writer in
        guard message.pointee.locArgs != nil || message.pointee.sender != nil else { return }
        writer.key(key)
        let start = writer.mark()
        writeArguments(message, &writer)
        writer.quote(since: start)
      }
    #endif
    return access
  }()

  #if !_pointerBitWidth(_32)
    /// Writes ``Message/arguments``.
    private static func writeArguments(_ message: Lent<Message>, _ writer: inout JSONWriter) {
      writer.beginArray()
      if let arguments = message.pointee.locArgs {
        for argument in arguments { writer.string(argument) }
      } else {
        if let sender = message.pointee.sender { writer.string(sender) }
        if let content = message.pointee.content { writer.string(content) }
      }
      writer.endArray()
    }
  #endif

  /// Seconds within what FCM takes.
  private static func seconds(_ number: FieldAccess<Message>) -> FieldAccess<Message> {
    var access = number
    let take = access.take
    access.take = { message, value in
      guard let number = value.int, (0...2_419_200).contains(number) else {
        return "whole seconds from 0 to 2419200 (28 days)"
      }
      return take(&message, value)
    }
    access.direct = .seconds
    return access
  }

  /// The rows of the literal legacy shape; every value has its own JSON type.
  static let legacyFields: [Field<Message>] = [
    Field(
      "collapseKey", .string({ $0.collapseKey }, { $0.collapseKey = $1 }), fcm: [.at("collapseKey")],
      doc: "Notifications with the same key are merged."),
    Field(
      "timeToLive", .integer({ $0.timeToLive }, { $0.timeToLive = $1 }), fcm: [.at("timeToLive")],
      doc: "Seconds the push is stored."),
    legacy("title", .string({ $0.title }, { $0.title = $1 })), legacy("body", .string({ $0.body }, { $0.body = $1 })),
    legacy("icon", .string({ $0.icon }, { $0.icon = $1 })),
    legacy("body_loc_key", .string({ $0.locKey }, { $0.locKey = $1 }, wire: { $0.key })),
    legacy("body_loc_args", .strings({ $0.locArgs }, { $0.locArgs = $1 }, wire: { $0.arguments })),
    legacy("badge", .integer({ $0.badge }, { $0.badge = $1 })),
    legacy(
      "click_action",
      .string({ $0.clickAction }, { $0.clickAction = $1 }, wire: { $0.clickAction ?? clickActionDefault })),
    Field(
      "loc-key", .string({ $0.locKey }, { $0.locKey = $1 }, wire: { $0.key }), fcm: [.at("data.loc-key")],
      doc: "The localization key."),
    Field(
      "loc-args", .strings({ $0.locArgs }, { $0.locArgs = $1 }, wire: { $0.arguments }), fcm: [.at("data.loc-args")],
      doc: "The arguments of the localized text."),
    Field(
      "type", .string({ $0.type }, { $0.type = $1 }, wire: { $0.classification }), fcm: [.at("data.type")],
      doc: "The classification."),
    Field(
      "payload", .object({ $0.message }, { $0.message = $1 }), fcm: [.at("data.payload")],
      doc: "The full message object."),
  ]

  private static func legacy(_ name: String, _ access: FieldAccess<Message>) -> Field<Message> {
    Field(
      name, access, fcm: [Slot.at("notification.\(name)").when("not silent") { message, _ in !message.isSilent }],
      doc: "As in the FCM v1 shape.")
  }
}
