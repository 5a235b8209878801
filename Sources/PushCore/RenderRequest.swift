package import PushContracts
internal import PushPayload
package import PushRules
package import WireJSON

/// `render`: a message → the exact requests.
package struct RenderRequest: Sendable {
  /// The contract that messages are in.
  package let contract: ContractName
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
    var checker = PushChecker()
    return rendering(message, duplicates, with: &checker)
  }

  /// The same with a checker that is used again.
  package func rendering(
    _ message: JSONValue, _ duplicates: [JSONDuplicate] = [], with checker: inout PushChecker
  ) -> Rendering {
    var rendering = Contracts.render(contract, message: message, context: context, platforms: platforms)
    judge(&rendering, duplicates, with: &checker)
    return rendering
  }

  /// Adds what there is to say of the message's text and of the requests.
  private func judge(_ rendering: inout Rendering, _ duplicates: [JSONDuplicate], with checker: inout PushChecker) {
    if !duplicates.isEmpty {
      var report = Report()
      for duplicate in duplicates { report.add(duplicate) }
      rendering.report.findings.insert(contentsOf: report.findings, at: 0)
    }
    guard isRuled else { return }
    rendering.report.append(ProviderRules.check(rendering, hasTopic: context.topic != nil, with: &checker))
  }
}

extension RenderRequest {
  /// The memory of renderings one after the other, which is used again.
  package struct Desk: ~Copyable {
    fileprivate var document = JSONDocument()
    fileprivate var writer = JSONWriter()
    fileprivate var checker = PushChecker()

    /// Makes the memory.
    package init() {}

    /// The answer to a message: what ``PushContracts/Rendering/json`` is.
    package mutating func json(_ rendering: Rendering) -> [UInt8] {
      writer.removeAll()
      rendering.write(to: &writer)
      return writer.bytes
    }
  }

  /// Writes a message that is given as its text.
  ///
  /// - Throws: `JSONError` when the text is not JSON.
  package func rendering(_ text: [UInt8], at desk: inout Desk) throws(JSONError) -> Rendering {
    try desk.document.parse(text)
    let hasDuplicates = desk.document.hasDuplicates
    var rendering = Contracts.render(
      contract, document: desk.document, hasDuplicates: hasDuplicates, context: context, platforms: platforms,
      with: &desk.writer)
    judge(&rendering, hasDuplicates ? desk.document.duplicates() : [], with: &desk.checker)
    return rendering
  }
}
