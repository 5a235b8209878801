public import DevicePreview
internal import DeviceText
public import PushContracts
internal import PushPayload
internal import WireJSON

/// The screen behind a virtual device: it shows what arrives, keeps a tray, and can be away.
///
/// A device without a phone keeps only what it received, and costs a push nothing more.
struct VirtualPhone: Sendable {
  /// A push on its way to a phone.
  struct Push: Sendable {
    let push: PreviewPush
    let id: String
    /// For a Live Activity: what it is addressed to, and its `aps`.
    var live: (address: LiveActivity.Address, aps: JSONValue?)?
  }

  /// The most changes that are kept for looking at.
  static let changesMax = 100

  var description: PhoneDescription
  var tray: Tray
  private(set) var live = LiveScreen()
  /// The tokens of the activities on the screen.
  private var liveTokens: Set<String> = []
  private let token: String
  var isOnline = true
  private(set) var held: HeldPushes<Push>
  private(set) var changes = Ring<TrayChange>(capacity: VirtualPhone.changesMax)
  private let provider: EmulatedProvider
  private let reports: ArrivalReports
  private let tally = ReportTally()
  /// Grows with everything that may have changed what the phone shows, so that a watcher reads only what is new.
  private(set) var revision = 0

  private static let areActivitiesShown = PerPlatform(ios: true, android: false)
  private var hasActivities: Bool { Self.areActivitiesShown[tray.platform] }

  init(
    _ description: PhoneDescription, provider: EmulatedProvider, token: String, carrier: FCMCarrier? = nil,
    reports: ArrivalReports
  ) {
    self.provider = provider
    self.token = token
    self.reports = reports
    let platform = carrier?.phone ?? provider.row.phone
    self.description = description
    tray = Tray(platform: platform, device: description.device)
    held = HeldPushes(platform: platform)
  }

  // MARK: Pushes

  /// An accepted push to one of its tokens: shown, or kept by the provider while the phone is away.
  mutating func receive(_ request: GatewayRequest, token: String, id: String, nowMs: Int64) {
    guard let payload = try? JSON.parse(Array(request.body)) else { return }
    provider.row.show(
      &self, PhoneArrival(request: request, payload: payload, token: token, id: id, now: Int(nowMs / 1000)))
  }

  /// APNs keeps one message of an app.
  mutating func receiveCarried(_ arrival: PhoneArrival) {
    let (message, id, now) = (arrival.payload["message"] ?? .null, arrival.id, arrival.now)
    let push = PreviewPush(ofFCM: message, id: id, contract: description.contract, sentTime: now)
    let expires = message["apns"]?["headers"]?["apns-expiration"]?.string.flatMap { Int($0) }
    let lifetime = expires.map { $0 == 0 ? 0 : max(0, $0.saturatingSubtracting(now)) }
    guard let token = message["apns"]?["live_activity_token"]?.string else {
      return take(Push(push: push, id: id), key: "", lifetime: lifetime, now: now)
    }
    let aps = message["apns"]?["payload"]?["aps"]
    take(Push(push: push, id: id, live: (.token(token), aps)), key: token, lifetime: lifetime, now: now)
  }

  mutating func receiveAPNs(_ arrival: PhoneArrival) {
    let (request, payload, token) = (arrival.request, arrival.payload, arrival.token)
    let (id, now) = (arrival.id, arrival.now)
    let push = PreviewPush(
      platform: .ios, payload: payload, contract: description.contract, collapseID: request.text(.collapseID),
      pushType: request.text(.pushType).map { APNsPushType(rawValue: $0) }, sentTime: now)
    let expires = request.text(.expiration).flatMap { Int($0) }
    let lifetime = expires.map { $0 == 0 ? 0 : max(0, $0.saturatingSubtracting(now)) }
    guard push.pushType == .liveactivity else {
      return take(Push(push: push, id: id), key: request.text(.topic), lifetime: lifetime, now: now)
    }
    take(
      Push(push: push, id: id, live: (.token(token), payload["aps"])), key: token, lifetime: lifetime, now: now)
  }

  /// A broadcast: shown, or kept while the phone is away when its channel stores the latest one.
  mutating func receive(broadcast request: GatewayRequest, channel: String, isStored: Bool, id: String, nowMs: Int64) {
    guard let payload = try? JSON.parse(Array(request.body)) else { return }
    let now = Int(nowMs / 1000)
    let push = PreviewPush(
      platform: .ios, payload: payload, contract: description.contract, collapseID: nil, pushType: .liveactivity,
      sentTime: now)
    let expires = request.text(.expiration).flatMap { Int($0) } ?? 0
    let lifetime = isStored ? max(0, expires.saturatingSubtracting(now)) : 0
    take(
      Push(push: push, id: id, live: (.channel(channel), payload["aps"])), key: "channel \(channel)",
      lifetime: lifetime, now: now)
  }

  /// - Parameters:
  ///   - payload: what FCM's library would have got, where it was laid out otherwise.
  ///   - lifetime: for how long it is kept unless it says so itself, in seconds.
  mutating func receiveFCM(_ arrival: PhoneArrival, payload: JSONValue? = nil, lifetime: Int? = nil) {
    let (payload, id, now) = (payload ?? arrival.payload, arrival.id, arrival.now)
    let push = PreviewPush(platform: .android, payload: payload, contract: description.contract, sentTime: now)
    let android = payload["message"]?["android"]
    var lifetime = lifetime
    if let text = android?["ttl"]?.string, text.utf8.last == UInt8(ascii: "s"), let seconds = Double(text.dropLast()),
      seconds >= 0, seconds < 1e9
    {
      lifetime = Int(seconds)
    }
    take(Push(push: push, id: id), key: android?["collapse_key"]?.string, lifetime: lifetime, now: now)
  }

  private mutating func take(_ push: Push, key: String?, lifetime: Int?, now: Int) {
    guard !isOnline else { return show(push, now: now) }
    touch()
    if held.hold(push, key: key, lifetime: lifetime, now: now) == .dropped {
      changes.append(TrayChange(.expired, reason: "the phone was away, and the push asked for one attempt"))
    }
  }

  private mutating func show(_ push: Push, now: Int) {
    record(tray.advance(to: now))
    if let (address, aps) = push.live {
      var device = tray.device
      device.now = now
      let arrived = Self.livePush(push.push, aps, to: address, id: push.id, on: device)
      return record(live.receive(arrived, now: now) { Self.activityToken(of: token, $0) })
    }
    let change = tray.receive(push.push, id: push.id, now: now)
    record([change])
    guard let reporting = description.reporting, change.kind != .duplicate, push.push.runsApp else { return }
    reports.add(
      ArrivalReports.Arrival(reporting: reporting, provider: provider, pushID: push.id, tally: tally))
  }

  private mutating func record(_ changes: [TrayChange]) {
    for change in changes { self.changes.append(change) }
    if !changes.isEmpty { touch() }
  }

  /// Notes that it was changed.
  mutating func touch() { revision += 1 }

  // MARK: The person

  /// The phone goes away, or comes back and is given what the provider kept.
  mutating func setOnline(_ online: Bool, nowMs: Int64) {
    let now = Int(nowMs / 1000)
    isOnline = online
    guard online else { return }
    for push in held.release(now: now) { show(push, now: now) }
  }

  /// Time passed: reminders come back, Live Activities get stale and leave.
  mutating func advance(nowMs: Int64) {
    record(tray.advance(to: Int(nowMs / 1000)))
    record(live.advance(to: Int(nowMs / 1000)))
  }

  /// Takes a Live Activity off the lock screen; false when there is none with this number.
  mutating func dismissActivity(_ id: Int) -> Bool { live.dismiss(id) }

  /// Whether one of its activities listens to a channel.
  func listens(to channel: String) -> Bool { live.activities.contains { $0.address == .channel(channel) } }

  /// The activities whose tokens came into being since the last call, and the tokens that are dead since then.
  mutating func takeTokens() -> (new: [LiveActivity], gone: [String])? {
    guard !live.activities.isEmpty || !liveTokens.isEmpty else { return nil }
    var (new, now): ([LiveActivity], Set<String>) = ([], [])
    for activity in live.activities {
      guard case .token(let token) = activity.address else { continue }
      now.insert(token)
      if !liveTokens.contains(token), activity.type != nil { new.append(activity) }
    }
    defer { liveTokens = now }
    return (new, liveTokens.subtracting(now).sorted())
  }

  /// Reports the token of a new activity, as the app does.
  func report(_ activity: LiveActivity, environment: String?) {
    guard let reporting = description.reporting else { return }
    ActivityReport(activity, reporting, environment: environment, tally: tally)?.start()
  }

  /// The phone is restarted.
  mutating func restart(nowMs: Int64) { record(tray.restart(now: Int(nowMs / 1000))) }

  /// `{online, locales, app_name, contract, reports, held, revision, live, tray, live_activities, changes}`.
  var json: JSONValue {
    var object = head(items: PhoneDescription.itemsShownMax)
    if hasActivities { object.append("live_activities", live.json) }
    object.append("changes", .array(changes.elements.map { .object($0.json) }))
    return .object(object)
  }

  /// The same without notifications and changes: little enough to ask for often.
  var summary: JSONValue { .object(head(items: 0)) }

  private func head(items: Int) -> JSONObject {
    var object: JSONObject = [
      "online": .bool(isOnline), "locales": .array(description.locales.map { .string($0) }),
      "app_name": .string(description.appName),
    ]
    if let contract = description.contract { object.append("contract", .string(contract.rawValue)) }
    if description.reporting != nil { object.append("reports", tally.json) }
    object.append("held", .number(JSONNumber(held.count)))
    object.append("revision", .number(JSONNumber(revision)))
    if hasActivities { object.append("live", .number(JSONNumber(live.activities.count))) }
    object.append("tray", .object(tray.json(limit: items)))
    return object
  }

  /// `{count, items}`: some of the notifications in the tray, from the top.
  func items(from: Int, count: Int) -> JSONValue {
    let all = tray.groups.flatMap(\.items)
    let shown = all.dropFirst(from).prefix(min(count, PhoneDescription.itemsShownMax))
    return ["count": .number(JSONNumber(all.count)), "items": .array(shown.map { .object($0.json) })]
  }
}

/// A phone as a scenario or the control API describes it.
public struct PhoneDescription: Sendable {
  /// The preferred languages, best first.
  public var locales = ["en"]
  /// The name under the app's icon.
  public var appName = "App"
  /// The contract of the app; nil recognizes it push by push.
  public var contract: ContractName?
  /// The app's string tables; nil when they are not known.
  public var tables: AppTables?
  /// Where the app reports taps; nil for nowhere.
  public var reporting: PhoneReporting?

  /// The most notifications that one answer shows.
  static let itemsShownMax = 1000

  /// A phone in English that reports nothing.
  public init() {}

  init(_ value: JSONValue, path: String) throws(ScenarioError) {
    var object = try ScenarioObject(value, path: path)
    if let texts = try object.texts("locales") {
      guard !texts.isEmpty else { throw object.error("locales", "expected at least one language, such as [\"de\"]") }
      locales = texts
    }
    appName = try object.text("app_name") ?? appName
    if let name = try object.text("contract") {
      guard Contracts.names.contains(where: { $0.rawValue == name }) else {
        let names = Contracts.names.map(\.rawValue).joined(separator: ", ")
        throw object.error("contract", "\"\(name)\" is unknown; use one of \(names)")
      }
      contract = ContractName(rawValue: name)
    }
    var development: LocaleTag?
    if let name = try object.text("development_locale") {
      development = LocaleTag(name)
      guard development != nil else { throw object.error("development_locale", "expected a language such as \"en\"") }
    }
    if let files = object.value("strings")?.object {
      var tables = AppTables(developmentLocale: development)
      if let problem = tables.add(files: files) { throw object.error("strings", problem) }
      self.tables = tables
    }
    if var report = try object.object("report") {
      guard let url = try report.text("url"), let app = try report.text("app"), let key = try report.text("key") else {
        throw report.error("key", "url, app and key are required")
      }
      try report.end()
      let reporting = PhoneReporting(url: url, app: app, key: key)
      if let (member, text) = reporting.problem { throw report.error(member, text) }
      self.reporting = reporting
    }
    try object.end()
  }

  var device: PreviewDevice { PreviewDevice(locales: locales, appName: appName, tables: tables) }
}

extension PreviewPush {
  /// Whether code of the app runs when the push arrives, so that it can report it.
  ///
  /// iOS runs the service extension for `mutable-content`, and the app for `content-available`; Firebase hands an app in the
  /// background nothing of a message with a notification block.
  var runsApp: Bool {
    switch platform {
    case .ios:
      pushType == .voip || payload["aps"]?["mutable-content"]?.int == 1
        || payload["aps"]?["content-available"]?.int == 1
    case .android:
      payload["message"]?["notification"] == nil && payload["message"]?["android"]?["notification"] == nil
    }
  }
}

/// Where an app reports what a person does with its notifications: a Postrider server.
public struct PhoneReporting: Sendable, Hashable {
  /// The server's address, `http://HOST:PORT`.
  public var url: String
  /// The app's name there.
  public var app: String
  /// A key with the scope `client`.
  public var key: String

  /// Creates a report destination.
  public init(url: String, app: String, key: String) {
    self.url = url
    self.app = app
    self.key = key
  }
}
