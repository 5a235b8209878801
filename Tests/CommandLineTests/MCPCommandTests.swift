import TestSupport
import Testing
import WireJSON

/// The program as a client starts it.
@Suite("mcp: the command", .serialized) struct MCPCommandTests {
  private static let opening =
    #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#

  private static func call(_ id: Int, _ tool: String, _ arguments: JSONObject) -> String {
    JSON.minifiedText([
      "jsonrpc": "2.0", "id": .number(JSONNumber(id)), "method": "tools/call",
      "params": ["name": .string(tool), "arguments": .object(arguments)],
    ])
  }

  @Test("what waits is answered when the input closes, one line each, and the program ends well")
  func closing() throws {
    let console = try Console()
    let calls = (2..<30).map { Self.call($0, "preview", ["payload": ["aps": ["alert": "Hi"]]]) }
    let result = try console.run("mcp", input: ([Self.opening] + calls).joined(separator: "\n"))
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
    let answers = try result.outputText.split(separator: "\n").map { try JSON.parse(String($0)) }
    #expect(answers.map { $0["id"]?.int } == (1..<30).map { $0 })
    #expect(answers.dropFirst().allSatisfy { $0["result"]?["isError"] == false })
    #expect(try console.run("mcp", input: "").status == 0)
  }

  @Test("bytes at random end nothing", arguments: 1...4)
  func random(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    var input = Array((Self.opening + "\n").utf8)
    for _ in 0..<60_000 { input.append(UInt8(truncatingIfNeeded: random.next())) }
    input += Array(("\n" + #"{"jsonrpc":"2.0","id":"last","method":"ping"}"#).utf8)
    let console = try Console()
    let result = try Subprocess.run(
      "\(Postrider.path)", ["mcp"], input: input, environment: console.environment, seconds: 60)
    #expect(result.status == 0)
    let lines = result.outputText.split(separator: "\n")
    for line in lines { #expect(try JSON.parse(String(line))["jsonrpc"] == "2.0") }
    #expect(lines.contains { $0.contains(#""id":"last","result":{}"#) })
  }

  @Test(
    "limits without sending, a key on the protocol's input, and wrong numbers are mistakes",
    arguments: [
      ("mcp --max-audience 5", "give --allow-send"), ("mcp --max-audience-per-hour 5", "give --allow-send"),
      ("mcp --require-person", "give --allow-send"), ("mcp --key-file -", "standard input carries the protocol"),
      ("mcp --allow-send --max-audience 0", "a whole number from 1"),
      ("mcp --allow-send --max-audience-per-hour x", "a whole number from 1"), ("mcp file", "unexpected"),
    ])
  func usage(line: String, words: String) throws {
    let result = try Console().run(line)
    #expect(result.status == 2 && result.errorText.contains(words) && result.output.isEmpty, "\(result.errorText)")
  }

  @Test("against a real server: read, draft, send once, and the bound of the hour in the next process")
  func server() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    var console = try Console(server)
    console.environment["XDG_STATE_HOME"] = "\(console.folder.path)/state"
    let push: JSONObject = ["to": ["users": ["alice"]], "message": ["title": "Hello", "body": "From a model"]]
    func run(_ line: String, _ calls: [String]) throws -> [JSONValue] {
      let result = try console.run(line, input: ([Self.opening] + calls).joined(separator: "\n"))
      #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
      #expect(!result.outputText.contains(server.key))
      return try result.outputText.split(separator: "\n").map { try JSON.parse(String($0)) }.map { $0["result"] ?? $0 }
    }
    let read = try run(
      "mcp",
      [
        Self.call(2, "list_apps", [:]), Self.call(3, "count_audience", ["to": ["all": true]]),
        Self.call(4, "list_segments", [:]), Self.call(5, "draft_push", push), Self.call(6, "save_draft", push),
        Self.call(7, "list_pushes", [:]), Self.call(8, "get_push", ["push": "1"]),
        Self.call(9, "list_deliveries", ["push": "1"]), Self.call(10, "get_push", ["push": "99"]),
        Self.call(11, "draft_push", ["to": ["segment": "nobody"], "message": ["title": "x", "body": "y"]]),
        Self.call(12, "count_audience", ["to": ["all": true, "exclude_segments": ["active_7d"]]]),
      ])
    #expect(read[1]["structuredContent"]?["apps"]?[0]?["name"] == "demo")
    #expect(read[2]["structuredContent"]?["total"] == 2)
    let draft = read[4]["structuredContent"]
    #expect(
      draft?["audience"]?["total"] == 1 && draft?["worst_case"]?["sizes"]?[0]?["provider"] == "apns", "\(read[4])")
    #expect(draft?["preview"]?.string?.contains("From a model") == true && draft?["sending"]?["possible"] == false)
    #expect(
      read[5]["structuredContent"]?["push"] == "1" && read[6]["structuredContent"]?["pushes"]?[0]?["state"] == "draft")
    #expect(read[7]["structuredContent"]?["message"]?["body"] == "From a model")
    #expect(read[8]["structuredContent"]?["deliveries"] == [])
    #expect(read[9]["isError"] == true && read[10].refused.contains("nobody"))
    #expect(read[11]["structuredContent"]?["total"] == 0, "\(read[11])")
  }
}
