import TestSupport
import Testing
import WireJSON

@testable import postrider

/// Every tool: what it takes, what it returns, and what it says when it cannot.
@Suite("mcp: the tools") struct MCPToolTests {
  // MARK: Without a server

  @Test("the tools that need no server give what the commands give")
  func local() throws {
    let client = try ScriptedClient(isConnected: false)
    try client.open()
    #expect(try client.result("list_contracts")["contracts"]?.array?.contains { $0["name"] == "amba" } == true)
    let table = try client.result("show_contract", ["contract": "amba"])
    #expect(table["contract"] == "amba" && JSON.minifiedText(table["table"] ?? .null).contains("title"))
    let parsed = try client.result("parse_payload", ["payload": ["aps": ["alert": "Hi"], "deep_link": "/home"]])
    #expect(parsed["notification"]?["body"] == "Hi" && parsed["contract"] != nil)
    let message: JSONValue = ["title": "Hello", "body": "World"]
    let rendered = try client.result(
      "render_message", ["contract": "amba", "message": message, "topic": "com.example.app"])
    #expect(rendered["apns"]?["payload"]?["aps"]?["alert"]?["title"] == "Hello" && rendered["fcm"]?["message"] != nil)
    #expect(rendered["apns"]?["headers"]?["apns-topic"] == "com.example.app")
    let checked = try client.result(
      "check", ["document": ["aps": ["alert": .string(String(repeating: "x", count: 5_000))]]])
    #expect(
      checked["legal"] == false && checked["findings"]?[0]?["rule"] != nil && checked["findings"]?[0]?["fix"] != nil)
    #expect(try client.result("check", ["contract": "amba", "message": message])["legal"] == true)
    let shown = try client.result(
      "preview", ["contract": "amba", "message": message, "locales": ["en", "de"], "app_name": "Shop"])
    #expect(shown["previews"]?.array?.count == 4 && shown["text"]?.string?.contains("World") == true)
    #expect(try client.result("preview", ["payload": ["aps": ["alert": "Hi"]]])["text"]?.string?.contains("Hi") == true)
    let explained = try client.result("explain_reason", ["reason": "BadDeviceToken"])
    #expect(explained["known"] == true && explained["explanations"]?[0]?["service"] != nil)
    #expect(try client.result("explain_reason", ["answer": ["reason": "Unregistered"]])["reason"] == "Unregistered")
    #expect(try client.result("explain_reason", ["reason": "Nonsense"])["known"] == false)
  }

  @Test("messages are written, checked and shown for browsers, Huawei's phones and what FCM hands on")
  func targets() throws {
    let client = try ScriptedClient(isConnected: false)
    try client.open()
    let message: JSONValue = ["title": "Hello", "body": "World"]
    for name in MCPTarget.names {
      let call: JSONObject = ["contract": "amba", "message": message, "platform": .string(name)]
      let shown = try client.result("preview", call)
      #expect(shown["previews"]?.array?.count == 1, "\(name): \(shown)")
      #expect(shown["text"]?.string?.contains("World") == true, "\(name): \(shown)")
      #expect(try client.result("check", call)["legal"] == true, "\(name)")
      let rendered = try client.result("render_message", call)
      let member = name == "ios" ? "apns" : ["web", "hms"].contains(name) ? name : "fcm"
      let request = try #require(rendered[member], "\(name): \(rendered)")
      let raw: JSONObject = [
        "payload": name == "web" ? request["payload"] ?? request : request, "platform": .string(name),
      ]
      #expect(try client.result("preview", raw)["text"]?.string?.contains("World") == true, "\(name): \(request)")
      guard MCPTarget.parsable.contains(name) else {
        #expect(try client.refusal("parse_payload", raw).contains("expected one of"))
        continue
      }
      let parsed = try client.result("parse_payload", raw)
      #expect(
        parsed["notification"]?["title"] == "Hello" && parsed["notification"]?["body"] == "World", "\(name): \(parsed)")
    }
    let all = try client.result("render_message", ["contract": "amba", "message": message, "platform": "all"])
    #expect(
      Set((all.object ?? [:]).map(\.key)) == ["apns", "fcm", "fcm-ios", "fcm-web", "web", "hms", "report"], "\(all)")
    let empty = try client.result("preview", ["contract": "amba", "message": ["title": 5], "platform": "hms"])
    #expect(empty["previews"] == [] && empty["report"]?.array?.isEmpty == false)
    #expect(try client.result("explain_reason", ["reason": "server-key-unknown"])["known"] == true)
    #expect(try client.result("explain_reason", ["reason": "template-empty"])["known"] == true)
  }

  @Test("each tool has a name of its own, a sentence, and a schema that says what is checked")
  func table() {
    #expect(Set(MCPTool.all.map(\.name)).count == MCPTool.all.count)
    for tool in MCPTool.all {
      #expect(tool.name.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) } && tool.name.utf8.count <= 64)
      #expect(tool.about.hasSuffix(".") && !tool.title.hasSuffix("."))
      #expect(tool.problem(["nope": 1])?.contains("nope: no such member") == true)
      for field in tool.input where field.isRequired { #expect(tool.problem([:]) != nil, "\(tool.name)") }
      #expect(MCPShape.members(tool.input).schema["additionalProperties"] == false)
    }
    #expect(MCPTool.offered(by: MCPPolicy()).map(\.name) == MCPTool.all.map(\.name).filter { $0 != "send_push" })
  }

  @Test(
    "arguments that do not fit are refused with where and what, as a result that a model can mend",
    arguments: [
      ("check", #"{"platform":"windows"}"#, "platform: expected one of"), ("check", "{}", "give either"),
      ("check", #"{"message":{}}"#, "“contract” goes with"), ("check", #"{"documnt":{}}"#, "did you mean document?"),
      ("check", #"{"document":{},"push_type":"alrt"}"#, "push type"),
      ("check", #"{"document":{},"options":["x"]}"#, "option"),
      ("check", #"{"document":[]}"#, "document: expected an object"),
      ("check", #"{"document":{},"push_type":"--rule=x=off"}"#, "push type"),
      ("check", #"{"document":{},"options":[1]}"#, "options[0]: expected a text"),
      ("show_contract", "{}", "contract is missing"),
      ("show_contract", #"{"contract":"x"}"#, "contract: expected one of"),
      ("parse_payload", #"{"payload":{}}"#, "platform is missing"),
      ("parse_payload", #"{"payload":{},"badge":-1}"#, "badge: expected a whole number"),
      ("parse_payload", #"{"payload":{},"badge":1.5}"#, "badge: expected a whole number"),
      ("preview", "{}", "give either"), ("preview", #"{"message":{}}"#, "contract is missing"),
      ("preview", #"{"payload":{"aps":{}},"locales":["!"]}"#, "locales takes a language tag"),
      ("preview", #"{"payload":{"aps":{}},"locales":["a","a","a","a","a","a","a","a","a","a","a"]}"#, "at most 10"),
      ("explain_reason", "{}", "give either"), ("explain_reason", #"{"answer":{}}"#, "answer: expected"),
      ("list_pushes", #"{"app":"../x"}"#, "app: expected letters"),
      ("list_pushes", #"{"app":".."}"#, "app: expected letters"),
      ("get_push", #"{"push":"../7"}"#, "push: expected an id"),
      ("get_push", #"{"push":"07"}"#, "push: expected an id"),
      ("list_deliveries", #"{"push":"7","state":"sunk"}"#, "state: expected one of"),
      ("list_pushes", #"{"limit":101}"#, "limit: expected a whole number"),
      ("count_audience", #"{"to":{}}"#, "exactly one"), ("count_audience", #"{"to":{"all":false}}"#, "exactly one"),
      ("count_audience", #"{"to":{"all":true,"users":["a"]}}"#, "exactly one"),
      ("count_audience", #"{"to":{"tokens":[{"token":"abc"}]}}"#, "to.tokens: no such member"),
      ("draft_push", #"{"to":{"all":true},"message":{},"urgent":true}"#, "urgent: no such member"),
      ("draft_push", #"{"to":{"all":true},"message":{},"send_at":"2026-12-24T18:00:00Z"}"#, "send_at: no such member"),
      ("send_push", #"{"confirmation":"x"}"#, "confirm is missing"),
    ])
  func refusals(tool: String, arguments: String, words: String) throws {
    let client = try ScriptedClient()
    try client.open()
    let text = try client.refusal(tool, try #require(try JSON.parse(arguments).object))
    #expect(text.contains(words), "\(text)")
    #expect(client.server.count("POST /v1/apps/demo/pushes") == 0)
  }

  // MARK: With a server

  @Test("without a server, the tools that need one say what to set")
  func unconfigured() throws {
    let client = try ScriptedClient(isConnected: false)
    try client.open()
    for tool in MCPTool.all where tool.effect == .reads || tool.effect == .keeps {
      let push = tool.input.contains { $0.name == "push" }
      let arguments = push ? ["push": "1"] : tool.input.contains { $0.name == "message" } ? ScriptedClient.push : [:]
      let audience: JSONObject = tool.name == "count_audience" ? ["to": ["all": true]] : arguments
      #expect(try client.refusal(tool.name, audience).contains("POSTRIDER_KEY"), "\(tool.name)")
    }
  }

  @Test("lists and results are those of the server, without what is no model's business")
  func server() throws {
    let server = ScriptedServer()
    let token = String(repeating: "ab", count: 32)
    let long = String(repeating: "x", count: 5_000)
    let push: JSONValue = [
      "id": "7", "number": 3, "status": "sent", "state": "sent", "counts": ["targeted": 2], "campaign": "c",
      "request": [
        "to": ["tokens": [["type": "ios", "token": .string(token)]]],
        "message": ["title": .string(long), "token": .string(token)],
        "user_values": ["alice": ["pin": "1234"]],
      ],
    ]
    server.records = [
      "GET /v1/apps": ["apps": [["name": "demo", "title": "Demo", "contract": "amba", "stops": [["secret": "s"]]]]],
      "GET /v1/apps/demo/segments": ["segments": [["name": "all", "title": "All", "system": true, "filter": [:]]]],
      "GET /v1/apps/demo/pushes?limit=20": ["pushes": [push], "next": "7"],
      "GET /v1/apps/demo/pushes?limit=5&cursor=a%26b": ["pushes": []], "GET /v1/apps/demo/pushes/7": push,
      "GET /v1/apps/demo/pushes/7/funnel": ["reasons": [["reason": "Unregistered", "count": 1]], "open_rate": nil],
      "GET /v1/apps/demo/pushes/7/deliveries?limit=20&state=rejected": [
        "deliveries": [["id": "8", "device": "1", "user": "alice", "state": "rejected", "token": .string(token)]]
      ],
    ]
    let client = try ScriptedClient(server: server)
    try client.open()
    #expect(try client.result("list_apps")["apps"] == [["name": "demo", "title": "Demo", "contract": "amba"]])
    #expect(try client.result("list_segments")["segments"]?[0]?["name"] == "all")
    let page = try client.result("list_pushes")
    #expect(page["pushes"]?[0]?["number"] == 3 && page["pushes"]?[0]?["request"] == nil && page["next"] == "7")
    #expect(try client.result("list_pushes", ["limit": 5, "cursor": "a&b"])["pushes"] == [])
    let shown = try client.result("get_push", ["push": "7"])
    #expect(shown["message"]?["title"]?.string?.unicodeScalars.count == MCPText.valueMax + 7)
    #expect(shown["message"]?["token"] == "abab…(64)" && shown["reasons"]?[0]?["reason"] == "Unregistered")
    let failed = try client.result("list_deliveries", ["push": "7", "state": "rejected"])
    #expect(failed["deliveries"] == [["id": "8", "device": "1", "user": "alice", "state": "rejected"]])
    #expect(!"\(shown)\(page)\(failed)".contains(token) && !"\(shown)".contains("1234"))
    server.records["GET /v1/apps"] = nil
    #expect(try client.result("list_apps")["apps"]?[0]?["name"] == "demo", "the key of one app may not list the others")
    server.audience = 3
    #expect(try client.result("count_audience", ["to": ["segment": "all"]])["total"] == 3)
    #expect(try client.refusal("get_push", ["app": "other", "push": "7"]).contains("/v1/apps/other/pushes/7"))
  }

  @Test("a draft that is kept sends nothing")
  func drafts() throws {
    let client = try ScriptedClient(MCPPolicy())
    try client.open()
    #expect(try client.result("save_draft", ScriptedClient.push)["push"] == "1")
    let made = try #require(client.server.requests.last)
    #expect(made.body?["draft"] == true && made.key?.hasPrefix("postrider-mcp-") == true)
  }

  @Test("a result beyond the bound is refused, and texts of others do nothing where they are shown")
  func bounds() {
    let peer = MCPPeer(version: .november2025, capabilities: nil)
    let large: JSONObject = ["text": .string(String(repeating: "x", count: MCPPeer.resultBytesMax))]
    #expect(peer.result(large)["isError"] == true && peer.result(["text": "x"])["isError"] == false)
    #expect(MCPText.line("a\u{1B}[31m\u{202E}b\nc", max: 40) == "a[31mb c")
    #expect(MCPText.line("abcdef", max: 3) == "abc…")
  }

  // MARK: The page

  /// `RECORD_SNAPSHOTS=1 swift test --filter MCPToolTests` writes the table anew.
  @Test("docs/mcp.md has the table of the tools")
  func page() throws {
    let path = "\(Files.packageRoot)/docs/mcp.md"
    let (begin, end) = ("<!-- tools -->\n", "\n<!-- end of tools -->")
    func page() throws -> String { String(decoding: try Files.read(path), as: UTF8.self) }
    if Files.environment("RECORD_SNAPSHOTS") != nil {
      let text = try page()
      let start = try #require(text.firstRange(of: begin)).upperBound
      let stop = try #require(text.firstRange(of: end)).lowerBound
      try Files.write(Array((text[..<start] + MCPPage.markdown + text[stop...]).utf8), to: path)
    }
    let found = try page()
    #expect(
      found.contains(begin + MCPPage.markdown + end), "docs/mcp.md has another table than the tools; write it anew")
    for option in Command.mcp.options { #expect(found.contains("`\(option.name)"), "\(option.name)") }
  }
}
