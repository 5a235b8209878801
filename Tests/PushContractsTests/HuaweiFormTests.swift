import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

@testable import PushContracts

/// Messages for Huawei's phones.
@Suite struct HuaweiFormTests {
  static let cases: [JSONValue] = {
    guard let bytes = try? Files.read(Vector.folder + "/hms/cases.json") else { return [] }
    return (try? JSON.parse(bytes))?.array ?? []
  }()

  private static func render(_ contract: ContractName, _ message: JSONValue, _ context: WriteContext) -> HuaweiRendering
  {
    let android = Contracts.render(contract, message: message, context: context, platforms: [.android])
    return Contracts.renderHuawei(contract, message: message, context: context, title: "App", android: android.fcm)
  }

  @Test("There are cases") func isThere() { #expect(Self.cases.count >= 20) }

  @Test(arguments: cases.indices) func case_(_ index: Int) throws {
    let vector = Self.cases[index]
    let name = vector["name"]?.string ?? ""
    let context = WriteContext(
      campaign: vector["context"]?["campaign"]?.string, now: vector["context"]?["now"]?.int.map { Int64($0) })
    let rendering = Self.render(
      ContractName(rawValue: vector["contract"]?.string ?? ""), vector["message"] ?? .null, context)
    #expect(
      rendering.request.map { String(decoding: $0.template().body(target: "t"), as: UTF8.self) }
        == vector["expect"].map { JSON.minifiedText($0) }, "\(name)")
    #expect((rendering.nothing != nil) == (vector["nothing"]?.bool ?? false), "\(name)")
    let notes = rendering.report.findings.map(\.rule)
    #expect(notes == vector["notes"]?.array?.compactMap(\.string) ?? [], "\(name): \(rendering.report)")
  }

  @Test("Whatever Android gets, Huawei's phones get it in Push Kit's words, and a phone reads it back")
  func everyWritingCase() throws {
    var compared = 0
    var checker = PushChecker()
    for vector in Vector.all where vector.json["message"] != nil {
      let contract = ContractName(rawValue: vector.json["contract"]?.string ?? "")
      let context = WriteContext(
        topic: "a.b", campaign: vector.json["context"]?["campaign"]?.string, now: 1_800_000_000)
      let message = vector.json["message"] ?? .null
      let android = Contracts.render(contract, message: message, context: context, platforms: [.android])
      let rendering = Contracts.renderHuawei(
        contract, message: message, context: context, title: "App", android: android.fcm)
      guard let fcm = android.fcm, let written = try JSON.parse(fcm.body)["message"] else {
        #expect(rendering.request == nil && rendering.nothing == nil, "\(vector)")
        continue
      }
      guard let request = rendering.request else {
        #expect(rendering.nothing != nil, "\(vector)")
        continue
      }
      // A picture that FCM takes at an http address is one that Push Kit refuses.
      let errors = checker.check(request).findings.filter { $0.severity == .error && !$0.field.hasSuffix(".image") }
      #expect(errors.isEmpty, "\(vector): \(errors)")
      let body = try JSON.parse(request.template().body(target: "a \"quoted\" token"))
      #expect(body["message"]?["token"] == ["a \"quoted\" token"], "\(vector)")
      let read = HuaweiDevice.android(body["message"] ?? .null)["message"]
      guard contract != .powerauth else { continue }
      // The data are what FCM would bring: contracts that draw from them read the same.
      #expect(read?["data"] == (written["android"]?["data"] ?? written["data"]), "\(vector)")
      let own = written["android"]?["notification"]
      for name in ["body", "tag", "channel_id", "title_loc_key", "body_loc_args"] {
        let value = own?[name] ?? (name == "body" ? written["notification"]?[name] : nil)
        let shown = read?["android"]?["notification"]?[name] ?? read?["notification"]?[name]
        #expect(shown == value, "\(vector) \(name)")
      }
      compared += 1
    }
    #expect(compared > 200)
  }

  @Test("A message over 4096 bytes without its token is refused") func size() {
    func report(_ count: Int) -> [String] {
      Self.render(
        .native, ["title": "T", "body": .string(String(repeating: "x", count: count))], WriteContext()
      ).report.findings.map(\.rule)
    }
    let empty = Self.render(.native, ["title": "T", "body": "x"], WriteContext()).request?.template().body.count ?? 0
    #expect(empty > 80)
    #expect(report(HuaweiRequest.bytesMax - empty + 1).isEmpty)
    #expect(report(HuaweiRequest.bytesMax - empty + 2) == ["hms-message-too-large"])
  }

  @Test("A token has no colon, which FCM's have; what is wrong is said without it") func token() {
    #expect((try? DeviceToken("IQAAAACy0kYoAADUE-_Q", kind: .hms))?.text == "IQAAAACy0kYoAADUE-_Q")
    for text in ["", "fMEO1bKqT0:APA91b", "a b", "a\"b", String(repeating: "a", count: 4097)] {
      let error = #expect(throws: DeviceTokenError.self) { try DeviceToken(text, kind: .hms) }
      #expect(error?.description.contains("Huawei push token") == true, "\(text)")
      #expect(error?.description.contains("APA91b") == false)
    }
  }
}
