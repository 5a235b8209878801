#if !(_pointerBitWidth(_32))
  internal import PushPayload

  /// What Push Kit takes as the value of a member.
  enum HuaweiForm: Sendable {
    case text
    case flag
    case number(ClosedRange<Int>)
    /// By what a later message replaces it.
    case collapseKey(ClosedRange<Int>)
    case one([String])
    /// A time to live, such as `86400s`.
    case seconds
    /// An https address.
    case address
    case object
    /// A list of so many elements at most.
    case list(Int)

    /// The rule of a value that has another form.
    var rule: RuleID { if case .collapseKey = self { .hmsCollapseKey } else { .hmsValue } }

    /// The value in words.
    var words: String {
      switch self {
      case .text: "a text"
      case .flag: "true or false"
      case .number(let range), .collapseKey(let range): "a whole number, \(range.lowerBound) to \(range.upperBound)"
      case .one(let names): names.joined(separator: ", ")
      case .seconds: "a text of seconds, \"1s\" to \"\(HuaweiRequest.ttlMax)s\""
      case .address: "an https address"
      case .object: "an object"
      case .list(let most): "a list of at most \(most)"
      }
    }

    /// Whether a text is a time to live; the letter may be left out.
    static func isTTL(_ text: String) -> Bool {
      let digits = text.utf8.last.map { $0 | 0x20 == UInt8(ascii: "s") } ?? false ? text.dropLast() : text[...]
      return Int64(digits).map { (1...HuaweiRequest.ttlMax).contains($0) } ?? false
    }
  }

  /// The documented members of one object of a request to Push Kit.
  ///
  /// Source: Huawei, "Sending Downlink Messages": the tables of parameters.
  struct HuaweiForms: Sendable {
    private let forms: [String: HuaweiForm]

    private init(_ forms: [String: HuaweiForm]) { self.forms = forms }

    subscript(name: String) -> HuaweiForm? { forms[name] }

    private static let listMax = 100

    static let request = HuaweiForms(["validate_only": .flag, "message": .object])

    static let message = HuaweiForms([
      "data": .text, "notification": .object, "android": .object, "apns": .object, "webpush": .object,
      "token": .list(HuaweiRequest.tokensMax), "topic": .text, "condition": .text,
    ])

    static let shared = HuaweiForms(["title": .text, "body": .text, "image": .address])

    static let android = HuaweiForms([
      "collapse_key": .collapseKey(HuaweiRequest.collapseKeys), "urgency": .one(["HIGH", "NORMAL"]), "category": .text,
      "ttl": .seconds, "bi_tag": .text, "fast_app_target": .number(1...2), "receipt_id": .text, "data": .text,
      "target_user_type": .number(0...2), "notification": .object,
    ])

    static let notification = HuaweiForms([
      "title": .text, "body": .text, "icon": .text, "color": .text, "sound": .text, "default_sound": .flag,
      "tag": .text,
      "click_action": .object, "body_loc_key": .text, "body_loc_args": .list(listMax), "title_loc_key": .text,
      "title_loc_args": .list(listMax), "multi_lang_key": .object, "channel_id": .text, "notify_summary": .text,
      "image": .address, "style": .number(0...3), "big_title": .text, "big_body": .text,
      "auto_clear": .number(0...Int(Int32.max)), "auto_cancel": .flag,
      "notify_id": .number(Int(Int32.min)...Int(Int32.max)),
      "group": .text, "badge": .object, "ticker": .text, "when": .text, "local_only": .flag,
      "importance": .one(["LOW", "NORMAL", "HIGH"]), "use_default_vibrate": .flag, "use_default_light": .flag,
      "vibrate_config": .list(10), "visibility": .one(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
      "light_settings": .object, "foreground_show": .flag, "inbox_content": .list(5), "buttons": .list(3),
      "profile_id": .text,
    ])

    static let click = HuaweiForms([
      "type": .number(1...3), "intent": .text, "url": .text, "action": .text, "rich_resource": .text,
    ])
  }
#endif
