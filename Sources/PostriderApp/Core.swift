/// What registrations say of the phone, and its log.
package protocol PhoneDetails: Sendable {
  /// A BCP 47 tag.
  var locale: String? { get }
  /// An IANA name.
  var timezone: String? { get }
  var appVersion: String? { get }

  func log(_ line: String)
}

/// What the core needs from outside.
package protocol Surroundings: PhoneDetails {
  /// Milliseconds since 1970.
  var now: Int64 { get }
  /// A number of 0 to 999, for pauses.
  var random: Int { get }
  /// A name that no other device has.
  var newName: String { get }
}

/// Whose process it is: the app registers the device, a notification service extension only reports.
package enum Role: Sendable {
  case app, serviceExtension
}

/// One POST of JSON.
package struct PostriderRequest: Sendable {
  /// The URL.
  package let url: String
  package let key: String
  package let body: String
  /// The user whom it registers the device for.
  let user: String?
  /// The token of `Postrider-Identity`.
  package let identity: String?
  /// Whether ``identity`` was asked for after a 401.
  let isRefreshed: Bool
  /// The queued events it has; nil for a registration.
  package let events: [String]?
  /// The server and app that the request is for.
  let target: String
}

/// What the server answered.
package struct PostriderAnswer: Sendable {
  package let status: Int
  /// The header `Retry-After`.
  package let retryAfter: String?
  package let body: String

  package init(status: Int, retryAfter: String?, body: String) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }

  /// The type of Postrider's problem document, such as `invalid`; empty for what others answer.
  var problem: String {
    let parts = (AppJSON.parse(body)?["type"]?.string ?? "").split(separator: ":")
    return parts.count == 4 && parts.starts(with: ["urn", "postrider", "problem"]) ? String(parts[3]) : ""
  }

  /// What an answer means for its request.
  enum Verdict {
    case done
    /// The same request may succeed later.
    case later
    /// No request succeeds until the configuration changes.
    case stop
    /// This request never succeeds.
    case refused
  }

  var verdict: Verdict {
    switch status {
    case 200..<300: .done
    // 404: no such app. A redirect is not followed, because the key would go along.
    case 401, 403, 404, ..<400: .stop
    case 413: .refused
    // A proxy's 4xx says nothing of the request.
    case 400..<500 where ["invalid", "bad-json", "bad-request", "too-large"].contains(problem): .refused
    default: .later
    }
  }
}

/// What the client does next.
package enum Step: Sendable {
  case request(PostriderRequest)
  case identity(user: String, refresh: Bool)
  /// The time to wait for, in milliseconds since 1970.
  case wait(until: Int64)
  case idle

  /// The earlier of two waits; anything else comes before a wait.
  func first(_ other: Step) -> Step {
    switch (self, other) {
    case (.idle, _): other
    case (_, .idle): self
    case (.wait(let one), .wait(let two)): one <= two ? self : other
    case (.wait, _): other
    default: self
    }
  }
}

/// The rules of docs/apps.md: which request comes next, and what its answer changes.
///
/// Not thread-safe.
package final class Core {
  static let batchMax = 100
  static let actionBytesMax = 100
  static let refreshMs = 7 * Lane.dayMs
  /// The pauses before an event that the server does not know yet is sent again; after the last it is dropped.
  static let unknownPausesMs: [Int64] = [2_000, 10_000, 60_000, 600_000]
  /// What the server accepts: characters of a user and of another detail, tags, and bytes of a tag.
  static let (userMax, detailMax, tagsMax, tagBytesMax) = (250, 100, 100, 100)

  let surroundings: any Surroundings
  private let folder: String
  private let role: Role
  private(set) var configuration: PostriderConfiguration?
  var queue: EventQueue
  var state: DeviceState
  var registrations = Lane()
  var events = Lane()
  /// A registration that the server refused, which is not sent again.
  var refused: String?
  /// For the next registration; without a token when the provider has none of the user who signed out.
  var identity: (user: String, token: String?)?
  var needsFreshIdentity = false
  /// Whether the device has a new name because its old one was another user's.
  var isRenamed = false
  var batchLimit = Core.batchMax

  package init(folder: String, role: Role, surroundings: any Surroundings) {
    self.folder = folder
    self.role = role
    self.surroundings = surroundings
    queue = EventQueue(folder: folder)
    state = DeviceState(folder: folder)
  }

  // MARK: - Calls of the app

  /// Starts; returns why it does not.
  package func start(_ configuration: PostriderConfiguration) -> String? {
    if let problem = configuration.problem {
      surroundings.log("not started: \(problem)")
      return problem
    }
    // What another server asked for does not bind this one.
    if configuration.target != self.configuration?.target { (registrations, events) = (Lane(), Lane()) }
    self.configuration = configuration
    (registrations.isStopped, events.isStopped) = (false, false)
    wake()
    (refused, identity, needsFreshIdentity) = (nil, nil, false)
    queue.dropOld(surroundings.now)
    guard role == .app else { return nil }
    if configuration.target != state.target {
      state.target = configuration.target
      state.device = nil
      state.accepted = nil
      state.owner = nil
    }
    if state.name == nil { state.name = surroundings.newName }
    save()
    return nil
  }

  package func setToken(_ token: String, environment: String) {
    guard role == .app else { return }
    state.token = token
    state.environment = environment
    changed()
  }

  /// Signs in, or out with nil.
  package func setUser(_ name: String?) {
    guard role == .app else { return }
    let user = name.flatMap { (1...Self.userMax).contains($0.unicodeScalars.count) ? $0 : nil }
    if user != name { surroundings.log("a user has 1 to \(Self.userMax) characters; nobody is signed in") }
    if user != state.user {
      registrations.isStopped = false
      (identity, needsFreshIdentity, isRenamed) = (nil, false, false)
      // Tags are of the user who leaves. Left out, they would stay at the server.
      if state.user != nil, state.tags != nil { state.tags = [] }
    }
    state.user = user
    changed()
  }

  /// Whether the server has taken that nobody is signed in; nil while that is tried, false when it will not be.
  package var isSignedOut: Bool? {
    guard let token = state.token else { return state.user == nil }
    let body = registration(token)
    if state.user == nil, body == state.accepted { return true }
    return state.user != nil || body == refused || registrations.isStopped ? false : nil
  }

  package func setTags(_ tags: [String]) {
    guard role == .app else { return }
    let legal = tags.filter { (1...Self.tagBytesMax).contains($0.utf8.count) }.prefix(Self.tagsMax)
    if legal.count < tags.count {
      surroundings.log("left out \(tags.count - legal.count) tags: empty, too long or too many")
    }
    state.tags = Array(legal)
    changed()
  }

  package func setOptOut(_ optOut: Bool) {
    guard role == .app else { return }
    state.optOut = optOut
    if optOut { queue.removeAll() }
    changed()
  }

  /// Queues an event; it is on disk when this returns.
  package func report(_ type: String, action: String? = nil, _ notification: NotificationReference) {
    reload()
    guard !state.isOptedOut else { return }
    var type = type
    if type == "action", !(1...Self.actionBytesMax).contains(action?.utf8.count ?? 0) { type = "opened" }
    let now = surroundings.now
    let event = AppJSON.members([
      ("type", .string(type)), notification.member, ("action", type == "action" ? action.map { .string($0) } : nil),
      ("at", .string(AppFiles.timeText(now))),
    ])
    if !queue.add(event, at: now) { surroundings.log("an event could not be stored") }
  }

  /// Reports a notification by the identifier that the system gives it.
  package func report(_ type: String, action: String? = nil, identifier: String) {
    if let reference = NotificationReference(identifier: identifier) {
      report(type, action: action, reference)
    } else if !identifier.isEmpty {
      surroundings.log("a notification's identifier is not a campaign")
    }
  }

  /// Ends pauses after failures, because the network or the app is back.
  package func wake() {
    registrations.retryNow()
    events.retryNow()
  }

  package var device: String? { state.device }
  package var queued: Int { queue.names().count }
  package var dropped: Int { queue.dropped }

  /// The number on the app's icon after `change`, shared by app and extension.
  package func badge(_ change: (Int) -> Int) -> Int {
    AppFiles.makeFolder(folder)
    return AppFiles.locked("\(folder)/badge.lock") {
      let badge = max(0, change(AppFiles.read("\(folder)/badge").flatMap { Int($0) } ?? 0))
      _ = AppFiles.write(String(badge), to: "\(folder)/badge", by: "\(folder)/badge.tmp")
      return badge
    }
  }

  private func changed() {
    registrations.retryNow()
    save()
  }

  func save() {
    if !state.save() { surroundings.log("the state could not be stored") }
  }

  /// The app may have registered the device since the extension started.
  private func reload() {
    if role == .serviceExtension { state = DeviceState(folder: folder) }
  }

  // MARK: - The next request

  package func next() -> Step {
    guard let configuration else { return .idle }
    reload()
    let registration = nextRegistration(configuration)
    switch registration {
    case .request, .identity: return registration
    case .wait, .idle: return registration.first(nextEvents(configuration))
    }
  }

  private func nextRegistration(_ configuration: PostriderConfiguration) -> Step {
    guard role == .app, let token = state.token, !registrations.isStopped else { return .idle }
    let body = registration(token)
    let now = surroundings.now
    let isRecent = now >= state.acceptedAt && now - state.acceptedAt < Self.refreshMs
    if body == refused || (body == state.accepted && isRecent) { return .idle }
    if let until = registrations.pausedUntil(now) { return .wait(until: until) }
    var signed: String?
    // Who signs out is still the one whose device it is.
    if let user = state.user ?? state.owner, configuration.identity != nil {
      guard let identity, identity.user == user else { return .identity(user: user, refresh: needsFreshIdentity) }
      signed = identity.token
      // Used once: the next registration asks again, when this one may have expired.
      self.identity = nil
    }
    // The server may take it and its answer be lost: then another has to follow, whatever changes until then.
    state.accepted = nil
    state.owner = state.owner ?? state.user
    save()
    return .request(request(configuration, "devices", body, identity: signed))
  }

  func registration(_ token: String) -> String {
    func text(_ value: String?) -> AppJSON? { value.map { .string($0) } }
    // Cut or left out: what the server refuses would cost the whole registration.
    func detail(_ value: String?) -> AppJSON? {
      let cut = (value ?? "").unicodeScalars.prefix(Self.detailMax)
      return cut.isEmpty ? nil : .string(String(cut))
    }
    return AppJSON.members([
      ("type", .string("ios")), ("token", text(token)), ("environment", text(state.environment)),
      ("name", text(state.name)),
      ("user", text(state.user)), ("locale", detail(surroundings.locale)), ("timezone", detail(surroundings.timezone)),
      ("app_version", detail(surroundings.appVersion)), ("tags", state.tagsJSON),
      ("opt_out", state.optOut.map { .bool($0) }),
    ]).text
  }

  private func request(
    _ configuration: PostriderConfiguration, _ path: String, _ body: String, identity: String? = nil,
    events: [String]? = nil
  ) -> PostriderRequest {
    PostriderRequest(
      url: configuration.server + configuration.path(path), key: configuration.key, body: body,
      user: events == nil ? state.user : nil, identity: identity,
      isRefreshed: needsFreshIdentity, events: events, target: configuration.target)
  }

  private func nextEvents(_ configuration: PostriderConfiguration) -> Step {
    guard !events.isStopped, !state.isOptedOut else { return .idle }
    let now = surroundings.now
    queue.dropOld(now)
    let all = queue.names()
    if all.isEmpty { return .idle }
    if let until = events.pausedUntil(now) { return .wait(until: until) }
    var batch: [AppJSON] = []
    var names: [String] = []
    var wait = Step.idle
    for name in all {
      if names.count == batchLimit { break }
      let time = EventQueue.attempts(name).next
      if time > now, time - now <= Lane.dayMs {
        wait = wait.first(.wait(until: time))
      } else if let event = event(name) {
        batch.append(event)
        names.append(name)
      }
    }
    if names.isEmpty { return wait }
    let body = AppJSON.members([("events", .array(batch))]).text
    return .request(request(configuration, "events", body, events: names))
  }

  /// The event as the server reads it; nil when it has to wait for the registration, or is damaged and gone.
  ///
  /// A campaign needs the device, which is named by its token: by its id it would need the user's identity.
  private func event(_ name: String) -> AppJSON? {
    guard let event = queue.read(name), case .object(let members) = event else {
      queue.drop(name)
      surroundings.log("dropped an event that could not be read")
      return nil
    }
    guard event["campaign"] != nil else { return event }
    guard state.device != nil, let token = state.token else { return nil }
    return .object(members + [.init(name: "token", value: .string(token))])
  }
}
