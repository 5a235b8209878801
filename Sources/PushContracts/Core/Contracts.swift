public import PushPayload
internal import PushRules
public import WireJSON

/// The contracts by name: writing, reading, recognising and comparing without knowing their message types.
public enum Contracts {
  /// Every contract, in the order in which payloads are tried against them: `native` takes what nobody claims.
  private static let listings = [
    ContractListing(.amba) { Amba.entry },
    ContractListing(.imkit, recognize: IMKit.recognize) { IMKit.entry },
    ContractListing(.powerauth) { PowerAuth.entry },
    ContractListing(.adobe, recognize: Adobe.recognize) { Adobe.entry },
    ContractListing(.onesignal, recognize: OneSignal.recognize) { OneSignal.entry },
    ContractListing(.native) { Native.entry },
  ]

  /// The same, with all that they need.
  static var entries: [ContractEntry] { listings.map { $0.entry() } }

  /// The names of the contracts.
  public static var names: [ContractName] { listings.map { $0.name } }

  /// One sentence about a contract; nil for an unknown name.
  public static func summary(_ contract: ContractName) -> String? { entry(contract)?.summary }

  /// The table of field, APNs slots, FCM slots and rule; nil for an unknown name.
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
    var desk = WritingDesk()
    entry.render(message, context, platforms, &desk)
    return desk.rendering(contract)
  }

  /// Writes the FCM request of a message with a placeholder for the device: rendered once per push, spliced per device.
  ///
  /// - Returns: nil when the message is not legal on Android; the report says why.
  public static func fcmTemplate(
    _ contract: ContractName, message: JSONValue, context: WriteContext = WriteContext(),
    placeholder: FCMRequestTemplate.Placeholder = .token, report: inout Report
  ) -> FCMRequestTemplate? {
    let rendering = render(contract, message: message, context: context, platforms: [.android])
    report.append(rendering.report)
    return fcmTemplate(of: rendering, context: context, placeholder: placeholder, report: &report)
  }

  /// The FCM request of a rendering with a placeholder for the device.
  ///
  /// - Parameters:
  ///   - rendering: what ``render(_:message:context:platforms:)`` has written.
  ///   - context: the context in which it was written.
  ///   - placeholder: how the device is named.
  ///   - report: says why it cannot be sent, if an option makes it something else than FCM takes.
  /// - Returns: nil without an FCM request, and when the report says why.
  public static func fcmTemplate(
    of rendering: Rendering, context: WriteContext, placeholder: FCMRequestTemplate.Placeholder = .token,
    report: inout Report
  ) -> FCMRequestTemplate? {
    guard let request = rendering.fcm else { return nil }
    if let finding = notSent(rendering.contract, context) {
      report.findings.append(finding)
      return nil
    }
    return request.template(placeholder)
  }

  /// Why what is written for Android cannot be sent to FCM; nil when it can.
  package static func notSent(_ contract: ContractName, _ context: WriteContext) -> Finding? {
    entry(contract)?.notSent(context)
  }

  /// Reads a raw payload.
  ///
  /// - Parameters:
  ///   - platform: where the payload was received.
  ///   - raw: for iOS the APNs payload; for Android the FCM message, a RemoteMessage or the flat map of the client.
  ///   - contract: the contract to read it by; nil recognizes it.
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
    let headers = platform.traits.hasHeaders ? headers : nil
    let (notification, said) = entry.parse(payload, platform)
    var parsed = Parsed(
      contract: entry.name, reason: recognition.reason, notification: notification,
      report: entry.report(said, of: payload, platform, headers))
    if platform.traits.clientDraws, case .object(let members) = payload {
      // What Firebase draws is not silent, although there is no text in it; a vendor's library says for itself what it
      // draws.
      if !entry.isDataOnly, notification["silent"] == true, entry.outcome(members, platform, Optional.none).isVisible {
        parsed.notification.removeValue(forKey: "silent")
      }
      if let block = entry.drawnBlock(members) {
        parsed.notification = parsed.notification.drawing(block, replacesData: entry.isDataOnly)
      }
    }
    if headers?.pushType == nil, let mistake = mistake(payload, platform) {
      parsed.report = Report([mistake])
    } else if let finding = refusals[platform](payload, headers, parsed.report) {
      parsed.report.findings.append(finding)
    }
    if let state {
      parsed.behavior = entry.behavior(payload, platform, state) ?? state.shown(with: parsed.badge)
    }
    return parsed
  }

  /// What the provider says of a payload that it refuses, or that shows nothing, whatever is in it; nil for any other.
  private static let refusals = PerPlatform<@Sendable (JSONValue, APNsHeaders?, Report) -> Finding?>(
    ios: apsMissing, android: { payload, _, _ in refusedRequest(payload) })

  /// What the providers' rules say of an iOS payload that shows nothing as it has no `aps`; nil for any other, and for one
  /// of which more than notes is said.
  @Sendable private static func apsMissing(
    _ payload: JSONValue, _ headers: APNsHeaders?, _ said: Report
  ) -> Finding? {
    guard headers?.pushType == nil, said.findings.allSatisfy({ $0.severity == .note }) else { return nil }
    guard let members = payload.object, !members.isEmpty, members["aps"] == nil, members["mdm"] == nil else {
      return nil
    }
    return Finding(
      rule: "apns-aps-missing", severity: .warning, field: "", message: PushDocumentKind.apsMissing)
  }

  /// Reads a document whose platform its members may tell; of a request to APNs its payload, by its headers.
  ///
  /// Without a platform a push type says iOS, as only APNs has one; else the members do, as ``platform(of:)`` says. What
  /// is no payload has a report that names it, and nothing is read.
  ///
  /// - Parameters:
  ///   - document: what was given for a payload.
  ///   - platform: where it was received; nil infers it.
  ///   - contract: the contract to read it by; nil recognizes it.
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
    if taken.traits.hasHeaders, let members = document.object, members.isWholeAPNsRequest {
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

  /// What was given instead of a payload, as an error that says what to do: a message of a contract, a vendor's request
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
    let headers = platform.traits.hasHeaders ? headers : nil
    return entry.report(entry.findings(payload, platform), of: payload, platform, headers)
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
      return Recognition(contract: .native, reason: "not a JSON object, so no contract can be recognized")
    }
    let members = platform.message(root)
    for listing in listings {
      if let reason = listing.recognize(members, platform) {
        return Recognition(contract: listing.name, reason: reason)
      }
    }
    return Recognition(contract: .native, reason: nativeReason)
  }

  /// Why a payload that nothing tells is ``ContractName/native``.
  static let nativeReason =
    "no key identifies a dialect; amba, powerauth and plain payloads look alike, so name the contract if you know it"

  /// True when `parse` hands a payload back in the same fields that `render` took, under the contract's own member.
  public static func readsWrittenFields(_ contract: ContractName) -> Bool {
    entry(contract)?.readsWrittenFields ?? false
  }

  /// The contract of a name.
  package static func entry(_ name: ContractName) -> ContractEntry? { listings.first { $0.name == name }?.entry() }

  static func unknown(_ name: ContractName) -> Finding {
    let known = names.map { $0.rawValue }
    let near = NearMiss.of(name.rawValue, in: known).map { "did you mean \($0)?" }
    return Finding(
      rule: "contract-unknown", severity: .error, field: "contract",
      message: "no contract \(name); " + (near ?? "the contracts are " + known.joined(separator: ", ")))
  }
}
