internal import DevicePreview
internal import DeviceText
internal import HTTPServer
internal import PushContracts
internal import PushPayload
internal import PushRules
internal import PushStore
internal import WireJSON

/// `/v1/preview`: what a person will read, without state.
enum PreviewRoutes {
  /// The most languages of one request.
  private static let localesMax = 50
  /// The longest time since the arrival of a push, in seconds: ten years.
  private static let ageMax = 315_360_000
  /// The most problems of string tables that are reported.
  private static let problemsMax = 100

  static let routes: [Route] = [
    Route(
      .post("/v1/preview", .scopes([.send, .read])), name: "preview",
      about: "Shows what devices make of a message or a raw payload: texts, surfaces, and a picture.",
      body: .object([
        .optional("contract", SchemaTable.contract),
        .optional("message", Schema(.map, "A message in the contract's form; with contract.")),
        .optional(
          "payload",
          Schema(
            .map,
            "A raw payload, or a request to a provider, instead of message; with platform where its members do not tell."
          )),
        .optional("platform", SchemaTable.platform),
        .optional("topic", .string("The app's bundle id, for apns-topic.", example: "com.example.app")),
        .optional("campaign", .string("The campaign's id.", max: 64)),
        .optional("options", .array(of: .string("An option of the contract.", max: 64), max: 16)),
        .optional("collapse_id", .string("The apns-collapse-id of a raw payload.", max: 64)),
        .optional("push_type", .string("The apns-push-type of a raw payload.", max: 40, example: "alert")),
        .optional(
          "locales",
          .array(
            of: .string("A BCP 47 language tag.", max: 40, example: "zh-Hant"), min: 1, max: localesMax,
            "Languages of devices, each on its own; en unless given.")),
        .optional(
          "strings",
          Schema(.map, "The app's string tables: paths as in the project and texts; files not in UTF-8 as {base64}.")),
        .optional("development_locale", .string("The language the app is written in.", max: 40, example: "en")),
        .optional(
          "age", .integer(0...ageMax, "How many seconds ago the push arrived: the timer of a template may have ended.")),
        .optional(
          "ios_first",
          .choice(
            AppleTextChoices.First.allCases.map(\.rawValue),
            "Which text iOS shows of two, where Apple's pages leave it open: the key's, unless given, or the plain one."
          )),
        .optional(
          "ios_missing_argument",
          .choice(
            AppleTextChoices.MissingArgument.allCases.map(\.rawValue),
            "What iOS shows for an argument that is missing: the specifier, unless given, nothing, or (null).")),
        .optional("app_name", .string("The name under the app's icon.", max: 60)),
        .optional("svg", .boolean("Whether to draw a picture, as SVG; false unless given.")),
        .optional("appearance", .choice(Appearance.allCases.map(\.rawValue), "Light or dark; light unless given.")),
        .optional(
          "surfaces",
          .array(
            of: .choice(Surface.allCases.map(\.rawValue), "A surface."), min: 1, max: Surface.allCases.count,
            "Which surfaces to draw; all by default.")),
        .optional("captions", .boolean("Whether the picture names its surfaces; true unless given.")),
      ]),
      answers: [
        Route.Answer(
          status: 200, about: "What each device shows, and the report of the message.", schema: .named("Previews"))
      ], traits: .init(isStateless: true), action: .now(preview))
  ]

  static let schema = Schema.object(
    [
      .required(
        "previews",
        .array(of: Schema(.map, "What one device shows: docs/preview.md describes it."), max: 2 * localesMax)),
      .required("report", .named("Report")),
    ], "What devices show.")

  @Sendable private static func preview(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    var report = call.report
    let pushes = try pushes(call, service, &report)
    let locales = call["locales"]?.array?.compactMap(\.string) ?? ["en"]
    let tables = try tables(call)
    for problem in tables?.problems.prefix(problemsMax) ?? [] { report.add(problem, field: "strings") }
    let options = options(call)
    var previews: [JSONValue] = []
    var device = PreviewDevice(appName: call["app_name"]?.string ?? "App", tables: tables)
    device.age = call["age"]?.int ?? 0
    device.now = Int(call.now.seconds) - device.age
    device.appleTexts = appleTexts(call)
    for push in pushes {
      for locale in locales {
        device.locales = [locale]
        let preview = Preview(push, on: device)
        var json = preview.json
        if call["svg"]?.bool == true { json.append("svg", .string(preview.svg(options))) }
        previews.append(.object(json))
      }
    }
    return Reply(200, ["previews": .array(previews), "report": report.json])
  }

  /// What reaches the devices: the raw payload, or what the message is written as.
  private static func pushes(
    _ call: Call, _ service: Service, _ report: inout Report
  ) throws(Problem) -> [PreviewPush] {
    let platform = call["platform"]?.string.flatMap(Platform.init(rawValue:))
    guard (call["message"] == nil) != (call["payload"] == nil) else {
      throw Problem(.invalid, "expected either \"message\" with \"contract\", or \"payload\"")
    }
    guard let message = call["message"] else {
      let contract = call["contract"] == nil ? nil : ContractRoutes.contract(call.body)
      if let contract, !Contracts.names.contains(contract) {
        report.add(
          rule: "contract-unknown", severity: .error, field: "contract",
          message: "no contract \(contract.rawValue); the contracts are "
            + Contracts.names.map(\.rawValue).joined(separator: ", "))
        throw Problem(.invalid, report: report)
      }
      return try payload(call, service, contract, &report)
    }
    var context = WriteContext(
      topic: call["topic"]?.string ?? ContractRoutes.topicExample, campaign: call["campaign"]?.string)
    context.now = call.now.seconds
    context.options = ContractRoutes.options(call.body)
    let rendering = Contracts.render(
      ContractRoutes.contract(call.body), message: message, context: context,
      platforms: platform.map { [$0] } ?? Platform.allCases)
    report.append(rendering.report)
    report.append(service.rules.check(rendering))
    let pushes = PreviewPush.pushes(of: rendering)
    guard !pushes.isEmpty else { throw Problem(.invalid, report: report) }
    return pushes
  }

  /// A raw payload as it reaches a device; nothing for a document that is no payload, which the report names.
  private static func payload(
    _ call: Call, _ service: Service, _ contract: ContractName?, _ report: inout Report
  ) throws(Problem) -> [PreviewPush] {
    let document = call["payload"] ?? .null
    let pushType = try ContractRoutes.pushType(call.body)
    guard let platform = ContractRoutes.platform(call.body, pushType) ?? Contracts.platform(of: document) else {
      guard let mistake = Contracts.mistake(document, nil) else { throw ContractRoutes.platformMissing }
      report.findings.append(mistake)
      return []
    }
    let said = service.rules.with(RuleSettings()) {
      $0.checkForPreview(of: document, bytes: JSON.minified(document), platform: platform, pushType: pushType)
    }
    if let said { report.append(said) }
    return [
      PreviewPush(
        document: document, platform: platform, contract: contract, collapseID: call["collapse_id"]?.string,
        pushType: pushType)
    ]
  }

  private static func appleTexts(_ call: Call) -> AppleTextChoices {
    var choices = AppleTextChoices()
    choices.first = call["ios_first"]?.string.flatMap(AppleTextChoices.First.init(rawValue:)) ?? choices.first
    choices.missingArgument =
      call["ios_missing_argument"]?.string.flatMap(AppleTextChoices.MissingArgument.init(rawValue:))
      ?? choices.missingArgument
    return choices
  }

  private static func tables(_ call: Call) throws(Problem) -> AppTables? {
    guard let files = call["strings"]?.object else { return nil }
    var tables = AppTables(developmentLocale: call["development_locale"]?.string.flatMap { LocaleTag($0) })
    if let problem = tables.add(files: files) { throw Problem(.invalid, "strings: \(problem)") }
    return tables
  }

  private static func options(_ call: Call) -> PictureOptions {
    PictureOptions(
      appearance: call["appearance"]?.string.flatMap(Appearance.init(rawValue:)) ?? .light,
      surfaces: call["surfaces"]?.array?.compactMap { $0.string.flatMap(Surface.init(rawValue:)) },
      hasCaptions: call["captions"]?.bool ?? true)
  }
}
