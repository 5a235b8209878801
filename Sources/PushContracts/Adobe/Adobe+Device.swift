internal import Basics
public import PushPayload
public import WireJSON

/// Adobe's libraries on the device as pure functions from a payload to what is drawn.
///
/// Written from the libraries' own rules and not from ``read``, so that the two can be compared: what is shown here has no
/// `error` there. Source: Adobe, the template classes of the notification builder for Android and of the content
/// extension for iOS.
extension Adobe {
  /// What is drawn of a payload.
  ///
  /// - Parameters:
  ///   - members: the APNs payload, or the members of the FCM message.
  ///   - platform: which of the two it is.
  ///   - headers: the headers that an APNs payload came with, when they are known.
  public static func outcome(
    of members: JSONObject, on platform: Platform, headers: APNsHeaders? = nil
  ) -> DeviceOutcome {
    switch platform {
    case .ios: return appleOutcome(members, headers)
    case .android:
      // Firebase's client shows a notification block before the library sees the message.
      guard NotificationBlock(members) == nil else { return FirebaseDevice.outcome(of: members) }
      return AndroidLibrary(data: members["data"]?.object ?? [:]).outcome
    }
  }

  /// What becomes of a timer that arrives after its end; nil for any other push.
  ///
  /// It is no error of the push: a second timer with the same tag ends the first one.
  @Sendable static func outcome(of members: JSONObject, arrivingAt now: WholeNumber?) -> DeviceOutcome? {
    guard let now else { return Optional.none }
    let message = AndroidEnvelope(members, style: .dataOnly).message
    guard NotificationBlock(message) == nil else { return Optional.none }
    let library = AndroidLibrary(data: message["data"]?.object ?? [:])
    if library.isStale(at: now) {
      return .silent(
        "the state of the live update is more than 28 days old when it arrives, and none that old is drawn")
    }
    guard library.hasEnded(at: now) else { return Optional.none }
    return .silent(
      "the timer has ended when it arrives, and what comes after its end is drawn only instead of a notification with "
        + "its adb_tag that is still there")
  }

  /// A push of Journey Optimizer without a text is silent, which no message of ours can say; the templates that have
  /// nothing but texts and a picture of their own would be drawn empty.
  @Sendable static func emptiness(
    of message: Message, _ members: JSONObject, _ context: WriteContext
  ) -> String? {
    guard message.liveUpdate == nil, !has(message.title), !has(message.body) else { return nil }
    if message.template?.isJourneyOptimizer == true {
      return "Journey Optimizer's library needs a title or a body"
    }
    guard [.basic, .zeroBezel].contains(message.shownTemplate) || isFewPictures(message), !message.isNoticed else {
      return nil
    }
    return "the notification would be empty, with the name of the app alone"
  }

  /// The content extension draws what has its category; where it cannot build the template that is asked for, it draws the
  /// title and the body of the alert alone.
  private static func appleOutcome(_ members: JSONObject, _ headers: APNsHeaders?) -> DeviceOutcome {
    // The keys of the templates and of tracking are no data of the app.
    let carriesData = members.contains { key, value in
      key != "aps" && key != "_xdm" && !key.utf8.starts(with: "adb_".utf8) && !value.isNull
    }
    let outcome = AppleDevice.outcome(of: members, headers, carriesData: carriesData)
    guard outcome == .shown else { return outcome }
    let type = members["adb_template_type"]?.string
    guard members["aps"]?["category"]?.string == category else {
      return type == nil
        ? .shown : .fallback("title and body, as the system draws them without the category \(category)")
    }
    return lack(of: type, members).map { .fallback("title and body alone, \($0)") } ?? .shown
  }

  /// Why the content extension cannot build a template; nil when it can.
  private static func lack(of type: String?, _ members: JSONObject) -> String? {
    switch type {
    case nil: return "as there is no text in adb_template_type"
    case "basic": return Optional.none
    case "car":
      let elements = members["adb_items"]?.array ?? []
      // One element that is no object spoils the list.
      guard elements.allSatisfy({ $0.object != nil }) else { return "as an element of adb_items is not an object" }
      let hasPicture = elements.contains { isLoadable($0["img"]?.string, on: .ios) }
      return hasPicture ? Optional.none : "as the carousel has no picture"
    case "timer":
      guard members["adb_title_alt"]?.string != nil else { return "without adb_title_alt" }
      let times = ["adb_tmr_dur", "adb_tmr_end"].map { members[$0]?.string.flatMap { Double($0) } }
      guard let time = times[0] ?? times[1] else { return "as the timer has no time" }
      let isCountable = time < (times[0] == nil ? 0x1p63 + 0x1p31 : 0x1p63)
      return isCountable ? Optional.none : "as the content extension crashes when it counts the time of the timer"
    default: return "as iOS has no such template"
    }
  }
}

extension Adobe.Message {
  /// True when there is something beside title and body to see, hear or count in Android's basic view.
  fileprivate var isNoticed: Bool {
    let builder = Adobe.androidBuilder(of: self)
    let texts = [
      expandedBody, builder.image(of: self), builder.largeIcon(of: self), androidSound,
    ]
    return texts.contains { Adobe.has($0) } || builder.drawsReminder && remindsLater
      || builder.drawsButtons && buttons?.isEmpty == false || (badge ?? 0) > 0
  }
}

/// The library on Android: it throws where a template cannot be built, and then nothing is shown.
private struct AndroidLibrary {
  let data: JSONObject

  /// Why a template is not built.
  struct Refusal: Error {
    let reason: String
  }

  var outcome: DeviceOutcome {
    do throws(Refusal) { return try build() } catch { return .nothing(error.reason) }
  }

  private func build() throws(Refusal) -> DeviceOutcome {
    if let text = data["adb_liveupdate_data"]?.string { return try liveUpdate(text) }
    let type = data["adb_template_type"]?.string ?? ""
    // Journey Optimizer's templates need nothing, and a push without texts is a silent one.
    if isOfJourneyOptimizer(type) {
      return hasText ? .shown : .silent("a silent push of Journey Optimizer has neither title nor body")
    }
    try checkShared(type)
    switch type {
    case "car": return try carousel()
    case "cat": try catalog()
    case "icon": try icons()
    case "rate": try ratings()
    case "input": try require(["adb_input_receiver"])
    case "timer": return try timer()
    case "basic", "zb": break
    // Without a known template the library draws with the system's own views.
    default: return .fallback("a notification without a template, as there is no such template")
    }
    guard hasText || ["car", "cat", "icon", "rate"].contains(type) else {
      return .fallback("a notification with the name of the app alone, as title and body are empty")
    }
    return .shown
  }

  /// Journey Optimizer's library takes what has its tracking or a title; a template of the other library has a type and a
  /// version.
  private func isOfJourneyOptimizer(_ type: String) -> Bool {
    if !type.isEmpty { return type.utf8.starts(with: "ajo_".utf8) }
    return data["_xdm"] != nil || data["adb_version"]?.string == nil && data["adb_title"]?.string != nil
  }

  private var hasText: Bool { ["adb_title", "adb_body"].contains { data[$0]?.string?.isEmpty == false } }

  private func checkShared(_ type: String) throws(Refusal) {
    let keys = type == "icon" ? ["adb_version"] : ["adb_version", "adb_title", "adb_body"]
    for key in keys where data[key]?.string == nil { throw Refusal(reason: "Adobe's library needs \(key)") }
    guard let link = data["adb_a_type"]?.string, !Self.isLink(link) else { return }
    throw Refusal(reason: "Adobe's library does not know the kind of link in adb_a_type")
  }

  /// The keys of one template, which must have text.
  private func require(_ keys: [String]) throws(Refusal) {
    for key in keys where data[key]?.string?.isEmpty ?? true { throw Refusal(reason: "Adobe's library needs \(key)") }
  }

  private static func isLink(_ name: String) -> Bool {
    ["WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE"].contains { $0.hasSameBytes(as: name) }
  }

  private static func opensURI(_ name: String) -> Bool {
    ["WEBURL", "DEEPLINK"].contains { $0.hasSameBytes(as: name) }
  }

  private func list(_ key: String) throws(Refusal) -> [JSONValue] {
    try require([key])
    guard let array = try? AndroidJSON.array(data[key]?.string ?? "") else {
      throw Refusal(reason: "\(key) is not a JSON array")
    }
    return array.elements
  }

  private func carousel() throws(Refusal) -> DeviceOutcome {
    try require(["adb_car_layout"])
    // A text without elements is a carousel without pictures.
    guard data["adb_items"]?.string != nil else { throw Refusal(reason: "Adobe's library needs adb_items") }
    let elements = (try? list("adb_items")) ?? []
    let pictures = elements.prefix { $0["img"] != nil }.filter {
      Adobe.isLoadable($0["img"]?.androidText, on: .android)
    }
    let count = pictures.count == 1 ? "1 picture is" : "\(pictures.count) pictures are"
    return pictures.count < 3 ? .fallback("the template basic, as \(count) no carousel") : .shown
  }

  private func catalog() throws(Refusal) {
    try require(["adb_cta_txt", "adb_cta_clr", "adb_cta_txt_clr", "adb_cta_uri", "adb_display"])
    let products = try list("adb_items")
    let areComplete = products.allSatisfy { product in
      ["title", "body", "price", "uri"].allSatisfy { product[$0] != nil }
        && Adobe.isLoadable(product["img"]?.androidText, on: .android)
    }
    guard products.count == 3, areComplete else { throw Refusal(reason: "a catalog needs 3 complete products") }
    let first = number("catalogItemIndex") ?? 0
    guard first >= 0, first < 3 else { throw Refusal(reason: "catalogItemIndex names no product") }
  }

  private func icons() throws(Refusal) {
    let elements = try list("adb_items")
    guard elements.allSatisfy({ $0.object != nil }) else { throw Refusal(reason: "an icon is not an object") }
    let icons = elements.filter { icon in
      guard icon["img"]?.androidText.isEmpty == false, let type = icon["type"]?.androidText else { return false }
      if Self.opensURI(type) { return icon["uri"]?.androidText.isEmpty == false }
      return type.isEmpty || Self.isLink(type)
    }
    let (count, pictures) = (icons.count, icons.count { Adobe.isPicture($0["img"]?.androidText, .httpsOrName) })
    guard (3...5).contains(count) else { throw Refusal(reason: "\(count) icons can be read, and there must be 3 to 5") }
    guard pictures >= 3 else { throw Refusal(reason: "\(pictures) icons can be drawn, and there must be 3 or more") }
  }

  private func ratings() throws(Refusal) {
    try require(["adb_rate_unselected_icon", "adb_rate_selected_icon"])
    let elements = try list("adb_rate_act")
    let areFine = elements.allSatisfy { rating in
      guard let type = rating["type"]?.androidText, Self.isLink(type) else { return false }
      return !Self.opensURI(type) || rating["uri"] != nil
    }
    guard areFine, (3...5).contains(elements.count) else { throw Refusal(reason: "there must be 3 to 5 ratings") }
    // The ratings up to the chosen one have the one icon, those after it the other.
    let chosen = (number("ratingSelected") ?? -1) + 1
    guard chosen <= elements.count else { throw Refusal(reason: "ratingSelected names no rating") }
    let icons = (chosen > 0 ? ["selected"] : []) + (chosen < elements.count ? ["unselected"] : [])
    for name in icons where !Adobe.isPicture(data["adb_rate_\(name)_icon"]?.string, .httpsOrName) {
      throw Refusal(reason: "the icon of a rating cannot be downloaded")
    }
  }

  private func number(_ key: String) -> Int64? { data[key]?.string.flatMap { KotlinNumber.int($0) }.map { Int64($0) } }

  private func timer() throws(Refusal) -> DeviceOutcome {
    try require(["adb_title_alt"])
    // A timer that has ended is drawn only instead of a notification with its tag that is still there.
    if let seconds = time("adb_tmr_dur") {
      guard seconds >= 0 else {
        throw Refusal(reason: "the timer runs below 0 seconds, so it has ended when it arrives")
      }
      guard !Adobe.isBeyondTime(Double(seconds)) else {
        throw Refusal(reason: "the end of the timer is beyond 64 bits, so it has ended when it arrives")
      }
    } else if time("adb_tmr_end") == nil {
      throw Refusal(reason: "the timer has no time, so it has ended when it arrives")
    }
    return .shown
  }

  private func time(_ key: String) -> Int64? { data[key]?.string.flatMap { KotlinNumber.long($0) } }

  // MARK: Live updates

  /// Journey Optimizer's library hands what is its own to the app's plugin, whatever else is in the push.
  private func liveUpdate(_ text: String) throws(Refusal) -> DeviceOutcome {
    guard data["_xdm"] != nil || data["adb_title"]?.string != nil else {
      throw Refusal(reason: "Journey Optimizer's library takes only what has adb_title or _xdm")
    }
    guard let update = try? AndroidJSON.object(text) else {
      throw Refusal(reason: "the live update is not a JSON object")
    }
    for key in ["notification_id", "notification_channel_id", "event_type"]
    where update[key]?.androidText.isEmpty ?? true {
      throw Refusal(reason: "the live update has no \(key)")
    }
    let event = update["event_type"]?.androidText ?? ""
    guard ["start", "update", "end", "localstart"].contains(where: { $0.hasSameBytes(as: event) }) else {
      throw Refusal(reason: "the live update has an event that the plugin does not know")
    }
    guard let time = update["timestamp"].flatMap({ AndroidJSON.integer($0) }), (1..<100_000_000_000).contains(time)
    else {
      throw Refusal(reason: "the live update has no timestamp in seconds since 1970")
    }
    guard ["title", "body"].contains(where: { update[$0]?.androidText.isEmpty == false }) else {
      return .fallback("a notification with the name of the app alone, as the live update has neither title nor body")
    }
    return .shown
  }

  /// True for a live update whose state is more than 28 days old.
  func isStale(at now: WholeNumber) -> Bool {
    guard let text = data["adb_liveupdate_data"]?.string, let update = try? AndroidJSON.object(text),
      let time = update["timestamp"].flatMap({ AndroidJSON.integer($0) })
    else { return false }
    let (end, isNever) = time.addingReportingOverflow(2_419_200)
    return !isNever && end < now
  }

  /// True for a timer whose end has passed at a time, in seconds since 1970; its duration wins over its end.
  func hasEnded(at now: WholeNumber) -> Bool {
    guard data["adb_liveupdate_data"]?.string == nil, data["adb_template_type"]?.string == "timer",
      time("adb_tmr_dur") == nil
    else { return false }
    return time("adb_tmr_end").map { $0 < now } ?? false
  }
}
