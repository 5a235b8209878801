#if !_pointerBitWidth(_32)
  package import PushPayload
  internal import WireJSON

  /// What the rules want to know of a value that a contract writes at one path of a request: found out once for each row, so
  /// that a value is judged when it is written and the request is not read again.
  ///
  /// Only what most messages have is known here. A value at any other path, and one in any other form, is ``unknown``, and
  /// the request is then read.
  package struct WrittenSlot: Sendable {
    /// The forms in which nothing is to be said of a value; a value in another form is not judged here.
    enum Form: Sendable {
      /// Not judged here.
      case unknown
      /// Any value.
      case any
      /// Any value but `null`.
      case notNull
      /// A string.
      case string
      /// A string with a character in it.
      case text
      /// `true` or `false`.
      case boolean
      /// The number 1.
      case one
      /// A whole number of at most nine digits, 0 or more.
      case count
      /// An array of strings.
      case strings
      /// A string out of a list.
      case choice([[UInt8]])
      /// A whole number of seconds that FCM takes as the time to live.
      case timeToLive
      /// An address with a host, `http` or `https`.
      case address
      /// `#` and six hexadecimal digits.
      case color
      /// A sound without a file type, or of a type that iOS plays.
      case appleSound
      /// A resource of an Android app; another name is a finding.
      case icon, sound
    }

    let form: Form
    /// What is known once it is written.
    let facts: UInt32

    init(_ form: Form, _ facts: UInt32 = 0) { (self.form, self.facts) = (form, facts) }

    /// A value that is not judged when it is written.
    private static let unknown = WrittenSlot(.unknown)
    /// A value in a string, in which the rules do not look.
    package static let inText = WrittenSlot(.any)

    /// What the rules want to know of a value at a path of a request that a contract writes.
    package init(_ platform: Platform, _ path: [String]) {
      switch platform {
      case .ios: self = WrittenSlot.apple(path)
      case .android: self = WrittenSlot.android(path)
      }
    }

    // MARK: APNs

    private static func apple(_ path: [String]) -> WrittenSlot {
      guard path[0] == "aps" else {
        // What is beside aps is the app's own, also below.
        if path.count > 1 { return WrittenSlot(.notNull) }
        return RuleCheck.apsOnlyKeys.index(of: path[0]) != nil || path[0] == "mdm" ? unknown : WrittenSlot(.notNull)
      }
      switch path.count {
      case 2: return apple(aps: path[1])
      case 3 where path[1] == "alert": return apple(alert: path[2])
      default: return unknown
      }
    }

    private static func apple(aps name: String) -> WrittenSlot {
      switch name {
      case "alert": WrittenSlot(.text, WrittenFacts.alertText)
      case "badge": WrittenSlot(.count)
      case "sound": WrittenSlot(.appleSound)
      case "thread-id", "category", "target-content-id", "filter-criteria": WrittenSlot(.string)
      case "content-available", "mutable-content": WrittenSlot(.one)
      case "interruption-level":
        // Beside a sound the level passive is a finding.
        choice(APS.schema, name, except: "passive")
      default: unknown
      }
    }

    private static func apple(alert name: String) -> WrittenSlot {
      switch name {
      case "title": WrittenSlot(.text, WrittenFacts.alertText | WrittenFacts.title)
      case "title-loc-key": WrittenSlot(.text, WrittenFacts.alertText | WrittenFacts.title.key)
      case "title-loc-args": WrittenSlot(.strings, WrittenFacts.title.arguments)
      case "subtitle": WrittenSlot(.text, WrittenFacts.alertText | WrittenFacts.subtitle)
      case "subtitle-loc-key": WrittenSlot(.text, WrittenFacts.alertText | WrittenFacts.subtitle.key)
      case "subtitle-loc-args": WrittenSlot(.strings, WrittenFacts.subtitle.arguments)
      case "body": WrittenSlot(.text, WrittenFacts.alertText | WrittenFacts.body)
      case "loc-key": WrittenSlot(.text, WrittenFacts.alertText | WrittenFacts.body.key)
      case "loc-args": WrittenSlot(.strings, WrittenFacts.body.arguments)
      case "launch-image": WrittenSlot(.string)
      default: unknown
      }
    }

    // MARK: FCM

    private static func android(_ path: [String]) -> WrittenSlot {
      guard path.count > 2, path[0] == "message" else { return unknown }
      switch (path[1], path.count) {
      case ("data", 3):
        return FCMNames.reservation(of: path[2]) == .none ? WrittenSlot(.string, WrittenFacts.effect) : unknown
      case ("notification", 3):
        switch path[2] {
        case "title", "body": return WrittenSlot(.string, WrittenFacts.effect)
        case "image": return WrittenSlot(.address, WrittenFacts.effect)
        default: return unknown
        }
      case ("android", 3):
        switch path[2] {
        case "collapse_key", "restricted_package_name": return WrittenSlot(.string)
        case "priority": return choice(FCMAndroidConfig.schema, path[2])
        case "ttl": return WrittenSlot(.timeToLive)
        case "direct_boot_ok": return WrittenSlot(.boolean)
        default: return unknown
        }
      case ("android", 4) where path[2] == "notification": return android(notification: path[3])
      default: return unknown
      }
    }

    private static func android(notification name: String) -> WrittenSlot {
      let effect = WrittenFacts.effect
      switch name {
      case "title": return WrittenSlot(.text, effect | WrittenFacts.title)
      case "title_loc_key": return WrittenSlot(.text, effect | WrittenFacts.title.key)
      case "title_loc_args": return WrittenSlot(.strings, effect | WrittenFacts.title.arguments)
      case "body": return WrittenSlot(.text, effect | WrittenFacts.body)
      case "body_loc_key": return WrittenSlot(.text, effect | WrittenFacts.body.key)
      case "body_loc_args": return WrittenSlot(.strings, effect | WrittenFacts.body.arguments)
      case "tag", "click_action", "channel_id", "ticker": return WrittenSlot(.string, effect)
      case "icon": return WrittenSlot(.icon, effect)
      case "sound": return WrittenSlot(.sound, effect)
      case "color": return WrittenSlot(.color, effect)
      case "image": return WrittenSlot(.address, effect)
      case "notification_count": return WrittenSlot(.count, effect)
      case "notification_priority", "visibility": return choice(FCMAndroidNotification.schema, name, effect)
      case "sticky", "local_only", "default_sound", "default_vibrate_timings", "default_light_settings":
        return WrittenSlot(.boolean, effect)
      default: return unknown
      }
    }

    /// One of the documented values of a member.
    private static func choice(
      _ schema: PayloadSchema, _ name: String, _ facts: UInt32 = 0, except: String? = nil
    ) -> WrittenSlot {
      guard case .enumeration(let values, let anyCase)? = schema.field(name)?.type else { return unknown }
      // The names in lower case are known as well, which are what Android's documentation has.
      let all = values + (anyCase ? values.map { $0.lowercased() } : [])
      return WrittenSlot(.choice(all.filter { $0 != except }.map { Array($0.utf8) }), facts)
    }
  }
#endif
