internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import Synchronization
internal import System
internal import WireJSON

/// `/v1/apps/{app}/credentials`: how the providers are reached.
///
/// What is secret goes in and never comes out.
enum CredentialRoutes {
  static let routes: [Route] = [
    Route(
      .put("/v1/apps/{app}/credentials", .scopes([])), name: "putCredentials",
      about: "Sets the credentials given; null removes one; those not named stay, and so do a credential's settings.",
      query: query, body: body,
      answers: [answer], action: .long(put)),
    Route(
      .post("/v1/apps/{app}/credentials", .scopes([])), name: "postCredentials",
      about: "The same as PUT, for clients that only POST.", query: query, body: body, answers: [answer],
      traits: .init(repetition: .answerOfSeveral), action: .long(put)),
    Route(
      .post("/v1/apps/{app}/credentials/check", .scopes([])), name: "checkCredentials",
      about:
        "Asks the providers whether they take the credentials given, or the saved ones; nothing is changed, and no "
        + "device is reached.", body: body,
      answers: [Route.Answer(status: 200, about: "What each provider said.", schema: checked)],
      traits: .init(repetition: .harmless), action: .write(check)),
    Route(
      .get("/v1/apps/{app}/credentials", .scopes([.send, .read])), name: "getCredentials",
      about: "Shows the credentials without their secrets.", answers: [answer], action: .now(get)),
  ]

  private static let query = [
    Route.Query(
      name: "check",
      schema: .choice(
        ["true", "false"],
        "Whether the providers are asked first, and nothing is saved unless they take what is given; false by default.")
    )
  ]
  static let body = Schema.object(CredentialSlot.given)
  private static let answer = Route.Answer(
    status: 200, about: "The credentials without their secrets.", schema: .named("Credentials"))

  private static let checked = Schema.object(
    CredentialSlot.allCases.map { slot in
      .optional(
        slot.rawValue,
        .object([
          .required("usable", .boolean("Whether the provider takes it.")),
          .required("detail", .string("What the provider said, and what to do about it.", max: 4_000)),
        ]))
    } + [.optional("report", .named("Report"))])

  static let schema = Schema.object(
    CredentialSlot.shown + [.optional("report", .named("Report"))], "How the providers are reached, without secrets.")

  @Sendable private static func get(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    Reply(200, json(try service.app(call)), report: call.report)
  }

  @Sendable private static func put(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    let given = try slots(call)
    if call.http.query["check"] == "true" { try await require(given, entry, service, call.report) }
    try await save(given, for: entry, service: service, now: call.now)
    return Reply(200, json(try service.apps.app(named: entry.app.name, now: call.now)), report: call.report)
  }

  /// The body, unless it has members and none of them is a credential: to ignore them all would look like success.
  private static func slots(_ call: Call) throws(Problem) -> JSONObject {
    let given = call.body.object ?? [:]
    guard given.isEmpty || CredentialSlot.allCases.contains(where: { given[$0.rawValue] != nil }) else {
      var report = call.report
      let names = CredentialSlot.allCases.map { "\"\($0.rawValue)\"" }
      report.add(
        rule: Schema.Rule.missing, severity: .error, field: "",
        message:
          "expected at least one of \(names.dropLast().joined(separator: ", ")) and \(names.last ?? ""); the key file of a Google"
          + " service account belongs at \"fcm\".\"service_account\"")
      throw Problem(.invalid, report: report)
    }
    return given
  }

  /// Checks every part first, so that a request with one bad part changes nothing; then seals and saves.
  static func save(
    _ object: JSONObject, for entry: AppEntry, service: Service, now: Timestamp
  ) async throws(Problem) {
    let checked = try settings(object, entry, service)
    for slot in CredentialSlot.allCases where object[slot.rawValue]?.isNull == true {
      guard let existing = entry.credentials[slot] else { continue }
      try await service.change { store throws(StoreError) in try store.deleteCredential(existing.id) }
      service.log(.info, "credential removed", ["app": .text(entry.app.name), "slot": .text(slot.rawValue)])
    }
    for (slot, setting, sealable) in checked {
      try await save(setting, sealable, slot, for: entry, service: service, now: now)
      service.log(.info, "credential saved", ["app": .text(entry.app.name), "slot": .text(slot.rawValue)])
    }
    service.apps.forget(entry.app.name)
    try await service.sending.reload(entry.app.id, now: now)
  }

  /// Gives an app a new key for browsers, and keeps the earlier ones.
  static func rotateWebKey(of entry: AppEntry, service: Service, now: Timestamp) async throws(Problem) {
    guard let saved = entry.credentials[.web] else { return }
    let (setting, sealable) = try SealedSetting.read(
      SealedSetting.open(saved, service.vault), .web, saved: saved, vault: service.vault, rotates: true)
    try await save(setting, sealable, .web, for: entry, service: service, now: now)
    service.apps.forget(entry.app.name)
    try await service.sending.reload(entry.app.id, now: now)
  }

  private static func save(
    _ setting: any ProviderSetting, _ sealable: JSONValue, _ slot: CredentialSlot, for entry: AppEntry,
    service: Service,
    now: Timestamp
  ) async throws(Problem) {
    let context = CredentialSlot.sealContext(app: entry.app.id, provider: slot.provider, environment: slot.environment)
    let sealed: [UInt8]
    do throws(SigningError) { sealed = try service.vault.seal(JSON.minified(sealable), context: context) } catch {
      throw Problem(.internalError, "the credential could not be sealed: \(error.message)")
    }
    let credential = NewCredential(
      app: entry.app.id, provider: slot.provider, kind: setting.kind, environment: slot.environment,
      settings: JSON.minified(.object(setting.summary)), sealed: sealed)
    let known = entry.credentials[slot]
    try await service.change { store throws(StoreError) in
      // What was read of the saved one is part of what is written: a key or a setting that another request has given must not be lost.
      let current = try store.credentials(app: entry.app.id).first {
        $0.provider == slot.provider && $0.environment == slot.environment
      }
      guard current?.sealed == known?.sealed else {
        throw StoreError(
          .conflict, "the credential was changed by another request at the same time", advice: "send the request again")
      }
      _ = try store.saveCredential(credential, replacing: current?.id, now: now)
    }
  }

  /// Throws what the providers say against credentials that they do not take.
  private static func require(
    _ given: JSONObject, _ entry: AppEntry, _ service: Service, _ said: Report
  ) async throws(Problem) {
    let asked = try settings(given, entry, service).map { ($0.slot, $0.setting) }
    guard !asked.isEmpty else { return }
    let verdicts = await ask(asked, service)
    var report = said
    for (slot, verdict) in verdicts.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    where !verdict.isUsable {
      report.add(rule: "credential-refused", severity: .error, field: slot.rawValue, message: verdict.detail)
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
  }

  /// Reads the parts that are given, with what is saved of them.
  private static func settings(
    _ given: JSONObject, _ entry: AppEntry, _ service: Service
  ) throws(Problem) -> [(slot: CredentialSlot, setting: any ProviderSetting, sealable: JSONValue)] {
    var settings: [(slot: CredentialSlot, setting: any ProviderSetting, sealable: JSONValue)] = []
    for slot in CredentialSlot.allCases {
      guard let json = given[slot.rawValue], !json.isNull else { continue }
      let (setting, sealable) = try SealedSetting.read(
        json, slot, saved: entry.credentials[slot], vault: service.vault)
      settings.append((slot, setting, sealable))
    }
    return settings
  }

  /// Checks what is given, or what is saved when nothing is given, at the providers themselves.
  @Sendable private static func check(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    let given = try slots(call)
    var asked = try settings(given, entry, service).map { ($0.slot, $0.setting) }
    if given.isEmpty {
      for slot in CredentialSlot.allCases {
        guard let saved = entry.credentials[slot] else { continue }
        asked.append((slot, try SealedSetting.read(opening: saved, slot, vault: service.vault)))
      }
    }
    let all = await ask(asked, service)
    var object = JSONObject()
    for slot in CredentialSlot.allCases { if let verdict = all[slot] { object.append(slot.rawValue, verdict.json) } }
    return Reply(200, object, report: call.report)
  }

  /// What each provider says, which all are asked at once.
  private static func ask(
    _ asked: [(slot: CredentialSlot, setting: any ProviderSetting)], _ service: Service
  ) async -> [CredentialSlot: CredentialProbe.Verdict] {
    guard !asked.isEmpty else { return [:] }
    let materializing = ProbeCollector()
    let count = asked.count
    return await withCheckedContinuation { continuation in
      for (slot, setting) in asked {
        service.sending.probe(setting) { verdict in
          if let all = materializing.add(verdict, slot, of: count) { continuation.resume(returning: all) }
        }
      }
    }
  }

  /// What is shown of an app's credentials.
  static func json(_ entry: AppEntry) -> JSONObject {
    var object = JSONObject()
    for slot in CredentialSlot.allCases {
      guard let credential = entry.credentials[slot] else { continue }
      var shown = (try? JSON.parse(credential.settings))?.object ?? [:]
      shown["updated_at"] = .string(TimeText.text(credential.updatedAt))
      object[slot.rawValue] = .object(shown)
    }
    return object
  }
}

/// The verdicts of several probes, which come in any order.
private final class ProbeCollector: Sendable {
  private let verdicts = Mutex<[CredentialSlot: CredentialProbe.Verdict]>([:])

  /// Adds one; returns all of them with the last.
  func add(
    _ verdict: CredentialProbe.Verdict, _ slot: CredentialSlot, of count: Int
  ) -> [CredentialSlot: CredentialProbe.Verdict]? {
    verdicts.withLock { verdicts in
      verdicts[slot] = verdict
      return verdicts.count == count ? verdicts : nil
    }
  }
}
