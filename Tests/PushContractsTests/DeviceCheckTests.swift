import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// What is found on the tape of a payload is what its contract's reader and the model of the device say of it: a check by
/// either way is the same report, in the same order and words.
@Suite("Payloads checked on the tape")
struct DeviceCheckTests {
  /// Both checkers, which are used again.
  struct Checkers {
    var fast = PushChecker()
    var full = PushChecker()

    init() { full.device.usesTape = false }

    /// Records a difference of both reports on a document.
    mutating func compare(_ bytes: [UInt8], pushType: APNsPushType? = nil, platform: Platform? = nil, _ name: String) {
      let found = fast.checkOnDevice(document: bytes, platform: platform, pushType: pushType)
      let expected = full.checkOnDevice(document: bytes, platform: platform, pushType: pushType)
      #expect(
        found == expected, "\(name), \(pushType?.rawValue ?? "no type"): \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  /// Headers as they are written in requests; the last ones are no notification's, or not plainly.
  private static let headers = [
    #"{"apns-push-type":"alert","apns-priority":"10","apns-topic":"com.example.app"}"#, "{}",
    #"{"apns-topic":"pass.com.example"}"#, #"{"apns-push-type":"background","apns-priority":"5"}"#,
    #"{"Apns-Push-Type":"background","apns-topic":"com.example.app"}"#, #"{"apns-push-type":"voip"}"#,
    #"{"apns\u002Dpush-type":"background"}"#, #"{"apns-push-type":"alert","APNS-PUSH-TYPE":"voip"}"#, "[]",
    #"{"apns-push-type":5}"#,
  ]

  /// The documents that a payload is checked in.
  private static func documents(_ payload: PayloadParserTests.Payload) -> [[UInt8]] {
    guard payload.platform == .ios else { return [payload.bytes] }
    let text = String(decoding: payload.bytes, as: UTF8.self)
    return [payload.bytes] + headers.map { Array(#"{"headers":\#($0),"payload":\#(text)}"#.utf8) }
  }

  @Test("the vectors of every contract", arguments: Contracts.names)
  func vectors(of name: ContractName) {
    var checkers = Checkers()
    let payloads = PayloadParserTests.payloads(Vector.all.filter { $0.path.hasPrefix(name.rawValue + "/") })
    for payload in payloads {
      for document in Self.documents(payload) { checkers.compare(document, payload.testDescription) }
      for type in [APNsPushType.alert, .background, .voip] where payload.platform == .ios {
        checkers.compare(payload.bytes, pushType: type, payload.testDescription)
      }
      checkers.compare(payload.bytes, platform: payload.platform, payload.testDescription)
    }
    // Those of the other contracts have no mark that only a vendor's payload has.
    let isMarked = [.imkit, .adobe, .onesignal].contains(name)
    #expect(!isMarked || checkers.fast.device.tapeCount > payloads.count / 4, "\(checkers.fast.device.tapeCount)")
    #expect(checkers.full.device.tapeCount == 0)
  }

  @Test("payloads of generated messages", arguments: Contracts.names)
  func generated(of name: ContractName) throws {
    let table = try #require(Contracts.mappingTable(name))
    var random = SeededRandom.fromEnvironment()
    var checkers = Checkers()
    for _ in 0..<LawTests.rounds {
      let (_, rendering) = LawTests.legal(name, table, &random)
      let says = "POSTRIDER_SEED=\(random.seed)"
      if let request = rendering.apns { checkers.compare(request.json, says) }
      if let request = rendering.fcm { checkers.compare(request.body, says) }
      checkers.compare(rendering.json, says)
    }
  }

  @Test("mutated payloads", arguments: 0..<8)
  func mutated(part: Int) throws {
    var checkers = Checkers()
    var random = SeededRandom(seed: UInt64(part) &+ 0xC4EC)
    for (index, payload) in PayloadParserTests.payloads(Vector.all).enumerated() where index % 8 == part {
      for (position, document) in Self.documents(payload).enumerated() {
        guard position < 2, let root = try? JSON.parse(document) else { continue }
        for _ in 0..<12 {
          var mutation = PayloadMutation(random: random)
          let bytes = mutation.bytes(of: root)
          random = mutation.random
          checkers.compare(bytes, "seed \(part + 0xC4EC), \(payload.testDescription)")
        }
      }
    }
    #expect(checkers.fast.device.tapeCount > 100, "\(checkers.fast.device.tapeCount)")
  }

  /// What of OneSignal's payloads the answer to `parse` is not written from the tape for.
  @Test("buttons, channels, sounds and colors of OneSignal")
  func looks() {
    var checkers = Checkers()
    let values = [
      "o": [
        "[]", #"[{"n":"A"}]"#, #"[{"n":"A","i":"a","p":"x"}]"#, #"[{"n":""}]"#, #"[{"i":"a"}]"#, #"[{"n":1}]"#, "{}",
        "[1]",
        #"[{"n":"A"},{"n":"B"},{"n":"C"}]"#, #"[{"n":"A"},{"n":"B"},{"n":"C"},{"n":"D"}]"#, #"[{'n':'A'}]"#,
        #"[{"n":"A","x":1e400}]"#, #"[{"n":"A","n":"B"}]"#, #"[{"n":"A"}] "#, "",
      ],
      "chnl": [
        "{}", #"{"id":"c"}"#, #"{"id":"miscellaneous"}"#, #"{"id":"misc\u0065llaneous"}"#, #"{"id":"c","nm":""}"#,
        #"{"id":"c","nm":"C","dscr":"D"}"#, #"{"grp_id":"g"}"#, #"{"grp_id":"g","grp_nm":""}"#,
        #"{"grp_id":"g","grp_nm":"G"}"#,
        #"{"id":1}"#, #"{"id":"c","langs":{}}"#, #"{"id":"c","langs":{"de":{"nm":"K"}}}"#, #"{"langs":[]}"#, "[]", "x",
      ],
      "oth_chnl": ["", "own"], "sound": ["", "chime", "chime.wav", "nil", "null", "https://e.example/a", "a b", "ä"],
      "sicon": ["", "ic_bell", "ic_bell.png", "https://e.example/i.png", " x "],
      "pri": ["-1", "0", "1", "2", "4", "5", "6", "10", "x", "99999999999"],
      "bgac": ["FF00FF00", "ff00ff00", "#FF00FF", "FF00FF", "red", "", "FF00FF0G"],
      "ledc": ["FF00FF00", "FF", "0", "x"],
      "led": ["0", "1", "true", "false", "TRUE", "2", ""], "vib": ["1", "yes"], "bdg": ["0", ""], "bdnd": ["1", "no"],
      "vib_pt": ["[1,2]", "x"], "bg_img": [#"{"img":"x"}"#], "vis": ["1", "-1", "x"], "tg": ["x", ""],
      "google.ttl": ["60"], "message_type": ["gcm", "deleted_messages"], "os_x": ["y"],
    ]
    let names = values.keys.sorted()
    var random = SeededRandom.fromEnvironment()
    for round in 0..<6_000 {
      var data: JSONObject = ["custom": #"{"i":"n"}"#, "alert": "A"]
      for name in names where Int.random(in: 0..<(round % 2 == 0 ? 4 : 9), using: &random) == 0 {
        data[name] = values[name]?.randomElement(using: &random).map { .string($0) }
      }
      let document: JSONValue = ["message": ["token": "t", "data": .object(data)]]
      checkers.compare(JSON.minified(document), "POSTRIDER_SEED=\(random.seed)")
    }
    #expect(checkers.fast.device.tapeCount > 600, "seed \(random.seed): \(checkers.fast.device.tapeCount)")
  }

  /// The same on iOS, in the original format.
  @Test("buttons, attachments and badges of OneSignal")
  func extras() {
    var checkers = Checkers()
    let values: [String: [JSONValue]] = [
      "buttons": [
        [], [["n": "A"]], [["n": "A", "i": "a", "path": "p", "icon_type": "system"]], [["n": ""]], [["i": "a"]],
        [["n": 1]],
        [nil], "x", [:], [["n": "A", "path": "p", "icon_type": 1]], [["n": "A", "x": "y"]], [["n": "A"], ["n": "B"]],
      ],
      "att": [
        [:], ["a": "https://e.example/a.png"], ["a": "http://e.example/a.png"], ["a": "a.png"], ["a": "a"], ["a": 1],
        ["@a": "https://e.example/a.png"], ["a": "https://e.example/a b"], ["a": "https://e.example/\u{7F}"], [], "x",
        ["a": "https://e.example/a.png", "b": "ftp://e.example"], ["a": " https://e.example/a.png"],
      ],
      "mutable-content": [1, 0, true, false, "1"], "category": ["", "C", nil],
      "badge_inc": [1, 0, -2, "3", "x", 1.5, nil],
      "other": [1], "os_data": [nil, [:], "x"],
    ]
    let names = values.keys.sorted()
    var random = SeededRandom.fromEnvironment()
    for round in 0..<6_000 {
      var aps: JSONObject = ["alert": ["title": "T", "body": "B"], "mutable-content": 1]
      var custom: JSONObject = ["i": "n"]
      var payload = JSONObject()
      for name in names where Int.random(in: 0..<(round % 2 == 0 ? 4 : 9), using: &random) == 0 {
        guard let value = values[name]?.randomElement(using: &random) else { continue }
        switch name {
        case "mutable-content", "category": aps[name] = value
        case "badge_inc": custom[name] = value
        default: payload[name] = value
        }
      }
      payload["aps"] = .object(aps)
      payload["custom"] = .object(custom)
      checkers.compare(JSON.minified(.object(payload)), "POSTRIDER_SEED=\(random.seed)")
    }
    #expect(checkers.fast.device.tapeCount > 600, "seed \(random.seed): \(checkers.fast.device.tapeCount)")
  }

  /// The new formats on iOS, and what is minified in either.
  @Test("the new and the minified formats of OneSignal")
  func formats() {
    var checkers = Checkers()
    let buttons: [JSONValue] = [
      [["n": "A", "i": "a"]], [], [["n": ""]], [["i": "a"]], [["n": 1]], [nil], "x", [:], nil, ["o": [["n": "A"]]],
      [["n": "A"], ["n": "B"], ["n": "C"], ["n": "D"], ["n": "E"]],
    ]
    let attachments: [JSONValue] = [
      ["a": "https://e.example/a.png"], [:], ["a": "a"], ["a": 1], ["@a": "https://e.example/a.png"], [], nil,
    ]
    let texts: [JSONValue] = [
      ["title": "T", "body": "B"], "B", "", [:], ["body": ""], ["body": 1], ["x": "y"], 5, nil,
    ]
    var random = SeededRandom.fromEnvironment()
    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    func pick(_ values: [JSONValue]) -> JSONValue {
      chance(3) ? values.randomElement(using: &random) ?? nil : values[0]
    }
    for round in 0..<6_000 {
      let (isNew, isMinified) = (round % 2 == 0, round % 4 < 2)
      var (own, small, payload, aps): (JSONObject, JSONObject, JSONObject, JSONObject) = (["i": "n"], [:], [:], [:])
      if !chance(20) { small["m"] = pick(texts) }
      if chance(2) { small["o"] = pick(buttons) }
      if chance(2) { small["at"] = pick(attachments) }
      if chance(4) { small["b"] = pick([1, "x"]) }
      if chance(4) { small["s"] = pick(["chime", 5]) }
      if chance(20) { small["x"] = "y" }
      if !isMinified || chance(12) { aps["alert"] = pick(texts) }
      if isMinified != chance(12) { aps["content-available"] = pick([1, true, 0, "1"]) }
      if !chance(6) { aps["mutable-content"] = pick([1, true, 0]) }
      if chance(8) { aps["category"] = pick(["C", "", nil]) }
      if chance(8) { own["badge_inc"] = pick([1, 0, -2, "3", "x", nil]) }
      if chance(8) { own["a"] = pick([["k": "v"], "x", nil, ["actionSelected": "a"]]) }
      if isMinified {
        if isNew { own["buttons"] = .object(small) } else { payload = small }
      } else {
        if chance(2) { own["buttons"] = pick(buttons) }
        if chance(2) { own["att"] = pick(attachments) }
      }
      if chance(4) {
        let names = [
          "screen", "custom", "actionSelected", "actionbuttons", "o", "att", "fcm_options", "mdm", "google.x",
        ]
        payload[names.randomElement(using: &random) ?? "x"] = pick([
          "x", ["image": "https://e.example/a.png"], [["n": "A"]],
        ])
      }
      payload["aps"] = .object(aps)
      payload[isNew ? "os_data" : "custom"] = .object(own)
      let document: JSONValue = .object(payload)
      checkers.compare(JSON.minified(document), "POSTRIDER_SEED=\(random.seed)")
      checkers.compare(JSON.minified(document), pushType: .alert, "POSTRIDER_SEED=\(random.seed)")
    }
    #expect(checkers.fast.device.tapeCount > 1_500, "seed \(random.seed): \(checkers.fast.device.tapeCount)")
  }
}
