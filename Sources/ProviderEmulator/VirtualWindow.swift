internal import DevicePreview
internal import PushContracts
internal import WireJSON

/// The screen of a virtual browser: it shows what the site's worker would, and can be closed.
///
/// A browser without one keeps only what it received.
struct VirtualWindow: Sendable {
  /// A message that the push service keeps for a closed browser.
  private struct Held: Sendable {
    let content: JSONValue
    let topic: String?
    let expires: Int
  }

  /// The most messages that the push service keeps for one browser; of one more the oldest is forgotten.
  static let heldMax = 100

  var description: PhoneDescription
  var tray: BrowserTray
  private(set) var isOnline = true
  private var held: [Held] = []
  private(set) var changes = Ring<TrayChange>(capacity: VirtualPhone.changesMax)
  /// The endpoint that the last message came to: reports name the browser by it; nil for what came over FCM.
  private(set) var endpoint: String?
  private let reports: ArrivalReports
  private let tally = ReportTally()
  /// Grows with everything that may have changed what it shows.
  private(set) var revision = 0

  init(_ description: PhoneDescription, reports: ArrivalReports) {
    self.description = description
    self.reports = reports
    tray = BrowserTray(siteName: description.appName)
  }

  /// A decrypted message: shown, or kept by the push service while the browser is closed.
  mutating func receive(_ content: [UInt8], endpoint: String, topic: String?, ttl: Int64, nowMs: Int64) {
    self.endpoint = endpoint
    let text = String(decoding: content, as: UTF8.self)
    take((try? JSON.parse(content)) ?? .string(text), topic: topic, ttl: ttl, now: Int(nowMs / 1000))
  }

  /// A message of FCM's: what Firebase's worker makes of it.
  mutating func receive(fcm request: GatewayRequest, id: String, nowMs: Int64) {
    guard let message = (try? JSON.parse(Array(request.body)))?["message"] else { return }
    var content = BrowserNotification.content(ofFCM: message).object ?? [:]
    content["push"] = .string(id)
    let headers = message["webpush"]?["headers"]?.object ?? [:]
    func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value.string }
    take(
      .object(content), topic: header("topic"), ttl: header("ttl").flatMap { Int64($0) } ?? Self.fcmLifetime,
      now: Int(nowMs / 1000))
  }

  /// Four weeks: how long FCM keeps a message that does not say.
  private static let fcmLifetime: Int64 = 2_419_200

  private mutating func take(_ json: JSONValue, topic: String?, ttl: Int64, now: Int) {
    guard !isOnline else { return show(json, now: now) }
    touch()
    guard ttl > 0 else {
      changes.append(TrayChange(.expired, reason: "the browser was closed, and the push asked for one attempt"))
      return
    }
    expire(now: now)
    if let topic, held.contains(where: { $0.topic == topic }) {
      held.removeAll { $0.topic == topic }
      changes.append(TrayChange(.replaced, reason: "the browser was closed, and a later message has the same topic"))
    }
    if held.count >= Self.heldMax { held.removeFirst() }
    held.append(Held(content: json, topic: topic, expires: now.saturatingAdding(Int(ttl))))
  }

  /// Drops what the push service has kept for the time it was given.
  private mutating func expire(now: Int) {
    for _ in 0..<held.count(where: { $0.expires <= now }) {
      changes.append(TrayChange(.expired, reason: "the browser was closed until the message's TTL had passed"))
    }
    held.removeAll { $0.expires <= now }
  }

  private mutating func show(_ content: JSONValue, now: Int) {
    changes.append(tray.receive(content, now: now))
    touch()
    guard let reporting = description.reporting, let push = BrowserTray.pushID(of: content) else { return }
    reports.add(
      ArrivalReports.Arrival(
        reporting: reporting, provider: endpoint == nil ? .fcm : .web, pushID: push, tally: tally, endpoint: endpoint))
  }

  /// Notes that it was changed.
  mutating func touch() { revision += 1 }

  /// The browser is closed, or opened and given what the push service kept and has not expired.
  mutating func setOnline(_ online: Bool, nowMs: Int64) {
    isOnline = online
    touch()
    guard online else { return }
    let now = Int(nowMs / 1000)
    expire(now: now)
    let waiting = held
    held.removeAll()
    for message in waiting { show(message.content, now: now) }
  }

  /// `{online, app_name, reports, held, revision, tray, changes}`, as a phone has them.
  var json: JSONValue {
    var object = head(items: PhoneDescription.itemsShownMax)
    object.append("changes", .array(changes.elements.map { .object($0.json) }))
    return .object(object)
  }

  /// The same without notifications and changes.
  var summary: JSONValue { .object(head(items: 0)) }

  private func head(items: Int) -> JSONObject {
    var object: JSONObject = ["online": .bool(isOnline), "app_name": .string(description.appName)]
    if description.reporting != nil { object.append("reports", tally.json) }
    object.append("held", .number(JSONNumber(held.count)))
    object.append("revision", .number(JSONNumber(revision)))
    object.append("tray", .object(tray.json(limit: items)))
    return object
  }

  /// `{count, items}`: some of the notifications in the tray, from the top.
  func items(from: Int, count: Int) -> JSONValue {
    let shown = tray.items.reversed().dropFirst(from).prefix(min(count, PhoneDescription.itemsShownMax))
    return ["count": .number(JSONNumber(tray.items.count)), "items": .array(shown.map { .object($0.json) })]
  }
}
