import Foundation
import PushContracts
import PushPayload
import WireJSON

/// The same notification in OneSignal's new format.
private let newFormat = #"""
  {"aps":{"alert":{"title":"Your order is on its way","subtitle":"Parcel 3 of 3 – arriving today",
  "body":"Anna will be at your door between 14:00 and 16:00. Tap to follow her on the map."},
  "badge":3,"sound":"parcel.caf","category":"__dynamic__","thread-id":"orders-2024-000123","mutable-content":1},
  "os_data":{"i":"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed","u":"https://shop.example/orders/000123/track?from=push"},
  "screen":"order","order":"000123"}
  """#

/// The same notification as the strings that an Android client receives.
private let android = #"""
  {"google.sent_time":"1763600000000","google.ttl":"259200","from":"388536902528","title":"Your order is on its way",
  "alert":"Anna will be at your door between 14:00 and 16:00. Tap to follow her on the map.","sound":"parcel",
  "grp":"orders-2024-000123","pri":"10","vis":"1","bgac":"FFE9444E",
  "custom":"{\"i\":\"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed\",\"u\":\"https://shop.example/orders/000123/track?from=push\",
  \"a\":{\"screen\":\"order\",\"order\":\"000123\"}}"}
  """#

/// Reads OneSignal payloads into typed properties, against Foundation reading the first one.
func contractsRead(_ arguments: [String]) throws {
  let bytes = Array(oneSignalPayload.replacingOccurrences(of: "\n", with: "").utf8)
  let newBytes = Array(newFormat.replacingOccurrences(of: "\n", with: "").utf8)
  let androidBytes = Array(android.replacingOccurrences(of: "\n", with: "").utf8)
  let data = Data(bytes)
  let decoder = JSONDecoder()
  var reader = OneSignal.Reader()
  for reading in [try reader.read(ios: bytes), try reader.read(ios: newBytes), try reader.read(android: androidBytes)] {
    precondition(reading.message.additionalData?["order"] == "000123" && reading.report.isEmpty, "\(reading)")
  }
  var notification = OneSignal.Notification()
  var report = Report()
  printReport(
    "contracts-read", sizes: [("payload_bytes", bytes.count)],
    [
      try Measurement.run("onesignal ios, in place", count: 2_000_000) {
        try reader.read(ios: bytes, into: &notification, report: &report)
        return notification.badge ?? 0
      },
      try Measurement.run("onesignal ios", count: 2_000_000) { try reader.read(ios: bytes).message.badge ?? 0 },
      try Measurement.run("onesignal ios, new format", count: 1_000_000) {
        try reader.read(ios: newBytes).message.badge ?? 0
      },
      try Measurement.run("onesignal android", count: 200_000) {
        try reader.read(android: androidBytes).message.android?.priority ?? 0
      },
      try Measurement.run("Foundation JSONDecoder", count: 30_000) {
        try decoder.decode(ReadNotification.self, from: data).aps?.badge ?? 0
      },
    ])
}
