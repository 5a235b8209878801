#if !_pointerBitWidth(_32)
  package import PushPayload
  package import WireJSON

  extension PushChecker {
    /// Checks an APNs request that a contract has written: what ``check(_:)`` says of it.
    ///
    /// The payload is read only when something in it is not known from writing it.
    ///
    /// - Parameters:
    ///   - headers: the request's headers.
    ///   - payload: what was written.
    ///   - facts: what is known of it.
    package mutating func check(
      _ headers: APNsHeaders, _ payload: borrowing JSONWriter, written facts: WrittenFacts
    ) -> Report {
      let limit = APNsPushType.alert.payloadBytesMax
      guard headers.pushType == .alert, facts.isPlainAlert, payload.count <= limit else {
        return check(apnsPayload: payload.bytes, headers: headers)
      }
      if isPlain(headers) { return Report() }
      var check = RuleCheck(document, settings)
      check.checkHeaders(headers)
      return Report(check.findings)
    }

    /// Checks an FCM request that a contract has written: what ``check(fcmBody:)`` says of it.
    ///
    /// - Parameters:
    ///   - body: what was written.
    ///   - target: whom it goes to.
    ///   - facts: what is known of it.
    package mutating func check(
      _ body: borrowing JSONWriter, to target: FCMTarget, written facts: WrittenFacts
    ) -> Report {
      guard facts.isPlainMessage, body.count <= FCMBudget.bytesMax, isPlain(target) else {
        return check(fcmBody: body.bytes)
      }
      guard facts.icon.count + facts.sound.count > 0 else { return Report() }
      guard let severity = settings[.fcmValueIgnored].severity else { return Report() }
      var report = Report()
      for isIcon in [true, false] {
        let name = isIcon ? facts.icon : facts.sound
        if name.count == 0 { continue }
        let text = unsafe body.withBytes {
          unsafe String(decoding: $0[name.offset..<name.offset + name.count], as: UTF8.self)
        }
        let instead = isIcon ? RuleCheck.insteadOfIcon : RuleCheck.insteadOfSound
        report.findings.append(
          Finding(
            rule: PushChecker.ignored, severity: severity, field: isIcon ? PushChecker.iconPath : PushChecker.soundPath,
            message: RuleCheck.noResource(text, instead)))
      }
      return report
    }

    private static let ignored = Rules.rule(.fcmValueIgnored).text
    private static let iconPath = "message.android.notification.icon"
    private static let soundPath = "message.android.notification.sound"

    /// Whether nothing is to be said of the headers of an alert.
    private mutating func isPlain(_ headers: APNsHeaders) -> Bool {
      guard let topic = headers.topic, isPlain(topic: topic), headers.extras.isEmpty, headers.channelID == nil,
        headers.requestID == nil
      else { return false }
      if let priority = headers.priority, priority != .immediate, priority != .powerAware { return false }
      if let expiration = headers.expiration, expiration.epochSeconds >= RuleCheck.secondsMax { return false }
      guard let id = headers.collapseID else { return true }
      // Printing characters and no white space at all.
      return (1...APNsHeaders.collapseIDBytesMax).contains(id.utf8.count)
        && id.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// Whether a topic is that of an alert; most requests have the one of those before.
    private mutating func isPlain(topic: String) -> Bool {
      if let plainTopic, topic == plainTopic { return true }
      guard APNsHeaderForm.topic.admits(topic), !TopicSuffix.all.contains(where: { TopicSuffix.ends(topic, $0) }) else {
        return false
      }
      plainTopic = topic
      return true
    }

    /// Whether nothing is to be said of a target.
    private func isPlain(_ target: FCMTarget) -> Bool {
      switch target {
      case .token(let text): settings[.fcmTokenDeprecated] == .off && PushChecker.isPlainAddress(text)
      case .fid(let text): PushChecker.isPlainAddress(text)
      case .topic, .condition: false
      }
    }

    private static func isPlainAddress(_ text: String) -> Bool {
      FCMNames.isToken(text) || !text.isEmpty && FCMNames.isPlaceholder(text)
    }
  }
#endif
