// The module for browsers is bounded in size, and nothing in it reads messages of push services.
#if !(_pointerBitWidth(_32))
  public import WireJSON

  /// What a Huawei phone makes of Push Kit's message: an app for Android gets it in other names than from FCM.
  public enum HuaweiDevice {
    /// The same message as FCM would bring it, for whoever knows what Android shows.
    ///
    /// - Parameter message: Push Kit's message, without the request around it.
    public static func android(_ message: JSONValue) -> JSONValue {
      let config = message["android"]
      var android = JSONObject()
      if let ttl = config?["ttl"]?.string {
        android["ttl"] = .string(ttl.lowercased().hasSuffix("s") ? ttl.lowercased() : ttl + "s")
      }
      // -1 keeps every message.
      if let key = config?["collapse_key"]?.int, key >= 0 { android["collapse_key"] = .string("\(key)") }
      var result: JSONObject = ["token": message["token"]?[0] ?? ""]
      if let own = config?["notification"]?.object {
        // The texts are where every contract writes them; an app reads the same wherever they are.
        result["notification"] = .object(texts(own, message["notification"]))
        let looks = looks(own)
        if !looks.isEmpty { android["notification"] = .object(looks) }
      }
      if let data = (config?["data"] ?? message["data"])?.string { result["data"] = .object(texts(data)) }
      if !android.isEmpty { result["android"] = .object(android) }
      return ["message": .object(result)]
    }

    /// The members of the text's object, as texts; a text that is no object is one member.
    private static func texts(_ data: String) -> JSONObject {
      guard let object = (try? JSON.parse(data))?.object else { return ["data": .string(data)] }
      return JSONObject(object.map { ($0.key, .string($0.value.string ?? JSON.minifiedText($0.value))) })
    }

    private static func texts(_ own: JSONObject, _ shared: JSONValue?) -> JSONObject {
      var result = JSONObject()
      for name in ["title", "body", "image"] { result[name] = own[name] ?? shared?[name] }
      // A text of another style replaces the usual one.
      if own["style"]?.int == 1 {
        result["title"] = own["big_title"] ?? result["title"]
        result["body"] = own["big_body"] ?? result["body"]
      }
      return result
    }

    private static func looks(_ own: JSONObject) -> JSONObject {
      var result = JSONObject()
      for name in [
        "color", "tag", "body_loc_key", "body_loc_args", "title_loc_key", "title_loc_args",
        "channel_id", "ticker", "visibility",
      ] { result[name] = own[name] }
      if own["importance"]?.string == "LOW" { result["notification_priority"] = "PRIORITY_LOW" }
      if let action = own["click_action"]?["action"] { result["click_action"] = action }
      if let sound = own["sound"]?.string, own["default_sound"]?.bool == false {
        result["sound"] = .string(String(sound.split(separator: "/").last ?? ""))
      }
      return result
    }
  }
#endif
