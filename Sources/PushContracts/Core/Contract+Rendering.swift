public import PushPayload
internal import WireJSON

extension Contract {
  /// What a message becomes on one platform.
  private struct Written {
    var apns: APNsRequest?
    var fcm: FCMRequest?
    var report = Report()
    /// Why the device would do nothing; nil when it does something.
    var nothing: String?

    var isNothing: Bool { nothing != nil || apns == nil && fcm == nil }
  }

  /// Writes a message for one platform or both, with everything there is to say about it.
  ///
  /// A platform that the message is not valid on has no request in the result, and the report says why. A platform whose
  /// devices would do nothing has none either, also when the message says that it is silent: that is a warning when
  /// another platform's devices do something, and an error when none does.
  public func render(
    _ message: Message, context: WriteContext, platforms: [Platform] = Platform.allCases
  ) -> Rendering {
    var rendering = Rendering(contract: name)
    validate(message, context: context, report: &rendering.report)
    guard !rendering.report.hasErrors else { return rendering }
    var writer = JSONWriter()
    let ios = platforms.contains(.ios) ? write(message, context, .ios, with: &writer) : nil
    let android = platforms.contains(.android) ? write(message, context, .android, with: &writer) : nil
    let isNothing = ios?.isNothing != false && android?.isNothing != false
    for platform in platforms {
      guard let written = platform == .ios ? ios : android else { continue }
      rendering.report.append(unsaid(written.report, rendering.report))
      if let reason = written.nothing {
        let advice = isNothing ? advice(message) : "nothing is sent to \(platform.title)"
        rendering.report.add(
          rule: "device-shows-nothing", severity: isNothing ? .error : .warning, field: "",
          message: "\(platform.title) shows nothing: \(reason); \(advice)")
      } else {
        rendering.apns = written.apns ?? rendering.apns
        rendering.fcm = written.fcm ?? rendering.fcm
      }
    }
    return rendering
  }

  /// A platform's report without the fields of which the message's own report says already that they are not sent.
  private func unsaid(_ report: Report, _ said: Report) -> Report {
    let fields = said.findings.filter { hooks.lossRules.contains($0.rule) }.map { $0.field }
    return Report(report.findings.filter { $0.rule != "field-not-carried" || !fields.contains($0.field) })
  }

  private func write(
    _ message: Message, _ context: WriteContext, _ platform: Platform, with writer: inout JSONWriter
  ) -> Written {
    var written = Written()
    validate(message, on: platform, context: context, report: &written.report)
    switch platform {
    case .ios:
      let isFine = writeAPNs(message, context: context, into: &writer, report: &written.report)
      let headers = headers(message, context: context, report: &written.report)
      policy.budget?.check(writer.count, field: "", &written.report)
      if isFine && !written.report.hasErrors {
        let bytes = writer.bytes
        written.apns = APNsRequest(headers: headers, payload: bytes)
        checkDevice(message, context, platform, headers, bytes, &written)
      }
    case .android:
      let isFine = writeFCM(message, context: context, into: &writer, report: &written.report)
      let bytes = writer.bytes
      policy.budget?.check(fcm: bytes, &written.report)
      if isFine && !written.report.hasErrors {
        written.fcm = FCMRequest(body: bytes, target: context.target)
        checkDevice(message, context, platform, Optional.none, bytes, &written)
      }
    }
    if written.nothing != nil { written.report.follow(.nothing(""), drawnRules: hooks.device.drawnRules) }
    reportNotCarried(message, context, platform, &written.report)
    return written
  }

  // MARK: What the device does

  /// Holds what was written to the model of the device, unless a body says already that all of it is shown.
  private func checkDevice(
    _ message: Message, _ context: WriteContext, _ platform: Platform, _ headers: APNsHeaders?, _ bytes: [UInt8],
    _ written: inout Written
  ) {
    // An own object can replace the text, or of the kind of push.
    guard
      own?.get(message, platform) != nil || hooks.device.mayLose(message, platform)
        || !hasBody(message, context, platform)
    else { return }
    guard !variants.contains(where: { context.has($0.option) }), let root = try? JSON.parse(bytes),
      let members = platform == .ios ? root.object : root["message"]?.object
    else { return }
    // A topic is always sent, so that only a pass may have an empty payload.
    var headers = headers
    if platform == .ios, headers?.topic == nil { headers?.topic = "" }
    let outcome = hooks.device.outcome(members, platform, headers)
    if case .nothing(let reason) = outcome {
      written.nothing = reason
    } else if let reason = hooks.device.emptiness(message, members, platform, context) {
      written.nothing = reason
    } else {
      written.report.add(
        outcome, on: platform, fallbackRules: hooks.device.fallbackRules,
        fallbackEndings: hooks.device.fallbackEndings)
    }
  }

  /// True when a platform's payload has a body with text in it, which every device shows.
  private func hasBody(_ message: Message, _ context: WriteContext, _ platform: Platform) -> Bool {
    probes(platform).bodies.contains { $0(message, context) }
  }

  private func probes(_ platform: Platform) -> RowProbes<Message> {
    platform == .ios ? appleProbes : androidProbes
  }

  /// What to add to a message that no device does anything with.
  private func advice(_ message: Message) -> String {
    guard hooks.device.saysSilent(message) else { return "add a text or data, or say that the push is silent" }
    let data = fields.first { $0.role == .data && $0.isInput }.map { $0.name } ?? "data"
    return "a silent push without data does nothing there; add \(data)"
  }

  // MARK: What is not carried

  private func reportNotCarried(
    _ message: Message, _ context: WriteContext, _ platform: Platform, _ report: inout Report
  ) {
    for probe in probes(platform).partial where probe.isLost(message, context) {
      let field = fields[probe.row]
      reportNotCarried(field, platform, isLoss: field.isNoticed && !field.hasCounterpart(message), &report)
    }
  }

  private func reportNotCarried(
    _ field: Field<Message>, _ platform: Platform, isLoss: Bool, _ report: inout Report
  ) {
    let slots = platform == .ios ? field.apns : field.androidSlots
    let condition = slots.first.map { " only when \($0.conditionText)" }
    report.add(
      rule: "field-not-carried", severity: isLoss ? .warning : .note, field: field.name,
      message: condition.map { "\(name) carries \(field.name) to \(platform.title)\($0)" }
        ?? "\(name) does not carry \(field.name) to \(platform.title)")
  }
}
