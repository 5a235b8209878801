package import PushContracts
internal import PushPayload
internal import PushRules
package import WireJSON

/// `render`: a message → the exact requests.
package struct RenderRequest: Sendable {
  private let contract: ContractName
  private let context: WriteContext
  private let platforms: [Platform]
  private let isRuled: Bool

  /// The name of a contract.
  static var contractKind: OptionKind { .choice(Contracts.names.map { $0.rawValue }) }

  static let options = [
    OptionRow("contract", contractKind),
    OptionRow("platform", .choice(Platform.allCases.map { $0.rawValue })),
    OptionRow("topic", .text), OptionRow("token", .text), OptionRow("fid", .text), OptionRow("fcm_topic", .text),
    OptionRow("condition", .text), OptionRow("apns_id", .text), OptionRow("now", .integer(0...JSONOptions.nowMax)),
    OptionRow("language", .text), OptionRow("campaign", .text), OptionRow("options", .texts),
    OptionRow("no_provider_rules", .flag),
  ]

  /// Reads the options.
  package init(_ options: some OptionSource) throws(CoreError) {
    let name = options.spelled("contract")
    guard let contract = options.contract() else {
      throw .usage(
        "\(name) is missing", option: name,
        fix: "give one of " + Contracts.names.map { $0.rawValue }.joined(separator: ", "))
    }
    self.contract = contract
    var context = try options.writeContext()
    if let target = try RenderRequest.target(options) { context.target = target }
    if let text = options.text("apns_id") {
      guard let id = APNsID(text) else {
        let name = options.spelled("apns_id")
        throw .usage("\(name) takes a UUID, not “\(text)”", option: name, fix: "give a UUID, or leave \(name) out")
      }
      context.apnsID = id
    }
    self.context = context
    platforms = options.platform().map { [$0] } ?? Platform.allCases
    isRuled = !options.isOn("no_provider_rules")
  }

  /// The FCM target that was asked for; nil leaves the placeholder.
  private static func target(_ options: some OptionSource) throws(CoreError) -> FCMTarget? {
    var targets: [FCMTarget] = []
    if let value = options.text("token") { targets.append(.token(value)) }
    if let value = options.text("fid") { targets.append(.fid(value)) }
    if let value = options.text("fcm_topic") { targets.append(.topic(value)) }
    if let value = options.text("condition") { targets.append(.condition(value)) }
    guard targets.count <= 1 else {
      let names = ["token", "fid", "fcm_topic", "condition"].map { options.spelled($0) }
      let list = names.joined(separator: ", ")
      throw .usage("give one of \(list)", option: names[0], fix: "leave all but one of them out")
    }
    return targets.first
  }

  /// Writes a message.
  package func rendering(_ message: JSONValue, _ duplicates: [JSONDuplicate] = []) -> Rendering {
    var report = Report()
    for duplicate in duplicates { report.add(duplicate) }
    var rendering = Contracts.render(contract, message: message, context: context, platforms: platforms)
    rendering.report.findings.insert(contentsOf: report.findings, at: 0)
    if isRuled { rendering.report.append(ProviderRules.check(rendering, hasTopic: context.topic != nil)) }
    return rendering
  }
}
