// The module for browsers is bounded in size, and nothing in it writes messages for push services.
#if !(_pointerBitWidth(_32))
  import PushPayload
  import WireJSON

  /// A PowerAuth message for Huawei's phones, as the push server writes it.
  ///
  /// Switches that it leaves at false, and lists that it leaves empty, are part of it. Members that it has no value for are left out, where it writes null.
  ///
  /// Source: PowerAuth push server, `PushSendingWorker.buildHmsMessage` and `service/hms/request`.
  struct HuaweiPowerAuth {
    let message: PowerAuth.Message
    let context: WriteContext

    /// The server's limit is that of FCM.
    private static let ttlEnd: Int64 = 2_419_200

    func write(_ result: inout HuaweiRendering) {
      guard !message.isSilent || message.extras != nil else {
        result.nothing = "a silent message without extras has neither a notification nor data"
        return
      }
      guard
        message.isSilent
          || [message.title, message.titleLocKey].contains(where: Self.isText)
            && [message.body, message.bodyLocKey].contains(where: Self.isText)
      else {
        result.nothing = "Push Kit demands a title and a text of every notification"
        return
      }
      var request = JSONObject()
      if let extras = message.extras { request.append("data", .string(JSON.minifiedText(.object(extras)))) }
      var android = JSONObject()
      if let key = collapseKey(&result.report) { android.append("collapse_key", .number(JSONNumber(key))) }
      if let ttl { android.append("ttl", .string("\(ttl)")) }
      if !message.isSilent { android.append("notification", .object(notification)) }
      request.append("android", .object(android))
      result.request = HuaweiRequest(message: request, validateOnly: false)
      if message.badge != nil {
        result.report.add(
          rule: "field-not-carried", severity: .note, field: "badge", message: "badge is not carried to Huawei's phones"
        )
      }
    }

    private static func isText(_ text: String?) -> Bool { text?.isEmpty == false }

    private var notification: JSONObject {
      var object = JSONObject()
      func put(_ name: String, _ text: String?) { if let text { object.append(name, .string(text)) } }
      put("title", message.title)
      put("body", message.body)
      put("icon", message.icon)
      put("sound", message.sound)
      object.append("default_sound", false)
      put("tag", message.category)
      object.append("click_action", ["type": 3])
      put("body_loc_key", message.bodyLocKey)
      object.append("body_loc_args", .array((message.bodyLocArgs ?? []).map { .string($0) }))
      put("title_loc_key", message.titleLocKey)
      object.append("title_loc_args", .array((message.titleLocArgs ?? []).map { .string($0) }))
      object.append("auto_cancel", false)
      put("importance", message.priority == .normal ? "NORMAL" : "HIGH")
      object.append("use_default_vibrate", false)
      object.append("use_default_light", false)
      object.append("vibrate_config", [])
      object.append("foreground_show", false)
      return object
    }

    /// The server sends nothing at all with a key that is no number.
    private func collapseKey(_ report: inout Report) -> Int? {
      guard let text = message.collapseKey else { return nil }
      if let key = HuaweiForm.collapseKey(text) { return key }
      report.add(
        rule: "field-not-carried", severity: .note, field: "collapseKey",
        message: "collapseKey is not carried to Huawei's phones: \(HuaweiForm.collapseRule)")
      return nil
    }

    private var ttl: Int64? {
      guard let end = message.validUntil, let now = context.now else { return nil }
      let (left, isBeyond) = end.seconds.subtractingReportingOverflow(now)
      return isBeyond || left <= 0 || left >= Self.ttlEnd ? nil : left
    }
  }
#endif
