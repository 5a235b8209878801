public import PushPayload
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

  @usableFromInline
  init(message: UnsafePointer<Message>, context: UnsafePointer<WriteContext>) {
    (self.message, self.context) = (message, context)
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
    var writer = JSONWriter()
    return render(message, context, platforms, Report(), with: &writer)
  }

  /// The same with a writer that is used again.
  ///
  /// - Parameter said: what there was to say of the message before.
  func render(
    _ message: Message, _ context: WriteContext, _ platforms: [Platform], _ said: Report,
    with writer: inout JSONWriter
  ) -> Rendering {
    withUnsafePointer(to: message) { address in
      withUnsafePointer(to: context) { surroundings in
        render(
          message, context, MessageAddress(message: address, context: surroundings), platforms, said, with: &writer)
      }
    }
  }

  private func render(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, _ platforms: [Platform],
    _ said: Report, with writer: inout JSONWriter
  ) -> Rendering {
    var rendering = Rendering(contract: name, report: said)
    validate(message, context, address, &rendering.report)
    guard !rendering.report.hasErrors else { return rendering }
    var ios: PlatformNotes?
    var android: PlatformNotes?
    if platforms.contains(.ios) { ios = writeAPNs(message, context, address, with: &writer, to: &rendering.apns) }
    if platforms.contains(.android) { android = writeFCM(message, context, address, with: &writer, to: &rendering.fcm) }
    let isNothing =
      (rendering.apns == nil || ios?.nothing != nil) && (rendering.fcm == nil || android?.nothing != nil)
    for platform in platforms {
      guard let notes = platform == .ios ? ios : android else { continue }
      rendering.report.append(unsaid(notes.report, rendering.report))
      guard let reason = notes.nothing else { continue }
      reportNothing(message, platform, reason, isNothing: isNothing, &rendering.report)
    }
    if ios?.nothing != nil { rendering.apns = nil }
    if android?.nothing != nil { rendering.fcm = nil }
    return rendering
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
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, with writer: inout JSONWriter,
    to request: inout APNsRequest?
  ) -> PlatformNotes {
    var notes = PlatformNotes()
    hooks.platform(message, .ios, context, &notes.report)
    let isFine = writeAPNs(message, context, address, into: &writer, report: &notes.report)
    let headers = headers(message, context, address, &notes.report)
    policy.budget?.check(writer.count, field: "", &notes.report)
    if isFine && !notes.report.hasErrors {
      let bytes = writer.bytes
      if mayLose(message, address, .ios) { checkDevice(message, context, .ios, headers, bytes, &notes) }
      request = APNsRequest(headers: headers, payload: bytes)
    }
    reportNotCarried(address, appleProbes, &notes.report)
    return notes
  }

  private func writeFCM(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, with writer: inout JSONWriter,
    to request: inout FCMRequest?
  ) -> PlatformNotes {
    var notes = PlatformNotes()
    hooks.platform(message, .android, context, &notes.report)
    let isFine = writeFCM(message, context, address, into: &writer, report: &notes.report)
    let bytes = writer.bytes
    policy.budget?.check(fcm: bytes, &notes.report)
    if isFine && !notes.report.hasErrors {
      if mayLose(message, address, .android) { checkDevice(message, context, .android, Optional.none, bytes, &notes) }
      request = FCMRequest(body: bytes, target: context.target)
    }
    reportNotCarried(address, androidProbes, &notes.report)
    return notes
  }

  // MARK: What the device does

  /// False when a body says already that all of what was written is shown.
  ///
  /// An own object can replace the text, or of the kind of push.
  private func mayLose(_ message: Message, _ address: MessageAddress<Message>, _ platform: Platform) -> Bool {
    if own?.get(message, platform) != nil || hooks.mayLose(message, platform) { return true }
    let bodies = platform == .ios ? appleProbes.bodies : androidProbes.bodies
    return !bodies.contains { $0(address.message, address.context) }
  }

  /// Holds what was written to the model of the device.
  @inline(never)
  private func checkDevice(
    _ message: Message, _ context: WriteContext, _ platform: Platform, _ headers: APNsHeaders?, _ bytes: [UInt8],
    _ notes: inout PlatformNotes
  ) {
    guard !variants.contains(where: { context.has($0.option) }), let root = try? JSON.parse(bytes),
      let members = platform == .ios ? root.object : root["message"]?.object
    else { return }
    // A topic is always sent, so that only a pass may have an empty payload.
    var headers = headers
    if platform == .ios, headers?.topic == nil { headers?.topic = "" }
    let outcome = hooks.device.outcome(members, platform, headers)
    if case .nothing(let reason) = outcome {
      notes.nothing = reason
    } else if let reason = hooks.device.emptiness(message, members, platform, context) {
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
    for index in probes.isLost.indices where probes.isLost[index](address.message, address.context) {
      let lost = probes.losses[index]
      report.findings.append(lost.finding)
      guard lost.isNoticed, lost.hasCounterpart.map({ !$0(address.message) }) ?? true else { continue }
      report.findings[report.findings.count - 1].severity = .warning
    }
  }
}
