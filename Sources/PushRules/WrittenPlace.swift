#if !_pointerBitWidth(_32)
  package import PushPayload
  internal import WireJSON

  /// What the rules want to know of a value that a contract writes at one path of a request: found out once for each row, so
  /// that a value is judged when it is written and the request is not read again.
  ///
  /// Only what most messages have is known here. A value at any other path, and one in any other form, is ``unknown``, and
  /// the request is then read.
  package struct WrittenPlace: Sendable {
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
    private static let unknown = WrittenPlace(.unknown)
    /// A value in a string, in which the rules do not look.
    package static let inText = WrittenPlace(.any)

    /// What the rules want to know of a value at a path of a request that a contract writes.
    package init(_ platform: Platform, _ path: [String]) {
      switch platform {
      case .ios: self = WrittenPlace.apple(path)
      case .android: self = WrittenPlace.android(path)
      }
    }

    // MARK: APNs

    private static func apple(_ path: [String]) -> WrittenPlace {
      guard path[0] == "aps" else {
        // What is beside aps is the app's own, also below.
        if path.count > 1 { return WrittenPlace(.notNull) }
        return RuleCheck.apsOnlyKeys.index(of: path[0]) != nil || path[0] == "mdm" ? unknown : WrittenPlace(.notNull)
      }
      switch path.count {
      case 2: return apple(aps: path[1])
      case 3 where path[1] == "alert": return apple(alert: path[2])
      default: return unknown
      }
    }

    private static func apple(aps name: String) -> WrittenPlace {
      switch name {
      case "alert": WrittenPlace(.text, WrittenFacts.alertText)
      case "badge": WrittenPlace(.count)
      case "sound": WrittenPlace(.appleSound)
      case "thread-id", "category", "target-content-id", "filter-criteria": WrittenPlace(.string)
      case "content-available", "mutable-content": WrittenPlace(.one)
      case "interruption-level":
        // Beside a sound the level passive is a finding.
        choice(APS.schema, name, except: "passive")
      default: unknown
      }
    }

    private static func apple(alert name: String) -> WrittenPlace {
      switch name {
      case "title": WrittenPlace(.text, WrittenFacts.alertText | WrittenFacts.title)
      case "title-loc-key": WrittenPlace(.text, WrittenFacts.alertText | WrittenFacts.title.key)
      case "title-loc-args": WrittenPlace(.strings, WrittenFacts.title.arguments)
      case "subtitle": WrittenPlace(.text, WrittenFacts.alertText | WrittenFacts.subtitle)
      case "subtitle-loc-key": WrittenPlace(.text, WrittenFacts.alertText | WrittenFacts.subtitle.key)
      case "subtitle-loc-args": WrittenPlace(.strings, WrittenFacts.subtitle.arguments)
      case "body": WrittenPlace(.text, WrittenFacts.alertText | WrittenFacts.body)
      case "loc-key": WrittenPlace(.text, WrittenFacts.alertText | WrittenFacts.body.key)
      case "loc-args": WrittenPlace(.strings, WrittenFacts.body.arguments)
      case "launch-image": WrittenPlace(.string)
      default: unknown
      }
    }

    // MARK: FCM

    private static func android(_ path: [String]) -> WrittenPlace {
      guard path.count > 2, path[0] == "message" else { return unknown }
      switch (path[1], path.count) {
      case ("data", 3):
        return FCMNames.reservation(of: path[2]) == .none ? WrittenPlace(.string, WrittenFacts.effect) : unknown
      case ("notification", 3):
        switch path[2] {
        case "title", "body": return WrittenPlace(.string, WrittenFacts.effect)
        case "image": return WrittenPlace(.address, WrittenFacts.effect)
        default: return unknown
        }
      case ("android", 3):
        switch path[2] {
        case "collapse_key", "restricted_package_name": return WrittenPlace(.string)
        case "priority": return choice(FCMAndroidConfig.schema, path[2])
        case "ttl": return WrittenPlace(.timeToLive)
        case "direct_boot_ok": return WrittenPlace(.boolean)
        default: return unknown
        }
      case ("android", 4) where path[2] == "notification": return android(notification: path[3])
      default: return unknown
      }
    }

    private static func android(notification name: String) -> WrittenPlace {
      let effect = WrittenFacts.effect
      switch name {
      case "title": return WrittenPlace(.text, effect | WrittenFacts.title)
      case "title_loc_key": return WrittenPlace(.text, effect | WrittenFacts.title.key)
      case "title_loc_args": return WrittenPlace(.strings, effect | WrittenFacts.title.arguments)
      case "body": return WrittenPlace(.text, effect | WrittenFacts.body)
      case "body_loc_key": return WrittenPlace(.text, effect | WrittenFacts.body.key)
      case "body_loc_args": return WrittenPlace(.strings, effect | WrittenFacts.body.arguments)
      case "tag", "click_action", "channel_id", "ticker": return WrittenPlace(.string, effect)
      case "icon": return WrittenPlace(.icon, effect)
      case "sound": return WrittenPlace(.sound, effect)
      case "color": return WrittenPlace(.color, effect)
      case "image": return WrittenPlace(.address, effect)
      case "notification_count": return WrittenPlace(.count, effect)
      case "notification_priority", "visibility": return choice(FCMAndroidNotification.schema, name, effect)
      case "sticky", "local_only", "default_sound", "default_vibrate_timings", "default_light_settings":
        return WrittenPlace(.boolean, effect)
      default: return unknown
      }
    }

    /// One of the documented values of a member.
    private static func choice(
      _ schema: PayloadSchema, _ name: String, _ facts: UInt32 = 0, except: String? = nil
    ) -> WrittenPlace {
      guard case .enumeration(let values, let anyCase)? = schema.field(name)?.type else { return unknown }
      // The names in lower case are known as well, which are what Android's documentation has.
      let all = values + (anyCase ? values.map { $0.lowercased() } : [])
      return WrittenPlace(.choice(all.filter { $0 != except }.map { Array($0.utf8) }), facts)
    }
  }
#endif
