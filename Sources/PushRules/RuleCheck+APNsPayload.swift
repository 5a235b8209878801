internal import PushPayload
internal import WireJSON

extension RuleCheck {
  /// The rules about an APNs payload.
  ///
  /// - Parameters:
  ///   - root: the payload.
  ///   - headers: the headers it goes with; nil for a payload alone, which is not judged by its push type.
  mutating func checkPayload(_ root: JSONNode, _ headers: APNsHeaders?) {
    guard document.kind(root) == .object else {
      return add(.apnsPayloadEmpty, at: root, "expected an object; send one such as {\"aps\":{\"alert\":\"Hi\"}}")
    }
    add(APNsPayload.schema.mismatches(in: document, at: root))
    if headers == nil, member(root, "aps") == nil, member(root, "mdm") == nil {
      let message = apsMissing(root)
      add(.apnsApsMissing, at: root, message)
    }
    checkPayloadRules(root, headers)
    checkEffect(root, member(root, "aps"), headers)
  }

  private func apsMissing(_ root: JSONNode) -> String {
    if document.count(root) == 0 {
      return "the payload is empty, which only updates a pass in Wallet; a notification has aps"
    }
    return member(root, "notification") != nil
      ? "there is no aps; this looks like a message to FCM, which is under \"message\" in its v1 form"
      : PushDocumentKind.apsMissing
  }

  /// The rules beyond types and names.
  mutating func checkPayloadRules(_ root: JSONNode, _ headers: APNsHeaders?) {
    let aps = member(root, "aps")
    let type = headers?.pushType
    if type == .mdm { return checkMDM(root, aps) }
    checkBesideAps(root)
    guard let aps, document.kind(aps) == .object else {
      return checkMissingAps(aps ?? root, type)
    }
    let isLive = type.map { $0 == .liveactivity } ?? hasLiveActivity(aps)
    checkAlert(aps, isLive: isLive)
    checkSound(aps)
    checkScore(aps, isLive: isLive)
    if isLive { checkLiveActivity(aps) } else if type != nil { checkOutsideLiveActivity(aps) }
    checkByType(root, aps, type, headers)
  }

  /// An error for what no device does anything with; an empty payload is for passes, whose topics have a prefix of their
  /// own.
  private mutating func checkEffect(_ root: JSONNode, _ aps: JSONNode?, _ headers: APNsHeaders?) {
    switch headers?.pushType {
    case .alert?, .background?, nil: break
    default: return
    }
    // Wallet loads the pass whatever the payload holds.
    if let topic = headers?.topic, topic.utf8.starts(with: "pass.".utf8) { return }
    if document.count(root) == 0 {
      guard let headers, headers.topic != nil || headers.pushType != nil else { return }
      return add(
        .apnsShowsNothing, at: root,
        "the payload is empty, which only updates a pass, whose topic begins with pass.; add an alert or data")
    }
    if hasEffect(aps, headers?.pushType) || carriesData(root) { return }
    add(
      .apnsShowsNothing, at: aps ?? root,
      "the device does nothing; add an alert, a badge, a sound, content-available: 1 or data")
  }

  /// Whether a notification does something; without a push type it may also be a push of another kind.
  func hasEffect(_ aps: JSONNode?, _ type: APNsPushType?) -> Bool {
    let alert = member(aps, "alert")
    let isString = alert.map { document.kind($0) == .string } ?? false
    if let alert, isString ? hasText(alert) : hasAnyText(alert, countsObjects: false) { return true }
    if member(aps, "badge").flatMap({ document.int($0) }) != nil { return true }
    if let sound = member(aps, "sound"), isObject(sound) || hasText(sound) && !isPassive(aps) { return true }
    if isSwitchedOn(member(aps, "content-available")) { return true }
    return type == nil && (isSwitchedOn(member(aps, "content-changed")) || hasLiveActivity(aps))
  }

  /// Foundation turns `true` and 1 into the same number.
  func isSwitchedOn(_ node: JSONNode?) -> Bool { isOne(node) || node.flatMap { document.bool($0) } == true }

  func hasLiveActivity(_ aps: JSONNode?) -> Bool {
    member(aps, "event") != nil || member(aps, "content-state") != nil
  }

  func carriesData(_ root: JSONNode) -> Bool {
    // An alert that is beside aps by mistake is no data, nor are the other keys of aps beside it.
    let isMisplaced = member(root, "alert") != nil
    for (name, value) in document.members(of: root) where !document.isString(name, "aps") {
      if isMisplaced, document.index(of: name, in: RuleCheck.misplacedKeys) != nil { continue }
      if document.kind(value) != .null { return true }
    }
    return false
  }

  private static let misplacedKeys = JSONKeyTable(apsOnlyKeys.keys + ["sound", "category"])

  mutating func checkMDM(_ root: JSONNode, _ aps: JSONNode?) {
    if let aps {
      add(.apnsMdmPayload, at: aps, "mdm pushes have no aps; send {\"mdm\": \"<PushMagic>\"} alone")
    } else if !isString(member(root, "mdm")) {
      add(.apnsMdmPayload, at: root, "the member mdm is missing; send {\"mdm\": \"<PushMagic>\"}")
    }
  }

  /// The types whose aps is required are reported as if it were there and empty, at the payload or at an aps that is no
  /// object.
  mutating func checkMissingAps(_ node: JSONNode, _ type: APNsPushType?) {
    switch type {
    case .alert? where document.count(node) > 0:
      add(.apnsAlertInvisible, at: node, "there is no aps, so nothing is shown; add an alert, a badge or a sound")
    case .background?:
      add(
        .apnsBackgroundNotAvailable, at: node,
        "there is no aps, so the app is not woken and gets the data only while it is open; add {\"aps\": "
          + "{\"content-available\": 1}}, in a message of a contract its field for that")
    case .widgets?, .controls?:
      add(.apnsContentChangedMissing, at: node, "there is no aps; add {\"aps\": {\"content-changed\": true}}")
    case .liveactivity?:
      add(.apnsLiveActivityEvent, at: node, "there is no aps; add the event, the timestamp and the content-state")
    default: break
    }
  }

  private mutating func checkBesideAps(_ root: JSONNode) {
    for (name, value) in document.members(of: root) {
      if document.kind(value) == .null, !document.isString(name, "aps") {
        add(.apnsNullValue, at: value, "APNs is reported not to deliver a push with null here; leave the member out")
      }
      guard let index = document.index(of: name, in: RuleCheck.apsOnlyKeys) else { continue }
      add(
        .apnsKeyOutsideAps, at: value,
        "\(RuleCheck.apsOnlyKeys.keys[index].name) means nothing beside aps; move it inside")
    }
  }

  /// Members whose names an app would hardly choose for itself.
  static let apsOnlyKeys = JSONKeyTable([
    "alert", "badge", "content-available", "mutable-content", "thread-id", "interruption-level",
  ])

  /// Whether a notification waits in the list, without light and sound.
  private func isPassive(_ aps: JSONNode?) -> Bool {
    member(aps, "interruption-level").map { document.isString($0, "passive") } ?? false
  }

  private mutating func checkSoundType(_ sound: JSONNode?) {
    guard let sound else { return }
    let name = document.kind(sound) == .object ? member(sound, "name") : sound
    guard let name, let text = text(name), let type = APNsSound.unplayableType(of: text) else { return }
    add(.apnsSoundType, at: name, "iOS plays aiff, wav and caf files, not .\(type)")
  }

  private mutating func checkSound(_ aps: JSONNode) {
    if let sound = member(aps, "sound"), hasText(sound), isPassive(aps) {
      add(
        .apnsPassiveSound, at: sound,
        "a passive notification plays no sound; remove it, or write \"interruption-level\": \"active\"")
    }
    checkSoundType(member(aps, "sound"))
    guard let sound = member(aps, "sound"), document.kind(sound) == .object else { return }
    if !isOne(member(sound, "critical")) {
      add(
        .apnsSoundNotCritical, at: sound,
        "an object is for critical alerts; write the name as a string, or add \"critical\": 1")
    }
    guard let volume = member(sound, "volume"), let number = document.double(volume) else { return }
    if !(0...1).contains(number) {
      add(.apnsCriticalVolume, at: volume, "expected a number from 0 to 1, found \(number)")
    }
  }

  private mutating func checkScore(_ aps: JSONNode, isLive: Bool) {
    guard !isLive, let score = member(aps, "relevance-score"), let number = document.double(score) else { return }
    if !(0...1).contains(number) {
      add(.apnsRelevanceScoreRange, at: score, "expected a number from 0 to 1, found \(number)")
    }
  }

  private mutating func checkByType(
    _ root: JSONNode, _ aps: JSONNode, _ type: APNsPushType?, _ headers: APNsHeaders?
  ) {
    if type == .background { return checkBackground(aps) }
    if type == .widgets || type == .controls {
      if !isSwitchedOn(member(aps, "content-changed")) {
        add(.apnsContentChangedMissing, at: aps, "add \"content-changed\": true; without it nothing is reloaded")
      }
      return
    }
    guard headers != nil, type == nil || type == .alert else { return }
    checkVisible(root, aps, type, headers?.priority ?? .immediate)
  }

  private mutating func checkBackground(_ aps: JSONNode) {
    for (name, value) in document.members(of: aps) {
      if document.isString(name, "content-available") || document.kind(value) == .null { continue }
      let key = document.string(name) ?? ""
      if key == "alert" || key == "badge" || key == "sound" {
        add(.apnsBackgroundVisible, at: value, "background pushes show nothing; remove \(key) or send as alert")
      } else if APS.schema.field(key) != nil {
        add(
          .apnsBackgroundExtra, at: value, "background pushes have content-available alone; move \(key) beside aps")
      }
    }
    if !isOne(member(aps, "content-available")) {
      add(.apnsBackgroundNotAvailable, at: aps, "add \"content-available\": 1; without it the app is not woken")
    }
  }

  private mutating func checkVisible(
    _ root: JSONNode, _ aps: JSONNode, _ type: APNsPushType?, _ priority: APNsPriority
  ) {
    if hasAlertOfFCM || ["alert", "badge", "sound"].contains(where: { member(aps, $0) != nil }) { return }
    if let available = member(aps, "content-available"), document.count(aps) == 1, priority == .immediate {
      add(
        .apnsSilentPriority, at: available,
        "content-available alone is a background push; send apns-push-type: background with apns-priority: 5")
    } else if type == .alert, hasEffect(aps, type) || carriesData(root) {
      add(.apnsAlertInvisible, at: aps, "nothing is shown or heard; add an alert, a badge or a sound")
    }
  }
}
