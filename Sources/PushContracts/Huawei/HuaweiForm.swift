// The module for browsers is bounded in size, and nothing in it writes messages for push services.
#if !(_pointerBitWidth(_32))
  import PushPayload
  import WireJSON

  /// FCM's message for Android in the form that Push Kit has for it.
  ///
  /// Data are the JSON text of one object: that of `RemoteMessage.getData()`, which OneSignal's library reads as it reads the
  /// data of FCM.
  ///
  /// Sources: Huawei, "Sending Downlink Messages"; Firebase, REST `AndroidConfig`; OneSignal-Android-SDK,
  /// `OneSignalHmsEventBridge`.
  struct HuaweiForm {
    /// What is said of a collapse key that Push Kit does not take.
    static let collapseRule = "Push Kit takes a whole number, -1 to 100"

    /// The members of a notification that have the same name and the same values in both.
    private static let same = [
      "image", "color", "tag", "body_loc_key", "body_loc_args", "title_loc_key", "title_loc_args", "channel_id",
      "ticker",
      "default_sound",
    ]
    /// Those that have another name.
    private static let renamed = [
      ("event_time", "when"), ("default_vibrate_timings", "use_default_vibrate"),
      ("default_light_settings", "use_default_light"), ("light_settings", "light_settings"),
    ]
    private static let vibrationsMax = 10

    private let message: JSONValue
    private let title: String

    /// - Parameters:
    ///   - message: FCM's message, without the request around it.
    ///   - title: the title of a notification without one.
    init(_ message: JSONValue, title: String) {
      self.message = message
      self.title = title
    }

    mutating func write(_ result: inout HuaweiRendering) {
      let config = message["android"]
      let own = config?["notification"]?.object
      let shared = message["notification"]?.object
      let data = (config?["data"] ?? message["data"])?.object.flatMap { $0.isEmpty ? nil : $0 }
      let isShown = own.map { !$0.isEmpty } ?? false || shared.map { !$0.isEmpty } ?? false
      guard isShown || data != nil else {
        result.nothing = "the message has neither a notification nor data"
        return
      }
      var android = delivery(config, &result.report)
      if isShown {
        guard let notification = notification(own ?? [:], shared ?? [:], &result.report) else {
          result.nothing = "Push Kit demands a text of every notification, and a title that is not empty"
          return
        }
        android.append("notification", .object(notification))
      }
      var request = JSONObject()
      if let data { request.append("data", .string(JSON.minifiedText(.object(data)))) }
      if !android.isEmpty { request.append("android", .object(android)) }
      result.request = HuaweiRequest(message: request)
    }

    // MARK: Delivery

    private func delivery(_ config: JSONValue?, _ report: inout Report) -> JSONObject {
      var android = JSONObject()
      if let key = Self.member(config, "collapse_key")?.string {
        if let number = Self.collapseKey(key) {
          android.append("collapse_key", .number(JSONNumber(number)))
        } else {
          lose("collapse_key", HuaweiForm.collapseRule, &report)
        }
      }
      if let ttl = config?["ttl"]?.string, ttl.hasSuffix("s"), let seconds = Double(ttl.dropLast()) {
        // Push Kit documents no message that is tried once; a second is the least that it keeps one.
        let most = HuaweiRequest.ttlMax
        let whole = seconds >= Double(most) ? most : seconds >= 1 ? Int64(seconds) : 1
        android.append("ttl", .string("\(whole)s"))
      }
      if let label = (config?["fcm_options"] ?? message["fcm_options"]).flatMap({ Self.member($0, "analytics_label") }),
        label.string != nil
      {
        android.append("bi_tag", label)
      }
      return android
    }

    /// A key in the form that Push Kit takes; nil when it is none.
    static func collapseKey(_ text: String) -> Int? {
      guard let number = Int(text), HuaweiRequest.collapseKeys.contains(number) else { return nil }
      return number
    }

    // MARK: Notification

    /// The notification; nil without a text, or with an empty title.
    private func notification(
      _ own: JSONObject, _ shared: JSONObject, _ report: inout Report
    ) -> JSONObject? {
      var left = JSONObject()
      for (name, value) in shared where ["title", "body", "image"].contains(name) { left[name] = value }
      for (name, value) in own where !value.isNull { left[FCMNameForm.snake(name)] = value }
      func take(_ name: String) -> JSONValue? { left.removeValue(forKey: name) }
      var object = JSONObject()
      let (text, heading) = (take("body"), take("title"))
      guard text?.string?.isEmpty == false || left["body_loc_key"] != nil, heading?.string?.isEmpty != true else {
        return nil
      }
      if let heading {
        object.append("title", heading)
      } else if left["title_loc_key"] == nil {
        object.append("title", .string(title))
      }
      if let text { object.append("body", text) }
      for name in Self.same { if let value = take(name) { object.append(name, value) } }
      for (name, other) in Self.renamed { if let value = take(name) { object.append(other, value) } }
      takeSound(take("sound"), &object)
      object.append("click_action", Self.click(take("click_action")))
      if let importance = take("notification_priority")?.string {
        object.append("importance", ["PRIORITY_MIN", "PRIORITY_LOW"].contains(importance) ? "LOW" : "NORMAL")
      }
      if let visibility = take("visibility")?.string, ["PUBLIC", "PRIVATE", "SECRET"].contains(visibility) {
        object.append("visibility", .string(visibility))
      }
      if let timings = take("vibrate_timings")?.array, let vibration = Self.vibration(timings) {
        object.append("vibrate_config", vibration)
      }
      for name in left.keys { lose(name, Self.reason(name), &report) }
      return object
    }

    private static func click(_ action: JSONValue?) -> JSONValue {
      guard let action, action.string?.isEmpty == false else { return ["type": 3] }
      return ["type": 1, "action": action]
    }

    /// A sound of the app is in `res/raw` in both; Push Kit plays it only when the default is switched off.
    private func takeSound(_ sound: JSONValue?, _ object: inout JSONObject) {
      guard let name = sound?.string, !name.isEmpty else { return }
      if name == "default" {
        object["default_sound"] = true
        return
      }
      let file = name.split(separator: "/").last ?? ""
      object["sound"] = .string("/raw/" + (file.split(separator: ".").first ?? ""))
      object["default_sound"] = false
    }

    /// FCM's list begins with a pause, Push Kit's with a vibration; both are in seconds.
    private static func vibration(_ timings: [JSONValue]) -> JSONValue? {
      let texts = timings.compactMap { $0.string }.dropFirst().prefix(vibrationsMax)
      let isTaken = texts.allSatisfy { text in
        text.hasSuffix("s") && Double(text.dropLast()).map { $0 > 0 && $0 <= 60 } ?? false
      }
      return isTaken && !texts.isEmpty ? .array(texts.map { .string($0) }) : nil
    }

    private static func reason(_ name: String) -> String {
      switch name {
      case "icon": "Push Kit takes icons of res/raw, and FCM those of res/drawable"
      case "notification_count": "Push Kit sets a badge only for a named activity of the app"
      default: "Push Kit has no field for it"
      }
    }

    private func lose(_ name: String, _ why: String, _ report: inout Report) {
      report.add(
        rule: "field-not-carried", severity: .note, field: "",
        message: "\(name) of FCM's message is not carried to Huawei's phones: \(why)")
    }

    /// A member by its name in the API's documents or in JSON's lower camel case.
    private static func member(_ object: JSONValue?, _ name: String) -> JSONValue? {
      object?.object?.first { FCMNameForm.snake($0.key) == name }?.value
    }
  }

  /// Names of FCM's members, of which Google takes two forms.
  enum FCMNameForm {
    /// `title_loc_key` of `titleLocKey`.
    static func snake(_ name: String) -> String {
      guard name.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return name }
      var bytes: [UInt8] = []
      for byte in name.utf8 {
        if (0x41...0x5A).contains(byte) { bytes += [UInt8(ascii: "_"), byte | 0x20] } else { bytes.append(byte) }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
#endif
