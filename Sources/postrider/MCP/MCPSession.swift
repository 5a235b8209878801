internal import Basics
import WireJSON

/// The protocol of one client: a line goes in, lines to write and calls to perform come out.
///
/// It does no work itself, waits for nothing and knows no clock; ``MCPRun`` performs the calls.
struct MCPSession {
  /// What is to be done.
  enum Step: Sendable {
    case write([UInt8])
    case perform(MCPJob)
  }

  /// The most calls that wait at once; further ones are refused.
  static let callsMax = 32
  /// The most requests in one array.
  static let batchMax = 32
  private static let limits = JSONLimits(maxBytes: MCPLines.bytesMax, maxDepth: 128, maxTokens: 1 << 18)

  let tools: [MCPTool]
  private var peer: MCPPeer?
  private var calls: [Int: PendingCall] = [:]
  /// Questions to the person that the client has not answered: our id, and the call that waits.
  private var questions: [String: Int] = [:]
  private var states: [MCPQuestionState] = []
  private var batches = MCPBatches()
  private var lastNumber = 0
  /// Makes ids that nobody can guess.
  private let random: @Sendable () -> String

  private struct PendingCall {
    let reply: MCPReply
    let peer: MCPPeer
    let tool: MCPTool
    let arguments: JSONObject
    /// Whether the client has said that it no longer wants the result.
    var isCancelled = false
    var isRunning = true
  }

  init(tools: [MCPTool], random: @escaping @Sendable () -> String) {
    self.tools = tools
    self.random = random
  }

  // MARK: Messages

  /// Takes what arrived.
  mutating func receive(_ piece: MCPLines.Piece) -> [Step] {
    guard case .line(let line) = piece else {
      return [error(MCPError(.invalidRequest, "a message is longer than \(MCPLines.bytesMax) bytes"))]
    }
    let value: JSONValue
    do throws(JSONError) { value = try JSON.parse(line, limits: MCPSession.limits) } catch {
      return [self.error(MCPError(.parse, "not JSON: \(error)"))]
    }
    guard case .array(let messages) = value else { return receive(value, batch: nil) }
    guard peer?.version.hasBatches == true else {
      return [error(MCPError(.invalidRequest, "this revision of the protocol has no batches; send single messages"))]
    }
    guard (1...MCPSession.batchMax).contains(messages.count) else {
      return [error(MCPError(.invalidRequest, "a batch has 1 to \(MCPSession.batchMax) messages"))]
    }
    let batch = batches.open()
    let steps = messages.flatMap { receive($0, batch: batch) }
    return steps + (batches.close(batch).map { [.write($0)] } ?? [])
  }

  private mutating func receive(_ value: JSONValue, batch: Int?) -> [Step] {
    let message: MCPMessage
    do throws(MCPError) { message = try MCPMessage(value) } catch {
      return fail(MCPReply(id: error.id, batch: batch), error)
    }
    switch message {
    case .request(let id, let method, let params):
      let reply = MCPReply(id: id, batch: batch)
      do throws(MCPError) { return try answer(method, params, reply) } catch { return fail(reply, error) }
    case .notification("notifications/cancelled", let params): return cancel(params["requestId"])
    case .notification: return []
    case .answer(let id, let result): return answered(id, result)
    }
  }

  private mutating func answer(_ method: String, _ params: JSONObject, _ reply: MCPReply) throws(MCPError) -> [Step] {
    if method == "initialize" { return try initialize(params, reply) }
    if method == "ping" { return finish(reply, [:]) }
    let peer = try peer(of: method, params)
    switch method {
    case "server/discover": return finish(reply, peer.complete(MCPGreeting.discovery, isCacheable: true))
    case "tools/list":
      guard params["cursor"] == nil else { throw MCPError(.invalidParams, "cursor: the list has one page") }
      let list = tools.map { $0.json(for: peer.version) }
      return finish(reply, peer.complete(["tools": .array(list)], isCacheable: true))
    case "tools/call": return try call(params, peer, reply)
    default: throw MCPError(.methodNotFound, "no method “\(MCPText.line(method, max: 64))” here; tools are offered")
    }
  }

  // MARK: Who asks

  private mutating func initialize(_ params: JSONObject, _ reply: MCPReply) throws(MCPError) -> [Step] {
    guard reply.batch == nil else { throw MCPError(.invalidRequest, "initialize comes alone, not in a batch") }
    if let peer {
      guard peer.version.hasHandshake else { throw MCPGreeting.unsupported(params["protocolVersion"]?.string) }
      throw MCPError(.invalidRequest, "the session is initialized already")
    }
    guard let asked = params["protocolVersion"]?.string else {
      throw MCPError(.invalidParams, "protocolVersion: expected a text")
    }
    let peer = MCPPeer(version: .agreed(asked), capabilities: params["capabilities"])
    self.peer = peer
    return finish(reply, MCPGreeting.initialized(peer.version))
  }

  /// The revision that a request is made in, and what its client can do.
  private mutating func peer(of method: String, _ params: JSONObject) throws(MCPError) -> MCPPeer {
    guard let asked = params["_meta"]?[MCPPeer.versionKey] else {
      guard method != "server/discover" else {
        throw MCPError(.invalidParams, "_meta: \(MCPPeer.versionKey) is missing")
      }
      guard let peer, peer.version.hasHandshake else { throw MCPError(.invalidRequest, "initialize comes first") }
      return peer
    }
    guard peer?.version.hasHandshake != true else {
      throw MCPError(.invalidRequest, "the session was opened by initialize; its requests name no revision")
    }
    guard asked.string == MCPVersion.july2026.rawValue else { throw MCPGreeting.unsupported(asked.string) }
    guard let capabilities = params["_meta"]?[MCPPeer.capabilitiesKey], capabilities.object != nil else {
      throw MCPError(.invalidParams, "_meta: \(MCPPeer.capabilitiesKey) is missing")
    }
    let peer = MCPPeer(version: .july2026, capabilities: capabilities)
    // Asking what is spoken here decides nothing.
    if method != "server/discover" { self.peer = peer }
    return peer
  }

  // MARK: Calls

  private mutating func call(_ params: JSONObject, _ peer: MCPPeer, _ reply: MCPReply) throws(MCPError) -> [Step] {
    guard let name = params["name"]?.string, let tool = tools.first(where: { $0.name == name }) else {
      let name = MCPText.line(params["name"]?.string ?? "", max: 64)
      throw MCPError(.invalidParams, "no tool “\(name)”; tools/list lists them")
    }
    let given = params["arguments"] ?? [:]
    guard let arguments = given.object else { throw MCPError(.invalidParams, "arguments: expected an object") }
    if let problem = tool.problem(arguments) { return finish(reply, peer.refusal(problem)) }
    let isKnown = calls.values.contains { !$0.isCancelled && $0.reply.id == reply.id }
    guard !isKnown else { throw MCPError(.invalidRequest, "id: a request with this id is being worked on") }
    let ended = calls.count < MCPSession.callsMax ? [] : giveUpOldestQuestion()
    guard calls.count < MCPSession.callsMax else {
      throw MCPError(.busy, "\(MCPSession.callsMax) calls wait already; wait for a result")
    }
    let person = try person(tool, arguments, params, peer)
    lastNumber += 1
    calls[lastNumber] = PendingCall(reply: reply, peer: peer, tool: tool, arguments: arguments)
    if let batch = reply.batch { batches.expect(batch) }
    return ended + [
      .perform(MCPJob(number: lastNumber, tool: tool, call: MCPCall(arguments: arguments, person: person)))
    ]
  }

  /// Ends the call that has waited longest for a person's answer, so that questions nobody answers never end all other work.
  private mutating func giveUpOldestQuestion() -> [Step] {
    guard let number = calls.filter({ !$0.value.isRunning }).keys.min(), let call = calls[number] else { return [] }
    let steps = withdrawQuestion(of: number, "it was not answered, and other calls wait")
    let refusal = call.peer.refusal(
      "the person was asked and has not answered; nothing was done, call again to ask again")
    return steps + forget(number) + finish(call.reply, refusal, isExpected: true)
  }

  private mutating func withdrawQuestion(of number: Int, _ reason: String) -> [Step] {
    var steps: [Step] = []
    for (question, _) in questions.filter({ $0.value == number }) {
      questions[question] = nil
      let params: JSONObject = ["requestId": .string(question), "reason": .string(reason)]
      steps.append(.write(MCPReply.notification("notifications/cancelled", params)))
    }
    return steps
  }

  /// What the person has said, where the client was asked before and calls again with the answer.
  private mutating func person(
    _ tool: MCPTool, _ arguments: JSONObject, _ params: JSONObject, _ peer: MCPPeer
  ) throws(MCPError) -> MCPPerson {
    guard let state = params["requestState"], !peer.version.hasHandshake else {
      return peer.canAsk ? .canBeAsked : .cannotBeAsked
    }
    let index = states.firstIndex { $0.text == state.string && $0.tool == tool.name && $0.arguments == arguments }
    guard let index else { throw MCPError(.invalidParams, "requestState: this question was not asked about this call") }
    states.remove(at: index)
    return MCPPeer.person(params["inputResponses"]?[MCPPeer.questionName]?.object)
  }

  /// Takes what a call came to.
  mutating func finished(_ number: Int, _ outcome: MCPOutcome) -> [Step] {
    guard var call = calls[number] else { return [] }
    guard !call.isCancelled else { return forget(number) }
    switch outcome {
    case .done(let result): return forget(number) + finish(call.reply, call.peer.result(result), isExpected: true)
    case .refused(let text): return forget(number) + finish(call.reply, call.peer.refusal(text), isExpected: true)
    case .ask(let text):
      guard call.peer.version.hasHandshake else {
        let state = MCPQuestionState(text: random(), tool: call.tool.name, arguments: call.arguments)
        states.append(state)
        if states.count > MCPSession.callsMax { states.removeFirst() }
        return forget(number) + finish(call.reply, call.peer.inputRequired(text, state: state.text), isExpected: true)
      }
      let id = "ask-\(random())"
      questions[id] = number
      call.isRunning = false
      calls[number] = call
      return [.write(MCPReply.request(id, "elicitation/create", call.peer.question(text)))]
    }
  }

  private mutating func forget(_ number: Int) -> [Step] {
    guard let call = calls.removeValue(forKey: number), call.isCancelled, let batch = call.reply.batch else {
      return []
    }
    return batches.give(up: batch).map { [.write($0)] } ?? []
  }

  /// A person's answer to a question of ours; an answer to anything else is none.
  private mutating func answered(_ id: JSONValue, _ result: JSONObject?) -> [Step] {
    guard let name = id.string, let number = questions.removeValue(forKey: name), var call = calls[number] else {
      return []
    }
    call.isRunning = true
    calls[number] = call
    let answer = MCPCall(arguments: call.arguments, person: MCPPeer.person(result))
    return [.perform(MCPJob(number: number, tool: call.tool, call: answer))]
  }

  private mutating func cancel(_ id: JSONValue?) -> [Step] {
    guard let id, let number = calls.first(where: { !$0.value.isCancelled && $0.value.reply.id == id })?.key else {
      return []
    }
    calls[number]?.isCancelled = true
    // A call that runs ends by itself, and its result is dropped.
    guard calls[number]?.isRunning == false else { return [] }
    return withdrawQuestion(of: number, "the call was cancelled") + forget(number)
  }

  // MARK: Answers

  /// Whether a call is wanted no more; asked before it is begun.
  func isCancelled(_ number: Int) -> Bool { calls[number]?.isCancelled ?? true }

  private func error(_ error: MCPError) -> Step { .write(MCPReply(id: error.id, batch: nil).line("error", error.json)) }

  private mutating func fail(_ reply: MCPReply, _ error: MCPError) -> [Step] { write(reply, "error", error.json) }

  private mutating func finish(_ reply: MCPReply, _ result: JSONObject, isExpected: Bool = false) -> [Step] {
    write(reply, "result", .object(result), isExpected: isExpected)
  }

  private mutating func write(
    _ reply: MCPReply, _ member: String, _ value: JSONValue, isExpected: Bool = false
  ) -> [Step] {
    guard let batch = reply.batch else { return [.write(reply.line(member, value))] }
    return batches.add(reply.json(member, value), to: batch, isExpected: isExpected).map { [.write($0)] } ?? []
  }
}

/// A call to perform.
struct MCPJob: Sendable {
  let number: Int
  let tool: MCPTool
  let call: MCPCall
}

/// What a call came to.
enum MCPOutcome: Sendable {
  case done(JSONObject)
  case refused(String)
  case ask(String)
}

/// A question that a client was given as the result of a call, and answers by calling again.
private struct MCPQuestionState {
  let text: String
  let tool: String
  let arguments: JSONObject
}
