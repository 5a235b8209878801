import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

@testable import PushContracts

/// Messages for apps that FCM reaches over another push service.
@Suite struct FCMCarrierTests {
  static let cases: [JSONValue] = {
    guard let bytes = try? Files.read(Vector.folder + "/fcm-tokens/cases.json") else { return [] }
    return (try? JSON.parse(bytes))?.array ?? []
  }()

  private func render(_ carrier: FCMCarrier, _ vector: JSONValue) -> CarriedRendering {
    let contract = ContractName(rawValue: vector["contract"]?.string ?? "")
    let context = WriteContext(
      target: .token("t"), campaign: vector["context"]?["campaign"]?.string,
      now: vector["context"]?["now"]?.int.map { Int64($0) })
    return Contracts.render(
      for: carrier, contract, message: vector["message"] ?? .null, context: context, title: "App")
  }

  @Test("There are cases") func isThere() { #expect(Self.cases.count >= 15) }

  @Test(arguments: cases.indices) func case_(_ index: Int) throws {
    let vector = Self.cases[index]
    let carrier = try #require(vector["kind"]?.string.flatMap { FCMCarrier(rawValue: $0) })
    let carried = render(carrier, vector)
    let name = vector["name"]?.string ?? ""
    #expect(
      carried.request.map { String(decoding: $0.body, as: UTF8.self) }
        == vector["expect"].map { JSON.minifiedText($0) },
      "\(name)")
    #expect((carried.nothing != nil) == (vector["nothing"]?.bool ?? false), "\(name)")
    let notes = carried.report.findings.map(\.rule)
    #expect(notes == vector["notes"]?.array?.compactMap(\.string) ?? [], "\(name): \(carried.report)")
    // FCM's rules, and Apple's and the browsers' about the parts that it hands on, have nothing against it.
    guard let request = carried.request else { return }
    var checker = PushChecker()
    #expect(!checker.check(request).hasErrors, "\(name)")
    #expect(request.template()?.body(target: "t") == request.body)
  }

  @Test("What FCM hands to APNs is what APNs would get directly, in every writing case of the corpus")
  func isWhatAPNsGets() throws {
    var compared = 0
    for vector in Vector.all where vector.json["message"] != nil && vector.json["message"]?["fcm"] == nil {
      let contract = ContractName(rawValue: vector.json["contract"]?.string ?? "")
      let message = vector.json["message"] ?? .null
      let context = WriteContext(
        topic: "a.b", campaign: vector.json["context"]?["campaign"]?.string, now: 1_800_000_000)
      let direct = Contracts.render(contract, message: message, context: context, platforms: [.ios])
      let carried = Contracts.render(for: .ios, contract, message: message, context: context, title: "App")
      guard let apns = direct.apns else {
        #expect(carried.request == nil && carried.nothing == nil, "\(vector)")
        continue
      }
      let hasAps = try JSON.parse(apns.payload)["aps"]?.object.map { !$0.isEmpty } ?? false
      let isCarried = hasAps && [nil, .alert, .background].contains(apns.headers.pushType)
      #expect((carried.nothing == nil) == isCarried && (carried.request != nil) == isCarried, "\(vector)")
      guard let body = carried.request?.body else { continue }
      let whole = String(decoding: body, as: UTF8.self)
      #expect(whole.hasSuffix(#""payload":"# + String(decoding: apns.payload, as: UTF8.self) + "}}}"), "\(vector)")
      var headers = JSONObject()
      apns.headers.forEach { name, value in
        if !["apns-topic", "apns-id", "apns-channel-id", "apns-request-id"].contains(name) {
          headers[name] = .string(value)
        }
      }
      #expect(
        try JSON.parse(body)["message"]?["apns"]?["headers"] == (headers.isEmpty ? nil : .object(headers)), "\(vector)")
      compared += 1
    }
    #expect(compared > 300)
  }

  @Test("A link in FCM's own words is written as it is, judged by FCM's rule, and nothing else is said of it")
  func ownLink()
    throws
  {
    func web(_ message: JSONValue) -> CarriedRendering {
      Contracts.render(for: .web, .native, message: message, context: WriteContext(target: .token("t")), title: "App")
    }
    var checker = PushChecker()
    let own = web(["title": "T", "fcm": ["webpush": ["fcm_options": ["link": "http://e.x/"]]]])
    let request = try #require(own.request)
    #expect(try JSON.parse(request.body)["message"]?["webpush"]?["fcm_options"] == ["link": "http://e.x/"])
    #expect(own.report.findings.isEmpty, "\(own.report)")
    #expect(checker.check(request).findings.map(\.rule) == ["fcm-webpush-link"])
    // One that the message has for every platform is left out, with a note, and breaks no rule.
    let shared = Contracts.render(
      for: .web, .amba, message: ["title": "T", "body": "B", "data": ["deep_link": "http://e.x/"]],
      context: WriteContext(target: .token("t")), title: "App")
    let written = try #require(shared.request)
    #expect(try JSON.parse(written.body)["message"]?["webpush"]?["fcm_options"] == nil)
    #expect(shared.report.findings.map(\.rule) == ["field-not-carried"] && !checker.check(written).hasErrors)
  }

  @Test("A caller that hashes makes a topic of any collapse id") func topic() throws {
    let carried = Contracts.render(
      for: .web, .native, message: ["title": "T", "collapse_id": "two words"], context: WriteContext(), title: "App"
    ) { _ in "hash" }
    let body = try #require(carried.request?.body)
    #expect(try JSON.parse(body)["message"]?["webpush"]?["headers"]?["Topic"] == "hash")
  }

  @Test("What Firebase's worker shows is read back: its link, its data, and no texts by key") func shown() throws {
    let message: JSONValue = [
      "notification": ["title": "Shared", "body": "B"], "data": ["a": "b"],
      "webpush": [
        "notification": ["title": "Web", "navigate": "https://e.x/lost", "body_loc": ["key": "k"], "tag": "g"],
        "fcm_options": ["link": "https://e.x/"],
      ],
    ]
    let shown = BrowserNotification(BrowserNotification.content(ofFCM: message))
    #expect(shown.title == "Web" && shown.body == "B" && shown.link == "https://e.x/" && shown.tag == "g")
    #expect(shown.pageBody == nil && shown.data == ["a": "b"])
  }

  @Test("Sizes are the payload's for APNs, and keys and values for browsers") func sizes() throws {
    let text = String(repeating: "x", count: 4_090)
    let webpush: JSONValue = ["message": ["token": "t", "webpush": ["notification": ["body": .string(text)]]]]
    #expect(FCMBudget.bytes(ofCarried: JSON.minified(webpush)) == 4_094)
    var checker = PushChecker()
    #expect(!checker.check(fcmBody: JSON.minified(webpush)).hasErrors)
    let long: JSONValue = ["message": ["token": "t", "webpush": ["notification": ["body": .string(text + "xyz")]]]]
    #expect(checker.check(fcmBody: JSON.minified(long)).findings.map(\.rule) == ["fcm-payload-too-large"])
    #expect(checker.check(fcmBody: JSON.minified(long)).findings.map(\.field) == ["message.webpush"])
    let apns: JSONValue = ["message": ["token": "t", "apns": ["payload": ["aps": ["alert": "a"]]]]]
    #expect(FCMBudget.bytes(ofCarried: JSON.minified(apns)) == #"{"aps":{"alert":"a"}}"#.utf8.count)
    #expect(FCMBudget.bytes(ofCarried: [0x7B]) == 0)
  }
}
