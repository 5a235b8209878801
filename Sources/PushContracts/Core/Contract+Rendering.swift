public import PushPayload
internal import PushRules
internal import WireJSON

/// A message and its context by address: a large struct that is handed on by value is copied at every call of a closure.
@usableFromInline
struct MessageAddress<Message: Sendable> {
  let message: Lent<Message>
  let context: Lent<WriteContext>
  /// The rows that the message has a value for; all of them when it was not asked.
  var present: RowSet

  @usableFromInline
  init(message: Lent<Message>, context: Lent<WriteContext>, present: RowSet = .all) {
    (self.message, self.context, self.present) = (message, context, present)
  }
}

/// Lends a message and its context for the time of a call.
@inlinable
@inline(__always)
func lending<Message, Result>(
  _ message: Message, _ context: WriteContext, _ body: (MessageAddress<Message>) -> Result
) -> Result {
  lending(message) { message in lending(context) { body(MessageAddress(message: message, context: $0)) } }
}

extension Contract {
  /// Writes a message for one platform or both, with everything there is to say about it.
  ///
  /// A platform that the message is not valid on has no request in the result, and the report says why. A platform whose
  /// devices would do nothing has none either, also when the message says that it is silent: that is a warning when
  /// another platform's devices do something, and an error when none does.
  public func render(
    _ message: Message, context: WriteContext, platforms: [Platform] = Platform.allCases
  ) -> Rendering {
    var desk = WritingDesk()
    render(message, context, platforms, at: &desk)
    return desk.rendering(name)
  }

  /// The same with memory that is used again; its report has what there was to say of the message before.
  ///
  /// - Parameter present: the rows that the message may have a value for, when they are known.
  func render(
    _ message: Message, _ context: WriteContext, _ platforms: [Platform], present: RowSet? = nil,
    at desk: inout WritingDesk
  ) {
    lending(message, context) { address in
      assert(present?.contains(rows.present(address.message)) ?? true, "a row has what it was not given")
      var address = address
      address.present = present ?? rows.present(address.message)
      render(message, context, address, platforms, at: &desk)
    }
  }

  /// Message and context are handed on both ways: rows take them by address, and what is read from there as a whole for a
  /// function that takes a message would be copied.
  private func render(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, _ platforms: [Platform],
    at desk: inout WritingDesk
  ) {
    validate(message, context, address, &desk.report)
    guard !desk.report.hasErrors else { return }
    let own = desk.report.findings.count
    // Why a platform's devices would do nothing.
    let nothingOnIOS = platforms.contains(.ios) ? writeAPNs(message, context, address, at: &desk) : nil
    let end = desk.report.findings.count
    let nothingOnAndroid = platforms.contains(.android) ? writeFCM(message, context, address, at: &desk) : nil
    // The platforms' order is that of the request.
    if nothingOnIOS == nil, nothingOnAndroid == nil, hooks.lossRules.isEmpty || own == 0,
      end == own || desk.report.findings.count == end || platforms.first == Platform.allCases.first
    {
      return
    }
    sum(message, platforms, PerPlatform(ios: nothingOnIOS, android: nothingOnAndroid), (own, end), at: &desk)
  }

  /// Adds the platforms' reports where they have to do with each other.
  ///
  /// - Parameter ends: where the report of the message itself ends in the desk's, and where that of iOS does.
  @inline(never)
  private func sum(
    _ message: Message, _ platforms: [Platform], _ nothing: PerPlatform<String?>, _ ends: (own: Int, ios: Int),
    at desk: inout WritingDesk
  ) {
    if nothing.ios != nil { desk.headers = nil }
    if nothing.android != nil { desk.target = nil }
    let isNothing = desk.headers == nil && desk.target == nil
    let findings = desk.report.findings
    let parts = PerPlatform(
      ios: Report(Array(findings[ends.own..<ends.ios])), android: Report(Array(findings[ends.ios...])))
    desk.report = Report(Array(findings[..<ends.own]))
    for platform in platforms {
      desk.report.append(unsaid(parts[platform], desk.report))
      guard let reason = nothing[platform] else { continue }
      reportNothing(message, platform, reason, isNothing: isNothing, &desk.report)
    }
  }

  @inline(never)
  private func reportNothing(
    _ message: Message, _ platform: Platform, _ reason: String, isNothing: Bool, _ report: inout Report
  ) {
    let advice = isNothing ? advice(message) : "nothing is sent to \(platform.title)"
    report.add(
      rule: "device-shows-nothing", severity: isNothing ? .error : .warning, field: "",
      message: "\(platform.title) shows nothing: \(reason); \(advice)")
  }

  /// A platform's report without the fields of which the message's own report says already that they are not sent.
  private func unsaid(_ report: Report, _ said: Report) -> Report {
    if hooks.lossRules.isEmpty || said.isEmpty || report.isEmpty { return report }
    let fields = said.findings.filter { hooks.lossRules.contains($0.rule) }.map { $0.field }
    return Report(report.findings.filter { $0.rule != "field-not-carried" || !fields.contains($0.field) })
  }

  /// Writes the payload for APNs and reports what there is to say of it.
  ///
  /// - Returns: why the device would do nothing; nil when it does something.
  private func writeAPNs(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, at desk: inout WritingDesk
  ) -> String? {
    let start = desk.report.findings.count
    hooks.check(message, at: address.message, on: .ios, context, &desk.report)
    let written = desk.isFilled ? desk.payloadWritten : writeAPNs(message, context, address, into: &desk.payload)
    if !written.report.isEmpty {
      desk.report.append(written.report)
      desk.payloadNotes = written.report
    }
    desk.headers = headers(message, context, address, &desk.report)
    policy.budget?.check(desk.payload.count, field: "", &desk.report)
    var nothing: String?
    if !written.isRefused && !desk.report.hasErrors(since: start) {
      if mayLose(message, address, .ios) || !probes.ios.showsBody(address) {
        nothing = checkDevice(message, context, .ios, desk.headers, desk.payload.bytes, since: start, &desk.report)
      }
      desk.payloadFacts = written.facts
    } else {
      desk.headers = nil
    }
    if context.options.isEmpty {
      reportNotCarried(address, bareProbes.ios, &desk.report)
    } else {
      reportNotCarried(address, probes.ios, &desk.report)
    }
    return nothing
  }

  /// The same for FCM.
  private func writeFCM(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, at desk: inout WritingDesk
  ) -> String? {
    let start = desk.report.findings.count
    hooks.check(message, at: address.message, on: .android, context, &desk.report)
    let written = desk.isFilled ? desk.bodyWritten : writeFCM(message, context, address, into: &desk.body)
    if !written.report.isEmpty {
      desk.report.append(written.report)
      desk.bodyNotes = written.report
    }
    policy.budget?.check(fcm: desk.body, &desk.report)
    var nothing: String?
    if !written.isRefused && !desk.report.hasErrors(since: start) {
      if mayLose(message, address, .android) || !probes.android.showsBody(address) {
        nothing = checkDevice(
          message, context, .android, Optional.none, desk.body.bytes, since: start, &desk.report)
      }
      desk.target = context.target
      desk.bodyFacts = written.facts
    }
    if context.options.isEmpty {
      reportNotCarried(address, bareProbes.android, &desk.report)
    } else {
      reportNotCarried(address, probes.android, &desk.report)
    }
    return nothing
  }

  // MARK: What the device does

  /// False when a body, if there is one, says already that all of what was written is shown.
  ///
  /// An own object can replace the text, or of the kind of push.
  private func mayLose(_ message: Message, _ address: MessageAddress<Message>, _ platform: Platform) -> Bool {
    if address.present.meets(ownRows), hasOwn(message, platform) { return true }
    return hooks.mayLose(address.message, platform)
  }

  @inline(never)
  private func hasOwn(_ message: Message, _ platform: Platform) -> Bool { own?.get(message, platform) != nil }

  /// Holds what was written to the model of the device.
  ///
  /// - Parameter start: where the platform's findings begin in the report.
  /// - Returns: why the device would do nothing; nil when it does something.
  @inline(never)
  private func checkDevice(
    _ message: Message, _ context: WriteContext, _ platform: Platform, _ headers: APNsHeaders?, _ bytes: [UInt8],
    since start: Int, _ report: inout Report
  ) -> String? {
    guard !variants.contains(where: { context.has($0.option) }), let root = try? JSON.parse(bytes),
      let members = platform.message(in: root)
    else { return nil }
    // A topic is always sent, so that only a pass may have an empty payload.
    var headers = headers
    if headers?.topic == nil { headers?.topic = "" }
    let outcome = hooks.device.outcome(members, platform, headers)
    var said = Report(Array(report.findings[start...]))
    var nothing: String?
    if case .nothing(let reason) = outcome {
      nothing = reason
    } else if let reason = hooks.device.emptiness[platform](message, members, context) {
      nothing = reason
    } else {
      said.add(
        outcome, on: platform, fallbackRules: hooks.device.fallbackRules,
        fallbackEndings: hooks.device.fallbackEndings)
    }
    if nothing != nil { said.follow(.nothing(""), drawnRules: hooks.device.drawnRules) }
    report.findings.replaceSubrange(start..., with: said.findings)
    return nothing
  }

  /// What to add to a message that no device does anything with.
  @inline(never)
  private func advice(_ message: Message) -> String {
    guard hooks.device.saysSilent(message) else { return "add a text or data, or say that the push is silent" }
    let data = fields.first { $0.role == .data && $0.isInput }.map { $0.name } ?? "data"
    return "a silent push without data does nothing there; add \(data)"
  }

  // MARK: What is not carried

  private func reportNotCarried(
    _ address: MessageAddress<Message>, _ probes: RowProbes<Message>, _ report: inout Report
  ) {
    probes.forEachLoss(of: address) { index in
      if report.isEmpty { report.findings.reserveCapacity(8) }
      if let noticed = probes.losses[index].noticed,
        probes.losses[index].hasCounterpart.map({ !$0(address.message) }) ?? true
      {
        report.findings.append(noticed)
      } else {
        report.findings.append(probes.losses[index].finding)
      }
    }
  }
}

extension Report {
  /// Whether one of the findings from an index on is an error.
  fileprivate func hasErrors(since start: Int) -> Bool {
    for index in findings.indices[start...] where findings[index].severity == .error { return true }
    return false
  }
}
