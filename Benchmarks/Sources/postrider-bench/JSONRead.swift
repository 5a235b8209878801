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

/// About 450 bytes; the line breaks are taken out.
let oneSignalPayload = #"""
  {"aps":{"alert":{"title":"Your order is on its way","subtitle":"Parcel 3 of 3 – arriving today",
  "body":"Anna will be at your door between 14:00 and 16:00. Tap to follow her on the map."},
  "badge":3,"sound":"parcel.caf","category":"__dynamic__","thread-id":"orders-2024-000123","mutable-content":1},
  "custom":{"i":"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed","u":"https://shop.example/orders/000123/track?from=push",
  "a":{"screen":"order","order":"000123"}}}
  """#

/// The same properties as one flat value, the way the contracts read.
private struct FlatNotification {
  var title, subtitle, body: String?
  var badge: Int?
  var sound, category, threadID: String?
  var mutableContent: Int?
  var id, url, screen, order: String?
}

/// Reads by asking for each member by name.
@inline(never)
private func readByName(_ document: borrowing JSONDocument) -> FlatNotification {
  var flat = FlatNotification()
  if let aps = document.member(of: document.root, "aps") {
    if let alert = document.member(of: aps, "alert") {
      flat.title = document.string(of: alert, "title")
      flat.subtitle = document.string(of: alert, "subtitle")
      flat.body = document.string(of: alert, "body")
    }
    flat.badge = document.int(of: aps, "badge")
    flat.sound = document.string(of: aps, "sound")
    flat.category = document.string(of: aps, "category")
    flat.threadID = document.string(of: aps, "thread-id")
    flat.mutableContent = document.int(of: aps, "mutable-content")
  }
  if let custom = document.member(of: document.root, "custom") {
    flat.id = document.string(of: custom, "i")
    flat.url = document.string(of: custom, "u")
    if let data = document.member(of: custom, "a") {
      flat.screen = document.string(of: data, "screen")
      flat.order = document.string(of: data, "order")
    }
  }
  return flat
}

private let keys = JSONKeyTable([
  "aps", "alert", "title", "subtitle", "body", "badge", "sound", "category", "thread-id", "mutable-content", "custom",
  "i", "u", "a", "screen", "order",
])

/// Reads by walking the members of each object once.
@inline(never)
private func readByTable(_ document: borrowing JSONDocument) -> FlatNotification {
  var flat = FlatNotification()
  walk(document, document.root, &flat)
  return flat
}

private func walk(_ document: borrowing JSONDocument, _ object: JSONNode, _ flat: inout FlatNotification) {
  for (name, value) in document.members(of: object) {
    switch document.index(of: name, in: keys) {
    case 0, 1, 10, 13: walk(document, value, &flat)
    case 2: flat.title = document.string(value)
    case 3: flat.subtitle = document.string(value)
    case 4: flat.body = document.string(value)
    case 5: flat.badge = document.int(value)
    case 6: flat.sound = document.string(value)
    case 7: flat.category = document.string(value)
    case 8: flat.threadID = document.string(value)
    case 9: flat.mutableContent = document.int(value)
    case 11: flat.id = document.string(value)
    case 12: flat.url = document.string(value)
    case 14: flat.screen = document.string(value)
    case 15: flat.order = document.string(value)
    default: break
    }
  }
}

/// An array of payloads of at least `bytes` bytes.
private func largeDocument(of payload: [UInt8], bytes: Int) -> [UInt8] {
  var text = Array("[".utf8)
  while text.count < bytes {
    if text.count > 1 { text.append(UInt8(ascii: ",")) }
    text += payload
  }
  return text + Array("]".utf8)
}

func jsonRead(_ arguments: [String]) throws {
  let bytes = Array(oneSignalPayload.replacingOccurrences(of: "\n", with: "").utf8)
  let data = Data(bytes)
  let decoder = JSONDecoder()
  var document = JSONDocument()
  try document.parse(bytes)
  precondition(readByName(document).order == "000123" && readByTable(document).order == "000123")
  let large = largeDocument(of: bytes, bytes: 1 << 20)
  printReport(
    "json-read", sizes: [("payload_bytes", bytes.count)],
    [
      try Measurement.run("JSONDocument into typed strings", count: 2_000_000) {
        try document.parse(bytes)
        return readByName(document).badge ?? 0
      },
      try Measurement.run("JSONDocument into typed strings, key table", count: 2_000_000) {
        try document.parse(bytes)
        return readByTable(document).badge ?? 0
      },
      try Measurement.run("JSONDocument", count: 3_000_000) {
        try document.parse(bytes)
        return document.count(document.root)
      },
      try Measurement.run("JSONDocument, \(large.count) bytes", count: 1000) {
        try document.parse(large)
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
