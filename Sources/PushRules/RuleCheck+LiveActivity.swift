internal import PushPayload
internal import WireJSON

extension RuleCheck {
  /// The rules about the aps of a Live Activity.
  mutating func checkLiveActivity(_ aps: JSONNode) {
    checkTimes(aps)
    let event = member(aps, "event")
    let isStart = event.map { document.isString($0, "start") } ?? false
    let isEnd = event.map { document.isString($0, "end") } ?? false
    let isUpdate = event.map { document.isString($0, "update") } ?? false
    if !isStart, !isUpdate, !isEnd {
      let problem = event == nil ? "the event is missing" : "the device knows no such event"
      add(.apnsLiveActivityEvent, at: event ?? aps, "\(problem); write \"event\": \"start\", \"update\" or \"end\"")
    }
    if isStart { checkStart(aps) }
    if isUpdate, !isObject(member(aps, "content-state")) {
      add(.apnsLiveActivityContentState, at: aps, "an update needs the content-state that it shows; add it")
    }
    if !isEnd, let date = member(aps, "dismissal-date") {
      add(.apnsLiveActivityDismissal, at: date, "dismissal-date counts only with \"event\": \"end\"")
    }
    checkInputPush(aps, isStart: isStart)
    if let sound = member(aps, "sound") {
      add(.apnsLiveActivitySound, at: sound, "the sound of a Live Activity belongs inside its alert; move it there")
    }
  }

  private mutating func checkTimes(_ aps: JSONNode) {
    let timestamp = member(aps, "timestamp")
    if timestamp.map({ document.kind($0) != .number }) ?? true {
      add(.apnsLiveActivityTimestamp, at: aps, "the timestamp is missing; add the current time in seconds since 1970")
    }
    for time in [timestamp, member(aps, "stale-date"), member(aps, "dismissal-date")] {
      guard let time, let seconds = document.int(time), Int64(seconds) >= RuleCheck.secondsMax else { continue }
      add(
        .apnsLiveActivityMilliseconds, at: time,
        "expected seconds since 1970, found \(seconds), which looks like milliseconds; divide by 1000")
    }
  }

  private mutating func checkStart(_ aps: JSONNode) {
    var missing: [String] = []
    if !hasText(member(aps, "attributes-type")) { missing.append("attributes-type") }
    if !isObject(member(aps, "attributes")) { missing.append("attributes") }
    if !isObject(member(aps, "content-state")) { missing.append("content-state") }
    if !hasText(member(aps, "alert")), !isObject(member(aps, "alert")) { missing.append("alert") }
    if missing.isEmpty { return }
    add(
      .apnsLiveActivityStartIncomplete, at: aps,
      "a start without \(missing.joined(separator: ", ")) is not carried out; add what is missing")
  }

  private mutating func checkInputPush(_ aps: JSONNode, isStart: Bool) {
    let token = member(aps, "input-push-token")
    guard let input = member(aps, "input-push-channel") ?? token else { return }
    if token != nil, input != token {
      add(.apnsLiveActivityInputPush, at: input, "input-push-token and input-push-channel exclude each other; keep one")
    } else if !isStart {
      add(.apnsLiveActivityInputPush, at: input, "this belongs to a start; remove it")
    }
  }

  /// The members that mean nothing to a push of another type.
  static let liveActivityKeys = JSONKeyTable([
    "timestamp", "event", "content-state", "stale-date", "dismissal-date", "attributes-type", "attributes",
    "input-push-token", "input-push-channel",
  ])

  mutating func checkOutsideLiveActivity(_ aps: JSONNode) {
    for (name, value) in document.members(of: aps) {
      guard let index = document.index(of: name, in: RuleCheck.liveActivityKeys) else { continue }
      add(
        .apnsLiveActivityOutside, at: value,
        "\(RuleCheck.liveActivityKeys.keys[index].name) means something only with apns-push-type: liveactivity; send it "
          + "so, or move it beside aps")
    }
  }
}
