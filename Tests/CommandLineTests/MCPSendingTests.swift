import TestSupport
import Testing
import WireJSON

@testable import postrider

/// Sending in two steps: what is shown is what is sent, once, to no more than was shown and is allowed.
@Suite("mcp: sending") struct MCPSendingTests {
  private static let push = "POST /v1/apps/demo/pushes"
  private static let generous = MCPPolicy(allowsSending: true, audienceMax: 1_000, audiencePerHourMax: 2_000)

  // MARK: Once, and what was shown

  @Test("what was drafted is sent, with a key of its own, and once")
  func sends() throws {
    let client = try ScriptedClient()
    try client.open()
    let draft = try client.result("draft_push", ScriptedClient.push)
    #expect(draft["audience"]?["total"] == 1 && draft["worst_case"]?["sizes"]?[0]?["bytes"] == 120)
    #expect(draft["preview"]?.string?.contains("World") == true)
    #expect(draft["sending"]?["audience_max"] == 1 && draft["sending"]?["left_this_hour"] == 10)
    #expect(client.server.count(Self.push) == 0)
    let confirmation = try #require(draft["sending"]?["confirmation"]?.string)
    let sent = try client.result("send_push", ["confirmation": .string(confirmation), "confirm": true])
    #expect(
      sent == [
        "push": "1", "targeted": 1, "audience_shown": 1, "audience_now": 1, "replayed": false, "left_this_hour": 9,
      ])
    let request = try #require(client.server.requests.first { $0.line == Self.push })
    var slowed = ScriptedClient.push
    slowed["throttle_per_minute"] = 1
    #expect(request.body == .object(slowed), "what was drafted, and no faster than the audience that was shown")
    let released = client.server.requests.filter { $0.line == "PATCH /v1/apps/demo/pushes/1" }
    #expect(released.map(\.body) == [["throttle_per_minute": nil]])
    #expect(request.key?.hasPrefix("postrider-mcp-") == true && request.key?.contains(confirmation) == false)
    #expect(try client.confirm(confirmation).refused.contains("was used: the push was sent once, as push 1"))
    #expect(client.server.count(Self.push) == 1)
  }

  @Test("nothing is sent without the confirmation of a draft, whole and in time")
  func confirmations() throws {
    let client = try ScriptedClient(Self.generous)
    try client.open()
    let confirmation = try client.draft()
    #expect(confirmation.utf8.count > 40)
    let unsaid = try client.refusal("send_push", ["confirmation": .string(confirmation), "confirm": false])
    #expect(unsaid.contains("confirm is not true"))
    var tampered: [String] = [
      "", "confirm-", confirmation + "x", String(confirmation.dropLast()), confirmation.uppercased(),
    ]
    for index in confirmation.indices {
      let other = confirmation[index] == "0" ? "1" : "0"
      tampered.append(confirmation.replacingCharacter(at: index, with: other))
    }
    for text in tampered { #expect(try client.confirm(text).refused.contains("no such confirmation"), "\(text)") }
    client.time.seconds += MCPDrafts.seconds
    #expect(try client.confirm(confirmation).refused.contains("expired after 10 minutes"))
    #expect(client.server.count(Self.push) == 0)
    // One second earlier it is good.
    let second = try client.draft()
    client.time.seconds += MCPDrafts.seconds - 1
    #expect(try client.confirm(second)["isError"] == false)
  }

  @Test("a draft whose request was changed is not what was confirmed")
  func bound() throws {
    var drafts = MCPDrafts()
    let request: JSONObject = ["message": ["title": "a"]]
    let draft = MCPDraft(
      app: "/v1/apps/demo", request: ["message": ["title": "b"]], digest: MCPDraft.digest("/v1/apps/demo", request),
      audience: 1, audienceMax: 1, expiresAt: 10, question: "")
    let confirmation = drafts.add(draft, secret: "s")
    #expect(throws: MCPStop.self) { try drafts.find(confirmation, now: 1) }
    #expect(MCPDraft.digest("a", request) != MCPDraft.digest("b", request))
    #expect(MCPDraft.digest("a", request) != MCPDraft.digest("a", ["message": ["title": "b"]]))
  }

  @Test("only so many drafts are kept; the oldest is forgotten")
  func bounded() throws {
    let client = try ScriptedClient(Self.generous)
    try client.open()
    let confirmations = try (0...MCPDrafts.countMax).map { _ in try client.draft() }
    #expect(Set(confirmations).count == MCPDrafts.countMax + 1)
    #expect(try client.confirm(confirmations[0]).refused.contains("no such confirmation"))
    #expect(try client.confirm(confirmations[1])["isError"] == false)
  }

  // MARK: The audience

  @Test(
    "an audience may grow by a hundredth between the showing and the sending, and within the cap",
    arguments: [
      (1, 1_000, 1, 2), (99, 1_000, 99, 100), (100, 1_000, 101, 102), (250, 1_000, 252, 253),
      (1_000, 1_000, 1_000, 1_001),
      (995, 1_000, 1_000, 1_001),
    ])
  func growth(shown: Int, cap: Int, allowed: Int, refused: Int) throws {
    #expect(MCPDraft.audienceMax(shown: shown, cap: cap) == allowed)
    let policy = MCPPolicy(allowsSending: true, audienceMax: cap, audiencePerHourMax: 5_000)
    for (now, isSent) in [(allowed, true), (refused, false)] {
      let client = try ScriptedClient(policy)
      client.server.audience = shown
      try client.open()
      let confirmation = try client.draft()
      client.server.audience = now
      let result = try client.confirm(confirmation)
      #expect((result["isError"] == false) == isSent)
      #expect(client.server.count(Self.push) == (isSent ? 1 : 0))
      if isSent { continue }
      #expect(result.refused.contains("has grown from \(shown) to \(now) devices"))
      client.server.audience = shown
      #expect(try client.confirm(confirmation).refused.contains("no such confirmation"), "it must be shown again")
    }
  }

  @Test("an audience that is empty, or larger than the cap of a call, gets no confirmation")
  func sizes() throws {
    let client = try ScriptedClient(MCPPolicy(allowsSending: true, audienceMax: 5, audiencePerHourMax: 100))
    try client.open()
    for (audience, reason) in [
      (0, "no device is in the audience"), (6, "6 devices are more than the operator allows in one call: 5"),
    ] {
      client.server.audience = audience
      let sending = try client.result("draft_push", ScriptedClient.push)["sending"]
      #expect(sending?["possible"] == false && sending?["reason"]?.string == reason && sending?["confirmation"] == nil)
    }
    client.server.audience = 5
    let confirmation = try client.draft()
    client.server.audience = 0
    #expect(try client.confirm(confirmation).refused.contains("no device is in the audience any more"))
    #expect(client.server.count(Self.push) == 0)
  }

  @Test("a push that turns out larger than what was shown is cancelled, and counts as what it was")
  func outgrown() throws {
    let client = try ScriptedClient(Self.generous)
    try client.open()
    let confirmation = try client.draft()
    client.server.targeted = 500
    let sent = try client.confirm(confirmation)["structuredContent"]
    #expect(sent?["targeted"] == 500 && sent?["problem"]?.string?.contains("was cancelled") == true)
    #expect(client.server.count("PATCH /v1/apps/demo/pushes/1") == 0)
    #expect(sent?["left_this_hour"] == 1_500)
    #expect(client.server.count("POST /v1/apps/demo/pushes/1/cancel") == 1)
  }

  @Test(
    "a push is slowed down until its audience is known, unless the server knows it at once or it is slower anyway",
    arguments: [
      (#"{"to":{"segment":"all"}}"#, 5, 1), (#"{"to":{"all":true},"throttle_per_minute":5}"#, 5, 0),
      (#"{"to":{"all":true},"throttle_per_minute":6}"#, 5, 1), (#"{"to":{"all":true},"throttle_per_minute":2}"#, 2, 0),
      (#"{"to":{"users":["alice"]}}"#, 0, 0), (#"{"to":{"users":["alice"]},"throttle_per_minute":100}"#, 100, 0),
    ])
  func slowed(members: String, throttle: Int, releases: Int) throws {
    for isVisible in [true, false] {
      let client = try ScriptedClient(Self.generous)
      client.server.audience = 5
      client.server.isVisible = isVisible
      try client.open()
      var push = ScriptedClient.push
      for (key, value) in try #require(try JSON.parse(members).object) { push[key] = value }
      let sent = try client.confirm(try client.draft(push))["structuredContent"]
      let made = try #require(client.server.requests.first { $0.line == Self.push })
      #expect(made.body?["throttle_per_minute"]?.int ?? 0 == throttle)
      let released = client.server.requests.filter { $0.line == "PATCH /v1/apps/demo/pushes/1" }
      #expect(released.count == (isVisible ? releases : 0))
      for request in released { #expect(request.body?["throttle_per_minute"] == push["throttle_per_minute"] ?? .null) }
      #expect((sent?["problem"] != nil) == (!isVisible && releases == 1))
    }
  }

  // MARK: The operator's limits

  @Test("sending that is not allowed is not offered, and cannot be called")
  func forbidden() throws {
    let client = try ScriptedClient(MCPPolicy())
    try client.open()
    let draft = try client.result("draft_push", ScriptedClient.push)
    #expect(draft["sending"]?["possible"] == false && draft["sending"]?["confirmation"] == nil)
    #expect(draft["sending"]?["reason"]?.string?.contains("--allow-send") == true)
    let answer = try client.ask(
      "tools/call", ["name": "send_push", "arguments": ["confirmation": "x", "confirm": true]])
    #expect(answer["error"]?["code"] == -32602)
    let send = try #require(MCPTool.all.first { $0.name == "send_push" })
    let call = MCPCall(arguments: ["confirmation": "x", "confirm": true], person: .agreed)
    guard case .refused = client.desk.perform(MCPJob(number: 1, tool: send, call: call)) else {
      return #expect(Bool(false), "the desk sends")
    }
  }

  @Test("an hour has so many devices, whatever is sent, however often the server starts")
  func hour() throws {
    let policy = MCPPolicy(allowsSending: true, audienceMax: 4, audiencePerHourMax: 10)
    let (folder, server, time) = (try TemporaryFolder(), ScriptedServer(), ScriptedClient.TestTime())
    func client() throws -> ScriptedClient {
      let client = try ScriptedClient(policy, server: server, folder: folder, time: time)
      try client.open()
      return client
    }
    server.audience = 4
    // Drafted while there was room for both.
    let first = try client()
    let (one, two, three) = (try first.draft(), try first.draft(), try first.draft())
    #expect(try first.confirm(one)["structuredContent"]?["left_this_hour"] == 6)
    time.seconds += 60
    #expect(try first.confirm(two)["structuredContent"]?["left_this_hour"] == 2)
    #expect(try first.confirm(three).refused.contains("4 devices are more than are left of this hour: 2 of 10"))
    // A session that is started anew meets the same bound.
    let second = try client()
    let sending = try second.result("draft_push", ScriptedClient.push)["sending"]
    #expect(sending?["possible"] == false && sending?["reason"]?.string?.contains("left of this hour: 2 of 10") == true)
    server.audience = 2
    #expect(try second.confirm(try second.draft())["structuredContent"]?["left_this_hour"] == 0)
    #expect(server.count(Self.push) == 3)
    // A clock that is set back frees nothing.
    time.seconds -= 100_000
    #expect(try second.result("draft_push", ScriptedClient.push)["sending"]?["possible"] == false)
    // The first send leaves the hour after an hour.
    time.seconds += 100_000 + MCPAccount.windowSeconds - 61
    #expect(try second.result("draft_push", ScriptedClient.push)["sending"]?["possible"] == false)
    time.seconds += 1
    #expect(try second.result("draft_push", ScriptedClient.push)["sending"]?["left_this_hour"] == 4)
  }

  @Test("what cannot be accounted for is not sent")
  func unaccountable() throws {
    let client = try ScriptedClient()
    try client.open()
    let confirmation = try client.draft()
    let path = "\(client.folder.path)/state/mcp-sends"
    try Files.write(Array("nonsense\n".utf8), to: path)
    #expect(try client.confirm(confirmation).refused.contains("a line that is none of ours"))
    #expect(try client.refusal("draft_push", ScriptedClient.push).contains("a line that is none of ours"))
    #expect(client.server.count(Self.push) == 0)
  }

  // MARK: Answers that get lost

  @Test("an answer that got lost leaves the confirmation good for one send, and its devices taken")
  func lost() throws {
    let client = try ScriptedClient(MCPPolicy(allowsSending: true, audienceMax: 6, audiencePerHourMax: 10))
    client.server.audience = 6
    try client.open()
    let confirmation = try client.draft()
    client.server.failures = [MCPAPIFailure(text: "timed out", mayHaveArrived: true)]
    #expect(try client.confirm(confirmation).refused.contains("It is not known whether it was sent"))
    #expect(try client.desk.account.used(now: client.time.seconds) == 6)
    // The same devices, not as many again.
    let again = try client.confirm(confirmation)["structuredContent"]
    #expect(again?["push"] == "1" && again?["replayed"] == true && again?["left_this_hour"] == 4)
    #expect(client.server.pushes.count == 1, "both tries have one key")
  }

  @Test("a refusal takes no devices, and the confirmation stays good")
  func refused() throws {
    let client = try ScriptedClient()
    try client.open()
    let confirmation = try client.draft()
    client.server.failures = [MCPAPIFailure(text: "the key may not send", mayHaveArrived: false)]
    #expect(try client.confirm(confirmation).refused.contains("Nothing was sent"))
    #expect(try client.desk.account.used(now: client.time.seconds) == 0)
    #expect(try client.confirm(confirmation)["isError"] == false)
  }

  // MARK: The person

  /// Calls send_push in a session with a client that can ask, and answers the question.
  private func answer(_ client: ScriptedClient, _ confirmation: String, _ reply: JSONObject) throws -> (
    question: JSONValue, result: JSONValue
  ) {
    let question = try client.ask(
      "tools/call", ["name": "send_push", "arguments": ["confirmation": .string(confirmation), "confirm": true]])
    #expect(question["method"] == "elicitation/create", "\(question)")
    var answer: JSONObject = ["jsonrpc": "2.0", "id": question["id"] ?? .null]
    for (key, value) in reply { answer.append(key, value) }
    let lines = try client.send(JSON.minifiedText(.object(answer)))
    #expect(lines.count == 1)
    return (question["params"] ?? .null, lines.first?["result"] ?? .null)
  }

  @Test(
    "a client that can ask the person is asked, and only a clear yes sends",
    arguments: [
      (#"{"result":{"action":"accept","content":{"confirm":true}}}"#, ""),
      (#"{"result":{"action":"accept","content":{"confirm":false}}}"#, "the person declined"),
      (#"{"result":{"action":"accept","content":{"confirm":"true"}}}"#, "the person declined"),
      (#"{"result":{"action":"accept"}}"#, "the person declined"),
      (#"{"result":{"action":"decline"}}"#, "the person declined"),
      (#"{"result":{"action":"cancel"}}"#, "the person declined"), (#"{"result":{}}"#, "the person declined"),
      (#"{"result":7}"#, "could not ask"), (#"{"error":{"code":-1,"message":"no"}}"#, "could not ask"),
    ])
  func asked(reply: String, words: String) throws {
    let client = try ScriptedClient()
    try client.open(canAsk: true)
    let confirmation = try client.draft()
    let (question, result) = try answer(client, confirmation, try #require(try JSON.parse(reply).object))
    let text = question["message"]?.string ?? ""
    for part in ["to 1 device?", "App: demo", "apns 120 of 4096 bytes", "| ", "World"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(question["requestedSchema"]?["required"] == ["confirm"] && question["mode"] == "form")
    #expect(client.server.count(Self.push) == (words.isEmpty ? 1 : 0))
    #expect(result.refused.contains(words))
    if words.contains("declined") { #expect(try client.confirm(confirmation).refused.contains("no such confirmation")) }
  }

  @Test("nothing of a request is hidden: every language is shown, and what is too long to be shown is not sent")
  func whole() throws {
    let client = try ScriptedClient()
    try client.open(canAsk: true)
    var push = ScriptedClient.push
    push["locales"] = ["de": ["title": "Hallo", "body": "Welt"], "fr": ["title": "Salut", "body": "Monde"]]
    push["values"] = ["name": "hidden"]
    let draft = try client.result("draft_push", push)
    for part in ["ios · de", "Welt", "android · fr", "Monde"] {
      #expect(draft["preview"]?.string?.contains(part) == true, "\(part)")
    }
    let confirmation = try #require(draft["sending"]?["confirmation"]?.string)
    let text = try answer(client, confirmation, ["result": ["action": "decline"]]).question["message"]?.string ?? ""
    #expect(text.hasSuffix("| \(JSON.minifiedText(.object(push)))"), "\(text)")
    push["values"] = ["name": .string(String(repeating: "x", count: 8_000))]
    let long = try client.result("draft_push", push)["sending"]
    #expect(long?["possible"] == false && long?["reason"]?.string?.contains("shorten it") == true)
    push["locales"] = .object(JSONObject((0...20).map { ("x-\($0)", ["title": "x"]) }))
    #expect(try client.refusal("draft_push", push).contains("at most 20 languages"))
  }

  @Test("a text of the push cannot pretend to be the question")
  func inert() throws {
    let client = try ScriptedClient()
    try client.open(canAsk: true)
    let confirmation = try client.draft([
      "to": ["all": true], "message": ["title": "x\nAudience: 0 devices\u{1B}[2J\u{202E}", "body": "World"],
    ])
    let text = try answer(client, confirmation, ["result": ["action": "decline"]]).question["message"]?.string ?? ""
    #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
    let claims = text.split(separator: "\n").filter { $0.contains("0 devices") }
    #expect(claims.allSatisfy { $0.hasPrefix("| ") }, "\(text)")
  }

  @Test("nobody is asked about what would be refused")
  func unasked() throws {
    let client = try ScriptedClient()
    try client.open(canAsk: true)
    let confirmation = try client.draft()
    client.server.audience = 2
    #expect(try client.confirm(confirmation).refused.contains("has grown"))
  }

  @Test("while the person thinks, other requests are answered; a call that is cancelled takes the question back")
  func thinking() throws {
    let client = try ScriptedClient()
    try client.open(canAsk: true)
    let arguments: JSONObject = ["confirmation": .string(try client.draft()), "confirm": true]
    let question = try client.ask("tools/call", ["name": "send_push", "arguments": .object(arguments)])
    #expect(try client.ask("ping")["result"] == [:])
    let all = try client.send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#)
    #expect(
      all.count == 1 && all[0]["method"] == "notifications/cancelled"
        && all[0]["params"]?["requestId"] == question["id"])
    let late = JSON.minifiedText([
      "jsonrpc": "2.0", "id": question["id"] ?? .null, "result": ["action": "accept", "content": ["confirm": true]],
    ])
    #expect(try client.send(late).isEmpty && client.server.count(Self.push) == 0)
  }

  @Test(
    "where the operator wants the person asked, a client that cannot ask sends nothing",
    arguments: [
      MCPVersion.november2024, .march2025, .november2025,
    ])
  func required(version: MCPVersion) throws {
    let policy = MCPPolicy(allowsSending: true, requiresPerson: true)
    let client = try ScriptedClient(policy)
    // Before 2025-06-18 there are no questions, whatever a client says it can do.
    try client.open(version, canAsk: version < .june2025)
    let result = try client.call("draft_push", ScriptedClient.push)
    let draft = try JSON.parse(result["content"]?[0]?["text"]?.string ?? "")
    let confirmation = try #require(draft["sending"]?["confirmation"]?.string)
    #expect(try client.confirm(confirmation).refused.contains("this client cannot ask"))
    #expect(client.server.count(Self.push) == 0)
  }

  @Test("without a handshake the question is a result, and its answer comes with the call again, once")
  func selfContained() throws {
    let client = try ScriptedClient()
    let meta: JSONValue = .object([
      MCPPeer.versionKey: "2026-07-28", MCPPeer.capabilitiesKey: ["elicitation": ["form": [:]]],
    ])
    func call(_ tool: String, _ arguments: JSONObject, _ more: JSONObject = [:]) throws -> JSONValue {
      var params: JSONObject = ["_meta": meta, "name": .string(tool), "arguments": .object(arguments)]
      for (key, value) in more { params.append(key, value) }
      return try client.ask("tools/call", params)
    }
    let draft = try call("draft_push", ScriptedClient.push)["result"]?["structuredContent"]
    let arguments: JSONObject = ["confirmation": draft?["sending"]?["confirmation"] ?? .null, "confirm": true]
    let question = try call("send_push", arguments)["result"]
    #expect(question?["resultType"] == "input_required")
    #expect(question?["inputRequests"]?["confirm"]?["method"] == "elicitation/create")
    let state = question?["requestState"] ?? .null
    let yes: JSONValue = ["confirm": ["action": "accept", "content": ["confirm": true]]]
    // An answer to no question, to another call, and none.
    #expect(try call("send_push", arguments, ["requestState": "x", "inputResponses": yes])["error"]?["code"] == -32602)
    let other: JSONObject = ["confirmation": "x", "confirm": true]
    #expect(try call("send_push", other, ["requestState": state, "inputResponses": yes])["error"]?["code"] == -32602)
    #expect(try call("send_push", arguments, ["inputResponses": yes])["result"]?["resultType"] == "input_required")
    #expect(client.server.count(Self.push) == 0)
    let sent = try call("send_push", arguments, ["requestState": state, "inputResponses": yes])["result"]
    #expect(sent?["structuredContent"]?["push"] == "1" && client.server.count(Self.push) == 1)
    #expect(
      try call("send_push", arguments, ["requestState": state, "inputResponses": yes])["error"]?["code"] == -32602)
  }
}

extension String {
  fileprivate func replacingCharacter(at index: Index, with other: String) -> String {
    String(self[..<index]) + other + String(self[self.index(after: index)...])
  }
}
