import Foundation
import WireJSON

/// A rich alert of a little more than 400 bytes, the same for every writer.
struct RichAlert: Encodable {
  struct Alert: Encodable {
    var title = "Your order is on its way"
    var subtitle = "Parcel 3 of 3 – arriving today"
    var body = "Anna will be at your door between 14:00 and 16:00. Tap to follow her on the map or to change the place."
  }

  struct APS: Encodable {
    enum CodingKeys: String, CodingKey {
      case alert, badge, sound, category
      case threadID = "thread-id"
      case mutableContent = "mutable-content"
      case interruptionLevel = "interruption-level"
      case relevanceScore = "relevance-score"
    }

    var alert = Alert()
    var badge = 3
    var sound = "parcel.caf"
    var category = "DELIVERY_TODAY"
    var threadID = "orders-2024-000123"
    var mutableContent = 1
    var interruptionLevel = "time-sensitive"
    var relevanceScore = 1
  }

  enum CodingKeys: String, CodingKey {
    case aps, link, orderID = "order_id", image
  }

  var aps = APS()
  var link = "https://shop.example/orders/000123/track?from=push"
  var orderID = 123_456
  var image = "https://cdn.example/p/3f9a/van.png"
}

private enum Keys {
  static let aps: JSONKey = "aps"
  static let alert: JSONKey = "alert"
  static let title: JSONKey = "title"
  static let subtitle: JSONKey = "subtitle"
  static let body: JSONKey = "body"
  static let badge: JSONKey = "badge"
  static let sound: JSONKey = "sound"
  static let category: JSONKey = "category"
  static let threadID: JSONKey = "thread-id"
  static let mutableContent: JSONKey = "mutable-content"
  static let interruptionLevel: JSONKey = "interruption-level"
  static let relevanceScore: JSONKey = "relevance-score"
}

/// One step of a table-driven writer.
enum WriteStep {
  case begin(JSONKey)
  case end
  case text(JSONKey, slot: Int)
  case number(JSONKey, slot: Int)
}

/// The values of one message, by slot.
struct WriteSlots {
  var texts: [String]
  var numbers: [Int]
}

private let steps: [WriteStep] = [
  .begin("aps"), .begin("alert"), .text("title", slot: 0), .text("subtitle", slot: 1), .text("body", slot: 2), .end,
  .number("badge", slot: 0), .text("sound", slot: 3), .text("category", slot: 4), .text("thread-id", slot: 5),
  .number("mutable-content", slot: 1), .text("interruption-level", slot: 6), .number("relevance-score", slot: 2), .end,
  .text("link", slot: 7), .number("order_id", slot: 3), .text("image", slot: 8),
]

private func slots(of alert: RichAlert) -> WriteSlots {
  WriteSlots(
    texts: [
      alert.aps.alert.title, alert.aps.alert.subtitle, alert.aps.alert.body, alert.aps.sound, alert.aps.category,
      alert.aps.threadID, alert.aps.interruptionLevel, alert.link, alert.image,
    ], numbers: [alert.aps.badge, alert.aps.mutableContent, alert.aps.relevanceScore, alert.orderID])
}

/// Writes a message by interpreting a table, as the contracts do.
@inline(never)
private func write(_ slots: WriteSlots, by steps: [WriteStep], to writer: inout JSONWriter) {
  writer.beginObject()
  for step in steps {
    switch step {
    case .begin(let key):
      writer.key(key)
      writer.beginObject()
    case .end: writer.endObject()
    case .text(let key, let slot):
      writer.key(key)
      writer.string(slots.texts[slot])
    case .number(let key, let slot):
      writer.key(key)
      writer.int(slots.numbers[slot])
    }
  }
  writer.endObject()
}

/// Writes a message by code.
@inline(never)
private func write(_ message: RichAlert, to writer: inout JSONWriter) {
  writer.beginObject()
  writer.key("aps")
  writer.beginObject()
  writer.key("alert")
  writer.beginObject()
  writer.key("title")
  writer.string(message.aps.alert.title)
  writer.key("subtitle")
  writer.string(message.aps.alert.subtitle)
  writer.key("body")
  writer.string(message.aps.alert.body)
  writer.endObject()
  writer.key("badge")
  writer.int(message.aps.badge)
  writer.key("sound")
  writer.string(message.aps.sound)
  writer.key("category")
  writer.string(message.aps.category)
  writer.key("thread-id")
  writer.string(message.aps.threadID)
  writer.key("mutable-content")
  writer.int(message.aps.mutableContent)
  writer.key("interruption-level")
  writer.string(message.aps.interruptionLevel)
  writer.key("relevance-score")
  writer.int(message.aps.relevanceScore)
  writer.endObject()
  writer.key("link")
  writer.string(message.link)
  writer.key("order_id")
  writer.int(message.orderID)
  writer.key("image")
  writer.string(message.image)
  writer.endObject()
}

func jsonWrite(_ arguments: [String]) throws {
  let message = RichAlert()
  let slots = slots(of: message)
  var writer = JSONWriter()
  write(slots, by: steps, to: &writer)
  let bytes = writer.bytes
  let value = try JSON.parse(bytes)
  let encoder = JSONEncoder()
  encoder.outputFormatting = .withoutEscapingSlashes
  guard try JSON.parse([UInt8](encoder.encode(message))).isEquivalent(to: value) else {
    fatalError("the writers disagree")
  }
  let tree = try JSONSerialization.jsonObject(with: Data(bytes))
  printReport(
    "json-write", sizes: [("payload_bytes", bytes.count)],
    [
      Measurement.run("JSONWriter, table", count: 3_000_000) {
        writer.removeAll()
        write(slots, by: steps, to: &writer)
        return writer.count
      },
      Measurement.run("JSONWriter, code", count: 3_000_000) {
        writer.removeAll()
        write(message, to: &writer)
        return writer.count
      },
      Measurement.run("JSONWriter, JSONValue", count: 1_000_000) {
        writer.removeAll()
        writer.value(value)
        return writer.count
      },
      try Measurement.run("Foundation JSONEncoder", count: 30_000) { try encoder.encode(message).count },
      try Measurement.run("Foundation JSONSerialization", count: 30_000) {
        try JSONSerialization.data(withJSONObject: tree, options: .withoutEscapingSlashes).count
      },
    ])
}
