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
  /// Which rules apply, and how strictly.
  var settings = RuleSettings()

  /// Reads the options of `check`.
  init(_ arguments: Arguments) throws(Exit) {
    contract = try arguments.contract(required: false)
    platform = arguments.platform()
    pushType = arguments.value("--push-type").map(APNsPushType.init(rawValue:))
    topic = arguments.value("--topic")
    try CheckOptions.validate(arguments, pushType)
    for setting in arguments.all("--rule") {
      let id = String(setting.prefix { $0 != "=" })
      guard CheckOptions.rules.contains(id) else { throw .usage("--rule: \(CheckOptions.unknownRule(id))") }
      do { try settings.apply(setting, others: CheckOptions.contractRules) } catch { throw .usage("--rule: \(error)") }
    }
  }

  private static func validate(_ arguments: Arguments, _ pushType: APNsPushType?) throws(Exit) {
    let isContract = arguments.value("--contract") != nil
    if let pushType, !APNsPushType.known.contains(pushType) {
      let known = APNsPushType.known.map(\.rawValue)
      let hint = Nearest.match(pushType.rawValue, among: known).map { "did you mean \($0)?" }
      throw .usage(
        "--push-type: no push type “\(pushType.rawValue)”; " + (hint ?? "there are \(known.joined(separator: ", "))"))
    }
    guard !isContract || pushType == nil else {
      throw .usage("--push-type is for raw payloads; with --contract the contract decides it")
    }
    guard isContract || pushType != nil || arguments.value("--topic") == nil else {
      throw .usage("--topic needs --push-type, which decides what the topic may be, or --contract")
    }
    guard pushType == nil || arguments.platform() != .android else {
      throw .usage("--push-type is for APNs payloads; leave out --platform android")
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
