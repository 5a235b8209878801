internal import PushPayload
internal import WireJSON

// What an FCM message carries for other services: Web Push and APNs.
extension RuleCheck {
  /// The rules about `webpush`.
  mutating func checkWebpush(_ webpush: JSONNode?) {
    guard let webpush else { return }
    let options = field(webpush, "fcm_options", "fcmOptions")
    checkOptions(options)
    if let link = member(options, "link"), let text = text(link), !WebAddress.isAbsolute(text, "https://") {
      add(.fcmWebpushLink, at: link, "expected an absolute https URL, found \(Quoted.text(text))")
    }
    checkWebNotification(member(webpush, "notification"))
    checkData(member(webpush, "data"))
    guard let headers = member(webpush, "headers") else { return }
    for (name, value) in document.members(of: headers) {
      guard let key = document.string(name)?.lowercased(), let text = text(value) else { continue }
      if let expectation = RuleCheck.expectation(ofWebpushHeader: key, text) {
        add(.fcmWebpushHeader, at: value, "expected \(expectation), found \(Quoted.text(text))")
      }
    }
  }

  /// What a browser refuses with a TypeError.
  private mutating func checkWebNotification(_ notification: JSONNode?) {
    if let renotify = isOn(notification, "renotify"), !hasText(member(notification, "tag")) {
      add(.fcmWebpushNotification, at: renotify, "a browser shows nothing with renotify and without a tag; add the tag")
    }
    if let silent = isOn(notification, "silent"), member(notification, "vibrate") != nil {
      add(.fcmWebpushNotification, at: silent, "a browser shows nothing with silent and vibrate; keep one")
    }
    guard let actions = member(notification, "actions"), document.kind(actions) == .array else { return }
    for action in document.elements(of: actions) where isObject(action) {
      for name in ["action", "title"] as [StaticString] where member(action, name) == nil {
        add(.fcmWebpushNotification, at: action, "a browser shows nothing with an action without \(name); add it")
      }
    }
  }

  private func isOn(_ node: JSONNode?, _ name: StaticString) -> JSONNode? {
    member(node, name).flatMap { document.bool($0) == true ? $0 : nil }
  }

  /// What a Web Push header should hold; nil when it holds it, or the header is another one.
  private static func expectation(ofWebpushHeader name: String, _ value: String) -> String? {
    switch name {
    case "ttl": APNsExpiration(text: value) == nil ? "whole seconds" : nil
    case "urgency":
      ["very-low", "low", "normal", "high"].contains(value) ? nil : "very-low, low, normal or high"
    case "topic": FCMNames.isWebpushTopic(value) ? nil : "1 to 32 characters of base64url"
    default: nil
    }
  }

  /// The rules about `apns`: the headers that are given, and the payload.
  mutating func checkCarriedAPNs(_ message: JSONNode) {
    guard let apns = member(message, "apns"), document.kind(apns) == .object else { return }
    let options = field(apns, "fcm_options", "fcmOptions")
    checkOptions(options)
    checkImage(member(options, "image"))
    let headers = carriedHeaders(apns)
    if let headers { checkCarried(headers, at: apns) }
    let payload = member(apns, "payload")
    hasAlertOfFCM = makesAlert(message, member(payload, "aps"))
    defer { hasAlertOfFCM = false }
    checkCarriedImage(
      member(options, "image") ?? member(member(message, "notification"), "image"), member(payload, "aps"))
    if let payload, document.kind(payload) == .object {
      // FCM chooses the push type itself when none is given, so the payload is then not judged by it. The types were
      // compared by the walk over the whole message.
      checkPayloadRules(payload, headers?.pushType == nil ? nil : headers)
      checkSize(payload, limit: APNsPushType.alert.payloadBytesMax)
    }
    checkHandedOn(message, apns, payload, headers?.pushType)
    checkDataOnly(message, apns, headers)
  }

  /// The picture, which Firebase's service extension would add to the alert.
  private mutating func checkCarriedImage(_ image: JSONNode?, _ aps: JSONNode?) {
    guard let image, hasText(image), !hasLiveActivity(aps), !isSwitchedOn(member(aps, "mutable-content")) else {
      return
    }
    let alert = member(aps, "alert")
    guard hasAlertOfFCM || hasText(alert) || alert.map({ hasAnyText($0, countsObjects: false) }) ?? false else {
      return
    }
    add(.fcmApnsImageLost, at: image, "Apple devices draw no picture without mutable-content: 1 in aps; add it")
  }

  /// FCM refuses a payload whose aps is missing or empty, whatever the rest of the message says; what it takes should do
  /// something on Apple devices.
  private mutating func checkHandedOn(
    _ message: JSONNode, _ apns: JSONNode, _ payload: JSONNode?, _ type: APNsPushType?
  ) {
    if let payload, document.kind(payload) == .object, !hasMembers(member(payload, "aps")) {
      add(
        .fcmApnsApsMissing, at: payload,
        "FCM refuses a payload without aps, and one whose aps is empty; add aps, or leave payload out")
    } else {
      checkAppleEffect(message, apns, isObject(payload) ? payload : nil, type)
    }
  }

  private func carriedHeaders(_ apns: JSONNode) -> APNsHeaders? {
    guard let object = member(apns, "headers") else { return nil }
    var fields: [APNsHeader] = []
    for (name, value) in document.members(of: object) {
      guard let key = document.string(name), let text = document.string(value) else { continue }
      fields.append(APNsHeader(name: key, value: text))
    }
    return APNsHeaders(reading: fields)
  }

  private mutating func checkCarried(_ headers: APNsHeaders, at apns: JSONNode) {
    let outer = headersPath
    headersPath = FieldPath(of: apns, in: document).member("headers")
    checkGiven(headers)
    // Google does not say which priority FCM adds, so only one that is given is judged.
    if headers.priority != nil { checkPriority(headers) }
    headersPath = outer
  }

  private mutating func checkDataOnly(_ message: JSONNode, _ apns: JSONNode, _ headers: APNsHeaders?) {
    guard let headers, headers.priority == .immediate, let data = member(message, "data"), document.count(data) > 0,
      member(message, "notification") == nil, member(member(apns, "payload"), "aps") == nil,
      let object = member(apns, "headers"), let node = member(object, "apns-priority")
    else { return }
    add(
      .fcmApnsDataOnly, at: node,
      "a message of data alone goes to Apple devices with priority 5; set it, or add a notification")
  }
}
