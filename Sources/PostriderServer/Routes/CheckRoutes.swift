internal import HTTPServer
internal import PushContracts
internal import PushCore
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WebPush
internal import WireJSON

/// `/v1/check`: the command of the same name, without state.
enum CheckRoutes {
  static let check = Route(
    .post("/v1/check", .scopes([.send, .read])), name: "check",
    about: "Checks a message, or a document as a provider is sent it, against the rules.",
    body: .object([
      // An unknown contract is a finding here, like every other fault.
      .optional("contract", .string("The payload contract of the message.", max: 40, example: "amba")),
      .optional("message", Schema(.map, "A message in the contract's form; with contract.")),
      .optional(
        "topic",
        .string(
          "The app's bundle id, for apns-topic; beside push_type, the topic of the payload.", example: "com.example.app"
        )
      ),
      .optional(
        "options",
        .array(of: .string("An option of the contract.", max: 64), max: 16, "Options of the contract; with message.")),
      .optional("document", Schema(.map, "A payload or request; instead of message.")),
      .optional(
        "kind", .choice(PushDocumentKind.allCases.map(\.rawValue), "What the document is; recognized by default.")),
      .optional("platform", SchemaTable.checkedPlatform),
      .optional("push_type", .string("The push type of an APNs payload alone.", max: 40, example: "alert")),
      .optional(
        "rules",
        .array(
          of: .string("ID=off, ID=note, ID=warning or ID=error.", max: 100, example: "fcm-data-coerced=off"), max: 200,
          "Rules to be applied differently.")),
      .optional(
        "authentication",
        .choice(
          RuleSettings.Authentication.allCases.map(\.rawValue),
          "How APNs is authenticated with; judged only when it is given.")),
      .optional(
        "channel_storage",
        .integer(0...1, "What a broadcast's channel keeps: 0 nothing, 1 the latest; judged only when it is given.")),
      .optional(
        "fcm_topic_bytes",
        .integer(
          1...FCMBudget.bytesMax, "What a message to a topic may have: 2048 by some of Google's pages, 4096 by others.")
      ),
    ]), answers: [Route.Answer(status: 200, about: "What the rules say.", schema: .named("Checked"))],
    traits: .init(isStateless: true), action: .now(check))

  private static let contractRules = Contracts.rules.map(\.id)

  @Sendable private static func check(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    guard (call["message"] == nil) != (call["document"] == nil) else {
      throw Problem(.invalid, "expected either \"message\" with \"contract\", or \"document\"")
    }
    let settings = try settings(call)
    let platform = call["platform"]?.string.flatMap(Platform.init(rawValue:))
    let target = call["platform"]?.string.flatMap { name in
      RenderRequest.Target(name) { WebPushTopic(campaign: $0).text }
    }
    var report = call.report
    if let message = call["message"] {
      var context = WriteContext(topic: call["topic"]?.string ?? ProviderRules.topicExample)
      context.now = call.now.seconds
      context.options = ContractRoutes.options(call.body)
      let contract = ContractRoutes.contract(call.body)
      let rendering =
        target?.rendering(contract, message, context)
        ?? Contracts.render(
          contract, message: message, context: context, platforms: platform.map { [$0] } ?? Platform.allCases)
      report.append(settings.applied(to: rendering.report))
      report.append(service.rules.check(rendering, settings))
    } else {
      let bytes = JSON.minified(call["document"] ?? .null)
      let kind = call["kind"]?.string.flatMap(PushDocumentKind.init(rawValue:)) ?? target?.kind(of: nil)
      let pushType = try ContractRoutes.pushType(call)
      let topic = call["topic"]?.string
      report.append(
        service.rules.with(settings) {
          $0.checkOnDevice(document: bytes, kind: kind, platform: platform, pushType: pushType, topic: topic)
        })
    }
    return Reply(200, ["legal": .bool(!report.hasErrors), "report": report.json])
  }

  private static func settings(_ call: Call) throws(Problem) -> RuleSettings {
    var settings = RuleSettings()
    settings.authentication = call["authentication"]?.string.flatMap(RuleSettings.Authentication.init(rawValue:))
    settings.channelStorage = call["channel_storage"]?.int.map(APNsChannelStoragePolicy.init(rawValue:))
    if let bytes = call["fcm_topic_bytes"]?.int { settings.fcmTopicBytesMax = bytes }
    for setting in call["rules"]?.array ?? [] {
      do throws(RuleSettingError) { try settings.apply(setting.string ?? "", others: contractRules) } catch {
        throw Problem(.invalid, "rules: \(error)")
      }
    }
    return settings
  }
}
