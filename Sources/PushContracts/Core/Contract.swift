public import PushPayload
internal import PushRules
public import WireJSON

/// A payload contract: the rows of its fields, its policies, and everything that follows from them.
///
/// `docs/contracts/README.md` tells how to add one. A class, because it is large, never changes, and is at work in every
/// write.
public final class Contract<Message: Sendable>: Sendable {
  /// The contract's name.
  public let name: ContractName
  /// One sentence: whose contract it is and what it is for.
  public let summary: String
  /// The rows, in the order a table shows them.
  public let fields: [Field<Message>]
  /// What holds for the contract as a whole.
  public let policy: ContractPolicy
  /// A message without any field.
  public var empty: Message { makeEmpty() }
  /// Makes it: a copy of one would retain every field.
  let makeEmpty: @Sendable () -> Message

  /// Other shapes of the FCM request, each switched on by an option; they are shown and never sent.
  @usableFromInline let variants: [ContractVariant<Message>]
  /// The APNs payload with its keys in other orders.
  @usableFromInline let apnsOrders: [ContractVariant<Message>]
  /// The providers' own objects in a message; nil for a contract that has none.
  @usableFromInline let own: ProviderObjects<Message>?
  /// What rows cannot say.
  let hooks: ContractHooks<Message>
  let readTrees: PerPlatform<ReadTree<Message>>
  /// What the payloads of each platform may hold where nothing needs to be said of them.
  let directPrograms: PerPlatform<DirectProgram?>
  /// The member of an answer that holds the contract's own properties.
  let directKey: JSONFragment?
  @usableFromInline let apnsProgram: WriteProgram<Message>
  @usableFromInline let fcmProgram: WriteProgram<Message>
  let rows: MessageRows<Message>
  /// The rows of the providers' own objects.
  let ownRows: RowSet
  let probes: PerPlatform<RowProbes<Message>>
  #if _pointerBitWidth(_32)
    var bareAPNsProgram: WriteProgram<Message> { apnsProgram }
    var bareFCMProgram: WriteProgram<Message> { fcmProgram }
    var bareProbes: PerPlatform<RowProbes<Message>> { probes }
  #else
    /// The same for sends without any option.
    let bareAPNsProgram: WriteProgram<Message>
    let bareFCMProgram: WriteProgram<Message>
    let bareProbes: PerPlatform<RowProbes<Message>>
  #endif

  /// Declares a contract.
  ///
  /// - Parameters:
  ///   - name: the contract's name.
  ///   - summary: one sentence: whose contract it is and what it is for.
  ///   - policy: what holds for the contract as a whole.
  ///   - empty: a message without any field.
  ///   - fields: one row per field.
  ///   - hooks: what rows cannot say.
  ///   - variants: other shapes of the FCM request, each with the option that switches it on.
  public convenience init(
    _ name: ContractName, summary: String, policy: ContractPolicy,
    empty: @autoclosure @escaping @Sendable () -> Message, fields: [Field<Message>],
    hooks: ContractHooks<Message> = ContractHooks(),
    variants: [(option: String, contract: Contract<Message>)] = []
  ) {
    self.init(
      name, summary: summary, policy: policy, empty: empty(), fields: fields, own: Optional.none, hooks: hooks,
      variants: variants)
  }

  /// Declares a contract whose messages hold the providers' own objects.
  init(
    _ name: ContractName, summary: String, policy: ContractPolicy,
    empty: @autoclosure @escaping @Sendable () -> Message, fields: [Field<Message>],
    own: ProviderObjects<Message>?, hooks: ContractHooks<Message> = ContractHooks(),
    variants: [(option: String, contract: Contract<Message>)] = []
  ) {
    self.own = own
    self.name = name
    self.summary = summary
    self.policy = policy
    makeEmpty = empty
    self.fields = fields
    self.hooks = hooks
    self.variants = variants.map { ContractVariant(option: $0.option, program: $0.contract.fcmProgram) }
    let trees = PerPlatform { platform in
      PathTree(fields: fields, slots: { $0.slots[platform] }, order: policy.order[platform])
    }
    readTrees = PerPlatform { platform in
      ReadTree(trees[platform]) { SlotReader($0, of: fields[$0.field], fields[$0.field].slots[platform][$0.slot]) }
    }
    #if _pointerBitWidth(_32)
      (directPrograms, directKey) = (PerPlatform(ios: nil, android: nil), nil)
    #else
      directKey = JSONKey(keeping: name.rawValue).map { JSONFragment($0) }
      directPrograms = PerPlatform { DirectProgram.compiled(fields: fields, tree: trees[$0], $0) }
    #endif
    apnsProgram = WriteProgram(.ios, tree: trees.ios, fields: fields, policy: policy)
    fcmProgram = WriteProgram(.android, tree: trees.android, fields: fields, policy: policy)
    apnsOrders = policy.apnsOrders.map { other in
      let tree = PathTree(fields: fields, slots: { $0.apns }, order: other.order)
      return ContractVariant(
        option: other.option, program: WriteProgram(.ios, tree: tree, fields: fields, policy: policy))
    }
    rows = MessageRows(fields)
    probes = PerPlatform { RowProbes(fields, on: $0, of: name) }
    ownRows = fields.indices.filter { row in (fields[row].apns + fields[row].fcm).contains { $0.form == .merged } }
      .reduce(RowSet()) { $0.union(RowSet(row: $1)) }
    #if !_pointerBitWidth(_32)
      bareAPNsProgram = WriteProgram(.ios, tree: trees.ios, fields: fields, policy: policy, isBare: true)
      bareFCMProgram = WriteProgram(.android, tree: trees.android, fields: fields, policy: policy, isBare: true)
      bareProbes = PerPlatform { RowProbes(fields, on: $0, of: name, isBare: true) }
    #endif
  }
}

/// Another way of writing a request with the option that switches it on.
@usableFromInline
struct ContractVariant<Message: Sendable>: Sendable {
  @usableFromInline let option: String
  @usableFromInline let program: WriteProgram<Message>
}

// MARK: Writing

extension Contract {
  /// Writes the APNs payload of a message into a buffer that is used repeatedly.
  ///
  /// The message is taken as it is: ``validate(_:context:report:)`` and ``validate(_:on:context:report:)`` check it once,
  /// before any number of writes.
  /// In steady state nothing is allocated, unless there is something to report.
  ///
  /// - Returns: false when a reserved name refuses the message; the report says which.
  @inlinable
  public func writeAPNs(
    _ message: Message, context: WriteContext, into writer: inout JSONWriter, report: inout Report
  ) -> Bool {
    lending(message, context) { address in
      let notes = writeAPNs(message, context, address, into: &writer)
      if !notes.report.isEmpty { report.append(notes.report) }
      return !notes.isRefused
    }
  }

  @usableFromInline
  func writeAPNs(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, into writer: inout JSONWriter
  ) -> WriteNotes {
    writer.removeAll()
    var notes: WriteNotes
    if context.options.isEmpty {
      notes = bareAPNsProgram.write(address, into: &writer)
    } else {
      let other = apnsOrders.first { context.has($0.option) }
      notes = (other?.program ?? apnsProgram).write(address, into: &writer)
    }
    if address.present.meets(ownRows) { merge(message, .ios, into: &writer, &notes) }
    return notes
  }

  /// Writes the body of the FCM request of a message into a buffer that is used repeatedly.
  ///
  /// - Returns: false when a reserved name refuses the message; the report says which.
  @inlinable
  public func writeFCM(
    _ message: Message, context: WriteContext, into writer: inout JSONWriter, report: inout Report
  ) -> Bool {
    lending(message, context) { address in
      let notes = writeFCM(message, context, address, into: &writer)
      if !notes.report.isEmpty { report.append(notes.report) }
      return !notes.isRefused
    }
  }

  @usableFromInline
  func writeFCM(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, into writer: inout JSONWriter
  ) -> WriteNotes {
    writer.removeAll()
    var notes: WriteNotes
    if context.options.isEmpty {
      notes = bareFCMProgram.write(address, into: &writer)
    } else if let variant = variants.first(where: { context.has($0.option) }) {
      // Its rows are others than those of which it is known whether the message has them.
      let address = MessageAddress(message: address.message, context: address.context)
      return variant.program.write(address, into: &writer)
    } else {
      notes = fcmProgram.write(address, into: &writer)
    }
    if address.present.meets(ownRows) { merge(message, .android, into: &writer, &notes) }
    return notes
  }

  // What has the providers' own objects is apart, as it takes the message by value, which copies it.

  @inline(never)
  private func checkOwn(_ message: Message, _ report: inout Report) {
    own?.check(message, policy.fcmReserved, report: &report)
  }

  @inline(never)
  private func mergeOwn(_ message: Message, into headers: inout APNsHeaders, _ report: inout Report) {
    own?.merge(message, into: &headers, report: &report)
  }

  @inline(never)
  private func merge(
    _ message: Message, _ platform: Platform, into writer: inout JSONWriter, _ notes: inout WriteNotes
  ) {
    own?.merge(message, platform, into: &writer, report: &notes.report)
    #if !_pointerBitWidth(_32)
      notes.facts.forget()
    #endif
  }

  /// The APNs headers of a message: the contract's own, the topic with the push type's suffix, and the id.
  public func headers(_ message: Message, context: WriteContext, report: inout Report) -> APNsHeaders {
    lending(message, context) { headers(message, context, $0, &report) }
  }

  func headers(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, _ report: inout Report
  ) -> APNsHeaders {
    var headers = rows.fixedHeaders
    for index in rows.headers.indices where address.present.meets(rows.headers[index].needs) {
      rows.readHeader(index, address, into: &headers)
    }
    if address.present.meets(ownRows) { mergeOwn(message, into: &headers, &report) }
    if headers.topic == nil, let topic = context.topic {
      let suffix = headers.pushType?.topicSuffix ?? ""
      headers.topic = suffix.isEmpty ? topic : topic + suffix
    }
    if headers.id == nil { headers.id = context.apnsID }
    if let end = headers.expiration?.epochSeconds, let now = context.now, end != 0, end < now {
      report.add(
        rule: "expiration-past", severity: .warning, field: "headers.apns-expiration",
        message: "delivery makes sense until \(UTCInstant(seconds: end).text), which is over: APNs tries once and "
          + "stores nothing; give a later time")
    }
    if let id = headers.collapseID, id.utf8.count > APNsHeaders.collapseIDBytesMax {
      report.add(
        rule: "apns-collapse-id-too-long", severity: .error, field: "headers.apns-collapse-id",
        message: "\(id.utf8.count) bytes, and APNs takes at most \(APNsHeaders.collapseIDBytesMax); use a shorter id")
    }
    return headers
  }

  /// Checks a message that is to be written: required fields, conditions, and the contract's own rules.
  public func validate(_ message: Message, context: WriteContext, report: inout Report) {
    lending(message, context) { validate(message, context, $0, &report) }
  }

  func validate(
    _ message: Message, _ context: WriteContext, _ address: MessageAddress<Message>, _ report: inout Report
  ) {
    for index in rows.required.indices where rows.required[index].isMissing(address.message) {
      reportMissing(fields[rows.required[index].row], &report)
    }
    for option in context.options where !policy.options.contains(where: { $0.name == option }) {
      reportUnknown(option: option, &report)
    }
    if address.present.meets(ownRows) { checkOwn(message, &report) }
    for index in rows.texts.indices where rows.texts[index].isBlank(address.message) {
      let text = rows.texts[index]
      report.add(
        rule: "text-blank", severity: .warning, field: text.name,
        message: "there is only white space, so an empty line is shown; write a text, or leave \(text.name) out")
    }
    hooks.check(message, at: address.message, context, &report)
  }

  /// Checks a message on one platform, once before any number of writes; an error refuses that platform only.
  public func validate(_ message: Message, on platform: Platform, context: WriteContext, report: inout Report) {
    lending(message) { hooks.check(message, at: $0, on: platform, context, &report) }
  }

  private func reportMissing(_ field: Field<Message>, _ report: inout Report) {
    var condition = ""
    if case .when(let text, _) = field.required { condition = " " + text }
    report.add(
      rule: "field-missing", severity: .error, field: field.name,
      message: "\(name) needs \(field.name), \(field.type.expectation)\(condition); add it to the message")
  }

  /// Options are switches: what follows a `=` is no part of the name that was meant.
  private func reportUnknown(option: String, _ report: inout Report) {
    let known = policy.options.map { $0.name }
    let list = known.isEmpty ? "it has none; leave the option out" : "its options are \(known.joined(separator: ", "))"
    report.add(
      rule: "option-unknown", severity: .error, field: "options",
      message: "\(name) has no option \(option)" + suggestion(String(option.prefix { $0 != "=" }), known) + "; \(list)")
  }

  /// The FCM request of a message with a placeholder for the device: rendered once per push, spliced per device.
  ///
  /// - Returns: nil when the message is not legal on Android; the report says why.
  public func fcmTemplate(
    _ message: Message, context: WriteContext, placeholder: FCMRequestTemplate.Placeholder = .token,
    report: inout Report
  ) -> FCMRequestTemplate? {
    if let finding = notSent(context) {
      report.findings.append(finding)
      return nil
    }
    let rendering = render(message, context: context, platforms: [.android])
    report.append(rendering.report)
    return rendering.fcm?.template(placeholder)
  }

  /// Why what is written for Android cannot be sent to FCM; nil when it can.
  func notSent(_ context: WriteContext) -> Finding? {
    variants.first { context.has($0.option) }.map { variant in
      Finding(
        rule: "option-not-sent", severity: .error, field: "options",
        message: "\(name) with the option \(variant.option) is not what FCM takes; leave the option out to send")
    }
  }

  func suggestion(_ name: String, _ known: [String]) -> String {
    NearMiss.of(name, in: known).map { "; did you mean \($0)?" } ?? ""
  }
}

extension JSONValue {
  /// The value as the text of a header.
  var headerText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.text
    case .bool(let value): value ? "true" : "false"
    case .null, .array, .object: nil
    }
  }
}
