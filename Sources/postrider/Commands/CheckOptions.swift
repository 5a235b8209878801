import PushContracts
import PushPayload
import PushRules

/// How files are checked, as the command line says it.
struct CheckOptions: Sendable {
  /// The contract of the messages; nil for raw documents.
  let contract: ContractName?
  /// The platform; nil for both.
  let platform: Platform?
  /// The push type of payloads alone.
  let pushType: APNsPushType?
  /// The topic of payloads alone, or the bundle id of messages.
  let topic: String?
  /// The options of the contract that are switched on.
  let contractOptions: [String]
  /// Which rules apply, and how strictly.
  var settings = RuleSettings()

  /// What is known of the surroundings, and not of any one file.
  static let surroundings = [
    Option(
      name: "--apns-auth", value: "KIND", help: "How APNs is authenticated with; judged only when it is given.",
      choices: RuleSettings.Authentication.allCases.map(\.rawValue)),
    Option(
      name: "--channel-storage", value: "POLICY",
      help: "What a broadcast's channel keeps: 0 nothing, 1 the latest; judged only when it is given.",
      choices: ["0", "1"]),
    Option(
      name: "--fcm-topic-bytes", value: "N",
      help: "What a message to a topic may have: 2048 by some of Google's pages (default), 4096 by others."),
    Option(name: "--as-sent", help: "Counts sizes as they are sent, minified, and not as the files are written."),
  ]

  /// Reads the options of `check`.
  init(_ arguments: Arguments) throws(Exit) {
    contract = try arguments.contract(required: false)
    platform = arguments.platform()
    pushType = try arguments.pushType()
    topic = arguments.value("--topic")
    contractOptions = arguments.all("--option")
    try CheckOptions.validate(arguments, pushType)
    settings.authentication = arguments.value("--apns-auth").flatMap(RuleSettings.Authentication.init(rawValue:))
    settings.channelStorage = arguments.value("--channel-storage").flatMap { Int($0) }
      .map(APNsChannelStoragePolicy.init(rawValue:))
    settings.fcmTopicBytesMax = try arguments.integer(
      "--fcm-topic-bytes", in: 1...FCMBudget.bytesMax, default: RuleSettings.fcmTopicBytesDefault)
    settings.countsBytesAsWritten = !arguments.has("--as-sent")
    for setting in arguments.all("--rule") {
      let id = String(setting.prefix { $0 != "=" })
      guard CheckOptions.rules.contains(id) else { throw .usage("--rule: \(CheckOptions.unknownRule(id))") }
      do { try settings.apply(setting, others: CheckOptions.contractRules) } catch { throw .usage("--rule: \(error)") }
    }
  }

  private static func validate(_ arguments: Arguments, _ pushType: APNsPushType?) throws(Exit) {
    let isContract = arguments.value("--contract") != nil
    guard !isContract || pushType == nil else {
      throw .usage("--push-type is for raw payloads; with --contract the contract decides it")
    }
    guard isContract || !arguments.has("--option") else {
      throw .usage("--option is an option of a contract; give --contract and a message")
    }
    guard isContract || pushType != nil || arguments.value("--topic") == nil else {
      throw .usage("--topic needs --push-type, which decides what the topic may be, or --contract")
    }
  }

  private static let contractRules = Contracts.rules.map(\.id)

  /// The ids of every rule: the shared ones and those of single contracts.
  private static let rules = Rules.all.map(\.text) + contractRules

  /// What is said of a rule id that is none.
  static func unknownRule(_ id: String) -> String {
    let nearest = Nearest.match(id, among: rules)
    let hint = nearest.map { "did you mean \($0)?" }
    return "there is no rule “\(id)”; "
      + (hint ?? "docs/rules.md lists them, and docs/contracts those of single contracts")
  }
}
