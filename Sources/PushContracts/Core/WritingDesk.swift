package import PushPayload
package import PushRules
package import WireJSON

/// Where a message is written: the requests of both platforms, in memory that is used repeatedly, and what there is to
/// say.
package struct WritingDesk: ~Copyable {
  /// The payload for APNs, of which ``headers`` say whether there is one.
  package internal(set) var payload = JSONWriter()
  /// The body for FCM, of which ``target`` says whether there is one.
  package internal(set) var body = JSONWriter()
  /// The headers of the APNs request; nil when iOS was not asked for or the message is not legal there.
  package var headers: APNsHeaders?
  /// The target of the FCM request; nil when Android was not asked for or the message is not legal there.
  package var target: FCMTarget?
  /// What there is to say.
  package var report = Report()
  /// What the rules know of the requests from writing them.
  package internal(set) var payloadFacts = WrittenFacts()
  package internal(set) var bodyFacts = WrittenFacts()
  /// What writing the requests had to say, which is in ``report`` already.
  var payloadNotes = Report()
  var bodyNotes = Report()
  #if _pointerBitWidth(_32)
    /// Nothing there makes pushes.
    var isFilled: Bool { false }
  #else
    /// True while ``payload`` and ``body`` hold the requests of the message that is judged.
    var isFilled = false
  #endif

  /// Makes the memory.
  package init() {}

  /// Forgets the last message.
  mutating func clear() {
    (headers, target) = (nil, nil)
    report = Report()
    (payloadNotes, bodyNotes) = (Report(), Report())
  }

  /// Puts other texts into the requests: what was written of a message whose texts have marks becomes what a recipient
  /// gets, so that ``Contracts/judge(_:message:context:platforms:at:)`` can say of that what there is to say.
  ///
  /// - Parameters:
  ///   - payload: the payload for APNs; nil when iOS was not asked for.
  ///   - body: the body for FCM; nil when Android was not asked for.
  ///   - hasEmptyTexts: whether a text may be empty that was none before.
  package mutating func fill(payload: [UInt8]?, body: [UInt8]?, hasEmptyTexts: Bool) {
    if let payload {
      self.payload.removeAll()
      self.payload.raw(payload)
    }
    if let body {
      self.body.removeAll()
      self.body.raw(body)
    }
    #if !_pointerBitWidth(_32)
      payloadFacts.refill(hasEmptyTexts: hasEmptyTexts)
      bodyFacts.refill(hasEmptyTexts: hasEmptyTexts)
    #endif
  }

  /// What was written, as values.
  package func rendering(_ contract: ContractName) -> Rendering {
    Rendering(
      contract: contract, apns: headers.map { APNsRequest(headers: $0, payload: payload.bytes) },
      fcm: target.map { FCMRequest(body: body.bytes, target: $0) }, report: report)
  }

  /// Writes what ``Rendering/json`` is of it.
  package borrowing func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if let headers {
      writer.literal("\"apns\":")
      unsafe payload.withBytes { unsafe APNsRequest.write(headers, $0, to: &writer) }
    }
    if target != nil {
      writer.literal("\"fcm\":")
      unsafe body.withBytes { unsafe writer.raw($0) }
    }
    writer.literal("\"report\":")
    report.write(to: &writer)
    writer.endObject()
  }
}

extension WritingDesk {
  /// What writing the payload said, which does not depend on a text.
  var payloadWritten: WriteNotes { WriteNotes(payloadNotes, payloadFacts) }
  var bodyWritten: WriteNotes { WriteNotes(bodyNotes, bodyFacts) }
}

extension WriteNotes {
  fileprivate init(_ report: Report, _ facts: WrittenFacts) {
    self.init(.all)
    (self.report, self.facts) = (report, facts)
  }
}

extension Contracts {
  /// Writes a message at memory that is used again: what ``render(_:message:context:platforms:)`` gives, as
  /// ``WritingDesk/rendering(_:)`` has it.
  package static func render(
    _ contract: ContractName, message: JSONValue, context: WriteContext, platforms: [Platform],
    at desk: inout WritingDesk
  ) {
    desk.clear()
    guard let entry = entry(contract) else { return desk.report = Report([unknown(contract)]) }
    entry.render(message, context, platforms, &desk)
  }

  #if !_pointerBitWidth(_32)
    /// Says of a message what ``render(_:message:context:platforms:at:)`` does, without writing it: its requests are at the
    /// desk, from the same message with marks in its texts, which ``WritingDesk/fill(payload:body:hasEmptyTexts:)`` replaced.
    package static func judge(
      _ contract: ContractName, message: JSONValue, context: WriteContext, platforms: [Platform],
      at desk: inout WritingDesk
    ) {
      let notes = (desk.payloadNotes, desk.bodyNotes)
      desk.clear()
      (desk.payloadNotes, desk.bodyNotes) = notes
      desk.isFilled = true
      entry(contract)?.render(message, context, platforms, &desk)
      desk.isFilled = false
    }
  #endif
}
