// The module for browsers is bounded in size, and nothing in it reads what FCM hands on.
#if !(_pointerBitWidth(_32))
  public import WireJSON

  extension BrowserNotification {
    /// The content of ``init(_:)`` that shows what Firebase's worker makes of an FCM message.
    ///
    /// The members of `webpush.notification` win over those of the shared notification, and its `data` over the shared one.
    /// The worker opens the link of `fcm_options`, and looks no texts up.
    ///
    /// Sources: Firebase, REST `WebpushConfig`; firebase-js-sdk, `externalizePayload` and `onPush`.
    ///
    /// - Parameter message: FCM's message, without the request around it.
    public static func content(ofFCM message: JSONValue) -> JSONValue {
      let webpush = message["webpush"]
      var content = JSONObject()
      for name in ["title", "body", "image"] {
        if let value = message["notification"]?[name] { content[name] = value }
      }
      for (name, value) in webpush?["notification"]?.object ?? [:] { content[name] = value }
      for name in ["navigate", "title_loc", "body_loc"] { content.removeValue(forKey: name) }
      let options = webpush?["fcm_options"] ?? webpush?["fcmOptions"]
      if let link = options?["link"] { content["navigate"] = link }
      if let data = webpush?["data"] ?? message["data"] { content["data"] = data }
      return .object(content)
    }
  }
#endif
