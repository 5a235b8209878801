// The module for browsers is bounded in size, and nothing in it writes messages for push services.
#if !(_pointerBitWidth(_32))
  import PushPayload
  import WireJSON

  /// What a OneSignal message says of Huawei's phones alone.
  ///
  /// Each of its fields replaces the one for Android of the same meaning, in the data that OneSignal's library reads. With
  /// `huawei_msg_type` `message` the same texts are a notification, which Push Kit shows by itself when the app does not run.
  /// OneSignal's server is not public: the members of that notification follow from what its page says of the fields.
  ///
  /// Sources: OneSignal, “Create notification” and “Huawei authorization”; Huawei, "Sending Downlink Messages".
  struct HuaweiOneSignal {
    private static let counterparts = [
      ("huawei_big_picture", "big_picture"), ("huawei_small_icon", "small_icon"), ("huawei_large_icon", "large_icon"),
      ("huawei_sound", "android_sound"), ("huawei_channel_id", "android_channel_id"),
      ("huawei_existing_channel_id", "existing_android_channel_id"), ("huawei_accent_color", "android_accent_color"),
      ("huawei_led_color", "android_led_color"), ("huawei_visibility", "android_visibility"),
      ("huawei_group", "android_group"), ("huawei_group_message", "android_group_message"),
    ]

    let message: JSONValue
    /// The title of a notification that has a text and no title, as OneSignal's library shows data without one.
    let title: String

    /// The message with its fields for Huawei instead of those for Android; nil when it has none.
    var forAndroid: JSONValue? {
      guard var members = message.object else { return nil }
      var isChanged = false
      for (own, other) in Self.counterparts {
        guard let value = members[own], !value.isNull else { continue }
        members[other] = value
        isChanged = true
      }
      return isChanged ? .object(members) : nil
    }

    /// Adds to a message of data what the fields say of its delivery, and the notification when they ask for one.
    func complete(_ result: inout HuaweiRendering) {
      guard var request = result.request else { return }
      var android = request.message["android"]?.object ?? [:]
      if let category = text("huawei_category") { android["category"] = .string(category) }
      if let tag = text("huawei_bi_tag") { android["bi_tag"] = .string(tag) }
      if text("huawei_msg_type") == "message" {
        let data = request.message["data"]?.string.flatMap { try? JSON.parse($0) }
        guard let notification = notification(data ?? .null) else {
          result.request = nil
          result.nothing = "Push Kit demands a text of every notification"
          return
        }
        android["notification"] = .object(notification)
      } else {
        checkType(&result.report)
      }
      if !android.isEmpty { request.message["android"] = .object(android) }
      result.request = request
    }

    private func checkType(_ report: inout Report) {
      if let type = text("huawei_msg_type"), type != "data" {
        report.add(
          rule: "field-type", severity: .error, field: "huawei_msg_type",
          message: "expected message or data, found \"\(type.prefix(40))\"")
      }
      for name in ["huawei_badge_class", "huawei_badge_set_num", "huawei_badge_add_num"]
      where message[name].map({ !$0.isNull }) ?? false {
        report.add(
          rule: "field-not-carried", severity: .note, field: name,
          message:
            "\(name) is not carried to Huawei's phones: only a notification has a badge; set huawei_msg_type to message"
        )
      }
    }

    private func text(_ name: String) -> String? { message[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// The notification, in the texts that the data have; nil without a text.
    private func notification(_ data: JSONValue) -> JSONObject? {
      guard let body = data["alert"]?.string, !body.isEmpty else { return nil }
      let said = data["title"]?.string ?? ""
      let title = said.isEmpty ? title : said
      if title.isEmpty { return nil }
      var object: JSONObject = ["title": .string(title), "body": .string(body)]
      func put(_ name: String, _ value: JSONValue?) { if let value { object[name] = value } }
      put("icon", data["sicon"])
      // ARGB without a sign; Push Kit takes #RRGGBB.
      put("color", data["bgac"]?.string.map { .string("#" + $0.suffix(6)) })
      if let sound = data["sound"]?.string, sound != "nil", sound != "null" {
        put("sound", .string("/raw/" + (sound.split(separator: ".").first ?? "")))
        object["default_sound"] = false
      }
      put("image", data["bicon"]?.string.flatMap { $0.hasPrefix("https://") ? .string($0) : nil })
      put("channel_id", data["oth_chnl"] ?? text("huawei_channel_id").map { .string($0) })
      put("group", data["grp"])
      put("visibility", data["vis"]?.string.flatMap { ["1": "PUBLIC", "0": "PRIVATE", "-1": "SECRET"][$0] })
      put("badge", badge)
      let custom = data["custom"]?.string.flatMap { try? JSON.parse($0) }
      if let url = custom?["u"]?.string, url.hasPrefix("https://") {
        object["click_action"] = ["type": 2, "url": .string(url)]
      } else {
        object["click_action"] = ["type": 3]
      }
      return object
    }

    private var badge: JSONValue? {
      guard let name = text("huawei_badge_class") else { return nil }
      var badge: JSONObject = ["class": .string(name)]
      badge["set_num"] = message["huawei_badge_set_num"]
      if badge["set_num"] == nil { badge["add_num"] = message["huawei_badge_add_num"] }
      return .object(badge)
    }
  }
#endif
