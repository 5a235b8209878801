public import PushPayload
internal import PushRules
public import WireJSON

/// A raw payload read by the contract it is written in.
public struct Parsed: Sendable, Hashable {
  /// The platform it was taken for by its members alone; nil when the caller named it.
  public var inferredPlatform: Platform?
  /// The contract it was read by.
  public var contract: ContractName
  /// Why this contract: what in the payload tells it, or that the caller asked for it.
  public var reason: String
  /// The members that every contract shares, then one member named after the contract with its own properties.
  public var notification: JSONObject
  /// What the contract's app does with the notification, when the caller said what the device shows.
  public var behavior: JSONObject?
  /// What there is to say.
  public var report: Report

  /// Makes a parsed payload.
  public init(contract: ContractName, reason: String, notification: JSONObject, report: Report) {
    self.contract = contract
    self.reason = reason
    self.notification = notification
    self.report = report
  }

  /// `{"platform": …, "contract": …, "reason": …, "notification": {…}, "behavior": {…}, "report": […]}`, `platform` when
  /// it was inferred and `behavior` when there is one.
  public var json: JSONValue {
    var object = JSONObject()
    if let inferredPlatform { object.append("platform", .string(inferredPlatform.rawValue)) }
    object.append("contract", .string(contract.rawValue))
    object.append("reason", .string(reason))
    object.append("notification", .object(notification))
    if let behavior { object.append("behavior", .object(behavior)) }
    object.append("report", report.json)
    return .object(object)
  }
}

/// Which contract a payload is written in, and what tells it.
public struct Recognition: Sendable, Hashable {
  /// The contract.
  public var contract: ContractName
  /// What in the payload tells it, in one sentence.
  public var reason: String

  /// Makes a recognition.
  public init(contract: ContractName, reason: String) {
    self.contract = contract
    self.reason = reason
  }
}

/// A contract behind its name: what `Contracts` needs of it, without the type of its message.
///
/// A class, because it is large, never changes, and is looked up with every message.
public final class ContractEntry: Sendable {
  typealias Behavior = @Sendable (JSONValue, Platform, DeviceState) -> JSONObject?

  /// The contract's name.
  public let name: ContractName
  /// One sentence: whose contract it is and what it is for.
  public let summary: String
  /// Writes a message from its JSON form.
  let render: @Sendable (JSONValue, WriteContext, [Platform]) -> Rendering
  /// Why what is written for Android cannot be sent to FCM; nil when it can.
  let notSent: @Sendable (WriteContext) -> Finding?
  /// Reads a payload.
  let parse: @Sendable (JSONValue, Platform) -> (notification: JSONObject, report: Report)
  /// What the reader says of a payload, without what it reads.
  let findings: @Sendable (JSONValue, Platform) -> Report
  /// What in a payload tells that it is written in this contract; nil when it is not.
  let recognize: @Sendable (JSONObject, Platform) -> String?
  /// What the contract's app does with a payload; by default it shows the payload's own badge.
  let behavior: Behavior
  /// What a device does with a payload: the APNs payload with its headers, or an Android payload in any shape.
  let outcome: @Sendable (JSONObject, Platform, APNsHeaders?) -> DeviceOutcome
  /// What a device does with what it would show, where the time of arrival decides; nil where it does not.
  let atArrival: @Sendable (JSONObject, Platform, Int) -> DeviceOutcome?
  /// The rules of the contract that already say what is shown instead.
  let fallbackRules: [String]
  /// Those of them that say nothing of a push of which nothing is drawn.
  let drawnRules: [String]
  /// True when the vendor's library draws the notification from the data.
  let isDataOnly: Bool
  /// The table of rows.
  let table: MappingTable
  /// True when a payload is read back into the same fields that were written.
  let readsWrittenFields: Bool

  /// Puts a contract behind its name.
  ///
  /// - Parameters:
  ///   - contract: the contract.
  ///   - recognize: what in a payload tells that it is written in this contract, as a sentence; nil when it is not.
  ///     For Android it is given the members of the FCM message, whatever shape the payload had.
  convenience init<Message: Sendable>(
    _ contract: Contract<Message>, recognize: @escaping @Sendable (JSONObject, Platform) -> String? = { _, _ in nil }
  ) {
    self.init(
      writing: contract, readsWrittenFields: true, recognize: recognize, parse: ContractEntry.reader(contract),
      findings: { contract.read($0, platform: $1).report })
  }

  /// Puts a contract behind its name whose reader hands out another type than its writer takes.
  convenience init<Written: Sendable, Read: Sendable>(
    writing: Contract<Written>, reading: Contract<Read>,
    recognize: @escaping @Sendable (JSONObject, Platform) -> String?
  ) {
    self.init(
      writing: writing, readsWrittenFields: false, recognize: recognize, parse: ContractEntry.reader(reading),
      findings: { reading.read($0, platform: $1).report })
  }

  private static func reader<Read: Sendable>(
    _ contract: Contract<Read>
  ) -> @Sendable (JSONValue, Platform) -> (notification: JSONObject, report: Report) {
    { root, platform in
      let result = contract.read(root, platform: platform)
      var notification = contract.commonMembers(result.message, platform: platform)
      notification[contract.name.rawValue] = .object(contract.encode(result.message))
      return (notification, result.report)
    }
  }

  /// Puts a contract behind its name that reads in its own way.
  init<Written: Sendable>(
    writing: Contract<Written>, readsWrittenFields: Bool,
    recognize: @escaping @Sendable (JSONObject, Platform) -> String?, behavior: @escaping Behavior = { _, _, _ in nil },
    parse: @escaping @Sendable (JSONValue, Platform) -> (notification: JSONObject, report: Report),
    findings: @escaping @Sendable (JSONValue, Platform) -> Report
  ) {
    name = writing.name
    self.findings = findings
    self.behavior = behavior
    summary = writing.summary
    table = MappingTable(writing)
    fallbackRules = writing.hooks.device.fallbackRules
    drawnRules = writing.hooks.device.drawnRules
    isDataOnly = writing.policy.androidStyle == .dataOnly
    let device = writing.hooks.device.outcome
    let style = writing.policy.androidStyle
    outcome = { members, platform, headers in
      guard platform == .android else { return device(members, platform, headers) }
      let message = AndroidEnvelope(members, style: style).message
      let outcome = device(message, platform, headers)
      if case .nothing = outcome, FirebaseDevice.isForOthers(message) { return FirebaseDevice.others }
      return outcome
    }
    let late = writing.hooks.device.atArrival
    atArrival = { members, platform, now in
      late(platform == .android ? AndroidEnvelope(members, style: style).message : members, platform, now)
    }
    self.readsWrittenFields = readsWrittenFields
    self.recognize = recognize
    self.parse = parse
    render = { json, context, platforms in
      var report = Report()
      let message = writing.decode(json, report: &report)
      guard !report.hasErrors else { return Rendering(contract: writing.name, report: report) }
      var rendering = writing.render(message, context: context, platforms: platforms)
      report.append(rendering.report)
      rendering.report = report
      return rendering
    }
    notSent = { writing.notSent($0) }
  }
}

extension ContractEntry {
  /// What a reader said of a payload, with what the device does.
  fileprivate func report(
    _ said: Report, of payload: JSONValue, _ platform: Platform, _ headers: APNsHeaders?
  ) -> Report {
    var report = said
    guard case .object(let members) = payload else { return report }
    let outcome = outcome(members, platform, headers)
    if platform == .android, isDataOnly,
      NotificationBlock(AndroidEnvelope(members, style: .androidNotification).message) != nil
    {
      // Firebase draws the block, of which the vendor's library replaces nothing.
      report.findings.removeAll { $0.severity == .warning && fallbackRules.contains($0.rule) }
    }
    report.follow(outcome, drawnRules: drawnRules)
    report.add(outcome, on: platform, fallbackRules: fallbackRules)
    if platform == .android, let own = AndroidEnvelope.ownData(of: members["message"]?.object ?? members) {
      report.move(FieldPath(members: "message", "data"), to: FieldPath(members: "message", own.member, "data"))
    }
    return report
  }
}

extension Report {
  /// Gives the findings below one path their true place below another.
  fileprivate mutating func move(_ path: FieldPath, to other: FieldPath) {
    for index in findings.indices {
      let steps = FieldPath(parsing: findings[index].field).steps
      guard steps.starts(with: path.steps) else { continue }
      findings[index].field = FieldPath(other.steps + steps.dropFirst(path.steps.count)).text
    }
  }
}

/// The contracts by name: writing, reading, recognising and comparing without knowing their message types.
public enum Contracts {
  /// Every contract, in the order in which payloads are tried against them: `native` takes what nobody claims.
  static let entries: [ContractEntry] = [
    ContractEntry(Amba.contract),
    IMKit.entry,
    ContractEntry(PowerAuth.contract),
    Adobe.entry,
    OneSignal.entry,
    Native.entry,
  ]

  /// The names of the contracts.
  public static var names: [ContractName] { entries.map { $0.name } }

  /// One sentence about a contract; nil for an unknown name.
  public static func summary(_ contract: ContractName) -> String? { entry(contract)?.summary }

  /// The table of field, APNs place, FCM place and rule; nil for an unknown name.
  public static func mappingTable(_ contract: ContractName) -> MappingTable? { entry(contract)?.table }

  /// Writes a message for one platform or both.
  ///
  /// - Parameters:
  ///   - contract: the contract to write it in; an unknown one is an error in the report.
  ///   - message: the message's JSON form.
  ///   - context: who it goes to and which send it belongs to.
  ///   - platforms: which platforms to write for.
  public static func render(
    _ contract: ContractName, message: JSONValue, context: WriteContext = WriteContext(),
    platforms: [Platform] = Platform.allCases
  ) -> Rendering {
    guard let entry = entry(contract) else {
      return Rendering(contract: contract, report: Report([unknown(contract)]))
    }
    return entry.render(message, context, platforms)
  }

  /// Writes the FCM request of a message with a hole for the device: rendered once per push, spliced per device.
  ///
  /// - Returns: nil when the message is not legal on Android; the report says why.
  public static func fcmTemplate(
    _ contract: ContractName, message: JSONValue, context: WriteContext = WriteContext(),
    hole: FCMRequestTemplate.Hole = .token, report: inout Report
  ) -> FCMRequestTemplate? {
    let rendering = render(contract, message: message, context: context, platforms: [.android])
    report.append(rendering.report)
    return fcmTemplate(of: rendering, context: context, hole: hole, report: &report)
  }

  /// The FCM request of a rendering with a hole for the device.
  ///
  /// - Parameters:
  ///   - rendering: what ``render(_:message:context:platforms:)`` has written.
  ///   - context: the context in which it was written.
  ///   - hole: how the device is named.
  ///   - report: says why it cannot be sent, if an option makes it something else than FCM takes.
  /// - Returns: nil without an FCM request, and when the report says why.
  public static func fcmTemplate(
    of rendering: Rendering, context: WriteContext, hole: FCMRequestTemplate.Hole = .token, report: inout Report
  ) -> FCMRequestTemplate? {
    guard let request = rendering.fcm else { return nil }
    if let finding = entry(rendering.contract)?.notSent(context) {
      report.findings.append(finding)
      return nil
    }
    return request.template(hole)
  }

  /// Reads a raw payload.
  ///
  /// - Parameters:
  ///   - platform: where the payload was received.
  ///   - raw: for iOS the APNs payload; for Android the FCM message, a RemoteMessage or the flat map of the client.
  ///   - contract: the contract to read it by; nil recognises it.
  ///   - headers: the headers that an APNs payload came with, when they are known. A push type says what the payload is
  ///     and what the device does with it; without one its members tell.
  ///   - state: what the device shows already; with it the answer says what the app does with the notification.
  /// - Throws: `JSONError` when the bytes are not JSON.
  public static func parse(
    platform: Platform, raw: [UInt8], contract: ContractName? = nil, headers: APNsHeaders? = nil,
    state: DeviceState? = nil
  ) throws(JSONError) -> Parsed {
    let (root, duplicates) = try JSON.parseReporting(raw)
    var parsed = parse(platform: platform, payload: root, contract: contract, headers: headers, state: state)
    for duplicate in duplicates { parsed.report.add(duplicate) }
    return parsed
  }

  /// Reads a raw payload that is parsed already.
  public static func parse(
    platform: Platform, payload: JSONValue, contract: ContractName? = nil, headers: APNsHeaders? = nil,
    state: DeviceState? = nil
  ) -> Parsed {
    let recognition: Recognition
    if let contract {
      recognition = Recognition(contract: contract, reason: "asked for")
    } else {
      recognition = recognize(platform: platform, payload: payload)
    }
    guard let entry = entry(recognition.contract) else {
      return Parsed(
        contract: recognition.contract, reason: recognition.reason, notification: [:],
        report: Report([unknown(recognition.contract)]))
    }
    // Only APNs has these headers.
    let headers = platform == .ios ? headers : nil
    let (notification, said) = entry.parse(payload, platform)
    var parsed = Parsed(
      contract: entry.name, reason: recognition.reason, notification: notification,
      report: entry.report(said, of: payload, platform, headers))
    // What Firebase draws is not silent, although there is no text in it; a vendor's library says for itself what it draws.
    if platform == .android, !entry.isDataOnly, notification["silent"] == true,
      payload.object.map({ entry.outcome($0, platform, Optional.none).isVisible }) == true
    {
      parsed.notification.removeValue(forKey: "silent")
    }
    if platform == .android, case .object(let members) = payload,
      let block = NotificationBlock(AndroidEnvelope(members, style: .androidNotification).message)
    {
      parsed.notification = parsed.notification.drawing(block, replacesData: entry.isDataOnly)
    }
    if headers?.pushType == nil, let mistake = mistake(payload, platform) {
      parsed.report = Report([mistake])
    } else if platform == .android, let refused = refusedRequest(payload) {
      parsed.report.findings.append(refused)
    }
    if let state {
      parsed.behavior = entry.behavior(payload, platform, state) ?? state.shown(with: parsed.badge)
    }
    return parsed
  }

  /// Reads a document whose platform its members may tell; of a request to APNs its payload, by its headers.
  ///
  /// Without a platform a push type says iOS, as only APNs has one; else the members do, as ``platform(of:)`` says. What
  /// is no payload has a report that names it, and nothing is read.
  ///
  /// - Parameters:
  ///   - document: what was given for a payload.
  ///   - platform: where it was received; nil infers it.
  ///   - contract: the contract to read it by; nil recognises it.
  ///   - headers: the headers that an APNs payload came with, when they are known.
  ///   - state: what the device shows already.
  /// - Returns: nil when the document may belong to either platform.
  public static func parse(
    document: JSONValue, platform: Platform?, contract: ContractName? = nil, headers: APNsHeaders? = nil,
    state: DeviceState? = nil
  ) -> Parsed? {
    let known = platform ?? headers?.pushType.map { _ in .ios }
    guard let taken = known ?? self.platform(of: document) else {
      return mistake(document, nil).map {
        Parsed(contract: .native, reason: "not a payload", notification: [:], report: Report([$0]))
      }
    }
    var (payload, headers) = (document, headers)
    if taken == .ios, let members = document.object, members.isWholeAPNsRequest {
      var ignored = Report()
      var own = APNsHeaders(reading: members["headers"]?.object ?? [:], report: &ignored)
      own.pushType = headers?.pushType ?? own.pushType
      headers = own
      payload = members["payload"] ?? document
    }
    var parsed = parse(platform: taken, payload: payload, contract: contract, headers: headers, state: state)
    if known == nil { parsed.inferredPlatform = taken }
    return parsed
  }

  /// What was given in place of a payload, as an error that says what to do: a message of a contract, a vendor's request
  /// or another platform's payload; nil when it can be a payload.
  ///
  /// - Parameters:
  ///   - payload: what was given for a payload.
  ///   - platform: whose payload it was taken for; nil when nobody said.
  public static func mistake(_ payload: JSONValue, _ platform: Platform?) -> Finding? {
    payload.object.flatMap { MistakenMessage.finding(document: $0, platform) }
  }

  /// What the contract's reader says of a payload, with what the device does with it: what ``parse(platform:payload:contract:headers:state:)``
  /// reports of a payload, whichever the contract.
  ///
  /// - Parameters:
  ///   - payload: for iOS the APNs payload; for Android the FCM message, a RemoteMessage or the flat map of the client.
  ///   - platform: which of the two it is.
  ///   - contract: the contract of the app; an unknown one is read as ``ContractName/native``.
  ///   - headers: the headers that an APNs payload came with, when they are known.
  public static func report(
    of payload: JSONValue, on platform: Platform, by contract: ContractName, headers: APNsHeaders? = nil
  ) -> Report {
    let entry = entry(contract) ?? Native.entry
    return entry.report(entry.findings(payload, platform), of: payload, platform, platform == .ios ? headers : nil)
  }

  /// The errors and warnings about a payload that a vendor's contract claims.
  ///
  /// Of one that none claims only what it falls back to, as the providers' rules say the rest, unless they have not judged
  /// it.
  ///
  /// - Parameters:
  ///   - headers: the headers that an APNs payload came with, when they are known.
  ///   - isBare: true for what is in no request, such as what an Android app was handed.
  static func deviceReport(
    _ payload: JSONValue, _ platform: Platform, _ headers: APNsHeaders?, isBare: Bool = false
  ) -> Report {
    let contract = recognize(platform: platform, payload: payload).contract
    guard let entry = entry(contract) else { return Report() }
    guard isBare || contract != .native else {
      let report = entry.report(Report(), of: payload, platform, headers)
      return Report(report.findings.filter { $0.rule == "device-fallback" })
    }
    let report = entry.report(entry.findings(payload, platform), of: payload, platform, headers)
    return Report(report.findings.filter { $0.severity != .note })
  }

  /// Names the contract a payload is written in, and what tells it.
  ///
  /// Amba, PowerAuth and payloads without a dialect look alike; they are `native` here, and the reason says so.
  public static func recognize(platform: Platform, payload: JSONValue) -> Recognition {
    guard case .object(let root) = payload else {
      return Recognition(contract: .native, reason: "not a JSON object, so no contract can be told")
    }
    let members = platform == .ios ? root : AndroidEnvelope(root, style: .androidNotification).message
    for entry in entries {
      if let reason = entry.recognize(members, platform) {
        return Recognition(contract: entry.name, reason: reason)
      }
    }
    return Recognition(
      contract: .native,
      reason:
        "no key tells a dialect; amba, powerauth and plain payloads look alike, so name the contract if you know it")
  }

  /// True when `parse` hands a payload back in the same fields that `render` took, under the contract's own member.
  public static func readsWrittenFields(_ contract: ContractName) -> Bool {
    entry(contract)?.readsWrittenFields ?? false
  }

  static func entry(_ name: ContractName) -> ContractEntry? { entries.first { $0.name == name } }

  static func unknown(_ name: ContractName) -> Finding {
    let known = names.map { $0.rawValue }
    let near = NearMiss.of(name.rawValue, in: known).map { "did you mean \($0)?" }
    return Finding(
      rule: "contract-unknown", severity: .error, field: "contract",
      message: "no contract \(name); " + (near ?? "the contracts are " + known.joined(separator: ", ")))
  }
}
