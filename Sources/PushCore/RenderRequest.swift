package import PushContracts
internal import PushPayload
internal import PushRules
package import WireJSON

/// `render`: a message → the exact requests.
package struct RenderRequest: Sendable {
  /// The contract that messages are in.
  package let contract: ContractName
  private let entry: ContractEntry
  let context: WriteContext
  private var platforms: [Platform]
  private let isRuled: Bool
  #if !_pointerBitWidth(_32)
    /// What it is written for instead of the platforms; nil for those.
    package private(set) var target: Target?
  #endif

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
    guard let contract = options.contract(), let entry = Contracts.entry(contract) else {
      throw .usage(
        "\(name) is missing", option: name,
        fix: "give one of " + Contracts.names.map { $0.rawValue }.joined(separator: ", "))
    }
    (self.contract, self.entry) = (contract, entry)
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

  #if !_pointerBitWidth(_32)
    /// Reads the options, with a target instead of the platforms.
    package init(_ options: some OptionSource, for target: Target?) throws(CoreError) {
      try self.init(options)
      self.target = target
      guard case .hms? = target else { return }
      if case .token = context.target { return }
      throw .usage(
        "\(options.spelled("platform")) \(Target.huawei) takes a token of Push Kit",
        option: options.spelled("platform"), fix: "give \(options.spelled("token")), or leave the target out")
    }

    /// Reads the options, with the platforms that are asked for.
    init(_ options: some OptionSource, platforms: [Platform]) throws(CoreError) {
      try self.init(options)
      self.platforms = platforms
    }

    /// A request whose options were read by other means, with the providers' rules.
    init(_ entry: ContractEntry, _ context: WriteContext, _ platform: Platform?) {
      (contract, self.entry, self.context, isRuled) = (entry.name, entry, context, true)
      platforms = platform.map { [$0] } ?? Platform.allCases
    }
  #endif

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
  ///
  /// - Parameter isAlone: whether it is written for nothing else.
  package func rendering(
    _ message: JSONValue, _ duplicates: [JSONDuplicate] = [], isAlone: Bool = true
  ) -> Rendering {
    var rendering = whole(message, isAlone)
    say(duplicates, in: &rendering.report)
    if isRuled { rendering.report.append(ProviderRules.check(rendering, hasTopic: context.topic != nil)) }
    return rendering
  }

  private func whole(_ message: JSONValue, _ isAlone: Bool) -> Rendering {
    #if !_pointerBitWidth(_32)
      if let target { return target.rendering(contract, message, context, isAlone: isAlone) }
    #endif
    return Contracts.render(contract, message: message, context: context, platforms: platforms)
  }

  /// Adds what there is to say of the message's text.
  private func say(_ duplicates: [JSONDuplicate], in report: inout Report) {
    if duplicates.isEmpty { return }
    var said = Report()
    for duplicate in duplicates { said.add(duplicate) }
    report.findings.insert(contentsOf: said.findings, at: 0)
  }
}

extension RenderRequest {
  /// The memory of renderings one after the other, which is used again.
  package struct Desk: ~Copyable {
    var document = JSONDocument()
    fileprivate var desk = WritingDesk()
    fileprivate var checker = PushChecker()
    fileprivate var writer = JSONWriter()

    /// Makes the memory.
    package init() {}
  }

  /// An answer.
  package struct Answer: Sendable {
    /// The JSON text of ``PushContracts/Rendering/json``.
    package let bytes: [UInt8]
    /// True when the report has an error in it: nothing may be sent.
    package let hasErrors: Bool
  }

  /// Writes a message that is given as its text: from its tape straight into the requests and the answer.
  ///
  /// In steady state only the answer itself, and what the message and the report hold, is allocated.
  ///
  /// - Throws: `JSONError` when the text is not JSON.
  package func answer(_ text: [UInt8], at desk: inout Desk) throws(JSONError) -> Answer {
    #if !_pointerBitWidth(_32)
      if target != nil {
        let (message, duplicates) = try JSON.parseReporting(text)
        let rendering = rendering(message, duplicates)
        return Answer(bytes: rendering.json, hasErrors: rendering.report.hasErrors)
      }
    #endif
    try desk.document.parse(text)
    return answer(to: desk.document.root, hasDuplicates: desk.document.hasDuplicates, at: &desk)
  }

  /// The answer to a message that is a value of the desk's document.
  func answer(to message: JSONNode, hasDuplicates: Bool, at desk: inout Desk) -> Answer {
    // The document stays at the desk while its message is taken.
    entry.write(desk.document.lent, message, hasDuplicates: hasDuplicates, context, platforms, at: &desk.desk)
    if hasDuplicates { say(desk.document.duplicates(), in: &desk.desk.report) }
    if isRuled {
      let said = ProviderRules.check(desk.desk, contract, hasTopic: context.topic != nil, with: &desk.checker)
      if !said.isEmpty { desk.desk.report.append(said) }
    }
    desk.writer.removeAll()
    desk.desk.write(to: &desk.writer)
    return Answer(bytes: desk.writer.bytes, hasErrors: desk.desk.report.hasErrors)
  }
}
