import Foundation
import WireJSON

/// What an app reads from a payload of the OneSignal kind.
struct ReadNotification: Decodable {
  struct Alert: Decodable {
    var title: String?
    var subtitle: String?
    var body: String?
  }

  struct APS: Decodable {
    enum CodingKeys: String, CodingKey {
      case alert, badge, sound, category
      case threadID = "thread-id"
      case mutableContent = "mutable-content"
    }

    var alert: Alert?
    var badge: Int?
    var sound: String?
    var category: String?
    var threadID: String?
    var mutableContent: Int?
  }

  struct Custom: Decodable {
    enum CodingKeys: String, CodingKey { case id = "i", url = "u", data = "a" }

    struct Additional: Decodable {
      var screen: String?
      var order: String?
    }

    var id: String?
    var url: String?
    var data: Additional?
  }

  var aps: APS?
  var custom: Custom?
}

private let payload = #"""
  {"aps":{"alert":{"title":"Your order is on its way","subtitle":"Parcel 3 of 3 – arriving today","body":"Anna will be at
  """#.dropLast(0) + #"""
   your door between 14:00 and 16:00. Tap to follow her on the map."},"badge":3,"sound":"parcel.caf","category":"__dynamic
  """# + #"""
  __","thread-id":"orders-2024-000123","mutable-content":1},"custom":{"i":"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
  """# + #"""
  "u":"https://shop.example/orders/000123/track?from=push","a":{"screen":"order","order":"000123"}}}
  """#

/// The same by walking the members of each object once.
@inline(never)
private func read(_ document: borrowing JSONDocument) -> ReadNotification {
  var notification = ReadNotification()
  let root = document.root
  if let aps = document.member(of: root, "aps") {
    var values = ReadNotification.APS()
    if let alert = document.member(of: aps, "alert") {
      var texts = ReadNotification.Alert()
      texts.title = document.member(of: alert, "title").flatMap(document.string)
      texts.subtitle = document.member(of: alert, "subtitle").flatMap(document.string)
      texts.body = document.member(of: alert, "body").flatMap(document.string)
      values.alert = texts
    }
    values.badge = document.member(of: aps, "badge").flatMap(document.int)
    values.sound = document.member(of: aps, "sound").flatMap(document.string)
    values.category = document.member(of: aps, "category").flatMap(document.string)
    values.threadID = document.member(of: aps, "thread-id").flatMap(document.string)
    values.mutableContent = document.member(of: aps, "mutable-content").flatMap(document.int)
    notification.aps = values
  }
  if let custom = document.member(of: root, "custom") {
    var values = ReadNotification.Custom()
    values.id = document.member(of: custom, "i").flatMap(document.string)
    values.url = document.member(of: custom, "u").flatMap(document.string)
    if let data = document.member(of: custom, "a") {
      var additional = ReadNotification.Custom.Additional()
      additional.screen = document.member(of: data, "screen").flatMap(document.string)
      additional.order = document.member(of: data, "order").flatMap(document.string)
      values.data = additional
    }
    notification.custom = values
  }
  return notification
}

func jsonRead(_ arguments: [String]) throws {
  let bytes = Array(String(payload).replacingOccurrences(of: "\n", with: "").utf8)
  let data = Data(bytes)
  let decoder = JSONDecoder()
  var document = JSONDocument()
  try document.parse(bytes)
  precondition(read(document).custom?.data?.order == "000123")
  printReport(
    "json-read", bytes: bytes.count,
    [
      try Measurement.run("JSONDocument into typed strings", count: 2_000_000) {
        try document.parse(bytes)
        return read(document).aps?.badge ?? 0
      },
      try Measurement.run("JSONDocument", count: 3_000_000) {
        try document.parse(bytes)
        return document.count(document.root)
      },
      try Measurement.run("JSONValue", count: 500_000) { try JSON.parse(bytes).object?.count ?? 0 },
      try Measurement.run("Foundation JSONDecoder", count: 30_000) {
        try decoder.decode(ReadNotification.self, from: data).aps?.badge ?? 0
      },
      try Measurement.run("Foundation JSONSerialization", count: 30_000) {
        try JSONSerialization.jsonObject(with: data) is [String: Any] ? 1 : 0
      },
    ])
}
