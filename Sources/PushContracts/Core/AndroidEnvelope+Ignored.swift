import PushPayload
import WireJSON

/// A value of a notification in a flat map that Firebase's client leaves out.
struct IgnoredValue {
  /// The key in the flat map.
  let key: String
  /// What the client expects.
  let expectation: String
  /// True for a value at which the client ends with an exception, before it shows anything.
  var endsClient = false
}

extension AndroidEnvelope {
  /// What Firebase's client expects of the value for a name of a notification; nil for a value that it takes.
  ///
  /// An empty text is none.
  /// Source: firebase-messaging for Android, `NotificationParams`.
  static func expectation(of text: String, in name: String) -> String? {
    guard !text.isEmpty else { return nil }
    switch name {
    case "notification_count":
      return KotlinNumber.int(text).map { $0 >= 0 } ?? false ? nil : "a whole number of 0 or more"
    case "notification_priority": return isIn(-2...2, text) ? nil : "a whole number from -2 to 2"
    case "visibility": return isIn(-1...1, text) ? nil : "a whole number from -1 to 1"
    case "sticky", "local_only", "default_sound", "default_vibrate_timings", "default_light_settings":
      return isTrue(text) || text == "0" || text.lowercased() == "false" ? nil : "1, true, 0 or false"
    case "event_time": return KotlinNumber.long(text) != nil ? nil : "milliseconds since 1970"
    case "vibrate_timings":
      return list(text).map { $0.count > 1 } ?? false ? nil : "a JSON array of at least two numbers"
    case "light_settings": return isLight(text) ? nil : "a JSON array of a color, other than black, and two durations"
    case "color": return AndroidColor.parse(text) != nil ? nil : "a color such as #3700B3"
    default: return nil
    }
  }

  /// True for light settings whose color is the empty text: of it Android's parser throws what the client does not catch.
  ///
  /// Source: firebase-messaging for Android, `NotificationParams.getLightSettings`; Android, `Color.parseColor`.
  static func endsClient(_ text: String, in name: String) -> Bool {
    guard name == "light_settings", let parts = list(text), parts.count == 3 else { return false }
    return parts[0].androidText.isEmpty
  }

  private static func isIn(_ range: ClosedRange<Int32>, _ text: String) -> Bool {
    KotlinNumber.int(text).map { range.contains($0) } ?? false
  }

  private static func list(_ text: String) -> [JSONValue]? { (try? AndroidJSON.array(text))?.elements }

  /// A color, the milliseconds on and those off.
  ///
  /// The client leaves opaque black out, which it takes for transparent.
  private static func isLight(_ text: String) -> Bool {
    guard let parts = list(text), parts.count == 3 else { return false }
    return AndroidColor.parse(parts[0].androidText).map { $0 != AndroidColor.black } ?? false
  }
}

extension Report {
  /// Says which values of a drawn notification Firebase's client leaves out.
  mutating func addIgnored(_ envelope: AndroidEnvelope, _ block: NotificationBlock, received root: JSONObject) {
    for value in envelope.ignored {
      let field = FieldPath(members: value.key)
      guard !value.endsClient else {
        add(
          rule: "device-shows-nothing", severity: .error, field: field,
          message: "Android shows nothing: \(FirebaseDevice.ending); expected \(value.expectation)")
        continue
      }
      add(
        rule: "fcm-value-ignored", severity: .warning, field: field,
        message: "expected \(value.expectation); Firebase's client leaves the value out")
    }
    for name in ["icon", "sound"] {
      guard let text = block[name]?.string, !FCMAndroidNotification.isResourceName(text) else { continue }
      let key = root.first { key, value in
        value.string == text && AndroidEnvelope.notificationKey(key)?.utf8.starts(with: name.utf8) == true
      }?.key
      findings.append(Finding.ignored(name, at: key.map { FieldPath(members: $0) }))
    }
    guard let image = block.lostImage else { return }
    let key = ["gcm.n.image", "gcm.notification.image"].first { root[$0] != nil }
    add(
      rule: "fcm-value-ignored", severity: .warning,
      field: key.map { FieldPath(members: $0) } ?? image,
      message: "expected a web address; Firebase's client draws no picture of it")
  }
}

extension Finding {
  /// What is said of the name of an icon or a sound that is none.
  ///
  /// - Parameter field: where it is; nil for a message to FCM.
  static func ignored(_ name: String, at field: FieldPath? = nil) -> Finding {
    Finding(
      rule: "fcm-value-ignored", severity: .warning,
      field: (field ?? FieldPath(members: "message", "android", "notification", name)).text,
      message:
        "Android \(name == "icon" ? "shows the app's own icon" : "plays the default sound"), as this names no resource of an app"
    )
  }
}
