// The module for browsers is bounded in size, and judges no messages for Huawei's phones.
#if !(_pointerBitWidth(_32))
  public import PushPayload
  internal import WireJSON

  extension PushChecker {
    /// Checks a request to Push Kit that a contract's message was written as; its size is judged where it is written.
    public mutating func check(_ request: HuaweiRequest) -> Report {
      run(request.body(token: HuaweiRequest.tokenExample)) { $0.checkHuaweiMessage($0.document.root) }
    }
  }

  extension RuleCheck {
    /// The rules about a request to Huawei's Push Kit, with its size.
    mutating func checkHuawei(_ request: JSONNode) {
      guard let message = checkHuaweiMessage(request) else { return }
      let limit = HuaweiRequest.bytesMax
      let tokens = member(message, "token").map { document.sourceRange(of: $0).count } ?? 0
      let written = document.sourceRange(of: request).count - tokens + HuaweiRequest.tokensMin
      // Minified text is never longer than its source, so most requests need no second look.
      guard written > limit else { return }
      let minified = HuaweiRequest.bytes(of: document.value(request))
      let bytes = settings.countsBytesAsWritten ? written : minified
      guard bytes > limit else { return }
      let saving = settings.countsBytesAsWritten && minified <= limit ? "; minified it has \(minified) and fits" : ""
      add(
        .hmsMessageTooLarge, at: request,
        "the message has \(bytes) bytes without its tokens, the limit is \(limit)\(saving); "
          + "shorten the text or send a reference, \(Quoted.bytes(bytes - limit)) must go")
    }

    /// The rules about a request, without its size; the message, if there is one.
    @discardableResult
    mutating func checkHuaweiMessage(_ request: JSONNode) -> JSONNode? {
      guard isObject(request), let message = member(request, "message"), isObject(message) else {
        add(.hmsMessageMissing, at: request, "expected {\"message\": {…}}")
        return nil
      }
      check(request, HuaweiForms.request)
      check(message, HuaweiForms.message)
      checkHuaweiTarget(message)
      let (android, shared) = (member(message, "android"), member(message, "notification"))
      check(shared, HuaweiForms.shared)
      check(android, HuaweiForms.android)
      let notification = member(android, "notification")
      let hasData = [member(message, "data"), member(android, "data")].contains { hasText($0) }
      // A text that is shared is for a notification for Android to take.
      if !hasData, notification == nil {
        add(
          .hmsContentMissing, at: message, "there is neither data nor android.notification, so Push Kit sends nothing")
      }
      if let notification, isObject(notification) { checkHuaweiNotification(notification, shared) }
      return message
    }

    private mutating func checkHuaweiTarget(_ message: JSONNode) {
      let targets = (["token", "topic", "condition"] as [StaticString]).compactMap { member(message, $0) }
      guard targets.count == 1 else {
        return add(
          .hmsTarget, at: message,
          "expected one of token, topic and condition, found \(targets.isEmpty ? "none" : "\(targets.count)")")
      }
      guard let token = member(message, "token"), document.kind(token) == .array else { return }
      let count = document.count(token)
      guard (1...HuaweiRequest.tokensMax).contains(count) else {
        return add(.hmsTarget, at: token, "expected 1 to \(HuaweiRequest.tokensMax) tokens, found \(count)")
      }
      for element in document.elements(of: token) where !hasText(element) {
        return add(.hmsTarget, at: element, "expected the text of a token")
      }
    }

    private mutating func checkHuaweiNotification(_ notification: JSONNode, _ shared: JSONNode?) {
      check(notification, HuaweiForms.notification)
      let texts: [(name: StaticString, key: StaticString)] = [("title", "title_loc_key"), ("body", "body_loc_key")]
      for (name, key) in texts
      where ![member(notification, name), member(shared, name), member(notification, key)].contains(where: hasText) {
        add(.hmsNotificationIncomplete, at: notification, "\(name) is missing; add it, or \(key)")
      }
      guard let click = member(notification, "click_action"), isObject(click) else {
        return add(.hmsNotificationIncomplete, at: notification, "click_action is missing; add {\"type\": 3}")
      }
      check(click, HuaweiForms.click)
      switch member(click, "type").flatMap({ document.int($0) }) {
      case 1 where ![member(click, "intent"), member(click, "action")].contains(where: hasText):
        add(.hmsNotificationIncomplete, at: click, "a click_action of type 1 needs intent or action")
      case 2 where !(text(member(click, "url"))?.utf8.starts(with: "https://".utf8) ?? false):
        add(.hmsNotificationIncomplete, at: click, "a click_action of type 2 needs an https address in url")
      case nil: add(.hmsNotificationIncomplete, at: click, "type is missing; 3 opens the app")
      default: break
      }
    }

    /// Compares the members of an object with the documented ones.
    private mutating func check(_ object: JSONNode?, _ forms: HuaweiForms) {
      guard let object else { return }
      guard isObject(object) else { return add(.hmsValue, at: object, "expected an object") }
      for (name, value) in document.members(of: object) {
        guard let form = document.string(name).map({ forms[$0] }) ?? nil else {
          add(.hmsUnknownField, at: value, "Push Kit documents no such member")
          continue
        }
        guard document.kind(value) != .null, !isFit(value, form) else { continue }
        add(form.rule, at: value, "expected \(form.words)")
      }
    }

    private func isFit(_ value: JSONNode, _ form: HuaweiForm) -> Bool {
      switch form {
      case .text: isString(value)
      case .flag: document.kind(value) == .bool
      case .number(let range), .collapseKey(let range): document.int(value).map { range.contains($0) } ?? false
      case .one(let names): text(value).map { names.contains($0) } ?? false
      case .seconds: text(value).map(HuaweiForm.isTTL) ?? false
      case .address: text(value)?.utf8.starts(with: "https://".utf8) ?? false
      case .object: isObject(value)
      case .list(let most): document.kind(value) == .array && document.count(value) <= most
      }
    }
  }

  extension PushDocumentKind {
    /// True for a message of Push Kit, which looks like one of FCM: it has a list of tokens, and data that is a text, or
    /// options that FCM does not have.
    static func isHuawei(_ message: JSONNode, in document: JSONDocument) -> Bool {
      guard document.kind(message) == .object, let token = document.member(of: message, "token"),
        document.kind(token) == .array
      else { return false }
      if let data = document.member(of: message, "data"), document.kind(data) == .string { return true }
      guard let android = document.member(of: message, "android"), document.kind(android) == .object else {
        return false
      }
      let options: [StaticString] = ["urgency", "category", "bi_tag", "fast_app_target", "receipt_id"]
      if options.contains(where: { document.member(of: android, $0) != nil }) { return true }
      guard let notification = document.member(of: android, "notification"), document.kind(notification) == .object,
        let click = document.member(of: notification, "click_action")
      else { return false }
      return document.kind(click) == .object
    }
  }
#endif
