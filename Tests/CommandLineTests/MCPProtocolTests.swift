import TestSupport
import Testing
import WireJSON

@testable import postrider

/// The protocol without a process: what goes in as a line, and what comes out.
@Suite("mcp: the protocol") struct MCPProtocolTests {
  private static let opening =
    #"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}"#
  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#

  // MARK: Opening

  @Test(
    "a revision that is spoken is agreed on, any other is answered with the newest of the handshake",
    arguments: [
      ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
      ("2025-11-25", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("", "2025-11-25"),
    ])
  func versions(asked: String, agreed: String) throws {
    let client = try ScriptedClient()
    let result = try client.ask("initialize", ["protocolVersion": .string(asked), "capabilities": [:]])["result"]
    #expect(result?["protocolVersion"] == .string(agreed))
    #expect(result?["capabilities"] == ["tools": ["listChanged": false]])
    #expect(result?["serverInfo"]?["name"] == "postrider" && result?["instructions"]?.string?.isEmpty == false)
  }

  @Test(
    "what a revision does not have is not sent to its clients", arguments: MCPVersion.allCases.filter(\.hasHandshake))
  func membersOfRevisions(version: MCPVersion) throws {
    let client = try ScriptedClient()
    try client.open(version)
    let tools = try client.ask("tools/list")["result"]?["tools"]?.array ?? []
    #expect(tools.count == MCPTool.all.count)
    for tool in tools {
      #expect((tool["annotations"] != nil) == (version >= .march2025))
      #expect((tool["outputSchema"] != nil) == (version >= .june2025))
      #expect((tool["title"] != nil) == (version >= .june2025))
      #expect(tool["inputSchema"]?["type"] == "object")
    }
    let result = try client.call("list_contracts")
    #expect((result["structuredContent"] != nil) == (version >= .june2025))
    #expect(result["content"]?[0]?["type"] == "text")
  }

  @Test("requests wait for initialize, which comes once")
  func order() throws {
    let client = try ScriptedClient()
    #expect(try client.ask("tools/list")["error"]?["code"] == -32600)
    #expect(try client.ask("ping")["result"] == [:])
    try client.open()
    #expect(try client.ask("initialize", ["protocolVersion": "2025-06-18"])["error"]?["code"] == -32600)
    #expect(try client.ask("tools/list")["result"]?["tools"]?.array?.isEmpty == false)
  }

  // MARK: Errors

  @Test(
    "each wrong message is answered with the code of its fault",
    arguments: [
      ("{", -32700, "null"), ("nonsense", -32700, "null"),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping"}}"#, -32700, "null"),
      ("\"\u{0}\"", -32700, "null"), ("1", -32600, "null"), ("\"ping\"", -32600, "null"), ("null", -32600, "null"),
      ("{}", -32600, "null"), (#"{"id":1,"method":"ping"}"#, -32600, "1"),
      (#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, "\"a\""), (#"{"jsonrpc":"2.0","id":1}"#, -32600, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, "1"),
      (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, "null"),
      (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, "null"),
      (#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32600, "null"),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#, -32601, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}"#, -32602, "1"),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","arguments":[]}}"#, -32602, "1"),
      ("[]", -32600, "null"), (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, "null"),
    ])
  func errors(line: String, code: Int, id: String) throws {
    let client = try ScriptedClient()
    try client.open()
    let answers = try client.send(line)
    #expect(answers.count == 1 && answers[0]["error"]?["code"] == .number(JSONNumber(code)), "\(answers)")
    #expect(answers[0]["id"] == (try JSON.parse(id)) && answers[0]["result"] == nil)
    #expect(try client.send(Self.ping)[0]["result"] == [:], "the session goes on")
  }

  @Test("notifications have no answer, whatever they say")
  func notifications() throws {
    let client = try ScriptedClient()
    try client.open()
    for method in ["notifications/initialized", "notifications/cancelled", "tools/list", "nope"] {
      #expect(try client.send(#"{"jsonrpc":"2.0","method":"\#(method)"}"#).isEmpty)
    }
    #expect(try client.send(#"{"jsonrpc":"2.0","id":"unasked","result":{}}"#).isEmpty)
    #expect(try client.send("").isEmpty && client.send(" \t\r").isEmpty)
  }

  @Test("a message beyond the bound is dropped while it arrives, and the next is read")
  func tooLong() throws {
    let client = try ScriptedClient()
    try client.open()
    let answers = try client.send(String(repeating: "x", count: MCPLines.bytesMax + 1) + "\n" + Self.ping)
    #expect(answers.count == 2 && answers[0]["error"]?["code"] == -32600 && answers[1]["result"] == [:])
    // One that is as long as may be is read: a text of JSON, which is no message.
    let longest = "\"" + String(repeating: "x", count: MCPLines.bytesMax - 2) + "\""
    #expect(try client.send(longest)[0]["error"]?["message"]?.string?.contains("expected a message") == true)
  }

  @Test("lines come out the same in pieces of any size", arguments: [1, 2, 3, 7, 64])
  func pieces(size: Int) {
    let text = Array("one\n\n  \ntwo\r\n\(String(repeating: "y", count: MCPLines.bytesMax + 5))\nthree".utf8)
    var lines = MCPLines()
    var found: [MCPLines.Piece] = []
    var at = 0
    while at < text.count {
      found += lines.take(text[at..<min(at + size * 4_096 / 64 + size, text.count)])
      at = min(at + size * 4_096 / 64 + size, text.count)
    }
    found += lines.finish()
    #expect(found == [.line(Array("one".utf8)), .line(Array("two\r".utf8)), .tooLong, .line(Array("three".utf8))])
  }

  // MARK: Batches

  @Test("a batch is answered together, where the revision has batches")
  func batches() throws {
    let client = try ScriptedClient()
    _ = try client.send(Self.opening)
    let batch = """
      [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},7,\
      {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_contracts"}},\
      {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]
      """
    let answers = try client.send(batch)
    #expect(answers.count == 1)
    let found = answers[0].array ?? []
    #expect(found.count == 4)
    for (id, code) in [(JSONValue.number(JSONNumber(3)), -32600), (.null, -32600)] {
      #expect(found.contains { $0["id"] == id && $0["error"]?["code"] == .number(JSONNumber(code)) })
    }
    #expect(found.contains { $0["id"] == 2 && $0["result"]?["content"] != nil })
    #expect(try client.send(#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#).isEmpty)
    let many = "[" + Array(repeating: Self.ping, count: MCPSession.batchMax + 1).joined(separator: ",") + "]"
    #expect(try client.send(many)[0]["error"]?["code"] == -32600)
  }

  @Test("a batch waits for its calls, and does without those that are cancelled")
  func batchesOfCalls() throws {
    var session = MCPSession(tools: MCPTool.all, random: MCPDesk.secret)
    _ = session.receive(.line(Array(Self.opening.utf8)))
    func call(_ id: Int) -> String {
      #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"list_contracts"}}"#
    }
    let steps = session.receive(.line(Array("[\(call(1)),\(call(2))]".utf8)))
    let numbers = steps.map { step in if case .perform(let job) = step { job.number } else { 0 } }
    #expect(numbers == [1, 2])
    #expect(session.finished(1, .done([:])).isEmpty)
    _ = session.receive(
      .line(Array(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#.utf8)))
    #expect(session.isCancelled(2))
    let last = session.finished(2, .done([:]))
    guard case .write(let line)? = last.first else { return #expect(Bool(false), "the batch was not written") }
    #expect(try JSON.parse(line).array?.map { $0["id"] } == [1])
  }

  // MARK: Calls

  @Test("a cancelled call has no answer; an id that is being worked on, and too many calls, are refused")
  func calls() throws {
    var session = MCPSession(tools: MCPTool.all, random: MCPDesk.secret)
    _ = session.receive(.line(Array(Self.opening.utf8)))
    func call(_ id: String) -> [MCPSession.Step] {
      let text = #"{"jsonrpc":"2.0","id":"\#(id)","method":"tools/call","params":{"name":"list_contracts"}}"#
      return session.receive(.line(Array(text.utf8)))
    }
    func code(_ steps: [MCPSession.Step]) throws -> JSONValue? {
      guard case .write(let line)? = steps.first else { return nil }
      return try JSON.parse(line)["error"]?["code"]
    }
    #expect(try code(call("a")) == nil)
    #expect(try code(call("a")) == -32600)
    for index in 1..<MCPSession.callsMax { #expect(try code(call("b\(index)")) == nil) }
    #expect(try code(call("c")) == -32000)
    #expect(
      session.receive(
        .line(Array(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#.utf8))
      ).isEmpty)
    #expect(session.finished(1, .done([:])).isEmpty)
    #expect(try code(call("c")) == nil, "there is room again")
    #expect(session.finished(1, .done([:])).isEmpty, "a call ends once")
  }

  @Test("questions that nobody answers do not end other work: the oldest is given up for a new call")
  func unansweredQuestions() throws {
    var session = MCPSession(tools: MCPTool.all, random: MCPDesk.secret)
    let opening = Self.opening.replacing(#""capabilities":{}"#, with: #""capabilities":{"elicitation":{}}"#)
    #expect(opening != Self.opening)
    _ = session.receive(.line(Array(opening.utf8)))
    func call(_ id: Int) -> [MCPSession.Step] {
      let text = #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"list_contracts"}}"#
      return session.receive(.line(Array(text.utf8)))
    }
    func written(_ steps: [MCPSession.Step]) throws -> [JSONValue] {
      try steps.compactMap { step in
        guard case .write(let line) = step else { return nil }
        return try JSON.parse(line)
      }
    }
    for number in 1...MCPSession.callsMax {
      _ = call(number)
      #expect(try written(session.finished(number, .ask("Send it?")))[0]["method"] == "elicitation/create")
    }
    let next = try written(call(100))
    #expect(next.map { $0["method"] } == ["notifications/cancelled", nil])
    #expect(next[1]["id"] == 1 && next[1]["result"]?["isError"] == true)
    #expect(try written(session.finished(MCPSession.callsMax + 1, .done([:])))[0]["id"] == 100)
  }

  // MARK: Without a handshake

  private static func meta(_ version: String = "2026-07-28", canAsk: Bool = false) -> JSONValue {
    .object([
      MCPPeer.versionKey: .string(version), MCPPeer.capabilitiesKey: canAsk ? ["elicitation": ["form": [:]]] : [:],
    ])
  }

  @Test("requests that say their revision themselves need no handshake")
  func selfContained() throws {
    let client = try ScriptedClient()
    let found = try client.ask("server/discover", ["_meta": Self.meta()])["result"]
    #expect(found?["supportedVersions"]?.array?.last == "2026-07-28" && found?["resultType"] == "complete")
    #expect(found?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "postrider")
    let list = try client.ask("tools/list", ["_meta": Self.meta()])["result"]
    #expect(list?["ttlMs"] == 0 && list?["cacheScope"] == "private" && list?["tools"]?.array?.isEmpty == false)
    let call = try client.ask("tools/call", ["_meta": Self.meta(), "name": "list_contracts"])["result"]
    #expect(call?["resultType"] == "complete" && call?["structuredContent"] != nil)
    #expect(try client.ask("tools/list")["error"]?["code"] == -32600, "a request without a revision")
    #expect(try client.ask("initialize", ["protocolVersion": "2025-06-18"])["error"]?["code"] == -32022)
  }

  @Test("asking what is spoken leaves the handshake open; another revision is answered with those there are")
  func discovery() throws {
    let client = try ScriptedClient()
    #expect(try client.ask("server/discover", ["_meta": Self.meta()])["result"] != nil)
    let other = try client.ask("server/discover", ["_meta": Self.meta("2030-01-01")])["error"]
    #expect(other?["code"] == -32022 && other?["data"]?["requested"] == "2030-01-01")
    #expect(other?["data"]?["supported"]?.array?.count == MCPVersion.allCases.count)
    #expect(try client.ask("server/discover")["error"]?["code"] == -32602)
    let bare = try client.ask("tools/list", ["_meta": [MCPPeer.versionKey: "2026-07-28"]])["error"]
    #expect(bare?["code"] == -32602)
    try client.open()
    #expect(try client.ask("tools/list", ["_meta": Self.meta()])["error"]?["code"] == -32600)
  }

  // MARK: Anything at all

  @Test("no input ends the session or gets more than one answer a line", arguments: 1...40)
  func anything(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let client = try ScriptedClient()
    if seed % 2 == 0 { try client.open(MCPVersion.allCases[seed % 4], canAsk: seed % 3 == 0) }
    let words = [
      "{", "}", "[", "]", ":", ",", "\"", "\\u0000", "jsonrpc", "2.0", "id", "method", "params", "tools/call", "name",
      "arguments", "check", "preview", "send_push", "null", "1e999", "-0", "\u{FFFD}", "initialize", "_meta", " ",
    ]
    for _ in 0..<60 {
      var bytes: [UInt8] = []
      if random.next() % 3 == 0 {
        for _ in 0..<Int(random.next() % 60) { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
      } else if random.next() % 2 == 0 {
        for _ in 0..<Int(random.next() % 40) { bytes += Array(words[Int(random.next() % UInt64(words.count))].utf8) }
      } else {
        // A call that is whole, with one byte that is another.
        bytes = Array(
          #"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"preview","arguments":{"payload":{"aps":{"alert":"x"}}}}}"#
            .utf8)
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let lines = bytes.split(separator: 0x0A)
      var steps: [MCPSession.Step] = []
      for line in lines { steps += client.session.receive(.line(Array(line))) }
      #expect(steps.count <= lines.count)
      for step in steps {
        if case .perform(let job) = step {
          #expect(client.session.finished(job.number, client.desk.perform(job)).count <= 1)
        }
      }
    }
    #expect(try client.send(#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#)[0]["result"] == [:])
  }
}
