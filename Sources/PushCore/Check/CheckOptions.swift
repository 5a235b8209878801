internal import Basics
package import PushContracts
package import PushPayload
package import PushRules

#if !_pointerBitWidth(_32)
  package import WireJSON
#endif

/// How files are checked.
package struct CheckOptions: Sendable {
  /// The contract of the messages; nil for raw documents.
  package let contract: ContractName?
  /// The platform; nil for both.
  package let platform: Platform?
  #if !_pointerBitWidth(_32)
    /// What messages are written for, and documents are judged as, instead of the platforms.
    package let target: RenderRequest.Target?
  #endif
  /// The push type of payloads alone.
  package let pushType: APNsPushType?
  /// The topic of payloads alone, or the bundle id of messages.
  package let topic: String?
  /// The options of the contract that are switched on.
  package let contractOptions: [String]
  /// The time in seconds since 1970; nil when the caller has no clock.
  package let now: Int64?
  /// Which rules apply, and how strictly.
  package var settings = RuleSettings()

  static let options = [
    OptionRow("contract", .choice(Contracts.names.map { $0.rawValue })),
    OptionRow("platform", .choice(Platform.allCases.map { $0.rawValue })),
    OptionRow("options", .texts), OptionRow("push_type", .text), OptionRow("topic", .text), OptionRow("rules", .texts),
    OptionRow("apns_auth", .choice(RuleSettings.Authentication.allCases.map { $0.rawValue })),
    OptionRow("channel_storage", .integer(0...1)),
    OptionRow("fcm_topic_bytes", .integer(1...WholeNumber(FCMBudget.bytesMax))), OptionRow("as_sent", .flag),
    OptionRow("now", .integer(0...JSONOptions.nowMax)), OptionRow("file", .text),
  ]

  /// Reads the options.
  package init(_ options: some OptionSource) throws(CoreError) {
    contract = options.contract()
    platform = options.platform()
    #if !_pointerBitWidth(_32)
      // No campaign is known, whose id could be a topic.
      target = options.text("platform").flatMap { RenderRequest.Target($0) { _ in Optional.none } }
      if case .web? = target, contract == nil {
        let name = options.spelled("platform")
        throw .usage(
          "\(name) \(RenderRequest.Target.browsers) is for messages: no rule is about what a page hands to its own worker",
          option: name, fix: "give \(options.spelled("contract"))")
      }
    #endif
    pushType = try options.pushType()
    topic = options.text("topic")
    contractOptions = options.texts("options")
    now = try options.now()
    try CheckOptions.validate(options, pushType)
    settings.authentication = options.text("apns_auth").flatMap { RuleSettings.Authentication(rawValue: $0) }
    settings.channelStorage = try options.integer("channel_storage", in: 0...1)
      .map { APNsChannelStoragePolicy(rawValue: $0) }
    settings.fcmTopicBytesMax =
      try options.integer("fcm_topic_bytes", in: 1...WholeNumber(FCMBudget.bytesMax)).map { Int($0) }
      ?? RuleSettings.fcmTopicBytesDefault
    settings.countsBytesAsWritten = !options.isOn("as_sent")
    for setting in options.texts("rules") { try apply(setting, options.spelled("rules")) }
  }

  #if !_pointerBitWidth(_32)
    /// What a document is, by its members and by whose it is said to be; nil when it is no object.
    package func kind(of document: JSONDocument) -> PushDocumentKind? {
      let kind = PushDocumentKind.recognize(document, platform: platform)
      return target.map { $0.kind(of: kind) } ?? kind
    }
  #endif

  private mutating func apply(_ setting: String, _ name: String) throws(CoreError) {
    let fix = "give ID=off, ID=note, ID=warning or ID=error"
    let id = String(setting.prefix { $0 != "=" })
    guard CheckOptions.rules.contains(id) else {
      throw .usage("\(name): \(CheckOptions.unknownRule(id))", option: name, fix: fix)
    }
    do throws(RuleSettingError) { try settings.apply(setting, others: Contracts.rules.map { $0.id }) } catch {
      throw .usage("\(name): \(error)", option: name, fix: fix)
    }
  }

  private static func validate(_ options: some OptionSource, _ pushType: APNsPushType?) throws(CoreError) {
    let isContract = options.text("contract") != nil
    let (type, contract, topic) = (options.spelled("push_type"), options.spelled("contract"), options.spelled("topic"))
    guard !isContract || pushType == nil else {
      throw .usage(
        "\(type) is for raw payloads; with \(contract) the contract decides it", option: type, fix: "leave out \(type)")
    }
    guard isContract || options.texts("options").isEmpty else {
      let name = options.spelled("options")
      throw .usage(
        "\(name) is an option of a contract; give \(contract) and a message", option: name, fix: "give \(contract)")
    }
    guard isContract || pushType != nil || options.text("topic") == nil else {
      throw .usage(
        "\(topic) needs \(type), which decides what the topic may be, or \(contract)", option: topic,
        fix: "give \(type) or \(contract)")
    }
  }

  /// The ids of every rule: the shared ones and those of single contracts.
  private static var rules: [String] { Rules.all.map { $0.text } + Contracts.rules.map { $0.id } }

  /// What is said of a rule id that is none.
  package static func unknownRule(_ id: String) -> String {
    let hint = Nearest.match(id, among: rules).map { "did you mean \($0)?" }
    return "there is no rule “\(id)”; "
      + (hint ?? "docs/rules.md lists them, and docs/contracts those of single contracts")
  }
}
