import PushContracts
import PushCore
import PushPayload
import WireJSON

/// Tools that need no server: they work on what a call gives them.
extension MCPTool {
  private static let contract = MCPShape.choice(Contracts.names.map(\.rawValue))
  private static let report = MCPField.required(
    "report", .list(.object, max: 100_000), "Findings: rule, severity, field, message.")
  private static let options = MCPField.optional(
    "options", .list(.text(max: 64), max: 16), "Options of the contract to switch on.")
  private static let pushType = MCPField.optional("push_type", .text(max: 40), "The apns-push-type, such as alert.")
  private static let topic = MCPField.optional(
    "topic", .text(max: 256), "The bundle id of the iOS app, for apns-topic.")
  private static let campaign = MCPField.optional(
    "campaign", .text(max: 64), "The campaign's id; it becomes the collapse id.")

  static let local: [MCPTool] = [
    MCPTool(
      name: "list_contracts", title: "List payload contracts",
      about: "Lists the payload contracts: the forms in which apps and push SDKs expect a payload.", effect: .computes,
      input: [],
      output: [
        .required(
          "contracts",
          .list(.members([.required("name", .text(max: 40)), .required("summary", .text(max: 500))]), max: 100))
      ]
    ) { _, _ in MCPContent.contracts() },
    MCPTool(
      name: "show_contract", title: "Show a contract's fields",
      about: "Shows each field of a contract: its type, and where it lands in the APNs and the FCM request.",
      effect: .computes, input: [.required("contract", contract, "The contract.")],
      output: [.required("contract", .text(max: 40)), .required("table", .any, "The mapping table.")]
    ) { _, call throws(MCPStop) in try MCPContent.fields(call) },
    MCPTool(
      name: "parse_payload", title: "Read a payload",
      about: "Reads a raw payload, as a device received it, back into typed properties, and names its contract.",
      effect: .computes,
      input: [
        .required("payload", .object, "The APNs payload, or the FCM message or data."),
        .optional(
          "platform", .choice(MCPTarget.parsable),
          "Where it was received; by default its members tell. hms or fcm-ios for a request to Push Kit, or to FCM for an iPhone."
        ),
        .optional("contract", contract, "The contract to read it by; by default it is recognized."), pushType,
        .optional("badge", .integer(0...Int(Int32.max)), "The number on the app's icon before."),
      ],
      output: [
        .required("contract", .text(max: 40)), .required("reason", .text(max: 1_000), "What identifies the contract."),
        .required("notification", .object), report,
      ]
    ) { _, call throws(MCPStop) in try MCPContent.parse(call) },
    MCPTool(
      name: "render_message", title: "Write a message",
      about:
        "Writes a message in a contract as the exact requests to the push services, with what the rules say of them.",
      effect: .computes,
      input: [
        .required("contract", contract, "The contract."), .required("message", .object, "The message in its form."),
        .optional(
          "platform", .choice(MCPTarget.names + [RenderSet.all]),
          "One platform only; fcm-ios or fcm-web for what FCM hands on, web for a browser, hms for a Huawei phone; all for"
            + " each of them."),
        topic, campaign,
        .optional("language", .text(max: 35), "The readers' language; English by default."), options,
      ],
      output: [
        .optional("apns", .object), .optional("fcm", .object), .optional("fcm-ios", .object),
        .optional("fcm-web", .object), .optional("web", .object), .optional("hms", .object), report,
      ]
    ) { desk, call throws(MCPStop) in try MCPContent.render(call, now: desk.clock.wall()) },
    MCPTool(
      name: "check", title: "Check a message or payload",
      about:
        "Checks a message of a contract, or a raw payload or request, against the rules of Apple, Google, Huawei and the device.",
      effect: .computes,
      input: [
        .optional("contract", contract, "The contract of the message."),
        .optional("message", .object, "A message in the contract's form."),
        .optional("document", .object, "A raw payload or request, instead of a message."),
        .optional(
          "platform", .choice(MCPTarget.names),
          "Whose payload it is, where its members do not tell; fcm-ios, fcm-web, web and hms as in render_message."),
        pushType, topic,
        options,
      ],
      output: [
        .required("legal", .flag, "Whether nothing is worse than a warning."),
        .required("errors", .integer(0...Int(Int32.max))), .required("warnings", .integer(0...Int(Int32.max))),
        .required("notes", .integer(0...Int(Int32.max))),
        .required("findings", .list(.object, max: 100_000), "Rule, severity, field, message, fix."),
      ]
    ) { desk, call throws(MCPStop) in try MCPContent.check(call, now: desk.clock.wall()) },
    MCPTool(
      name: "preview", title: "Preview on devices",
      about:
        "Shows what a person reads: the texts of each surface on iPhone, Android or a browser, for a message or a raw payload.",
      effect: .computes,
      input: [
        .optional("contract", contract, "The contract of the message, or the one to read a payload by."),
        .optional("message", .object, "A message in the contract's form."),
        .optional("payload", .object, "A raw payload or request, instead of a message."),
        .optional(
          "platform", .choice(MCPTarget.names),
          "One only; iPhone and Android by default. fcm-ios, fcm-web, web and hms as in render_message."), pushType,
        topic, campaign,
        .optional("locales", .list(.text(max: 40), max: MCPContent.localesMax), "Language tags; en by default."),
        .optional("app_name", .text(max: 60), "The name under the app's icon."), options,
      ],
      output: [
        .required("previews", .list(.object, max: 2 * MCPContent.localesMax), "One for each platform and language."),
        .required("text", .text(max: 1 << 20), "The same as text, for people."), report,
      ]
    ) { desk, call throws(MCPStop) in try MCPContent.preview(call, now: desk.clock.wall()) },
    MCPTool(
      name: "explain_reason", title: "Explain a provider's answer",
      about:
        "Explains a reason of a delivery (of APNs, FCM, Push Kit, a push service or the server), an HTTP status or a provider's whole answer, and what to do next.",
      effect: .computes,
      input: [
        .optional("reason", .text(max: 100), "Such as BadDeviceToken, UNREGISTERED or 410."),
        .optional("answer", .object, "The body of the provider's answer, instead of a reason."),
      ],
      output: [
        .optional("reason", .text(max: 2_010)), .required("known", .flag, "Whether a provider is known to answer so."),
        .required("explanations", .list(.object, max: 100), "Service, reason, status, meaning, action, next."),
        .required("details", .list(.text(max: 2_010), max: 100_000), "What else the answer says."),
      ]
    ) { _, call throws(MCPStop) in try MCPContent.explain(call) },
  ]
}
