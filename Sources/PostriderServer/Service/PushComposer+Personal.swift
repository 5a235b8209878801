internal import Delivery
internal import Liquid
internal import PushContracts
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

/// Pushes that differ from device to device.
extension PushComposer {
  /// Whether the request asks for it; everything else takes the plain way.
  var isPersonal: Bool {
    body["values"] != nil || body["user_values"] != nil || body["locales"] != nil || body["variants"] != nil
      || !tokenValues.isEmpty
  }

  /// Placeholders mean something only where the request gives values, even none: a text that happens to have braces is
  /// sent as it is otherwise.
  private var hasPlaceholders: Bool { body["values"] != nil || body["user_values"] != nil || !tokenValues.isEmpty }

  /// Whether a recipient for whom a value is missing gets nothing.
  private var skipsUndefined: Bool { body["undefined"]?.string == "skip" }

  /// The placeholders whose missing values are counted; nil where a missing value is no mistake.
  var countedNames: [PayloadVersion: Set<String>]? { body["undefined"]?.string == "lax" ? nil : bareNames }

  /// The request's values for everybody, and what the server says of the push.
  private var commonValues: JSONValue {
    var values = body["values"]?.object ?? [:]
    var push: JSONObject = [:]
    if let name = body["campaign"] { push["name"] = name }
    if let category = body["category"] { push["category"] = category }
    values["push"] = .object(push)
    return .object(values)
  }

  func personalValues() -> [UInt8] {
    var values = PersonalValues()
    values.common = PersonalValues.texts(body["values"])
    for (user, value) in body["user_values"]?.object ?? [:] {
      values.users[user] = PersonalValues.texts(value)
      let trees = PersonalValues.trees(value)
      if !trees.isEmpty { values.trees.users[user] = trees }
    }
    values.tokens = tokenValues
    if usesLiquid {
      values.trees.common = PersonalValues.trees(commonValues)
      values.trees.tokens = tokenTrees
      values.skipsUndefined = skipsUndefined
    } else {
      values.trees.users = [:]
    }
    values.shares = (body["variants"]?.array ?? []).compactMap { $0["share"]?.int }
    return JSON.minified(values.json)
  }

  mutating func warnOfBraces() {
    guard !hasPlaceholders, MessageText.isTemplate(body["message"] ?? .null) else { return }
    report.add(
      rule: "push-placeholder-unused", severity: .warning, field: "message",
      message: "has placeholders, which are sent as they are; give \"values\" (it may be empty) to have them replaced")
  }

  mutating func renderPersonal(
    _ contract: ContractName, kinds: [DeviceKind], campaign: String?
  ) -> [RenderedPayload] {
    MessageFields.check(body, &report)
    guard !report.hasErrors else { return [] }
    warnOfBraces()
    let job = WritingJob(self, contract, kinds: kinds, campaign: campaign)
    var payloads: [RenderedPayload] = []
    for version in MessageFields.versions(body) {
      var found = Report()
      let written = render(version, job, &found)
      report.append(found.rebased(at: version.field, beside: report))
      for payload in written {
        var payload = payload
        payload.locale = version.locale.map(LocaleName.normal)
        payload.variant = version.variant
        payloads.append(payload)
      }
    }
    if !report.hasErrors { warnOfSizes(payloads, of: kindsOfUsers() ?? kinds) }
    return payloads
  }

  /// Writes one message with the offsets of the values, and checks it as a recipient without values gets it.
  private mutating func render(
    _ version: MessageFields.Version, _ job: WritingJob, _ report: inout Report
  ) -> [RenderedPayload] {
    guard hasPlaceholders else { return write(version.message, job, &report) }
    let message = MarkedMessage(version.message, common: commonValues, isProgram: skipsUndefined)
    for (field, error) in message.errors {
      report.add(rule: "push-template-syntax", severity: .error, field: field, message: error.description)
    }
    for field in message.aborted {
      report.add(
        rule: "push-recipient-skipped", severity: .warning, field: field,
        message: "nobody gets the message: the text reads no value, and aborts for every recipient")
    }
    for field in message.namedByPlaceholders {
      report.add(
        rule: "push-placeholder-place", severity: .warning, field: field,
        message: "the member's name has a placeholder and is sent as it is; put the placeholder into the member's text")
    }
    if message.placeholders.contains(where: { $0.template != nil }) { usesLiquid = true }
    guard !report.hasErrors else { return [] }
    bareNames[PayloadVersion(version)] = message.namesWithoutFallback
    guard message.marked != nil else { return write(message.plain, job, &report) }
    return rules.desks.with { desk in
      let writing = PersonalWriting(composer: self, job: job, message: message)
      return writing.payloads(at: &desk, &report)
    }
  }

  /// Recipients whose values are tried for size; beyond it, an even sample.
  static let sizedMax = 1_000

  /// Users whose devices are read to know the kinds of messages that count; of more, every kind counts.
  private static let readUsersMax = 100

  /// The kinds of the named users' devices, so that no message counts that none of them gets; nil when they are not known.
  private func kindsOfUsers() -> [DeviceKind]? {
    guard let names = body["to"]?["users"]?.array, names.count <= Self.readUsersMax else { return nil }
    var kinds: Set<DeviceKind> = []
    for name in names.compactMap(\.string) {
      let filter = DeviceFilter(user: name, state: .active)
      // When the store does not answer, every kind counts; saving the push will report the error.
      guard let devices = try? store.devices(app: entry.app.id, filter: filter, after: nil, limit: 100) else {
        return nil
      }
      kinds.formUnion(devices.map(\.kind))
    }
    return kinds.isEmpty ? nil : Array(kinds)
  }

  /// Tries the values that the request gives for single recipients, exactly for up to `sizedMax` of them; what is known
  /// only of devices and users is tried when it is sent, and then refused for that device alone.
  private mutating func warnOfSizes(_ payloads: [RenderedPayload], of kinds: [DeviceKind]) {
    let templated = payloads.filter { payload in
      !payload.placeholders.isEmpty && payload.kinds.contains(where: kinds.contains)
    }
    guard !templated.isEmpty else { return }
    var rows = (body["user_values"]?.object ?? [:]).map { user, _ in
      (field: "user_values[\"\(user.prefix(40))\"]", user: String?.some(user), token: "")
    }
    rows += tokenValues.keys.map { (field: "to.tokens", user: nil, token: $0) }
    rows.append((field: "values", user: nil, token: ""))
    let step = max((rows.count + PushComposer.sizedMax - 1) / PushComposer.sizedMax, 1)
    let trial = PersonalTrial(templated, personal: personalValues(), now: now.seconds)
    var worst: (field: String, bytes: Int, max: Int, kind: String)?
    var over = 0
    for index in stride(from: 0, to: rows.count, by: step) {
      let row = rows[index]
      let results = trial.results(for: PushTrial.nobody(user: row.user), token: row.token)
      for result in results {
        guard let bytes = result.bytes else { continue }
        if worst.map({ bytes - result.bytesMax > $0.bytes - $0.max }) ?? true {
          let kind = result.payload.kinds.first { kinds.contains($0) } ?? .ios
          worst = (row.field, bytes, result.bytesMax, kind.name)
        }
      }
      if results.contains(where: \.isTooLarge) { over += 1 }
    }
    guard let worst else { return }
    let tried = step == 1 ? "all \(rows.count)" : "a sample of one in \(step) of \(rows.count)"
    // The one row are the values that everybody gets, however many that are.
    let who = rows.count == 1 ? "every recipient of a device of such a kind is" : "\(over) sets of values are"
    if over > 0 {
      report.add(
        rule: PushComposer.tooLarge, severity: .warning, field: worst.field,
        message:
          "\(who) over the limit (tried \(tried)); the worst needs \(worst.bytes) of \(worst.max) bytes, for devices"
          + " of type \(worst.kind). They will be rejected with the reason \(PipelineReason.tooLarge), the others sent")
    } else {
      report.add(
        rule: "push-worst-size", severity: .note, field: worst.field,
        message:
          "the message that comes nearest to its limit with the values given needs \(worst.bytes) of \(worst.max)"
          + " bytes, for devices of type \(worst.kind) (tried \(tried));"
          + " properties of devices and users are added when it is sent")
    }
  }
}

extension PushComposer {
  /// Renders the push for devices of its audience, with their stored values, and warns of what some of them would get.
  ///
  /// For a segment, devices of the whole app are sampled: finding the segment's own takes up to a second.
  mutating func tryOnAudience(_ push: NewPush) {
    let common = PersonalValues.texts(body["values"])
    guard push.payloads.contains(where: { $0.placeholders.contains { common[$0.name] == nil } }) else { return }
    var sampled = push
    if case .segment(_, let kinds) = push.audience { sampled.audience = .all(kinds: kinds) }
    var trial = PushTrial(sampled, store: store, now: now, devicesMax: PushTrial.quickMax)
    // What devices outside of the segment lack says nothing about those in it.
    if sampled.audience == push.audience { trial.bareNames = countedNames }
    // When the store does not answer, the warning is missing; saving the push will report the error.
    guard (try? trial.run()) != nil else { return }
    warn(of: trial)
  }

  /// Warns of what a trial has found.
  mutating func warn(of trial: PushTrial) {
    for (name, count) in trial.unfilled.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(Self.unfilledMax)
    {
      report.add(
        rule: "push-placeholder-empty", severity: .warning, field: "message",
        message:
          "\(count) of \(trial.tried) devices that were tried have no value for {{\(name)}} and would get nothing in"
          + " its position; give a default, {{ \(name) | default: \"…\" }}, which may be empty")
    }
    for (reason, count) in trial.skipped.sorted(by: { $0.key < $1.key }) {
      report.add(
        rule: "push-recipient-skipped", severity: Self.unmeant.contains(reason) ? .warning : .note,
        field: "message",
        message: "\(count) of \(trial.tried) devices that were tried get nothing, with the reason \(reason)")
    }
    guard trial.over > 0, !report.findings.contains(where: { $0.rule == Self.tooLarge }),
      let worst = trial.worst.values.max(by: { $0.bytes - $0.bytesMax < $1.bytes - $1.bytesMax })
    else { return }
    report.add(
      rule: Self.tooLarge, severity: .warning, field: "to",
      message:
        "\(trial.over) of \(trial.tried) devices that were tried are over the limit with what is known of them; the worst"
        + " needs \(worst.bytes) of \(worst.bytesMax) bytes. They will be rejected with the reason"
        + " \(PipelineReason.tooLarge), the others sent")
  }

  /// The reasons for which a recipient gets nothing although no text asks for that.
  private static let unmeant = [PipelineReason.templateFailed, PipelineReason.templateEmpty]
  /// Placeholders of which it is reported that nothing fills them.
  private static let unfilledMax = 5
  static let tooLarge = "push-recipient-too-large"
}

extension Report {
  /// The findings of one message of several: with its field path, without those of another message already.
  fileprivate func rebased(at field: String, beside other: Report) -> Report {
    guard field != "message" else { return self }
    var report = Report()
    let said = Set(other.findings)
    for finding in findings where finding.severity == .error || !said.contains(finding) {
      let path = finding.field.isEmpty ? field : "\(field).\(finding.field)"
      report.add(rule: finding.rule, severity: finding.severity, field: path, message: finding.message)
    }
    return report
  }
}
