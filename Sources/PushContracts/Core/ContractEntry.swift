internal import Basics
package import PushPayload
import PushRules
package import WireJSON

/// A contract by its name, made when something is first asked of it: its tables are large, and nearly every caller uses one.
struct ContractListing: Sendable {
  /// The contract's name.
  let name: ContractName
  /// What in a payload tells that it is written in this contract, as a sentence; nil when it is not.
  ///
  /// For Android it is given the members of the FCM message, whatever shape the payload had.
  let recognize: @Sendable (JSONObject, Platform) -> String?
  /// The contract, the same each time.
  let entry: @Sendable () -> ContractEntry

  /// Lists a contract, by default one that no payload tells.
  init(
    _ name: ContractName, recognize: @escaping @Sendable (JSONObject, Platform) -> String? = { _, _ in nil },
    entry: @escaping @Sendable () -> ContractEntry
  ) {
    (self.name, self.recognize, self.entry) = (name, recognize, entry)
  }
}

/// A contract behind its name: what `Contracts` needs of it, without the type of its message.
///
/// A class, because it is large, never changes, and is looked up with every message.
public final class ContractEntry: Sendable {
  typealias Render = @Sendable (JSONValue, WriteContext, [Platform], inout WritingDesk) -> Void
  typealias Behavior = @Sendable (JSONValue, Platform, DeviceState) -> JSONObject?
  typealias Answer = @Sendable (DirectPayload, inout JSONWriter) -> Bool
  typealias Judge = @Sendable (DirectPayload) -> Report?
  private typealias SystemOutcome = @Sendable (JSONObject, APNsHeaders?) -> DeviceOutcome

  /// The contract's name.
  public let name: ContractName
  /// One sentence: whose contract it is and what it is for.
  public let summary: String
  /// Writes a message from its JSON form.
  let render: Render
  /// The same for a message that is a value of a document in which no object has a name twice.
  let renderNode: @Sendable (JSONDocument, JSONNode, WriteContext, [Platform], inout WritingDesk) -> Void
  #if !(_pointerBitWidth(_32))
    /// The fields of a message, for browsers.
    let webFields: @Sendable (JSONValue, WriteContext) -> WebFields
  #endif
  /// Why what is written for Android cannot be sent to FCM; nil when it can.
  let notSent: @Sendable (WriteContext) -> Finding?
  /// Reads a payload.
  let parse: @Sendable (JSONValue, Platform) -> (notification: JSONObject, report: Report)
  /// What the reader says of a payload, without what it reads.
  let findings: @Sendable (JSONValue, Platform) -> Report
  /// Writes `notification` and `report` of the answer to a payload; false, and nothing, where the reader has to say something.
  let answer: Answer
  /// What there is to say of a payload beside notes; nil where only the reader and the device model know it.
  let judge: Judge
  #if !_pointerBitWidth(_32)
    /// The contract's name as an answer begins with it, up to the reason.
    let head: JSONFragment
  #endif
  /// What the contract's app does with a payload; by default it shows the payload's own badge.
  let behavior: Behavior
  /// What a device does with a payload: the APNs payload with its headers, or an Android payload in any shape.
  let outcome: @Sendable (JSONObject, Platform, APNsHeaders?) -> DeviceOutcome
  /// What a device does with what it would show, where the time of arrival decides; nil where it does not.
  let atArrival: PerPlatform<@Sendable (JSONObject, WholeNumber?) -> DeviceOutcome?>
  /// The rules of the contract that already say what is shown instead.
  let fallbackRules: [String]
  let fallbackEndings: [String]
  /// Those of them that say nothing of a push of which nothing is drawn.
  let drawnRules: [String]
  /// True when the vendor's library draws the notification from the data.
  let isDataOnly: Bool
  /// True for a message that the vendor's library takes before Firebase's client draws its notification block.
  let takesBlock: @Sendable (JSONObject) -> Bool
  /// The table of rows.
  let table: MappingTable
  /// True when a payload is read back into the same fields that were written.
  let readsWrittenFields: Bool

  /// Puts a contract behind its name.
  ///
  /// - Parameter contract: the contract.
  convenience init<Message: Sendable>(_ contract: Contract<Message>) {
    self.init(
      writing: contract, readsWrittenFields: true, parse: ContractEntry.reader(contract),
      findings: { contract.read($0, platform: $1).report })
  }

  private static func reader<Read: Sendable>(
    _ contract: Contract<Read>
  ) -> @Sendable (JSONValue, Platform) -> (notification: JSONObject, report: Report) {
    { root, platform in
      let result = contract.read(root, platform: platform)
      var notification = contract.commonMembers(result.message, platform: platform)
      notification[contract.name.rawValue] = .object(contract.encode(result.message))
      return (notification, result.report)
    }
  }

  /// What the systems' devices do with a payload of a contract, in whatever shape it was handed over.
  private static func outcomes<Message: Sendable>(
    _ device: DeviceModel<Message>, _ style: AndroidStyle
  ) -> PerPlatform<SystemOutcome> {
    PerPlatform(
      ios: { members, headers in
        let outcome = device.outcome(members, .ios, headers)
        return style == .dataOnly ? outcome : AppleDevice.drawing(members, outcome)
      },
      android: { members, headers in
        let envelope = AndroidEnvelope(members, style: style)
        if envelope.analyticsKey != nil { return FirebaseDevice.analytics }
        if let type = envelope.messageType { return FirebaseDevice.outcome(ofType: type) }
        let message = envelope.message
        if envelope.ignored.contains(where: { $0.endsClient }), !device.takesBlock(message) {
          return .nothing(FirebaseDevice.ending)
        }
        let outcome = device.outcome(message, .android, headers)
        if case .nothing = outcome, FirebaseDevice.isForOthers(message) { return FirebaseDevice.others }
        return outcome.isVisible ? device.atArrival.android(members, Optional.none) ?? outcome : outcome
      })
  }

  /// Puts a contract behind its name that reads in its own way.
  init<Written: Sendable>(
    writing: Contract<Written>, readsWrittenFields: Bool, behavior: @escaping Behavior = { _, _, _ in nil },
    parse: @escaping @Sendable (JSONValue, Platform) -> (notification: JSONObject, report: Report),
    findings: @escaping @Sendable (JSONValue, Platform) -> Report, answer: Answer? = nil,
    judge: Judge? = nil
  ) {
    name = writing.name
    #if _pointerBitWidth(_32)
      self.answer = { _, _ in false }
      self.judge = { _ in nil }
    #else
      self.answer = answer ?? { writing.answer($0, into: &$1) }
      self.judge = judge ?? { writing.judge($0) }
      head = JSONFragment(Array("\"contract\":\"\(writing.name.rawValue)\",\"reason\":".utf8))
    #endif
    self.findings = findings
    self.behavior = behavior
    summary = writing.summary
    table = MappingTable(writing)
    fallbackRules = writing.hooks.device.fallbackRules
    fallbackEndings = writing.hooks.device.fallbackEndings
    drawnRules = writing.hooks.device.drawnRules
    isDataOnly = writing.policy.androidStyle == .dataOnly
    self.takesBlock = writing.hooks.device.takesBlock
    let outcomes = ContractEntry.outcomes(writing.hooks.device, writing.policy.androidStyle)
    outcome = { members, platform, headers in outcomes[platform](members, headers) }
    atArrival = writing.hooks.device.atArrival
    self.readsWrittenFields = readsWrittenFields
    self.parse = parse
    let render: Render = { json, context, platforms, desk in
      let message = writing.decode(json, report: &desk.report)
      if !desk.report.hasErrors { writing.render(message, context, platforms, at: &desk) }
    }
    self.render = render
    renderNode = { document, node, context, platforms, desk in
      #if !_pointerBitWidth(_32)
        var message = writing.makeEmpty()
        var present = RowSet.always
        if writing.take(document, node, into: &message, present: &present) {
          return writing.render(message, context, platforms, present: present, at: &desk)
        }
      #endif
      render(document.value(node), context, platforms, &desk)
    }
    notSent = { writing.notSent($0) }
    #if !(_pointerBitWidth(_32))
      let browsers = WebReader(writing)
      webFields = { browsers.fields($0, $1) }
    #endif
  }
}

extension ContractEntry {
  /// Writes a message that is a value of a document, at memory that is used again: what
  /// ``Contracts/render(_:message:context:platforms:)`` gives, as ``WritingDesk/rendering(_:)`` has it.
  ///
  /// The message is taken from the document's tape: no tree is made of it, unless there is something to say about it.
  ///
  /// - Parameter hasDuplicates: whether an object of the document has a name twice; of these the last value counts.
  package func write(
    _ document: JSONDocument, _ message: JSONNode, hasDuplicates: Bool, _ context: WriteContext,
    _ platforms: [Platform], at desk: inout WritingDesk
  ) {
    desk.clear()
    if hasDuplicates {
      render(document.value(message), context, platforms, &desk)
    } else {
      renderNode(document, message, context, platforms, &desk)
    }
  }
}

extension ContractEntry {
  /// What a reader said of a payload, with what the device does.
  func report(
    _ said: Report, of payload: JSONValue, _ platform: Platform, _ headers: APNsHeaders?
  ) -> Report {
    var report = said
    guard case .object(let members) = payload else { return report }
    let outcome = outcome(members, platform, headers)
    let envelope = platform.traits.clientDraws ? AndroidEnvelope(members, style: .androidNotification) : nil
    if let envelope, let block = drawnBlock(of: envelope.message) {
      // Firebase draws the block, of which the vendor's library replaces nothing.
      if isDataOnly { report.findings.removeAll { $0.severity == .warning && fallbackRules.contains($0.rule) } }
      report.addIgnored(envelope, block, received: members)
    }
    report.follow(outcome, drawnRules: drawnRules)
    report.add(outcome, on: platform, fallbackRules: fallbackRules, fallbackEndings: fallbackEndings)
    if envelope != nil, let own = AndroidEnvelope.ownData(of: members["message"]?.object ?? members) {
      report.move(FieldPath(members: "message", "data"), to: FieldPath(members: "message", own.member, "data"))
    }
    return report
  }
}

extension ContractEntry {
  /// The notification block of an Android payload that Firebase's client draws.
  func drawnBlock(_ members: JSONObject) -> NotificationBlock? {
    drawnBlock(of: AndroidEnvelope(members, style: .androidNotification).message)
  }

  private func drawnBlock(of message: JSONObject) -> NotificationBlock? {
    takesBlock(message) ? Optional.none : NotificationBlock(message)
  }
}

extension Report {
  /// Gives the findings below one path their true path below another.
  fileprivate mutating func move(_ path: FieldPath, to other: FieldPath) {
    for index in findings.indices {
      let steps = FieldPath(parsing: findings[index].field).steps
      guard steps.starts(with: path.steps) else { continue }
      findings[index].field = FieldPath(other.steps + steps.dropFirst(path.steps.count)).text
    }
  }
}
