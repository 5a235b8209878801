internal import Basics
import PushPayload
import WireJSON

/// The rows of the `basic` template, which every other template shares.
extension Adobe {
  static let basicFields: [Field<Message>] = [
    Field(
      "adb_version", .string({ $0.version }, { $0.version = $1 }),
      apns: [version("adb_version", iosVersionDefault)],
      fcm: [version("message.data.adb_version", androidVersionDefault)],
      doc: "The version of the payload.", rule: "passed through; 1 on Android and 1.0 on iOS unless set", example: "2"),
    Field(
      "adb_template_type",
      template(),
      apns: [any("adb_template_type", template())], fcm: [any("message.data.adb_template_type", template())],
      doc: "Which keys there are and how the notification is drawn.",
      rule: "basic unless set; basic, car, timer, input, zb, rate, cat or icon", example: "car"
    ).rowTest(
      other: "basic", needs: ["adb_items": carouselExample, "adb_car_layout": "default"], affects: ["adb_items"]),
    Field(
      "adb_title", .string({ $0.title }, { $0.title = $1 }), role: .title, apns: [.at("aps.alert.title")],
      fcm: [.at("message.data.adb_title")], doc: "The title.",
      rule: "iOS needs it for icon too; about 35 characters on Android, 70 on iOS", example: "game request"
    ).required(.when("for every template but icon", needsText)).alias("title"),
    Field(
      "adb_body", .string({ $0.body }, { $0.body = $1 }), role: .body,
      apns: [.at("aps.alert.body", alsoRead: ["aps.alert"])], fcm: [.at("message.data.adb_body")],
      doc: "The text of the collapsed notification.",
      rule: "iOS needs it for icon too; about 110 characters on Android, 600 on iOS", example: "shall we play a game?"
    ).required(.when("for every template but icon", needsText)).alias("body"),
    Field(
      "adb_body_ex", .string({ $0.expandedBody }, { $0.expandedBody = $1 }), apns: [.at("adb_body_ex")],
      fcm: [.at("message.data.adb_body_ex")], doc: "The text of the expanded notification.",
      rule: "on iOS the body unless set, on Android none", example: "Bob wants to play a game of chess with you."),
    Field(
      "adb_image", .string({ $0.image }, { $0.image = $1 }), role: .image, apns: [.at("adb_media")],
      fcm: [.at("message.data.adb_image")], doc: "The address of an image for the expanded notification.",
      rule: "PNG, JPG or WebP; https on Android", example: "https://pictureofchess.com/board.png"
    ).alias("adb_media"),
    Field(
      "adb_uri", .string({ $0.uri }, { $0.uri = $1 }), role: .link, apns: [.at("adb_uri")],
      fcm: [.at("message.data.adb_uri")], doc: "What a tap opens.", rule: "with adb_a_type on Android",
      example: "https://chess.com/games"
    ).rowTest(needs: ["adb_a_type": "OPENAPP"]),
    Field(
      "adb_a_type",
      choice(
        LinkType.readable.map { $0.rawValue },
        .string({ $0.linkType?.rawValue }, { $0.linkType = LinkType(rawValue: $1) })),
      fcm: [
        any("message.data.adb_a_type", .string({ $0.linkType?.rawValue }, { $0.linkType = LinkType(rawValue: $1) }))
      ],
      doc: "What kind of link adb_uri is.", rule: "WEBURL, DEEPLINK, DISMISS, OPENAPP or NONE", example: "OPENAPP"
    ).required(.byRule("on Android with adb_uri")),
    Field(
      "adb_act", list(Button.list, { $0.pointee.buttons }, { $0.buttons = $1 }), role: .actions,
      fcm: [unread("message.data.adb_act", Button.list, direct: .own, { $0.pointee.buttons })],
      doc: "The buttons: label, uri and type of each.", rule: "one to three; two with “remind later”; drawn with basic",
      example: [["label": "accept", "uri": "https://chess.com/games/552", "type": "DEEPLINK"]]),
    color(
      "adb_clr_title", "The title's color; on iOS that of adb_title_ex.",
      .string({ $0.titleColor }, { $0.titleColor = $1 })),
    color(
      "adb_clr_body", "The color of both texts; on iOS of adb_body_ex.",
      .string({ $0.bodyColor }, { $0.bodyColor = $1 })),
    color("adb_clr_bg", "The background.", .string({ $0.backgroundColor }, { $0.backgroundColor = $1 })),
    Field(
      "adb_n_count", count(bits: 32, .integer({ $0.badge }, { $0.badge = $1 })), role: .badge,
      apns: [Slot.at("aps.badge", lenient: true).carrying(.integer({ $0.badge }, { $0.badge = $1 }))],
      fcm: [.at("message.data.adb_n_count", .text)], doc: "The number on the app's icon; 0 removes it.",
      rule: "a number on iOS; numeric text is understood", example: 1
    ).alias("badge"),
  ]

  static let androidFields: [Field<Message>] = [
    android(
      "adb_sound", "A sound in res/raw: its name without extension.", "mp3, wav or ogg", "bingBong", .sound,
      .string({ $0.androidSound }, { $0.androidSound = $1 })
    ).counterpart { $0.sound != nil },
    android(
      "adb_icon", "A small icon: a drawable's name.", "used without adb_small_icon", "ic_queen", nil,
      .string({ $0.legacyIcon }, { $0.legacyIcon = $1 })),
    android(
      "adb_small_icon", "The small icon: a drawable's name.", "wins over adb_icon", "ic_knight", .icon,
      .string({ $0.smallIcon }, { $0.smallIcon = $1 })),
    color("adb_clr_icon", "The small icon's color.", onIOS: false, .string({ $0.iconColor }, { $0.iconColor = $1 })),
    android(
      "adb_large_icon", "The large icon: an address or a drawable's name.", "an https address",
      "https://pictureofchess.com/logo.png", .largeIcon, .string({ $0.largeIcon }, { $0.largeIcon = $1 })),
    Field(
      "adb_rem_txt", .string({ $0.remindText }, { $0.remindText = $1 }), fcm: [.at("message.data.adb_rem_txt")],
      doc: "The label of the “remind later” button.", rule: "with adb_rem_ts or adb_rem_sec; drawn with basic",
      example: "Remind me"
    ).missed().rowTest(other: "Later", needs: ["adb_rem_txt": "Remind me", "adb_rem_sec": 3600]),
    Field(
      "adb_rem_ts", count(bits: 64, .integer({ $0.remindTime }, { $0.remindTime = $1 })),
      fcm: [.at("message.data.adb_rem_ts", .text)], doc: "When to remind, in seconds since 1970.",
      rule: "with adb_rem_txt", example: 1_703_462_400
    ).rowTest(needs: ["adb_rem_txt": "Remind me", "adb_rem_sec": 3600]),
    Field(
      "adb_rem_sec", count(bits: 32, .integer({ $0.remindSeconds }, { $0.remindSeconds = $1 })),
      fcm: [.at("message.data.adb_rem_sec", .text)], doc: "After how many seconds to remind.",
      rule: "with adb_rem_txt; wins over adb_rem_ts", example: 3600
    ).rowTest(needs: ["adb_rem_txt": "Remind me", "adb_rem_ts": 1_703_462_400]),
    android(
      "adb_channel_id", "The notification channel.", "AEPSDKPushChannel, named General Notifications, unless set",
      "a3b80ef", .channel, .string({ $0.channelID }, { $0.channelID = $1 })),
    Field(
      "adb_n_priority",
      .string({ $0.priority?.rawValue }, { $0.priority = Priority(rawValue: $1) }),
      role: .priority,
      fcm: [
        any("message.data.adb_n_priority", .string({ $0.priority?.rawValue }, { $0.priority = Priority(rawValue: $1) }))
      ],
      doc: "How prominent the notification is: importance from Android 8.0, priority before.",
      rule: "PRIORITY_MIN, PRIORITY_LOW, PRIORITY_DEFAULT, PRIORITY_HIGH or PRIORITY_MAX", example: "PRIORITY_LOW"),
    Field(
      "adb_n_visibility",
      .string({ $0.visibility?.rawValue }, { $0.visibility = Visibility(rawValue: $1) }),
      fcm: [
        any(
          "message.data.adb_n_visibility",
          .string({ $0.visibility?.rawValue }, { $0.visibility = Visibility(rawValue: $1) }))
      ],
      doc: "What the lock screen shows.", rule: "PRIVATE, PUBLIC or SECRET", example: "PUBLIC"),
    android(
      "adb_tag", "A later notification with the same tag replaces the earlier one.", "", "24", .collapse,
      .string({ $0.tag }, { $0.tag = $1 })),
    Field(
      "adb_sticky", sticky(), fcm: [.at("message.data.adb_sticky", .text)],
      doc: "The notification stays when it is tapped.", rule: "\"true\" or \"false\"", example: true),
    android(
      "adb_ticker", "The text for accessibility services.", "", "Play a game?", nil,
      .string({ $0.ticker }, { $0.ticker = $1 })),
    Field(
      "collapse_key", .string({ $0.collapseKey }, { $0.collapseKey = $1 }), fcm: [.at("message.android.collapse_key")],
      doc: "Of messages that wait for a device FCM keeps the last one.", rule: "Android only", example: "new message"),
  ]

  static let iosFields: [Field<Message>] = [
    Field(
      "subtitle", .string({ $0.subtitle }, { $0.subtitle = $1 }), role: .subtitle, apns: [.at("aps.alert.subtitle")],
      doc: "The second line.", rule: "iOS only", example: "Picture this"),
    Field(
      "sound", .string({ $0.sound }, { $0.sound = $1 }), role: .sound, apns: [.at("aps.sound")],
      doc: "A sound file of the app with its extension, or default.", rule: "iOS only; aiff, wav or caf",
      example: "default"
    ).counterpart { $0.androidSound != nil },
    Field(
      "thread_id", .string({ $0.threadID }, { $0.threadID = $1 }), role: .thread, apns: [.at("aps.thread-id")],
      doc: "Notifications of one thread are grouped.", rule: "iOS only", example: "games"),
    Field(
      "adb_title_ex", .string({ $0.expandedTitle }, { $0.expandedTitle = $1 }), apns: [.at("adb_title_ex")],
      doc: "The title of the expanded notification.", rule: "iOS only; the title unless set",
      example: "Summer Beach Vibes Await"
    ).missed(),
  ]

  static let fixedFields: [Field<Message>] = [
    .fixed(
      1, apns: [.at("aps.mutable-content")],
      doc: "Adobe's service extension prepares the notification before it is shown."),
    .fixed(.string(category), apns: [.at("aps.category")], doc: "Selects Adobe's content extension."),
    .fixed("alert", apns: [.header("apns-push-type")], doc: "The push is shown to a person."),
    .fixed(10, apns: [.header("apns-priority")], doc: "Immediate delivery."),
  ]

  /// A row of icons is drawn without texts, and a push of Journey Optimizer with either of them.
  private static let needsText: @Sendable (Message) -> Bool = { message in
    guard message.template?.isJourneyOptimizer != true else { return message.title == nil && message.body == nil }
    return message.template != .icons
  }
}

// MARK: Kinds of rows

extension Adobe {
  /// A string on Android only.
  static func android(
    _ name: String, _ doc: String, _ rule: String, _ example: JSONValue, _ role: FieldRole? = nil,
    _ access: FieldAccess<Message>
  ) -> Field<Message> {
    Field(
      name, access, role: role, fcm: [.at("message.data.\(name)")], doc: doc,
      rule: rule.isEmpty ? "Android only" : "Android only; \(rule)", example: example)
  }

  /// The version at a path, with that platform's default.
  private static func version(_ path: String, _ version: String) -> Slot<Message> {
    .at(path).carrying(.string({ $0.version }, { $0.version = $1 }).writing { $0.pointee.version ?? version })
  }

  /// The template, known or not.
  private static func template() -> FieldAccess<Message> {
    .string(
      { $0.template?.rawValue }, { $0.template = Template(rawValue: $1) }, wire: { $0.template?.rawValue ?? "basic" })
  }

  /// One of a few texts: strict when a message is made.
  private static func choice(_ allowed: [String], _ text: FieldAccess<Message>) -> FieldAccess<Message> {
    var access = text
    let takeAny = text.take
    access.take = { message, value in
      guard let text = value.string, allowed.contains(where: { $0.hasSameBytes(as: text) }) else {
        return Mismatch(allowed.dropLast().joined(separator: ", ") + " or " + (allowed.last ?? ""))
      }
      return takeAny(&message, value)
    }
    #if !_pointerBitWidth(_32)
      let keys = JSONKeyTable(allowed.compactMap { JSONKey(keeping: $0) })
      if let takeAnyNode = text.takeNode {
        access.takeNode = { message, document, node in
          document.index(of: node, in: keys) != nil && takeAnyNode(&message, document, node)
        }
      }
    #endif
    return access
  }

  /// A slot that reads any text, as the library on the device does; ``read`` says what it makes of it.
  static func any(_ path: String, _ access: FieldAccess<Message>) -> Slot<Message> { .at(path).carrying(access) }

  /// A whole number, also as text; on the device the text is parsed strictly.
  ///
  /// - Parameter bits: the size of the integer that the library reads; beyond it a number is absent there.
  static func count(bits: Int, _ number: FieldAccess<Message>) -> FieldAccess<Message> {
    var access = number
    let take = number.take
    access.take = { message, value in
      guard let number = value.int ?? value.string.flatMap({ WholeNumber($0) }) else { return "a whole number" }
      return take(&message, .number(JSONNumber(number)))
    }
    guard bits == 32 else {
      access.takeText = { message, value in
        guard let number = value.string.flatMap({ KotlinNumber.long($0) }).flatMap({ WholeNumber(exactly: $0) }) else {
          return "an integer in a string"
        }
        return take(&message, .number(JSONNumber(number)))
      }
      access.directText = .digits
      return access
    }
    // What the library reads as a Java int is absent beyond it.
    access.takeText = { message, value in
      guard let number = value.string.flatMap({ KotlinNumber.int($0) }) else { return "a 32-bit integer in a string" }
      return take(&message, .number(JSONNumber(number)))
    }
    access.directText = .fewDigits
    return access
  }

  /// Seconds, also as text: decimals count on iOS.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  static func seconds(
    _ get: @escaping @Sendable (Message) -> Double?, _ set: @escaping @Sendable (inout Message, Double) -> Void
  ) -> FieldAccess<Message> {
    var access = FieldAccess<Message>.number({ get($0).flatMap(JSONNumber.init(seconds:)) }) { message, number in
      if let seconds = number.double { set(&message, seconds) }
    }
    access.take = { message, value in
      let number = value.double ?? value.string.flatMap { Double($0) }
      guard let number, number.isFinite else { return "a number of seconds" }
      set(&message, number)
      return nil
    }
    // What is no finite number counts on iOS, too: ``crashesExtension``.
    access.takeText = { message, value in
      guard let number = value.string.flatMap({ Double($0) }) else { return "seconds in a string" }
      set(&message, number)
      return nil
    }
    access.directText = .digits
    return access
  }

  /// The same on Android, whose library reads whole seconds only.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  static func wholeSeconds(
    _ path: String, _ get: @escaping @Sendable (Message) -> Double?,
    _ set: @escaping @Sendable (inout Message, Double) -> Void
  ) -> Slot<Message> {
    var access = seconds(get, set)
    access.takeText = { message, value in
      guard let number = value.string.flatMap({ KotlinNumber.long($0) }) else { return "whole seconds in a string" }
      set(&message, Double(number))
      return nil
    }
    access.directText = .digits
    return Slot.at(path, .text).carrying(access)
  }

  /// `adb_sticky`: a boolean, also as text; on the device everything but `true`, in any case, is false.
  private static func sticky() -> FieldAccess<Message> {
    var access = FieldAccess<Message>.boolean({ $0.sticky }, { $0.sticky = $1 })
    let takeText: FieldAccess<Message>.Take = { message, value in
      guard let text = value.string else { return Mismatch(FieldType.string.expectation) }
      message.sticky = text.utf8.elementsEqual("true".utf8) { $0 | 0x20 == $1 }
      return nil
    }
    access.take = { message, value in
      if let flag = value.bool {
        message.sticky = flag
        return nil
      }
      guard let text = value.string else { return "true or false" }
      if text != "true", text != "false" { message.stickyText = text }
      return takeText(&message, value)
    }
    access.takeText = takeText
    access.directText = .flagText
    return access
  }

  /// A color: six digits, or eight in the order of each platform.
  static func color(
    _ name: String, _ doc: String, onIOS: Bool = true, template: String = "", isNeeded: Bool = false,
    _ access: FieldAccess<Message>
  ) -> Field<Message> {
    let takeText = access.take
    var android = access.written { Color.wire($0, .android) }
    android.take = { message, value in
      guard let text = value.string, let number = AndroidColor.parse("#" + text) else {
        return "six hex digits, or eight, alpha first, without #"
      }
      // Android takes a sign for a digit.
      return takeText(&message, Color(argb: text) == nil ? .string(Color(number).argb) : value)
    }
    var ios = access.written { Color.wire($0, .ios) }
    ios.take = { message, value in
      guard let text = value.string, let color = Color(rgba: Color.trimmedDigits(text)) else {
        return "six hex digits, or eight, alpha last"
      }
      let digits = Color.trimmedDigits(text)
      return takeText(&message, .string(digits.utf8.count == 6 ? digits : color.argb))
    }
    // Six digits are taken as they are.
    (android.direct, ios.direct) = (.color, .color)
    let rule = (onIOS ? "" : "Android only; ") + (template.isEmpty ? "" : "for \(template); ")
    return Field(
      name, access, apns: onIOS ? [.at(name).carrying(ios)] : [], fcm: [.at("message.data.\(name)").carrying(android)],
      doc: doc, rule: rule + "hex digits; # removed", example: "00FF00"
    ).required(isNeeded ? .byRule("on Android for \(template)") : .optional).rowTest(other: "123456")
  }

  /// A list of small objects.
  static func list<Element>(
    _ kind: ListKind<Element>, _ get: @escaping @Sendable (Lent<Message>) -> [Element]?,
    _ set: @escaping @Sendable (inout Message, [Element]) -> Void
  ) -> FieldAccess<Message> {
    var access = FieldAccess<Message>.json(
      .array, isThere: { get($0) != nil },
      at: { get($0).map { .array($0.map { .object(kind.json($0, Optional.none)) }) } }
    ) { message, value in
      // The key's own type is a string that holds the list.
      let parsed = value.string.flatMap { try? JSON.parse($0) } ?? value
      guard case .array(let values) = parsed else { return Mismatch(kind.expectation) }
      do throws(Mismatch) { set(&message, try kind.elements(values)) } catch { return error }
      return nil
    }
    #if !_pointerBitWidth(_32)
      access.takeNode = { message, document, node in
        guard let elements = kind.elements(document, node) else { return false }
        set(&message, elements)
        return true
      }
    #endif
    return access
  }

  /// A slot of a list whose text is left to ``read``, since what is wrong with it does not make the key absent.
  ///
  /// - Parameter direct: how the text is taken where nothing needs to be said of the list.
  static func unread<Element>(
    _ path: String, _ kind: ListKind<Element>, direct: DirectForm = .absent,
    _ get: @escaping @Sendable (Lent<Message>) -> [Element]?
  ) -> Slot<Message> {
    var access = FieldAccess<Message>.json(
      .array, isThere: { get($0) != nil }, at: { get($0).map { .array($0.map { .object(kind.json($0, "")) }) } },
      { _, _ in Optional.none })
    access.takeText = { _, value in value.string == nil ? "JSON text in a string" : Optional.none }
    access.directText = direct
    #if !_pointerBitWidth(_32)
      if let write = kind.write {
        access.emitText = { message, _, key, writer in
          guard let elements = get(message) else { return }
          writer.key(key)
          let start = writer.mark()
          writer.beginArray()
          for element in elements { write(element, &writer) }
          writer.endArray()
          writer.quote(since: start)
        }
      }
    #endif
    return Slot.at(path, .text).carrying(access)
  }
}

extension JSONNumber {
  /// The shortest text of a number of seconds: whole ones without a fraction; nil for infinities and NaN.
  fileprivate init?(seconds: Double) {
    if let whole = WholeNumber(exactly: seconds) { self.init(whole) } else { self.init(seconds) }
  }
}
