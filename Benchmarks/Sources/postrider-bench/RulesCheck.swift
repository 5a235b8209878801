import PushContracts
import PushPayload
import PushRules
import WireJSON

private let fcmBody = #"""
  {"message":{"token":"dXNlcl8xMjM:APA91bHn8m2kQ0r1","notification":{"title":"Your order is on its way","body":"Anna will be there soon."},"android":{"priority":"high","notification":{"tag":"c-1","channel_id":"orders"}},"data":{"screen":"order","order":"123456"}}}
  """#

/// The same rich alert that `json-write` writes.
private func richAlert() -> APNsRequest {
  var aps = APS()
  aps.badge = 3
  aps.sound = .name("parcel.caf")
  aps.category = "DELIVERY_TODAY"
  aps.threadID = "orders-2024-000123"
  aps.mutableContent = true
  aps.interruptionLevel = .timeSensitive
  aps.relevanceScore = 1
  return .alert(
    bundleID: "com.example.shop",
    .object(
      APNsAlert(
        title: "Your order is on its way", subtitle: "Parcel 3 of 3 – arriving today",
        body: "Anna will be at your door between 14:00 and 16:00. Tap to follow her on the map or to change the place.")
    ), aps: aps,
    custom: ["link": "https://shop.example/orders/000123/track?from=push", "order_id": 123_456],
    options: APNsSendOptions(collapseID: APNsCollapseID("c-1")))
}

func rulesCheck(_ arguments: [String]) throws {
  let request = richAlert()
  let value = try JSON.parse(request.payload)
  let body = Array(fcmBody.utf8)
  let small = Array(
    #"{"aps":{"alert":{"title":"Welcome back!","body":"Your streak is waiting for you."},"mutable-content":1},"screen":"home"}"#
      .utf8)
  let smallRequest = APNsRequest(headers: request.headers, payload: small)
  var document = JSONDocument()
  var checker = PushChecker()
  precondition(checker.check(request).isEmpty && checker.check(fcmBody: body).isEmpty)
  let count = arguments.contains("--quick") ? 10_000 : 500_000
  printReport(
    "rules-check", sizes: [("payload_bytes", request.payload.count)],
    [
      Measurement.run("writing the alert from its value", count: count) { JSON.minified(value).count },
      try Measurement.run("reading the alert alone", count: count) {
        try document.parse(request.payload)
        return document.count(document.root)
      },
      Measurement.run("check of the rich alert", count: count) { checker.check(request).findings.count + 1 },
      Measurement.run("check of a small alert", count: count) { checker.check(smallRequest).findings.count + 1 },
      Measurement.run("check of an FCM message", count: count) { checker.check(fcmBody: body).findings.count + 1 },
    ] + (try deviceChecks(count: count / 5)))
}

/// What `postrider check` and `/v1/check` do with a request: by the rules alone, and with what a vendor's library makes of it.
///
/// The library on the device counts for a payload that has its marks; those of `native`, `amba` and `powerauth` have none.
private func deviceChecks(count: Int) throws -> [Measurement] {
  var checker = PushChecker()
  return try requests().flatMap { name, document in
    precondition(!checker.checkOnDevice(document: document).hasErrors, name)
    return [
      Measurement.run("\(name), rules alone", count: count) { checker.check(document: document).findings.count + 1 },
      Measurement.run("\(name), on the device", count: count) {
        checker.checkOnDevice(document: document).findings.count + 1
      },
    ]
  }
}
