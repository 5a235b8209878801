import PushPayload
import WireJSON

/// What a contract does beside its rows with a payload that is read without its message; a class, so that calling one of
/// them copies no other.
final class DirectHooks: Sendable {
  typealias Judge = @Sendable (inout DirectReading) -> Bool
  typealias WriteValue = @Sendable (borrowing DirectReading, DirectValue, inout JSONWriter) -> Void
  typealias Write = @Sendable (borrowing DirectReading, inout JSONWriter) -> Void
  typealias Findings = @Sendable (borrowing DirectReading) -> [Finding]

  /// Sets what no single row holds; false for a payload of which there is something to say.
  let judge: Judge
  /// Writes a value of the form ``DirectForm/own``.
  let value: WriteValue
  /// Writes the contract's own members that no row holds.
  let own: Write
  /// Writes what there is to say all the same.
  let report: Write
  /// What ``report`` writes.
  let findings: Findings

  /// Gathers the hooks; each but the first does nothing by default.
  init(
    judge: @escaping Judge, value: @escaping WriteValue = { _, _, _ in }, own: @escaping Write = { _, _ in },
    report: @escaping Write = { _, _ in }, findings: @escaping Findings = { _ in [] }
  ) {
    self.judge = judge
    self.value = value
    self.own = own
    self.report = report
    self.findings = findings
  }
}

/// A payload that is to be answered without its message.
///
/// Document and texts stay with whoever parses, and are not counted: it is handed on and copied often.
struct DirectPayload {
  let document: JSONDocument
  let root: JSONNode
  let platform: Platform
  let texts: DirectTexts
}

extension Contract {
  /// Writes the members `notification` and `report` of the answer to a payload, and says that it has; false where something
  /// has to be said of the payload that only its reader can, and nothing is written.
  func answer(_ payload: DirectPayload, into writer: inout JSONWriter) -> Bool {
    guard let key = directKey else { return false }
    return read(payload) { reading, hooks in
      writer.fragment(DirectAnswer.notification)
      reading.writeNotification(key, into: &writer, hooks)
      writer.fragment(DirectAnswer.report)
      hooks.report(reading, &writer)
      reading.ignored.write(into: &writer)
      writer.endArray()
    }
  }

  /// The findings of that answer; nil where something has to be said of the payload that only its reader can.
  func judge(_ payload: DirectPayload) -> Report? {
    var report = Report()
    let isRead = read(payload) { reading, hooks in
      report.findings = hooks.findings(reading)
      if !reading.ignored.isEmpty { report.findings += reading.ignored.findings }
    }
    return isRead ? report : nil
  }

  /// Reads a payload and hands over where everything is; false, and nothing, where something has to be said of it.
  private func read(_ payload: DirectPayload, _ body: (borrowing DirectReading, DirectHooks) -> Void) -> Bool {
    guard let hooks = hooks.direct, let program = directPrograms[payload.platform],
      let root = program.platform.message(payload.document, payload.root)
    else { return false }
    return unsafe withUnsafeTemporaryAllocation(of: DirectValue.self, capacity: DirectReading.valueCount) { values in
      guard let values = values.baseAddress else { return false }
      var reading = unsafe DirectReading(payload.document, root, payload.platform, program, payload.texts, values)
      guard program.platform.read(&reading), hooks.judge(&reading) else { return false }
      body(reading, hooks)
      return true
    }
  }
}
