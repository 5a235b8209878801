internal import Delivery
internal import DeviceText
internal import HTTPServer
internal import PushContracts
internal import PushCore
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

/// What a push looks like on a recipient's device: in its language and variant, with its values, byte for byte what would be
/// sent.
enum PushPreviewRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/pushes/preview", .scopes([.send, .read])), name: "previewPush",
      about:
        "Shows a push as one recipient's device does, in its language and variant and with its values; sends nothing.",
      body: .object(
        [
          .optional("to", TestPushRoutes.target),
          .optional("locale", .string("A language to show instead of the device's.", max: 40, example: "de")),
          .optional("variant", .string("The name of a variant to show instead of the recipient's own.", max: 100)),
          MessageFields.userValues,
          .optional("campaign", .string("The campaign's id.", max: 64)),
          .optional("category", .string("What it is about.", max: StoreLimits.tagBytesMax)),
        ] + MessageFields.properties + PreviewRoutes.drawing),
      answers: [
        Route.Answer(status: 200, about: "What the device shows.", schema: .named("PushPreview"))
      ],
      traits: .init(repetition: .harmless), action: .long(preview))
  ]

  static let schema = Schema.object(
    [
      .required(
        "previews",
        .array(
          of: Schema(
            .map,
            "What a device shows, as in /v1/preview, with device, user, variant, and the request that the provider would get."
          ),
          max: DeviceKind.allCases.count)),
      .required(
        "skipped",
        .array(
          of: .object([
            .required("type", .choice(DeviceKind.allCases.map(\.name), "The kind of device.")),
            .required("reason", .string("The reason that its delivery would have.", max: 100)),
            .optional("device", .string("The device.", max: 20)),
            .optional("user", .string("Its user.", max: 1_024)),
          ]), max: DeviceKind.allCases.count, "Devices that get nothing.")),
      .optional("report", .named("Report")),
    ], "A push as a recipient sees it.")

  /// Members of the request that are options of a preview with the same name.
  private static let optionNames = [
    "strings", "development_locale", "age", "ios_first", "ios_missing_argument", "svg", "appearance", "surfaces",
    "captions",
  ]

  /// Someone whose device is looked at.
  private struct Subject {
    var recipient: DeliveryRecipient
    let kind: DeviceKind
    let token: String
  }

  @Sendable private static func preview(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let entry = try service.app(call)
    var report = call.report
    let (to, device) = try TestPushRoutes.audience(call, entry, service, &report)
    var object = call.body.object ?? [:]
    object["to"] = device == nil ? to ?? ["all": true] : ["all": true]
    let body = try MessageFields.resolve(.object(object), app: entry.app.id, store: service.store)
    var composer = PushComposer(
      entry: entry, body: body, now: call.now, store: service.store, rules: service.rules, report: report)
    composer.triesAudience = false
    let push = try composer.compose(idempotency: nil)
    var drawing = Drawing(
      call: call, body: body, push: push, contract: try composer.contract(), report: composer.report)
    drawing.bareNames = composer.countedNames
    for subject in try subjects(push, device, call, entry, service) { try drawing.add(subject) }
    let answer: JSONObject = [
      "previews": .array(drawing.previews), "skipped": .array(drawing.skipped),
    ]
    return Reply(200, answer, report: drawing.report)
  }

  /// The device that is named; without one, somebody of whom nothing is known, on each platform.
  private static func subjects(
    _ push: NewPush, _ device: DeviceID?, _ call: Call, _ entry: AppEntry, _ service: Service
  ) throws(Problem) -> [Subject] {
    var subjects: [Subject] = []
    if let device {
      let found = try service.ask { (store) throws(StoreError) -> (Device, DeliveryRecipient)? in
        guard let found = try store.device(device), found.app == entry.app.id else { return nil }
        return (found, try PushTrial.recipient(found, store))
      }
      guard let (device, recipient) = found else {
        throw Problem(
          .invalid,
          report: Report([
            Finding(
              rule: "push-audience", severity: .error, field: "to.device",
              message: "the app has no such device; GET /v1/apps/\(entry.app.name)/devices lists them")
          ]))
      }
      subjects = [Subject(recipient: recipient, kind: device.kind, token: device.token)]
    } else if case .addresses(let addresses) = push.audience {
      subjects = addresses.map { Subject(recipient: PushTrial.nobody(), kind: $0.kind, token: $0.token) }
    } else {
      var seen: Set<[String]> = []
      let kinds = DeviceKind.allCases.filter { kind in push.payloads.contains { $0.kinds.contains(kind) } }
      subjects = kinds.filter { seen.insert([$0.provider.name, $0.platform.rawValue]).inserted }
        .map { Subject(recipient: PushTrial.nobody(), kind: $0, token: "") }
    }
    guard let locale = call["locale"]?.string else { return subjects }
    return subjects.map { Subject(recipient: $0.recipient.speaking(locale), kind: $0.kind, token: $0.token) }
  }

  /// The pictures of one push.
  private struct Drawing {
    let call: Call
    /// The request with its template.
    let body: JSONValue
    let push: NewPush
    let contract: ContractName
    var report: Report
    var bareNames: [PayloadVersion: Set<String>]?
    var previews: [JSONValue] = []
    var skipped: [JSONValue] = []

    private func variant() throws(Problem) -> Int? {
      guard let name = call["variant"]?.string else { return nil }
      if let index = push.variants.firstIndex(where: { $0.name == name }) { return index }
      throw Problem(
        .invalid,
        report: Report([
          Finding(
            rule: Schema.Rule.value, severity: .error, field: "variant",
            message: "the push has no variant of that name; it has "
              + (push.variants.isEmpty ? "none" : push.variants.map(\.name).joined(separator: ", ")))
        ]))
    }

    mutating func add(_ subject: Subject) throws(Problem) {
      let trial = PersonalTrial(push, now: call.now.seconds)
      let message = trial.message(
        for: subject.recipient, kind: subject.kind, token: subject.token, variant: try variant())
      var about = JSONObject()
      if let device = subject.recipient.device { about["device"] = .string(device.description) }
      if let user = subject.recipient.user { about["user"] = .string(user) }
      guard let payload = message?.payload else {
        let isTooLarge = message?.result.isTooLarge ?? false
        about["type"] = .string(subject.kind.name)
        about["reason"] = .string(
          message.map { isTooLarge ? PipelineReason.tooLarge : $0.result.reason ?? "" } ?? PipelineReason.noPayload)
        skipped.append(.object(about))
        return
      }
      if let variant = message?.variant, push.variants.indices.contains(variant) {
        about["variant"] = .string(push.variants[variant].name)
      }
      if let message { tell(of: message.result) }
      for preview in try draw(payload, subject) {
        var object = preview.object ?? [:]
        for (name, value) in about { object[name] = value }
        object["request"] = PushPreviewRoutes.document(payload, subject.token)
        previews.append(.object(object))
      }
    }

    /// Reports what the recipient lacks.
    private mutating func tell(of result: PersonalTrial.Result) {
      guard let bareNames else { return }
      let bare = bareNames[PayloadVersion(result.payload)] ?? []
      for name in Set(result.unfilled.filter(bare.contains) + result.missing).sorted() {
        let version = MessageFields.versions(body).first { PayloadVersion($0) == PayloadVersion(result.payload) }
        let texts = version.map { MessageText.texts(of: $0.message, reading: name) } ?? []
        for text in texts {
          let field = version.map { $0.field == "message" ? text.field : "\($0.field).\(text.field)" }
          report.add(
            rule: "push-placeholder-empty", severity: .warning, field: field ?? "message",
            message: "{{\(text.name)}} has no value for this recipient and is empty; give a default")
        }
      }
    }

    private mutating func draw(_ payload: RenderedPayload, _ subject: Subject) throws(Problem) -> [JSONValue] {
      let document = PushPreviewRoutes.document(payload, subject.token)
      var options = ContractRoutes.options(call, optionNames)
      options.set("app", to: call["app_name"])
      options.set("form", to: "payload")
      options.set("contract", to: .string(contract.rawValue))
      options.set("platform", to: .string(subject.kind.platform.rawValue))
      let locale = subject.recipient.locale.map { $0.replacing("_", with: "-") }
      options.set("locales", to: [.string(locale.flatMap { LocaleTag($0) == nil ? nil : $0 } ?? "en")])
      do throws(CoreError) {
        let shown = subject.kind.part(of: document)
        let answer = try PreviewRequest.answer(JSON.minified(shown), shown, options)
        // The message was checked when it was composed.
        for finding in answer.report.findings where finding.field.hasPrefix("strings") {
          report.findings.append(finding)
        }
        return answer.json["previews"]?.array ?? []
      } catch { throw Problem(error) }
    }
  }

  /// The request that a provider would get.
  private static func document(_ payload: RenderedPayload, _ token: String) -> JSONValue {
    guard let offset = payload.tokenOffset else {
      let headers = JSONObject(payload.headers.map { ($0.name, .string($0.value)) })
      return ["headers": .object(headers), "payload": (try? JSON.parse(payload.body)) ?? .null]
    }
    let token = JSON.minified(.string(token)).dropFirst().dropLast()
    return (try? JSON.parse(Array(payload.body[..<offset] + token + payload.body[offset...]))) ?? .null
  }
}

extension DeliveryRecipient {
  /// The same with a device in another language.
  fileprivate func speaking(_ locale: String) -> DeliveryRecipient {
    DeliveryRecipient(
      delivery: delivery, device: device, user: user, locale: locale, timezone: timezone, appVersion: appVersion,
      properties: properties)
  }
}
