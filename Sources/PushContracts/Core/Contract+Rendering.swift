public import PushPayload
internal import PushRules
internal import WireJSON

/// What there is to say of a message on one platform, beside its request.
private struct PlatformNotes {
  var report = Report()
  /// Why the device would do nothing; nil when it does something.
  var nothing: String?
}

/// A message and its context by address: a large struct that is handed on by value is copied at every call of a closure.
@usableFromInline
struct MessageAddress<Message: Sendable> {
  let message: UnsafePointer<Message>
  let context: UnsafePointer<WriteContext>
  /// The rows that the message has a value for; all of them when it was not asked.
  let present: RowSet

  @usableFromInline
  init(message: UnsafePointer<Message>, context: UnsafePointer<WriteContext>, present: RowSet = .all) {
    (self.message, self.context, self.present) = (message, context, present)
  }
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
    withUnsafePointer(to: message) { address in
      withUnsafePointer(to: context) { surroundings in
        assert(present?.contains(rows.present(address)) ?? true, "a row has what it was not given")
        let address = MessageAddress(
          message: address, context: surroundings, present: present ?? rows.present(address))
        render(message, context, address, platforms, at: &desk)
      }
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
    var notes = PerPlatform { _ in PlatformNotes() }
    for platform in Platform.allCases where platforms.contains(platform) {
      switch platform {
      case .ios: writeAPNs(message, context, address, at: &desk, &notes.ios)
      case .android: writeFCM(message, context, address, at: &desk, &notes.android)
      }
    }
    if notes.ios.nothing == nil, notes.android.nothing == nil, hooks.lossRules.isEmpty || desk.report.isEmpty {
      // The platforms' order is that of the request.
      for platform in platforms where !notes[platform].report.isEmpty {
        desk.report.append(notes[platform].report)
        notes[platform].report = Report()
      }
      return
    }
    sum(message, platforms, notes, at: &desk)
  }

  /// Adds the platforms' reports where they have to do with each other.
  @inline(never)
  private func sum(
    _ message: Message, _ platforms: [Platform], _ notes: PerPlatform<PlatformNotes>, at desk: inout WritingDesk
  ) {
    if notes.ios.nothing != nil { desk.headers = nil }
    if notes.android.nothing != nil { desk.target = nil }
    let isNothing = desk.headers == nil && desk.target == nil
    for platform in platforms {
      let notes = notes[platform]
      desk.report.append(unsaid(notes.report, desk.report))
      guard let reason = notes.nothing else { continue }
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

  private func writeAPNs(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, at desk: inout WritingDesk,
    _ notes: inout PlatformNotes
  ) {
    hooks.platform(message, .ios, context, &notes.report)
    let written = desk.isFilled ? desk.payloadWritten : writeAPNs(message, context, address, into: &desk.payload)
    if !written.report.isEmpty {
      notes.report.append(written.report)
      desk.payloadNotes = written.report
    }
    let headers = headers(message, context, address, &notes.report)
    policy.budget?.check(desk.payload.count, field: "", &notes.report)
    if !written.isRefused && !notes.report.hasErrors {
      if mayLose(message, address, .ios) || !probes.ios.showsBody(address) {
        checkDevice(message, context, .ios, headers, desk.payload.bytes, &notes)
      }
      desk.headers = headers
      desk.payloadFacts = written.facts
    }
    if context.options.isEmpty {
      reportNotCarried(address, bareProbes.ios, &notes.report)
    } else {
      reportNotCarried(address, probes.ios, &notes.report)
    }
  }

  private func writeFCM(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, at desk: inout WritingDesk,
    _ notes: inout PlatformNotes
  ) {
    hooks.platform(message, .android, context, &notes.report)
    let written = desk.isFilled ? desk.bodyWritten : writeFCM(message, context, address, into: &desk.body)
    if !written.report.isEmpty {
      notes.report.append(written.report)
      desk.bodyNotes = written.report
    }
    policy.budget?.check(fcm: desk.body, &notes.report)
    if !written.isRefused && !notes.report.hasErrors {
      if mayLose(message, address, .android) || !probes.android.showsBody(address) {
        checkDevice(message, context, .android, Optional.none, desk.body.bytes, &notes)
      }
      desk.target = context.target
      desk.bodyFacts = written.facts
    }
    if context.options.isEmpty {
      reportNotCarried(address, bareProbes.android, &notes.report)
    } else {
      reportNotCarried(address, probes.android, &notes.report)
    }
  }

  // MARK: What the device does

  /// False when a body, if there is one, says already that all of what was written is shown.
  ///
  /// An own object can replace the text, or of the kind of push.
  private func mayLose(_ message: Message, _ address: MessageAddress<Message>, _ platform: Platform) -> Bool {
    if address.present.meets(ownRows), own?.get(message, platform) != nil { return true }
    return hooks.mayLose(message, platform)
  }

  /// Holds what was written to the model of the device.
  @inline(never)
  private func checkDevice(
    _ message: Message, _ context: WriteContext, _ platform: Platform, _ headers: APNsHeaders?, _ bytes: [UInt8],
    _ notes: inout PlatformNotes
  ) {
    guard !variants.contains(where: { context.has($0.option) }), let root = try? JSON.parse(bytes),
      let members = platform.message(in: root)
    else { return }
    // A topic is always sent, so that only a pass may have an empty payload.
    var headers = headers
    if headers?.topic == nil { headers?.topic = "" }
    let outcome = hooks.device.outcome(members, platform, headers)
    if case .nothing(let reason) = outcome {
      notes.nothing = reason
    } else if let reason = hooks.device.emptiness[platform](message, members, context) {
      notes.nothing = reason
    } else {
      notes.report.add(
        outcome, on: platform, fallbackRules: hooks.device.fallbackRules,
        fallbackEndings: hooks.device.fallbackEndings)
    }
    if notes.nothing != nil { notes.report.follow(.nothing(""), drawnRules: hooks.device.drawnRules) }
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
    for index in probes.losses.indices where probes.isLost(index, address) {
      if report.isEmpty { report.findings.reserveCapacity(4) }
      report.findings.append(probes.losses[index].finding)
      guard probes.losses[index].isNoticed,
        probes.losses[index].hasCounterpart.map({ !$0(address.message) }) ?? true
      else { continue }
      report.findings[report.findings.count - 1].severity = .warning
    }
  }
}
