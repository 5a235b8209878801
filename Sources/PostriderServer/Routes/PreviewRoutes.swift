internal import DevicePreview
internal import DeviceText
internal import HTTPServer
internal import PushCore
internal import PushPayload
internal import WireJSON

/// `/v1/preview`: what a person will read, without state.
enum PreviewRoutes {
  /// Members that say how it is drawn.
  static let drawing: [Schema.Property] = [
    .optional(
      "strings",
      Schema(.map, "The app's string tables: paths as in the project and texts; files not in UTF-8 as {base64}.")),
    .optional("development_locale", .string("The language the app is written in.", max: 40, example: "en")),
    .optional(
      "age",
      .integer(
        0...PreviewRequest.ageMax, "How many seconds ago the push arrived: the timer of a template may have ended.")
    ),
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
  ]
  /// The most languages of one request.
  private static let localesMax = 50

  static let routes: [Route] = [
    Route(
      .post("/v1/preview", .scopes([.send, .read])), name: "preview",
      about: "Shows what devices make of a message or a raw payload: texts, surfaces, and a picture.",
      body: .object(
        [
          .optional("contract", SchemaTable.contract),
          .optional("message", Schema(.map, "A message in the contract's form; with contract.")),
          .optional(
            "payload",
            Schema(
              .map,
              "A raw payload, or a request to a provider, instead of message; with platform where its members do not tell."
            )),
          .optional(
            "platform",
            .choice(
              PreviewRequest.platforms,
              "Of a message, this platform only; of a raw payload, whose it is. Browsers are shown with web alone.")),
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
        ] + ContractRoutes.values + drawing),
      answers: [
        Route.Answer(
          status: 200, about: "What each device shows, and the report of the message.", schema: .named("Previews"))
      ], traits: .init(isStateless: true), action: .now(preview))
  ]

  /// The members that are options of the same name.
  private static let optionNames = [
    "contract", "platform", "topic", "campaign", "options", "collapse_id", "push_type", "locales", "strings",
    "development_locale", "age", "ios_first", "ios_missing_argument", "svg", "appearance", "surfaces", "captions",
  ]

  static let schema = Schema.object(
    [
      .required(
        "previews",
        .array(of: Schema(.map, "What one device shows: docs/preview.md describes it."), max: 2 * localesMax)),
      .required("report", .named("Report")),
    ], "What devices show.")

  @Sendable private static func preview(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    guard (call["message"] == nil) != (call["payload"] == nil) else {
      throw Problem(.invalid, "expected either \"message\" with \"contract\", or \"payload\"")
    }
    let isMessage = call["message"] != nil
    if !isMessage, call["contract"] != nil { try ContractRoutes.checkContract(call) }
    let (filled, report) = try ContractRoutes.filled(call, call["message"] ?? call["payload"] ?? .null)
    guard let document = filled else {
      return Reply(200, ["previews": [], "report": report.json])
    }
    var options = ContractRoutes.options(call, optionNames)
    options.set("app", to: call["app_name"])
    options.set("form", to: isMessage ? "message" : "payload")
    let answer: PreviewAnswer
    do throws(CoreError) {
      answer = try PreviewRequest.answer(
        JSON.minified(document), document, options, after: report)
    } catch { throw Problem(error) }
    guard !isMessage || !answer.isEmpty else { throw Problem(.invalid, report: answer.report) }
    return Reply(200, answer.json)
  }
}
