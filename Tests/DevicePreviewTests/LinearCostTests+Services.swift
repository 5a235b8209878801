import DevicePreview
import PushContracts
import PushPayload
import PushRules
import Testing
import WireJSON

/// The same for what browsers and Huawei's phones get, for what FCM hands on to other push services, and for members of a
/// message that nobody knows.
extension LinearCostTests {
  private static func action(_ index: Int) -> String { #"{"action":"a\#(index)","title":"A"}"# }

  static let browserContents: [Shape] = [
    shape("members") { #"{"title":"t","body":"b",\#(members($0))}"# },
    shape("data") { #"{"title":"t","body":"b","data":{\#(members($0))}}"# },
    shape("actions") { #"{"title":"t","body":"b","actions":[\#(list($0, action))]}"# },
    shape("arguments of a text") { #"{"body_loc":{"key":"k","args":[\#(strings($0))]}}"# },
    shape("a declarative notification") {
      #"{"web_push":8030,"notification":{"title":"t","navigate":"https://e.example/",\#(members($0))}}"#
    },
  ]

  @Test("showing a browser's notification, by contracts that a site may have", arguments: browserContents)
  func previewBrowser(shape: Shape) throws {
    let inputs = Inputs(shape)
    for contract in [nil, .onesignal, .imkit] as [ContractName?] {
      try expectLinear("a browser's preview by \(contract?.rawValue ?? "no contract")", inputs) { bytes in
        let preview = BrowserPreview(content: try JSON.parse(bytes), siteName: "Site", contract: contract)
        #expect(!JSON.minified(.object(preview.json)).isEmpty)
      }
    }
  }

  private static func message(_ member: String) -> String { #"{"message":{"token":"t",\#(member)}}"# }

  static let carriedRequests: [Shape] = [
    shape("webpush.notification") { message(#""webpush":{"notification":{"title":"t",\#(members($0))}}"#) },
    shape("webpush.data") { message(#""webpush":{"notification":{"title":"t"},"data":{\#(texts($0))}}"#) },
    shape("webpush.headers") { message(#""webpush":{"headers":{\#(texts($0))},"notification":{"title":"t"}}"#) },
    shape("webpush's actions") {
      message(#""webpush":{"notification":{"title":"t","actions":[\#(list($0, action))]}}"#)
    },
    shape("unknown members of webpush") { message(#""webpush":{\#(members($0))}"#) },
    shape("apns.payload") { message(#""apns":{"payload":{"aps":{"alert":"a"},\#(members($0))}}"#) },
    shape("aps in apns.payload") { message(#""apns":{"payload":{"aps":{"alert":"a",\#(members($0))}}}"#) },
    shape("apns.headers") { message(#""apns":{"headers":{\#(texts($0))},"payload":{"aps":{"alert":"a"}}}"#) },
  ]

  @Test("a request of FCM's with what it hands on: checked, read, and shown by a browser", arguments: carriedRequests)
  func carried(shape: Shape) throws {
    try check(shape, as: .fcmRequest) { bytes in
      let read = try FCMSendRequest.read(bytes)
      #expect(!read.model.bytes.isEmpty)
      let content = BrowserNotification.content(ofFCM: try JSON.parse(bytes)["message"] ?? .null)
      _ = BrowserPreview(content: content, siteName: "Site").json
    }
  }

  static let pushKitRequests: [Shape] = [
    shape("unknown members") { #"{"message":{"token":["t"],\#(members($0))}}"# },
    shape("unknown members of android") { #"{"message":{"token":["t"],"android":{\#(members($0))}}}"# },
    shape("unknown members of a notification") {
      #"{"message":{"token":["t"],"android":{"notification":{"title":"t","body":"b",\#(members($0))}}}}"#
    },
    shape("tokens") { #"{"message":{"data":"d","token":[\#(strings($0))]}}"# },
    shape("data") { #"{"message":{"token":["t"],"data":"{\#(quoted(texts($0)))}"}}"# },
    shape("arguments") {
      let arguments = strings($0)
      return
        #"{"message":{"token":["t"],"android":{"notification":{"body_loc_key":"k","body_loc_args":[\#(arguments)]}}}}"#
    },
    shape("inbox lines") {
      let lines = strings($0)
      return #"{"message":{"token":["t"],"android":{"notification":{"style":3,"inbox_content":[\#(lines)]}}}}"#
    },
  ]

  @Test("a request to Push Kit: checked, and read by a phone", arguments: pushKitRequests)
  func pushKit(shape: Shape) throws {
    try check(shape, as: .hmsRequest) { bytes in
      let android = HuaweiDevice.android(try JSON.parse(bytes)["message"] ?? .null)
      let push = PreviewPush(platform: .android, payload: android)
      _ = JSON.minified(.object(Preview(push, on: PreviewDevice()).json))
    }
  }

  /// Checks a document with the place of each finding, and reads it.
  private func check(
    _ shape: Shape, as kind: PushDocumentKind, _ read: ([UInt8]) throws -> Void
  ) throws {
    let inputs = Inputs(shape)
    expectLinear("check", inputs) { bytes in
      var checker = PushChecker()
      let findings = checker.check(document: bytes, kind: kind).findings
      _ = checker.locations(of: findings, in: bytes)
    }
    try expectLinear("read", inputs, read)
  }

  @Test(
    "writing a message in every contract for browsers, for what FCM hands on, and for Push Kit", arguments: messages)
  func writeForOthers(shape: Shape) throws {
    let inputs = Inputs(shape)
    let context = WriteContext(topic: "com.example.app")
    for contract in Contracts.names {
      let name = contract.rawValue
      try expectLinear("\(name) for browsers", inputs) { bytes in
        _ = Contracts.renderWeb(contract, message: try JSON.parse(bytes), context: context, title: "App")
      }
      for carrier in FCMCarrier.allCases {
        try expectLinear("\(name) for \(carrier.rawValue)", inputs) { bytes in
          _ = Contracts.render(
            for: carrier, contract, message: try JSON.parse(bytes), context: context, title: "App")
        }
      }
      try expectLinear("\(name) for hms", inputs) { bytes in
        _ = Contracts.renderForHuawei(contract, message: try JSON.parse(bytes), context: context, title: "App")
      }
    }
  }

  /// Members of a message that its contract does not know, far more than anyone writes: names that resemble none, and names
  /// that resemble one, for which the nearest is looked for.
  static let unknownMembers: [Shape] = [
    shape("unknown members") { #"{"title":"t",\#(members($0))}"# },
    shape("near misses of a title") { #"{"title":"t",\#(texts($0, "titl"))}"# },
    shape("near misses of Adobe's") { #"{"title":"t",\#(texts($0, "adb_titl"))}"# },
    shape("near misses of OneSignal's") { #"{"title":"t",\#(texts($0, "heading"))}"# },
  ]

  @Test("eight thousand members that no contract knows", arguments: unknownMembers)
  func unknown(shape: Shape) throws {
    let inputs = Inputs(shape, from: 200, times: 40)
    for contract in Contracts.names {
      try expectLinear("render in \(contract.rawValue)", inputs) { bytes in
        let rendering = Contracts.render(contract, message: try JSON.parse(bytes))
        #expect(!rendering.json.isEmpty)
      }
    }
  }
}
