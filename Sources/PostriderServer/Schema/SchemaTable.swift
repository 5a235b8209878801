internal import Ledger
internal import PushContracts
internal import PushCore
internal import WireJSON

/// The shapes that several routes share, by name, in the order the OpenAPI document lists them.
enum SchemaTable {
  static let all: [(name: String, schema: Schema)] = beforeCredentials + CredentialSlot.schemas + afterCredentials

  private static let beforeCredentials: [(name: String, schema: Schema)] = [
    ("Finding", finding), ("Report", report), ("Problem", problem), ("Rendering", rendering), ("Parsed", parsed),
    ("Checked", checked), ("Explained", ExplainRoutes.schema), ("Previews", PreviewRoutes.schema),
    ("App", AppRoutes.schema), ("Credentials", CredentialRoutes.schema),
  ]
  private static let afterCredentials: [(name: String, schema: Schema)] = [
    ("WebPush", WebPushRoutes.schema),
    ("Device", DeviceRoutes.schema), ("Registration", DeviceRoutes.registered),
    ("ImportResult", DeviceFileRoutes.result),
    ("Audience", PushRoutes.audience), ("Address", PushRoutes.address), ("Variant", MessageFields.variant),
    ("Repeat", RepeatRule.schema), ("AcceptedPush", PushRoutes.acceptedSchema),
    ("Push", PushRoutes.pushSchema), ("Counts", PushRoutes.countsSchema), ("Delivery", DeliveryRoutes.schema),
    ("Explanation", DeliveryRoutes.explanation), ("Key", KeyRoutes.schema),
    ("Funnel", RecordRoutes.funnelSchema), ("Series", RecordRoutes.seriesSchema),
    ("User", UserRoutes.schema), ("UserWithDevices", UserRoutes.schemaWithDevices),
    ("Erasure", UserRoutes.erasureSchema), ("Segment", SegmentRoutes.schema),
    ("Suppression", SuppressionRoutes.schema),
    ("Session", SessionRoutes.schema), ("SessionEntry", SessionListRoutes.schema),
    ("Passkey", PasskeyFields.passkey),
    ("Author", AuthorText.schema), ("Person", PeopleRoutes.schema), ("Overview", OverviewRoutes.schema),
    ("Schedule", ScheduleRoutes.schema), ("Template", TemplateRoutes.schema),
    ("PushCheck", PushCheckRoutes.schema), ("PushPreview", PushPreviewRoutes.schema), ("Webhook", WebhookRoutes.schema),
    ("Retention", RetentionRoutes.schema),
    ("FailedDeliveries", FailedRoutes.schema),
    ("Approval", ApprovalRoutes.schema), ("View", ViewRoutes.schema),
    ("Calendar", CalendarRoutes.schema), ("PushResults", ResultRoutes.schema), ("Timeline", TimelineRoutes.schema),
    ("UnseenRule", UnseenRoutes.ruleSchema),
    ("UnseenDevices", UnseenRoutes.schema),
    ("Act", AuditRoutes.schema), ("Held", HeldRoutes.schema), ("Identity", IdentityRoutes.schema),
    ("IdentityKey", IdentityRoutes.keySchema), ("Channel", ChannelRoutes.schema),
    ("InboxMessage", InboxRoutes.schema),
    ("ShadowReport", ShadowRoutes.reportSchema), ("ShadowRequest", ShadowRoutes.requestSchema),
    ("ShadowSetting", ShadowRoutes.settingSchema),
    ("Activity", ActivityRoutes.schema), ("ActivityLife", ActivityRoutes.lifeSchema),
    ("LiveSend", ActivityRoutes.sendSchema), ("Node", NodeRoutes.schema),
  ]

  static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.schema) })

  /// A contract's name; checked by the contracts themselves, which know what was meant.
  static let contract = Schema.string("The payload contract of the message.", max: 40, example: "amba")
    .documented(["enum": .array(Contracts.names.map { .string($0.rawValue) })])
  static let platform = Schema.choice(["ios", "android"], "The platform.")
  /// The same where documents for Huawei's phones are known as well.
  static let checkedPlatform = Schema.choice(
    ["ios", "android"] + RenderRequest.Target.names,
    "The platform; fcm-ios or fcm-web for what FCM hands on, web for a browser's message, hms for Huawei's phones.")

  private static let finding = Schema.object(
    [
      .required("rule", .string("The rule's stable id.", example: "aps-reserved")),
      .required("severity", .choice(["error", "warning", "note"], "How bad it is.")),
      .required("field", .string("Where, as a path.", min: 0, max: 4096)),
      .required("message", .string("What was found and what to do.", max: 4096)),
    ], "One thing a check found.")
  private static let report = Schema.array(of: .named("Finding"), max: 10_000, "What the checks found.")
  private static let problem = Schema.object(
    [
      .required("type", .string("The problem's kind.", example: "urn:postrider:problem:invalid")),
      .required("title", .string("The kind in words.")),
      .required("status", .integer(400...599, "The HTTP status.")),
      .required("detail", .string("What happened, where, and what to do.", max: 4096)),
      .required("request_id", .string("The server's name of the request, as in its log.")),
      .optional("report", .named("Report")),
    ], "Why a request was refused (RFC 9457).")
  private static func carried(_ device: String) -> Schema {
    .object(
      [.required("message", Schema(.map, "The message."))],
      "The FCM request body for what FCM hands on to \(device), when it is not written alone.")
  }
  private static let rendering = Schema.object(
    [
      .optional(
        "apns",
        .object(
          [
            .required(
              "headers", Schema(.map, "Request headers.").documented(["additionalProperties": ["type": "string"]])),
            .required("payload", Schema(.map, "The body.")),
          ],
          "The APNs request.")),
      .optional("fcm", .object([.required("message", Schema(.map, "The message."))], "The FCM request body.")),
      .optional("fcm-ios", carried("an iPhone")), .optional("fcm-web", carried("a browser")),
      .optional(
        "web",
        .object(
          [
            .required(
              "headers", Schema(.map, "Request headers.").documented(["additionalProperties": ["type": "string"]])),
            .required("payload", Schema(.map, "What is encrypted.")),
          ],
          "The request to a browser's push service, before it is encrypted.")),
      .optional(
        "hms",
        .object(
          [
            .required("message", Schema(.map, "The message.")),
            .optional("validate_only", .boolean("Whether Push Kit only checks it.")),
          ],
          "The body of a request to Push Kit.")),
      .required("report", .named("Report")),
    ], "A message as the providers are given it.")
  private static let parsed = Schema.object(
    [
      .optional(
        "platform", .choice(["ios", "android"], "What the payload was taken for; when the request does not name it.")),
      .required("contract", contract),
      .required("reason", .string("What identifies the contract.", max: 1_000)),
      .required("notification", Schema(.map, "The common members, and one member named after the contract.")),
      .optional("behavior", Schema(.map, "What the contract's app does; when the request says the badge before.")),
      .required("report", .named("Report")),
    ], "A payload read back.")
  private static let checked = Schema.object(
    [
      .required("legal", .boolean("Whether the provider would take it: no error in the report.")),
      .required("report", .named("Report")),
    ], "What the rules say.")
}
