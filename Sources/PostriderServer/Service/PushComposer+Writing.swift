internal import PushContracts
internal import PushPayload
internal import PushRules
internal import Signing
internal import StoreModel
internal import WireJSON

/// What the messages of one push are written for.
struct WritingJob {
  let contract: ContractName
  let context: WriteContext
  let platforms: [Platform]
  let kinds: [DeviceKind]
  /// Whether APNs gets one of them; an app of Apple's that FCM reaches needs the platform, but no request to APNs.
  let hasAPNs: Bool
  /// The kinds of device that FCM reaches itself, each of which has a member of its own for its address.
  let fcm: [DeviceKind]
  /// The services with a form of their own that reach some of them.
  let own: [OwnForm]
  /// Whether one of those is made of what the message is for Android.
  let needsAndroid: Bool

  init(_ composer: PushComposer, _ contract: ContractName, kinds: [DeviceKind], campaign: String?) {
    let (entry, body) = (composer.entry, composer.body)
    self.contract = contract
    self.kinds = kinds
    func reached(by provider: Provider) -> [DeviceKind] { kinds.filter { $0.provider == provider && !$0.isCarried } }
    hasAPNs = !reached(by: .apns).isEmpty
    var context = WriteContext(topic: body["topic"]?.string ?? entry.topic, campaign: campaign)
    let isUsual = contract.rawValue == entry.settings.contract
    context.options = MessageFields.options(body) ?? (isUsual ? entry.settings.options : [])
    context.now = composer.now.seconds
    // Contracts that put an id into the payload (OneSignal's custom.i) need one of each push's own: devices drop a second
    // notification with an id they have seen. The apns-id of each send is the delivery's.
    var generator = RandomReserve.shared
    context.apnsID = APNsID(using: &generator)
    // FCM knows the app's bundle id from its registration.
    if !hasAPNs { context.topic = context.topic ?? Contracts.unknownTopic }
    self.context = context
    fcm = reached(by: .fcm)
    platforms = Platform.allCases.filter { platform in kinds.contains { $0.platform.form == platform } }
    own = OwnForm.all.filter { form in kinds.contains { $0.provider == form.provider && !$0.isCarried } }
    needsAndroid = own.contains { $0.isMadeOfAndroid }
  }

  /// Whether nobody else gets the message.
  func isAlone(_ form: OwnForm) -> Bool { kinds.allSatisfy { $0.provider == form.provider && !$0.isCarried } }
}

extension PushComposer {
  /// Writes a message for each kind of device, once, and checks it.
  func write(_ message: JSONValue, _ job: WritingJob, _ report: inout Report) -> [RenderedPayload] {
    rules.desks.with { desk in
      Contracts.render(
        job.contract, message: message, context: job.context, platforms: job.platforms, at: &desk.desk)
      var payloads: [RenderedPayload] = []
      if job.hasAPNs, let headers = desk.desk.headers {
        payloads.append(PushComposer.apns(headers, desk.desk.payload.bytes))
      }
      if let target = desk.desk.target {
        payloads += PushComposer.fcm(FCMRequest(body: desk.desk.body.bytes, target: target), job)
      }
      payloads += judge(message, job, &desk, &report)
      return report.hasErrors ? [] : payloads
    }
  }

  /// Adds what there is to say of what is at a desk, and writes the message for the devices whose form is no contract's:
  /// browsers, and those that FCM reaches over another push service.
  func judge(
    _ message: JSONValue, _ job: WritingJob, _ desk: inout RuleChecks.Desk, _ report: inout Report
  ) -> [RenderedPayload] {
    if desk.desk.target != nil, let finding = Contracts.notSent(job.contract, job.context) {
      desk.desk.report.findings.append(finding)
      desk.desk.target = nil
    }
    var others: [RenderedPayload] = []
    for form in job.own {
      if let payload = form.write(self, message, job, desk.desk.rendering(job.contract), &desk.desk.report) {
        others.append(payload)
      }
    }
    // After all platforms: the services with a form of their own say the same once more.
    DeliveryField.refuse(in: &desk.desk.report)
    var carrying = CarriedWriting(self, message, job)
    carrying.write(desk.desk.rendering(job.contract))
    if !job.hasAPNs { desk.desk.headers = nil }
    // Written for another service alone: FCM has no say.
    if job.needsAndroid, job.fcm.isEmpty { desk.desk.target = nil }
    report.append(desk.desk.report)
    report.append(desk.check(job.contract))
    report.append(carrying.unsaid(beside: report))
    return others + carrying.payloads
  }

  /// Which devices an APNs request is for follows from its push type: PushKit tokens take calls and nothing else.
  static func apns(_ headers: APNsHeaders, _ payload: [UInt8]) -> RenderedPayload {
    let kind: DeviceKind =
      switch headers.pushType {
      case .voip: .iosVoIP
      case .liveactivity: .iosLiveActivity
      default: .ios
      }
    var fields: [RenderedPayload.Header] = []
    headers.forEach { name, value in
      // Each delivery has an id of its own.
      if name != "apns-id" { fields.append(RenderedPayload.Header(name, value)) }
    }
    return RenderedPayload(kinds: [kind], headers: fields, body: payload)
  }

  /// The request with the offset of the device's address in it, for each way of naming a device.
  static func fcm(_ request: FCMRequest, _ job: WritingJob) -> [RenderedPayload] {
    job.fcm.compactMap { kind in
      request.template(kind.form == .registrationToken ? .token : .fid).map {
        RenderedPayload(kinds: [kind], body: $0.body, tokenOffset: $0.offset)
      }
    }
  }
}
