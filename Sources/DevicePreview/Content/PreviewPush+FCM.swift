// The module for browsers is bounded in size; only emulators have iPhones behind FCM.
#if !(_pointerBitWidth(_32))
  public import Basics
  public import PushContracts
  internal import PushPayload
  public import WireJSON

  extension PreviewPush {
    /// Makes the push that FCM hands to APNs for an app of Apple's.
    ///
    /// FCM makes an alert of the notification where the payload has none, puts data beside `aps`, and adds the id. A push type
    /// that the headers do not have is that of what the payload does.
    ///
    /// Sources: facts 2.9; Firebase, REST `ApnsConfig` and `ApnsFcmOptions`.
    ///
    /// - Parameters:
    ///   - message: FCM's message, without the request around it.
    ///   - id: the last part of its name; nil when nobody knows.
    ///   - contract: the contract of the app; nil recognizes it.
    ///   - sentTime: when it was sent, in seconds since 1970.
    public init(
      ofFCM message: JSONValue, id: String? = nil, contract: ContractName? = nil, sentTime: WholeNumber? = nil
    ) {
      let apns = message["apns"]
      var payload = apns?["payload"]?.object ?? [:]
      var aps = payload["aps"]?.object ?? [:]
      if aps["alert"] == nil, let alert = Self.alert(message["notification"]) { aps["alert"] = .object(alert) }
      payload["aps"] = .object(aps)
      for (name, value) in message["data"]?.object ?? [:] where payload[name] == nil { payload[name] = value }
      let options = apns?["fcm_options"] ?? apns?["fcmOptions"]
      if let image = options?["image"] ?? message["notification"]?["image"], payload["fcm_options"] == nil {
        payload["fcm_options"] = .object(["image": image])
      }
      if let id { payload["gcm.message_id"] = .string(id) }
      var ignored = Report()
      let headers = APNsHeaders(reading: apns?["headers"]?.object ?? [:], report: &ignored)
      let isSilent = aps["alert"] == nil && aps["badge"] == nil && aps["sound"] == nil
      self.init(
        platform: .ios, payload: .object(payload), contract: contract, collapseID: headers.collapseID,
        pushType: headers.pushType ?? (isSilent ? .background : .alert), sentTime: sentTime)
    }

    private static func alert(_ notification: JSONValue?) -> JSONObject? {
      var alert = JSONObject()
      for name in ["title", "body"] {
        if let text = notification?[name]?.string, !text.isEmpty { alert[name] = .string(text) }
      }
      return alert.isEmpty ? nil : alert
    }
  }
#endif
