internal import PushContracts
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

/// A message with placeholders on its way to what is stored: it is written once, with marks, and what a recipient without
/// values gets is made of those bytes and checked.
struct PersonalWriting {
  let composer: PushComposer
  let job: WritingJob
  let message: MarkedMessage

  /// What was written, cut at the marks.
  struct Written {
    let headers: APNsHeaders?
    let target: FCMTarget?
    let payload, body: MarkedBytes?
    /// The request to FCM with its marks, of which that to another service is made; nil when that is not wanted.
    let marks: [UInt8]?
    /// For devices that FCM reaches over another push service.
    let carried: [Cut]
  }

  /// A payload that was cut at its marks.
  struct Cut {
    let payload: RenderedPayload
    let cuts: [MarkedBytes.Cut]
  }

  func payloads(at desk: inout RuleChecks.Desk, _ report: inout Report) -> [RenderedPayload] {
    guard let written = write(at: &desk) else {
      // What is wrong without the marks as well is said of the message itself.
      _ = composer.write(message.plain, job, &report)
      return report.hasErrors ? [] : refuse(&report)
    }
    let hasAPNs = job.hasAPNs && written.headers != nil
    let others = judge(written, at: &desk, &report)
    guard !report.hasErrors else { return [] }
    guard (desk.desk.headers != nil) == hasAPNs,
      (desk.desk.target == nil) == (written.target == nil || job.fcm.isEmpty)
    else { return refuse(&report) }
    let needs = needs(of: written, at: &desk)
    var payloads: [RenderedPayload] = []
    if hasAPNs, let headers = written.headers, let payload = written.payload {
      payloads.append(message.templated(PushComposer.apns(headers, payload.body), payload.cuts, needs: needs))
    }
    if let target = written.target, let body = written.body {
      payloads += PushComposer.fcm(FCMRequest(body: body.body, target: target), job).map {
        message.templated($0, body.cuts, shift: $0.body.count - body.body.count, needs: needs)
      }
    }
    for kinds in others.map(\.kinds) {
      let found =
        if let form = job.own.first(where: { $0.provider.kinds == kinds }) {
          cut(written, form)
        } else {
          written.carried.first { $0.payload.kinds == kinds }
        }
      guard let found else { return refuse(&report) }
      payloads.append(message.templated(found.payload, found.cuts, needs: needs))
    }
    return payloads
  }

  /// Writes the message with its marks; nil where one is in what is no text of a body.
  private func write(at desk: inout RuleChecks.Desk) -> Written? {
    guard let marked = message.marked else { return nil }
    Contracts.render(job.contract, message: marked, context: job.context, platforms: job.platforms, at: &desk.desk)
    guard !desk.desk.report.hasErrors else { return nil }
    var isMarked = false
    desk.desk.headers?.forEach { _, value in isMarked = isMarked || MarkedMessage.isMarked(value) }
    if isMarked { return nil }
    let payload =
      unsafe job.platforms.contains(.ios) ? desk.desk.payload.withBytes { unsafe MarkedBytes($0, message) } : nil
    let body =
      unsafe job.platforms.contains(.android) ? desk.desk.body.withBytes { unsafe MarkedBytes($0, message) } : nil
    guard (payload == nil) == !job.platforms.contains(.ios), (body == nil) == !job.platforms.contains(.android) else {
      return nil
    }
    guard let carried = carried(marked, at: &desk) else { return nil }
    return Written(
      headers: desk.desk.headers, target: desk.desk.target, payload: payload, body: body,
      marks: job.needsAndroid ? desk.desk.body.bytes : nil, carried: carried)
  }

  /// What was written, for the devices that FCM reaches over another push service.
  private func carried(_ marked: JSONValue, at desk: inout RuleChecks.Desk) -> [Cut]? {
    // What is to be said is said of the texts without marks.
    var carrying = CarriedWriting(composer, marked, job)
    carrying.write(desk.desk.rendering(job.contract))
    var payloads: [Cut] = []
    for var payload in carrying.payloads {
      guard let cut = unsafe payload.body.withUnsafeBufferPointer({ unsafe MarkedBytes($0, message) }) else {
        return nil
      }
      // The address is the first of the message's members, so that it stays where it is.
      payload.body = cut.body
      payloads.append(Cut(payload: payload, cuts: cut.cuts))
    }
    return payloads
  }

  /// Checks what a recipient without values gets; where that is nothing, what one with values gets, with a warning: of
  /// the others' texts it is known which of them a device needs.
  private func judge(
    _ written: Written, at desk: inout RuleChecks.Desk, _ report: inout Report
  ) -> [RenderedPayload] {
    var plain = Report()
    let others = judge(message.plain, written, at: &desk, &plain, message.placeholders.map(\.plain))
    if let nothing = lost(plain, at: &desk) {
      let outcome = (desk.desk.headers, desk.desk.target)
      var found = Report()
      let filled = judge(message.filled, written, at: &desk, &found, message.placeholders.map(\.filled))
      if !found.hasErrors {
        report.append(found)
        report.add(
          rule: nothing.rule, severity: .warning, field: nothing.field,
          message: "to a recipient without values \(Self.ofNoPlatform(nothing.message)); who has no text gets nothing")
        return filled
      }
      (desk.desk.headers, desk.desk.target) = outcome
    }
    report.append(plain)
    return others
  }

  /// What is said of a platform, without its name: the audience may be of browsers alone, for which it holds as well.
  private static func ofNoPlatform(_ message: String) -> String {
    let words = " shows nothing: "
    guard let found = message.firstRange(of: words) else { return message }
    return "nothing is shown: " + message[found.upperBound...]
  }

  /// Why a recipient without values gets nothing; nil where the providers refuse what is sent all the same.
  private func lost(_ plain: Report, at desk: inout RuleChecks.Desk) -> Finding? {
    if let nothing = plain.findings.first(where: { $0.rule == "device-shows-nothing" }) { return nothing }
    guard let error = plain.findings.first(where: { $0.severity == .error }) else { return nil }
    return desk.check(job.contract).hasErrors ? nil : error
  }

  /// Says what there is to say of the message with a text instead of each placeholder.
  func judge(
    _ form: JSONValue, _ written: Written, at desk: inout RuleChecks.Desk, _ report: inout Report, _ texts: [String]
  ) -> [RenderedPayload] {
    // An earlier judgment may have taken away what only another service gets.
    if !job.hasAPNs { desk.desk.headers = written.headers }
    if job.needsAndroid { desk.desk.target = written.target }
    desk.desk.fill(
      payload: written.payload?.filled { texts[$0] }, body: written.body?.filled { texts[$0] },
      hasEmptyTexts: texts.contains(""))
    Contracts.judge(job.contract, message: form, context: job.context, platforms: job.platforms, at: &desk.desk)
    return composer.judge(form, job, &desk, &report)
  }

  /// The message for a service with a form of its own, with the offsets of its values.
  private func cut(_ written: Written, _ form: OwnForm) -> Cut? {
    guard let marked = message.marked else { return nil }
    let body = form.isMadeOfAndroid ? written.marks : written.body?.body ?? []
    let rendering = Rendering(
      contract: job.contract,
      apns: written.headers.map { APNsRequest(headers: $0, payload: written.payload?.body ?? []) },
      fcm: written.target.flatMap { target in body.map { FCMRequest(body: $0, target: target) } })
    if form.isMadeOfAndroid, rendering.fcm == nil { return nil }
    // What is to be said is said of the texts without marks.
    var ignored = Report()
    guard var payload = form.write(composer, marked, job, rendering, &ignored),
      !payload.headers.contains(where: { MarkedMessage.isMarked($0.value) }),
      let cut = unsafe payload.body.withUnsafeBufferPointer({ unsafe MarkedBytes($0, message) })
    else { return nil }
    payload.body = cut.body
    return Cut(payload: payload, cuts: cut.cuts)
  }

  private func refuse(_ report: inout Report) -> [RenderedPayload] {
    report.add(
      rule: "push-placeholder-place", severity: .error, field: "",
      message:
        "a placeholder is where only fixed text is allowed (a header, an address, a number, a choice); put it"
        + " into a text that people read or into data")
    return []
  }
}
