internal import Delivery
internal import HTTPServer
internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Creates a push from a request: reads the audience, renders the message once per kind of device, and collects the
/// report.
struct PushComposer {
  let entry: AppEntry
  /// The request: its `to`, `message` and what goes with them.
  let body: JSONValue
  let now: Timestamp
  let store: any Store
  let rules: RuleChecks
  var report: Report
  /// Values that the request gives for single addresses, by token.
  private(set) var tokenValues: [String: [String: String]] = [:]
  /// What is no text among them.
  private(set) var tokenTrees: [String: JSONObject] = [:]
  /// Whether a text of the message is in Liquid.
  var usesLiquid = false
  /// The placeholders without a fallback, by language and variant.
  var bareNames: [PayloadVersion: Set<String>] = [:]
  /// Where the request names each user of an audience that is named by aliases.
  private(set) var recipientFields: [String] = []
  /// Whether composing renders the push for some devices of its audience; false for whoever does so afterwards.
  var triesAudience = true
  /// Whether devices of listed users and devices that no credential reaches are counted here, because no push is created whose
  /// creation counts them.
  var countsListed = false

  init(
    entry: AppEntry, body: JSONValue, now: Timestamp, store: any Store, rules: RuleChecks, report: Report = Report()
  ) {
    self.entry = entry
    self.body = MessageLanguages.spread(body, of: entry)
    self.now = now
    self.store = store
    self.rules = rules
    self.report = report
  }

  /// Audiences up to this size are transactional unless they belong to a campaign.
  static let transactionalMax = 100

  private static let audienceNames = ["all", "segment", "filter", "users", "aliases", "devices", "tokens"]

  mutating func compose(idempotency: IdempotencyKey?) throws(Problem) -> NewPush {
    let (wanted, kinds) = try self.audience()
    let contract = try self.contract()
    let campaign = body["campaign"]?.string
    let isPersonal = isPersonal
    let payloads =
      isPersonal
      ? renderPersonal(contract, kinds: kinds, campaign: campaign)
      : render(contract, kinds: kinds, campaign: campaign)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    let audience = PushComposer.narrowed(wanted, to: payloads)
    tellOfUnwritten(audience, payloads)
    let lacked = LackedCredentials(entry: entry)
    do throws(StoreError) {
      try lacked.warn(of: wanted, store, now: now, into: &report)
      if countsListed { try lacked.warn(ofListed: wanted, store, into: &report) }
    } catch { throw Problem(error) }
    let isSmall =
      switch audience {
      case .all, .segment: false
      case .users(let users): users.count <= PushComposer.transactionalMax
      case .devices(let devices): devices.count <= PushComposer.transactionalMax
      case .addresses(let addresses): addresses.count <= PushComposer.transactionalMax
      }
    let message = body["message"].map { JSON.minified($0) } ?? []
    var push = NewPush(
      app: entry.app.id, pushClass: campaign == nil && isSmall ? .transactional : .campaign, name: campaign,
      audience: audience, message: message, payloads: payloads, salt: RandomReserve.shared.next())
    push.expiresAt = body["expires_in_seconds"]?.int.map { now.adding(seconds: Int64($0)) }
    push.throttlePerMinute = body["throttle_per_minute"]?.int
    if body["unknown"]?.string == "leave" { push.unknownPolicy = .leave }
    push.idempotency = idempotency
    push.lackedLanes = lacked.lanes
    push.category = body["category"]?.string
    push.isUrgent = body["urgent"]?.bool ?? false
    if isPersonal {
      push.personal = personalValues()
      push.variants = MessageFields.variants(body)
      if triesAudience { tryOnAudience(push) }
    }
    tag(&push, contract)
    return push
  }

  /// A filtered audience leaves out kinds of devices without a payload, such as the PushKit token of a phone that gets
  /// an alert at its other token; for devices and users named individually, the missing payload is recorded.
  private static func narrowed(_ audience: Audience, to payloads: [RenderedPayload]) -> Audience {
    func written(_ kinds: [DeviceKind]) -> [DeviceKind] {
      let written = kinds.filter { kind in payloads.contains { $0.kinds.contains(kind) } }
      return written.isEmpty ? kinds : written
    }
    switch audience {
    case .all(let kinds): return .all(kinds: written(kinds))
    case .segment(let filter, let kinds): return .segment(filter, kinds: written(kinds))
    case .users, .devices, .addresses: return audience
    }
  }

  /// Warns of listed addresses that the message is not for, each kind once: their deliveries end without a send.
  private mutating func tellOfUnwritten(_ audience: Audience, _ payloads: [RenderedPayload]) {
    guard case .addresses(let addresses) = audience else { return }
    var reported: Set<DeviceKind> = []
    for (index, address) in addresses.enumerated() where !reported.contains(address.kind) {
      guard !payloads.contains(where: { $0.kinds.contains(address.kind) }) else { continue }
      reported.insert(address.kind)
      report.add(
        rule: "device-shows-nothing", severity: .warning,
        field: FieldPath(members: "to", "tokens").element(index).text,
        message:
          "the message has nothing for tokens of type \(address.kind.name): their deliveries are rejected as no-payload; "
          + (address.kind.isLiveActivity
            ? "a Live Activity is started and updated under /v1/apps/\(entry.app.name)/activities" : "leave them out"))
    }
  }

  /// Writes and checks the message for every platform the app reaches, without an audience.
  mutating func checkMessage() throws(Problem) {
    _ = renderPersonal(try contract(), kinds: try reachable(), campaign: nil)
    if report.hasErrors { throw Problem(.invalid, report: report) }
  }

  // MARK: - Audience

  /// The audience, and the kinds of device it can hold.
  private mutating func audience() throws(Problem) -> (Audience, [DeviceKind]) {
    let named = (body["to"]?.object ?? [:]).filter { PushComposer.audienceNames.contains($0.key) }
    guard named.count == 1, let (name, value) = named.first else { return try noAudience() }
    if ["tokens", "devices", "users", "aliases"].contains(name) {
      _ = try AudienceFields.filter(name, body["to"], app: entry.app, store, into: &report)
    }
    switch name {
    case "tokens":
      let addresses = try self.addresses(value.array ?? [])
      var kinds: [DeviceKind] = []
      for address in addresses where !kinds.contains(address.kind) { kinds.append(address.kind) }
      return (.addresses(addresses), kinds)
    case "devices": return (.devices(deviceIDs(value.array ?? [])), try reachable())
    case "users":
      let users = value.array?.compactMap(\.string) ?? []
      requireSome(users.count, "to.users")
      return (.users(users), try reachable())
    case "aliases":
      let named = try AliasFields.Audience(value, app: entry.app.id, store: store, into: &report)
      recipientFields = named.fields
      return (.users(named.users), try reachable())
    case "segment", "filter", "all":
      if name == "all", value.bool != true {
        report.add(rule: "push-audience", severity: .error, field: "to.all", message: "expected true")
      }
      let kinds = try reachable()
      let filter = try AudienceFields.filter(name, body["to"], app: entry.app, store, into: &report)
      return (filter.map { .segment($0, kinds: kinds) } ?? .all(kinds: kinds), kinds)
    default: return try noAudience()
    }
  }

  private mutating func noAudience() throws(Problem) -> (Audience, [DeviceKind]) {
    let found = PushComposer.audienceNames.count { body["to"]?[$0] != nil }
    report.add(
      rule: "push-audience", severity: .error, field: "to",
      message:
        "expected exactly one of \"all\", \"segment\", \"filter\", \"users\", \"aliases\", \"devices\" and \"tokens\","
        + " found \(found)"
    )
    throw Problem(.invalid, report: report)
  }

  /// The kinds of device that the app has credentials for.
  private func reachable() throws(Problem) -> [DeviceKind] {
    let kinds = DeviceKind.allCases.filter { entry.reaches($0.provider) }
    if kinds.contains(where: \.isOnlyWhereRegistered) {
      do throws(StoreError) {
        let registered = try store.registeredKinds(app: entry.app.id)
        return kinds.filter { !$0.isOnlyWhereRegistered || registered.contains($0) }
      } catch { throw Problem(error) }
    }
    guard kinds.isEmpty else { return kinds }
    throw Problem(
      .conflict,
      "the app \"\(entry.app.name)\" has no credentials; set them with PUT /v1/apps/\(entry.app.name)/credentials")
  }

  private mutating func requireSome(_ count: Int, _ field: String) {
    guard count == 0 else { return }
    report.add(rule: "push-audience", severity: .error, field: field, message: "expected at least one, found none")
  }

  private mutating func deviceIDs(_ values: [JSONValue]) -> [DeviceID] {
    requireSome(values.count, "to.devices")
    var ids: [DeviceID] = []
    for (index, value) in values.enumerated() {
      if let id = DeviceID(value.string ?? "") {
        ids.append(id)
      } else {
        report.add(
          rule: "push-audience", severity: .error, field: "to.devices[\(index)]",
          message: "expected a device id, as registering the device returned it")
      }
    }
    return ids
  }

  private mutating func addresses(_ values: [JSONValue]) throws(Problem) -> [DeviceAddress] {
    requireSome(values.count, "to.tokens")
    var addresses: [DeviceAddress] = []
    var seen: Set<String> = []
    for (index, value) in values.enumerated() {
      let kind = DeviceKind(name: value["type"]?.string ?? "") ?? .ios
      let token = TokenField.read(
        value, kind: kind, at: FieldPath(members: "to", "tokens").element(index), entry, &report)
      let given = DeviceEnvironment(name: value["environment"]?.string ?? "") ?? .production
      let environment = kind.form == .subscription ? .production : given
      addresses.append(DeviceAddress(token: token, kind: kind, environment: environment))
      // An address that is listed twice gets what its first entry says; one alone is not compared with any.
      guard values.count > 1 || value["values"] != nil else { continue }
      let identity = WebAddress.identity(of: token)
      let isFirst = seen.insert(identity).inserted
      if isFirst, let values = value["values"] {
        tokenValues[identity] = PersonalValues.texts(values)
        let trees = PersonalValues.trees(values)
        if !trees.isEmpty { tokenTrees[identity] = trees }
      }
    }
    if let missing = addresses.first(where: { !entry.reaches($0.kind.provider) }) {
      throw Problem(
        .conflict,
        "the app \"\(entry.app.name)\" has no \(missing.kind.provider.name) credentials, which tokens in this request"
          + " need; set them with PUT /v1/apps/\(entry.app.name)/credentials")
    }
    return addresses
  }

  // MARK: - What is sent

  mutating func contract() throws(Problem) -> ContractName {
    guard let name = body["contract"]?.string ?? entry.settings.contract else {
      throw Problem(
        .invalid,
        "contract: is missing, and the app has no contract of its own; known contracts: "
          + Contracts.names.map(\.rawValue).joined(separator: ", "))
    }
    if let topic = body["topic"]?.string, !entry.topics.isEmpty, !entry.topics.contains(topic) {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "topic",
        message: "expected one of the topics of the app's credentials: \(entry.topics.joined(separator: ", "))")
    }
    return ContractName(rawValue: name)
  }

  private mutating func render(_ contract: ContractName, kinds: [DeviceKind], campaign: String?) -> [RenderedPayload] {
    guard let message = body["message"] else {
      MessageFields.check(body, &report)
      return []
    }
    warnOfBraces()
    let job = WritingJob(self, contract, kinds: kinds, campaign: campaign)
    return write(message, job, &report)
  }
}
