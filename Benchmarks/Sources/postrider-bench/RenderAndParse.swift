import Foundation
import PushContracts
import PushCore
import PushPayload
import WireJSON

/// One message in each contract, of the kind that it is made for.
private let messages: [(contract: ContractName, text: String)] = [
  (
    .amba,
    #"""
    {"title":"Your order is on its way","body":"Anna will be at your door between 14:00 and 16:00.",
    "data":{"screen":"order","order":"000123"},"badge":3,"sound":"parcel.caf"}
    """#
  ),
  (
    .imkit,
    #"""
    {"messageType":"text","sender":"Alice","content":"Shall we meet at eight?","room":"room-000123","badge":3,
    "message":{"_id":"5f8f","messageType":"text","message":"Shall we meet at eight?"},"collapseKey":"room-000123"}
    """#
  ),
  (
    .powerauth,
    #"""
    {"title":"Your order is on its way","body":"Anna will be at your door between 14:00 and 16:00.","badge":3,
    "sound":"default","category":"order","collapseKey":"order-123","extras":{"screen":"order","order":"000123"}}
    """#
  ),
  (
    .adobe,
    #"""
    {"adb_title":"Your order is on its way","adb_body":"Anna will be at your door between 14:00 and 16:00.",
    "adb_sound":"parcel","adb_image":"https://shop.example/p.png","adb_uri":"https://shop.example/orders/123",
    "adb_a_type":"WEBURL","adb_tag":"24","adb_act":[{"label":"Track","uri":"https://shop.example/t","type":"DEEPLINK"}]}
    """#
  ),
  (
    .onesignal,
    #"""
    {"headings":{"en":"Your order is on its way"},"subtitle":{"en":"Parcel 3 of 3"},
    "contents":{"en":"Anna will be at your door between 14:00 and 16:00."},"app_url":"shop://orders/123",
    "notification_id":"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed","data":{"screen":"order","order":"000123"}}
    """#
  ),
  (
    .native,
    #"""
    {"title":"Your order is on its way","subtitle":"Parcel 3 of 3","badge":3,"sound":"parcel.caf",
    "body":"Anna will be at your door between 14:00 and 16:00.","category":"DELIVERY","thread_id":"orders",
    "data":{"screen":"order","order":"000123"}}
    """#
  ),
]

/// The requests of the message of each contract, as documents that are checked.
func requests() throws -> [(name: String, document: [UInt8])] {
  try messages.flatMap { contract, text in
    let rendering = try rendering(contract, text)
    let documents = [("ios", rendering.apns?.json), ("android", rendering.fcm?.body)]
    return documents.map { ("\(contract.rawValue) \($0.0)", $0.1 ?? []) }
  }
}

private let context = WriteContext(topic: "com.example.app", campaign: "cmp_8f2a")
private let fullCount = 100_000

private func rendering(_ contract: ContractName, _ text: String) throws -> Rendering {
  let rendering = Contracts.render(contract, message: try JSON.parse(text), context: context)
  precondition(!rendering.report.hasErrors, "\(contract.rawValue): \(rendering.report)")
  return rendering
}

/// The options of a request to `/v1/render` or `/v1/parse`.
private func requestOptions(_ contract: ContractName, _ more: JSONObject) -> JSONOptions {
  var members = more
  members["contract"] = .string(contract.rawValue)
  members["now"] = 1_795_219_200
  return JSONOptions(checked: members)
}

/// What `postrider render --lines` does with a message.
///
/// Bytes in, both requests and the report as bytes out, in each contract; and the same without the rules of the providers.
/// `--contract` and `--rules on|off` choose among the rows, for a profile.
func render(_ arguments: [String]) throws {
  let options = try Options(arguments, known: ["contract", "rules", "scale"])
  let (only, rules) = (try options.text("contract", default: ""), try options.text("rules", default: ""))
  var messageBytes = 0
  var requestBytes = 0
  var rows: [Measurement] = []
  for (contract, text) in messages where only.isEmpty || only == contract.rawValue {
    let bytes = Array(text.utf8)
    messageBytes += bytes.count
    var desk = RenderRequest.Desk()
    for isRuled in [true, false] where rules.isEmpty || rules == (isRuled ? "on" : "off") {
      let request = try RenderRequest(
        requestOptions(
          contract, ["topic": "com.example.app", "campaign": "cmp_8f2a", "no_provider_rules": .bool(!isRuled)]))
      if isRuled { requestBytes += try request.answer(bytes, at: &desk).bytes.count }
      rows.append(
        try Measurement.run(contract.rawValue + (isRuled ? "" : " without the providers' rules"), count: fullCount) {
          try request.answer(bytes, at: &desk).bytes.count
        })
    }
  }
  printReport("render", sizes: [("message_bytes", messageBytes), ("requests_bytes", requestBytes)], rows)
}

/// The contracts that a payload tells; the others are asked for.
private let recognizable: [ContractName] = [.imkit, .adobe, .onesignal, .native]

/// What `postrider parse` and `/v1/parse` do with a payload as devices get it: bytes in, the answer out as bytes, its contract
/// recognized where a payload tells it; beside it the same through values, which the library hands out, and Foundation reading the
/// same fields into a struct.
///
/// `--only "adobe ios"` measures one payload's bytes to bytes alone, for a profile.
func parse(_ arguments: [String]) throws {
  var payloadBytes = 0
  let only = arguments.firstIndex(of: "--only").flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
  var rows: [Measurement] = []
  var parser = PayloadParser()
  let decoder = JSONDecoder()
  for (contract, text) in messages {
    let rendering = try rendering(contract, text)
    let payloads: [(platform: Platform, bytes: [UInt8])] = [
      (.ios, rendering.apns?.payload ?? []), (.android, rendering.fcm?.body ?? []),
    ]
    let asked = recognizable.contains(contract) ? nil : contract
    for (platform, bytes) in payloads {
      let name = "\(contract.rawValue) \(platform.rawValue)"
      if let only, only != name { continue }
      payloadBytes += bytes.count
      rows.append(
        try Measurement.run(name, count: fullCount) {
          try parser.parse(bytes, platform: platform, contract: asked)?.bytes.count ?? 0
        })
      if only != nil { continue }
      rows.append(
        try Measurement.run(name + ", through values", count: fullCount / 4) {
          JSON.minified(try Contracts.parse(platform: platform, raw: bytes, contract: asked).json).count
        })
      let data = Data(bytes)
      rows.append(
        try Measurement.run(name + ", Foundation JSONDecoder", count: fullCount / 4) {
          try FoundationPayloads.read(data, platform, decoder)
        })
    }
  }
  printReport("parse", sizes: [("payload_bytes", payloadBytes)], rows)
}
