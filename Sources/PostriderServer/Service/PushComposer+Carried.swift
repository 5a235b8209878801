internal import PushContracts
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WebPush
internal import WireJSON

extension DevicePlatform {
  /// Where its messages are written for phones; nil for browsers, which have a form of their own.
  var form: Platform? {
    switch self {
    case .ios: .ios
    case .android: .android
    case .web: nil
    }
  }
}

/// Writes a message for the devices that FCM reaches over another push service.
struct CarriedWriting {
  let composer: PushComposer
  let message: JSONValue
  let job: WritingJob
  private(set) var payloads: [RenderedPayload] = []
  private var report = Report()

  init(_ composer: PushComposer, _ message: JSONValue, _ job: WritingJob) {
    self.composer = composer
    self.message = message
    self.job = job
  }

  /// - Parameter rendering: the message as the phones' platforms get it.
  mutating func write(_ rendering: @autoclosure () -> Rendering) {
    guard job.kinds.contains(.fcmIOS) || job.kinds.contains(.fcmWeb) else { return }
    var rendering = rendering()
    rendering.apns?.headers.id = nil
    if job.kinds.contains(.fcmIOS), rendering.apns.map(Self.hasFixedHeaders) ?? true {
      add(Contracts.carried(rendering, message: message, to: job.context.target), .fcmIOS, .ios)
    }
    guard job.kinds.contains(.fcmWeb) else { return }
    let title = composer.entry.app.title.isEmpty ? composer.entry.app.name : composer.entry.app.title
    var isFixed = true
    let carried = Contracts.render(for: .web, job.contract, message: message, context: job.context, title: title) {
      collapse in
      if MarkedMessage.isMarked(collapse) { isFixed = false }
      return WebPushTopic(campaign: collapse).text
    }
    if isFixed { add(carried, .fcmWeb, .web) }
  }

  /// Whether no header differs from recipient to recipient: FCM would refuse some of them.
  private static func hasFixedHeaders(_ request: APNsRequest) -> Bool {
    var isFixed = true
    request.headers.forEach { _, value in if MarkedMessage.isMarked(value) { isFixed = false } }
    return isFixed
  }

  private mutating func add(_ carried: CarriedRendering, _ kind: DeviceKind, _ carrier: FCMCarrier) {
    var carried = carried
    carried.reportNothing(to: carrier, isAlone: job.kinds.allSatisfy { $0 == kind })
    report.append(carried.report)
    guard let request = carried.request, let template = request.template() else { return }
    report.append(
      composer.rules.with { Rendering(contract: job.contract).tolerating($0.check(request)) })
    payloads.append(RenderedPayload(kinds: [kind], body: template.body, tokenOffset: template.offset))
  }

  /// The report without what is said of the other kinds of devices already, in other fields.
  func unsaid(beside said: Report) -> Report {
    let known = Set(said.findings.map { Said(rule: $0.rule, message: $0.rule.hasPrefix("apns-") ? "" : $0.message) })
    return Report(
      report.findings.filter {
        !known.contains(Said(rule: $0.rule, message: $0.rule.hasPrefix("apns-") ? "" : $0.message))
      })
  }

  /// What a finding says, wherever.
  private struct Said: Hashable {
    let rule, message: String
  }
}
