import TestSupport
import Testing
import WireJSON

@testable import postrider

/// A Postrider server as the tools see it, whose audience and troubles a test sets.
final class ScriptedServer: MCPAPI {
  /// Devices of any audience.
  var audience = 1
  /// What the push turns out to target; as many as were counted unless set.
  var targeted: Int?
  /// Whether a push can be looked at.
  var isVisible = true
  /// Fails the next requests that make a push, in order; nil lets one through.
  var failures: [MCPAPIFailure?] = []
  /// Every request: method, path, body, key.
  private(set) var requests: [(line: String, body: JSONValue?, key: String?)] = []
  /// Pushes that were made, by key.
  private(set) var pushes: [String: String] = [:]
  /// What apps, pushes and deliveries look like.
  var records: [String: JSONValue] = [:]

  func call(_ method: String, _ path: String, body: JSONValue?, key: String?) throws(MCPAPIFailure) -> JSONValue {
    let line = "\(method) \(path)"
    requests.append((line, body, key))
    if let record = records[line] { return record }
    switch line {
    case "GET /v1/apps/demo": return ["name": "demo", "title": "Demo", "contract": "amba"]
    case "POST /v1/apps/demo/audience":
      return ["total": .number(JSONNumber(audience)), "devices": ["ios": .number(JSONNumber(audience)), "android": 0]]
    case "POST /v1/apps/demo/pushes/check":
      return [
        "total": .number(JSONNumber(audience)), "tried": .number(JSONNumber(audience)), "complete": true, "over": 0,
        "sizes": [["provider": "apns", "bytes": 120, "bytes_max": 4096, "device": "1", "user": "alice"]],
      ]
    case "POST /v1/apps/demo/pushes": return try make(body, key)
    default: break
    }
    if line.hasPrefix("GET /v1/apps/demo/pushes/"), !isVisible {
      throw MCPAPIFailure(text: "no answer", mayHaveArrived: false)
    }
    guard path.hasPrefix("/v1/apps/demo/pushes/"), method != "POST" || path.hasSuffix("/cancel") else {
      throw MCPAPIFailure(text: "no such path: \(line)", mayHaveArrived: false)
    }
    return ["counts": ["targeted": .number(JSONNumber(targeted ?? audience))], "audience_complete": true]
  }

  private func make(_ body: JSONValue?, _ key: String?) throws(MCPAPIFailure) -> JSONValue {
    if !failures.isEmpty, let failure = failures.removeFirst() {
      // What may have arrived has arrived.
      if failure.mayHaveArrived { pushes[key ?? ""] = "\(pushes.count + 1)" }
      throw failure
    }
    let known = pushes[key ?? ""]
    pushes[key ?? ""] = known ?? "\(pushes.count + 1)"
    return [
      "id": .string(pushes[key ?? ""] ?? ""), "targeted": .number(JSONNumber(targeted ?? audience)),
      "replayed": .bool(known != nil),
    ]
  }

  /// How often a request was made.
  func count(_ line: String) -> Int { requests.count { $0.line == line } }
}

/// A client of one session: calls are performed at once, on the calling thread.
final class ScriptedClient {
  static let push: JSONObject = ["to": ["all": true], "message": ["title": "Hello", "body": "World"]]

  let folder: TemporaryFolder
  let server: ScriptedServer
  var desk: MCPDesk
  var session: MCPSession
  let time: TestTime
  private var lines = MCPLines()
  private var lastID = 0

  /// A time that a test sets.
  final class TestTime: @unchecked Sendable {
    var seconds: Int64 = 1_795_219_200
  }

  init(
    _ policy: MCPPolicy = MCPPolicy(allowsSending: true), server: ScriptedServer = ScriptedServer(),
    folder: TemporaryFolder? = nil, time: TestTime = TestTime(), isConnected: Bool = true
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    (self.folder, self.server, self.time) = (folder, server, time)
    let clock = MCPClock(wall: { time.seconds }, steady: { time.seconds })
    desk = MCPDesk(
      policy: policy, api: isConnected ? .success(server) : .failure(.usage("there is no API key; set POSTRIDER_KEY")),
      app: "demo", account: MCPAccount(path: "\(folder.path)/state/mcp-sends"), clock: clock)
    session = MCPSession(tools: MCPTool.offered(by: policy), random: MCPDesk.secret)
  }

  /// Sends a line and returns what is written, each line as JSON.
  func send(_ line: String) throws -> [JSONValue] {
    try lines.take(Array((line + "\n").utf8)[...]).flatMap { piece in try written(session.receive(piece)) }
  }

  private func written(_ steps: [MCPSession.Step]) throws -> [JSONValue] {
    try steps.flatMap { step -> [JSONValue] in
      switch step {
      case .write(let line):
        #expect(line.last == UInt8(ascii: "\n") && line.dropLast().allSatisfy { $0 != UInt8(ascii: "\n") })
        return [try JSON.parse(line)]
      case .perform(let job): return try written(session.finished(job.number, desk.perform(job)))
      }
    }
  }

  /// Sends a request and returns the one answer.
  func ask(_ method: String, _ params: JSONObject = [:]) throws -> JSONValue {
    lastID += 1
    let request: JSONValue = [
      "jsonrpc": "2.0", "id": .number(JSONNumber(lastID)), "method": .string(method), "params": .object(params),
    ]
    let answers = try send(JSON.minifiedText(request))
    #expect(answers.count == 1)
    return try #require(answers.first)
  }

  /// Opens the session.
  func open(_ version: MCPVersion = .november2025, canAsk: Bool = false) throws {
    let capabilities: JSONValue = canAsk ? ["elicitation": [:]] : [:]
    let answer = try ask(
      "initialize",
      [
        "protocolVersion": .string(version.rawValue), "capabilities": capabilities,
        "clientInfo": ["name": "test", "version": "1"],
      ])
    #expect(answer["result"]?["protocolVersion"] == .string(version.rawValue))
    #expect(try send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).isEmpty)
  }

  /// Calls a tool; the result of the call, which a refusal is too.
  func call(_ tool: String, _ arguments: JSONObject = [:]) throws -> JSONValue {
    let answer = try ask("tools/call", ["name": .string(tool), "arguments": .object(arguments)])
    return try #require(answer["result"], "\(answer)")
  }

  /// Calls a tool that must succeed; what it returns is of the form that it declares.
  func result(_ tool: String, _ arguments: JSONObject = [:]) throws -> JSONValue {
    let result = try call(tool, arguments)
    #expect(result["isError"] == false, "\(tool): \(result)")
    let value = try #require(result["structuredContent"], "\(result)")
    let declared = try #require(MCPTool.all.first { $0.name == tool })
    #expect(MCPShape.members(declared.output, isOpen: true).problem(value) == nil, "\(tool): \(value)")
    #expect(
      try JSON.parse(result["content"]?[0]?["text"]?.string ?? "") == value, "the text is the same as the structure")
    return value
  }

  /// Calls a tool that must refuse, and returns its words.
  func refusal(_ tool: String, _ arguments: JSONObject = [:]) throws -> String {
    let result = try call(tool, arguments)
    #expect(result["isError"] == true && result["structuredContent"] == nil, "\(tool): \(result)")
    return result["content"]?[0]?["text"]?.string ?? ""
  }

  /// Drafts a push and returns its confirmation.
  func draft(_ push: JSONObject = push) throws -> String {
    let draft = try result("draft_push", push)
    return try #require(draft["sending"]?["confirmation"]?.string, "\(draft)")
  }

  /// Sends with a confirmation.
  func confirm(_ confirmation: String) throws -> JSONValue {
    try call("send_push", ["confirmation": .string(confirmation), "confirm": true])
  }
}

extension JSONValue {
  /// The words of a refused call; empty for one that was not.
  var refused: String { self["isError"] == true ? self["content"]?[0]?["text"]?.string ?? "" : "" }
}
