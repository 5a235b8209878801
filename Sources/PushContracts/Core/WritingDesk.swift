package import PushPayload
package import PushRules
package import WireJSON

/// Where a message is written: the requests of both platforms, in memory that is used again and again, and what there is to
/// say.
package struct WritingDesk: ~Copyable {
  /// The payload for APNs, of which ``headers`` say whether there is one.
  package internal(set) var payload = JSONWriter()
  /// The body for FCM, of which ``target`` says whether there is one.
  package internal(set) var body = JSONWriter()
  /// The headers of the APNs request; nil when iOS was not asked for or the message is not legal there.
  package internal(set) var headers: APNsHeaders?
  /// The target of the FCM request; nil when Android was not asked for or the message is not legal there.
  package internal(set) var target: FCMTarget?
  /// What there is to say.
  package var report = Report()
  /// What the rules know of the requests from writing them.
  package internal(set) var payloadFacts = WrittenFacts()
  package internal(set) var bodyFacts = WrittenFacts()

  /// Makes the memory.
  package init() {}

  /// Forgets the last message.
  mutating func clear() {
    (headers, target) = (nil, nil)
    report = Report()
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
      payload.withBytes { APNsRequest.write(headers, $0, to: &writer) }
    }
    if target != nil {
      writer.literal("\"fcm\":")
      body.withBytes { writer.raw($0) }
    }
    writer.literal("\"report\":")
    report.write(to: &writer)
    writer.endObject()
  }
}
