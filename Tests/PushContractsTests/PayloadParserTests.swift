import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

/// The bytes that a payload is answered with are those of the value it is read into, whichever way they are made.
@Suite("Payloads answered as bytes")
struct PayloadParserTests {
  /// A payload on a platform.
  struct Payload: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let platform: Platform
    let bytes: [UInt8]
  }

  /// What the vectors of a contract read, and what they write, on each platform.
  static func payloads(_ vectors: [Vector]) -> [Payload] {
    vectors.flatMap { vector -> [Payload] in
      let platforms =
        vector.json["platform"]?.string.flatMap { Platform(rawValue: $0) }.map { [$0] } ?? Platform.allCases
      if let raw = vector.json["raw_text"]?.string.map({ Array($0.utf8) })
        ?? vector.json["raw"].map({ JSON.minified($0) })
      {
        return platforms.map { Payload(testDescription: vector.path, platform: $0, bytes: raw) }
      }
      guard let contract = vector.json["contract"]?.string, let message = vector.json["message"] else { return [] }
      let context = WriteContext(topic: "com.example.app", campaign: "cmp_8f2a", now: 1_763_600_000)
      let rendering = Contracts.render(ContractName(rawValue: contract), message: message, context: context)
      return [
        rendering.apns.map { Payload(testDescription: vector.path, platform: .ios, bytes: $0.payload) },
        rendering.fcm.map { Payload(testDescription: vector.path, platform: .android, bytes: $0.body) },
      ].compactMap { $0 }
    }
  }

  /// Records a difference of both answers to a payload; true when no value was made of it.
  @discardableResult
  static func compare(
    _ parser: inout PayloadParser, _ bytes: [UInt8], _ platform: Platform?, _ contract: ContractName?, _ name: String
  ) throws -> Bool {
    let direct = try parser.parse(bytes, platform: platform, contract: contract)
    let (value, duplicates) = try JSON.parseReporting(bytes)
    var parsed = Contracts.parse(document: value, platform: platform, contract: contract)
    for duplicate in duplicates { parsed?.report.add(duplicate) }
    let expected = parsed.map { JSON.minified($0.json) }
    #expect(
      direct.map { String(decoding: $0.bytes, as: UTF8.self) } == expected.map { String(decoding: $0, as: UTF8.self) },
      "\(name) as \(contract?.rawValue ?? "none") of \(String(decoding: bytes, as: UTF8.self))")
    #expect(direct?.hasErrors == parsed?.report.hasErrors)
    return parser.isLastDirect
  }

  @Test("the vectors, by every contract and by none", arguments: Contracts.names)
  func vectors(of name: ContractName) throws {
    var parser = PayloadParser()
    var direct = 0
    let payloads = Self.payloads(Vector.all.filter { $0.path.hasPrefix(name.rawValue + "/") })
    for payload in payloads where (try? JSON.parse(payload.bytes)) != nil {
      for contract in [nil] + Contracts.names.map({ Optional($0) }) {
        for platform in [payload.platform, nil] {
          if try Self.compare(&parser, payload.bytes, platform, contract, payload.testDescription) { direct += 1 }
        }
      }
    }
    // Comparing one way with itself would prove nothing.
    #expect(direct > payloads.count / 10, "\(direct) of \(payloads.count)")
  }

  @Test("payloads of generated messages", arguments: Contracts.names)
  func generated(of name: ContractName) throws {
    let table = try #require(Contracts.mappingTable(name))
    var random = SeededRandom.fromEnvironment()
    var parser = PayloadParser()
    for _ in 0..<LawTests.rounds {
      let (_, rendering) = LawTests.legal(name, table, &random)
      let payloads: [(Platform, [UInt8]?)] = [(.ios, rendering.apns?.payload), (.android, rendering.fcm?.body)]
      for (platform, bytes) in payloads {
        guard let bytes else { continue }
        for contract in [nil, name] {
          try Self.compare(&parser, bytes, platform, contract, "POSTRIDER_SEED=\(random.seed), \(platform.rawValue)")
        }
      }
    }
  }

  @Test("mutated payloads", arguments: 0..<8)
  func mutated(part: Int) throws {
    var parser = PayloadParser()
    var random = SeededRandom(seed: UInt64(part) &+ 0x9E37)
    let payloads = Self.payloads(Vector.all)
    var direct = 0
    for (index, payload) in payloads.enumerated() where index % 8 == part {
      guard let root = try? JSON.parse(payload.bytes) else { continue }
      for _ in 0..<12 {
        var mutation = PayloadMutation(random: random)
        let bytes = mutation.bytes(of: root)
        random = mutation.random
        guard (try? JSON.parse(bytes)) != nil else { continue }
        let contract =
          random.next() % 2 == 0 ? nil : Contracts.names[Int(random.next() % UInt64(Contracts.names.count))]
        if try Self.compare(&parser, bytes, payload.platform, contract, payload.testDescription) { direct += 1 }
      }
    }
    #expect(direct > 0)
  }

  @Test("requests with the vectors in them", arguments: Contracts.names)
  func requests(of name: ContractName) throws {
    var parser = PayloadParser()
    var direct = 0
    let payloads = Self.payloads(Vector.all.filter { $0.path.hasPrefix(name.rawValue + "/") })
    for payload in payloads {
      guard let (value, duplicates) = try? JSON.parseReporting(payload.bytes) else { continue }
      for (members, platform, contract, headers) in [
        ("", nil, nil, nil), (#","platform":"\#(payload.platform.rawValue)""#, payload.platform, nil, nil),
        (#","contract":"\#(name.rawValue)""#, nil, name, nil),
        (#", "platform" : "ios","push_type":"alert""#, .ios, nil, APNsHeaders(pushType: .alert)),
        (#","push_type":"alert""#, nil, nil, APNsHeaders(pushType: .alert)),
      ] as [(String, Platform?, ContractName?, APNsHeaders?)] {
        let body = Array(#"{"payload":"#.utf8) + payload.bytes + Array("\(members)}".utf8)
        guard let answer = parser.answer(request: body, limits: .default) else { continue }
        direct += 1
        var parsed = Contracts.parse(document: value, platform: platform, contract: contract, headers: headers)
        for duplicate in duplicates { parsed?.report.add(duplicate) }
        #expect(
          String(decoding: answer, as: UTF8.self)
            == parsed.map { String(decoding: JSON.minified($0.json), as: UTF8.self) },
          "\(payload.testDescription) in \(String(decoding: body, as: UTF8.self))")
      }
    }
    #expect(direct > payloads.count / 10, "\(direct) of \(payloads.count)")
  }

  @Test(
    "requests of which something has to be said are left to the reader of values",
    arguments: [
      "", "[]", "{", "{}", #"{"platform":"ios"}"#, #"{"payload":7}"#, #"{"payload":{"aps":{"alert":"a"}},"x":1}"#,
      #"{"payload":{"aps":{"alert":"a"}},"payload":{"aps":{"alert":"a"}}}"#,
      #"{"payload":{"aps":{"alert":"a"}},"platform":"windows"}"#, #"{"payload":{"aps":{"alert":"a"}},"platform":7}"#,
      #"{"payload":{"aps":{"alert":"a"}},"contract":"none"}"#, #"{"payload":{"aps":{"alert":"a"}},"badge":1}"#,
      #"{"payload":{"aps":{"alert":"a"}},"push_type":"voip"}"#,
      #"{"payload":{"message":{"token":"t","data":{"k":"v"}}},"platform":"android","push_type":"alert"}"#,
      #"{"payload":{"aps":{"alert":"a"},"k":{"l":1,"l":1}}}"#,
      #"{"payload":{"aps":{"alert":{"title":"a","title":"a"}}}}"#,
      #"{"payload":{"aps":{"alert":"a"},"k":1,"k":1}}"#, #"{"payload":{"aps":{"alert":"a"}}} x"#,
    ])
  func requestsForValues(body: String) throws {
    var parser = PayloadParser()
    #expect(parser.answer(request: Array(body.utf8), limits: .default) == nil)
    #expect(parser.answer(request: Array(#"{"payload":{"aps":{"alert":"a"}}}"#.utf8), limits: .default) != nil)
  }

  @Test("bytes that are no JSON throw, and the parser goes on")
  func noJSON() throws {
    var parser = PayloadParser()
    do throws(JSONError) {
      _ = try parser.parse(Array("{".utf8), platform: .ios)
      Issue.record("half an object was read")
    } catch { #expect(error.offset == 1) }
    let answer = try parser.parse(Array(#"{"aps":{"alert":"a"}}"#.utf8), platform: nil)
    #expect(
      answer.map { String(decoding: $0.bytes, as: UTF8.self) }?.hasPrefix(#"{"platform":"ios","contract":"native""#)
        == true)
    let none = try parser.parse(Array("{}".utf8), platform: nil)
    #expect(none == nil)
  }
}
