import Foundation
import PushContracts
import PushPayload
import WireJSON

/// The rich alert of `json-write` as a message of the `native` contract.
private func nativeMessage() -> Native.Message {
  let alert = RichAlert()
  var message = Native.Message()
  message.title = alert.aps.alert.title
  message.subtitle = alert.aps.alert.subtitle
  message.body = alert.aps.alert.body
  message.badge = alert.aps.badge
  message.sound = .string(alert.aps.sound)
  message.category = alert.aps.category
  message.threadID = alert.aps.threadID
  message.mutableContent = true
  message.interruptionLevel = alert.aps.interruptionLevel
  message.relevanceScore = JSONNumber(alert.aps.relevanceScore)
  message.data = [
    "link": .string(alert.link), "order_id": .number(JSONNumber(alert.orderID)), "image": .string(alert.image),
  ]
  return message
}

/// The same alert as far as Amba carries it.
private func ambaMessage() -> Amba.Message {
  let alert = RichAlert()
  return Amba.Message(
    title: alert.aps.alert.title, body: alert.aps.alert.body,
    data: ["link": .string(alert.link), "order_id": "123456", "image": .string(alert.image)], badge: alert.aps.badge,
    sound: alert.aps.sound)
}

/// Writes one message by a contract repeatedly.
private func measure<Message>(
  _ contract: Contract<Message>, _ message: Message, _ platform: Platform, count: Int
) -> Measurement {
  let context = WriteContext(topic: "com.example.app", campaign: "cmp_8f2a")
  var writer = JSONWriter()
  var report = Report()
  return Measurement.run("\(contract.name) \(platform.rawValue)", count: count) {
    switch platform {
    case .ios: _ = contract.writeAPNs(message, context: context, into: &writer, report: &report)
    case .android: _ = contract.writeFCM(message, context: context, into: &writer, report: &report)
    }
    return writer.count
  }
}

func contractsWrite(_ arguments: [String]) throws {
  let alert = RichAlert()
  let encoder = JSONEncoder()
  encoder.outputFormatting = .withoutEscapingSlashes
  printReport(
    "contracts-write", sizes: [("payload_bytes", try encoder.encode(alert).count)],
    [
      measure(Native.contract, nativeMessage(), .ios, count: 2_000_000),
      measure(Amba.contract, ambaMessage(), .ios, count: 2_000_000),
      measure(Amba.contract, ambaMessage(), .android, count: 2_000_000),
      try Measurement.run("Foundation JSONEncoder", count: 30_000) { try encoder.encode(alert).count },
    ])
}
