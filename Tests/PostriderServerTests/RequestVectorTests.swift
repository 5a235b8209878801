import ProviderEmulator
import PushRules
import Signing
import TestSupport
import Testing
import WireJSON

/// Runs `Vectors/api`: for each rule of the API a request that breaks it and nothing else, and one just inside, against a
/// real server.
@Suite struct RequestVectorTests {
  static let folder = "\(Files.packageRoot)/Vectors/api"
  static let rules = Rules.groups.first { $0.title == "HTTP API" }?.rules.map(\.text) ?? []

  @Test(arguments: rules, ["breaks", "inside"])
  func theReportIsTheExpectedOne(rule: String, side: String) throws {
    let vector = try JSON.parse(try Files.read("\(Self.folder)/\(rule).json"))
    #expect(vector["rule"]?.string == rule)
    let fixture = try ServerFixture()
    let demo = try fixture.makeDemo()
    let emulator = try ProviderEmulator(EmulatorConfiguration())
    defer { emulator.stop() }
    let words = try Self.words(device: demo.ios, emulator)
    func send(_ request: JSONValue) throws -> ServerFixture.Answer {
      try fixture.send(
        try #require(request["method"]?.string), try #require(request["path"]?.string),
        JSON.minifiedText(Self.filled(try #require(request["body"]), words)))
    }
    for request in vector["setup"]?.array ?? [] {
      let answer = try send(request)
      #expect((200..<300).contains(answer.status), "\(answer.text)")
    }
    let half = try #require(vector[side])
    let answer = try send(try #require(half["request"]))
    #expect(answer.status == half["status"]?.int, "\(answer.text)")
    let report = answer.json["report"]?.array ?? []
    #expect(report.map(Self.index) == half["expect"]?.array?.map(Self.index), "\(answer.text)")
    // The one rule and nothing else; inside, anything but it. A value that is missing for a device leaves its size open,
    // which is noted of every such push.
    let companions: Set<String> = rule == "push-placeholder-empty" ? ["push-worst-size"] : []
    let found = Set(report.compactMap { $0["rule"]?.string })
    #expect(side == "breaks" ? found == companions.union([rule]) : !found.contains(rule))
    #expect(report.allSatisfy { $0["message"]?.string?.isEmpty == false })
  }

  /// Where a finding stands.
  private static func index(_ finding: JSONValue) -> String {
    ["severity", "rule", "field"].map { finding[$0]?.string ?? "?" }.joined(separator: " ")
  }

  /// What the words that begin with `$` stand for.
  private static func words(device: String, _ emulator: ProviderEmulator) throws -> [String: JSONValue] {
    let key = try ECPrivateKey.generate()
    let certificate = try CertificateAuthority(commonName: "Test").issue(
      CertificateRequest(commonName: "com.example.app"))
    guard case .object(var account) = try ServerFixture.serviceAccount.get() else { return [:] }
    account["token_uri"] = "https://oauth2.googleapis.com/token"
    var elsewhere = account
    elsewhere["token_uri"] = "https://example.com/token"
    return [
      "$ios_token": .string(ServerFixture.iosToken), "$ios_device": .string(device),
      "$other_ios_token": .string(String(repeating: "ab", count: 32)), "$apns_key": .string(try key.pem()),
      "$apns_public_key": .string(try key.publicKey.pem()), "$service_account": .object(account),
      "$service_account_elsewhere": .object(elsewhere),
      "$certificate_pem": .string(certificate.certificatePEM + certificate.privateKeyPEM),
      "$certificate_alone_pem": .string(certificate.certificatePEM),
      "$emulated_key": .string(emulator.credentials.signingKeyPEM),
      "$emulated_key_id": .string(emulator.credentials.keyID),
      "$emulated_team_id": .string(emulator.credentials.teamID),
      "$emulated_gateway": [
        "host": .string(emulator.ports.host), "port": .number(JSONNumber(emulator.ports.apns)),
        "ca": .string(emulator.authorityPEM),
      ],
    ]
  }

  /// A body with the words replaced.
  private static func filled(_ value: JSONValue, _ words: [String: JSONValue]) -> JSONValue {
    switch value {
    case .string(let text): return words[text] ?? value
    case .array(let parts):
      let filled = parts.map { Self.filled($0, words) }
      guard parts.first?.string?.hasPrefix("$") == true else { return .array(filled) }
      return .string(filled.compactMap(\.string).joined())
    case .object(let object):
      if let parts = object["$repeat"]?.array, let text = parts.first?.string, let count = parts.last?.int {
        return .string(String(repeating: text, count: count))
      }
      var filled = JSONObject()
      for (name, value) in object { filled.append(name, Self.filled(value, words)) }
      return .object(filled)
    default: return value
    }
  }
}
