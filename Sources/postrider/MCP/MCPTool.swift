import WireJSON

/// One tool, as data: what a client is told of it, what it takes and returns, and what it does.
struct MCPTool: Sendable {
  /// What a tool does to the world; clients decide by it whether they ask before a call.
  enum Effect: Sendable {
    /// Computes; needs no server.
    case computes
    /// Reads what a server has.
    case reads
    /// Adds a draft to what a server has, which sends nothing.
    case keeps
    /// Sends to people.
    case sends
  }

  let name: String
  let title: String
  /// What it does, for a model and for the documentation.
  let about: String
  let effect: Effect
  let input: [MCPField]
  let output: [MCPField]
  let run: @Sendable (MCPDesk, MCPCall) throws(MCPStop) -> JSONObject

  /// Every tool, in the order in which they are listed.
  static let all: [MCPTool] = local + server + sending

  /// Those that a session has: sending is not offered where the operator has not allowed it.
  static func offered(by policy: MCPPolicy) -> [MCPTool] { all.filter { $0.effect != .sends || policy.allowsSending } }
}

/// One call of a tool.
struct MCPCall: Sendable {
  let arguments: JSONObject
  var person = MCPPerson.cannotBeAsked

  subscript(name: String) -> JSONValue? { arguments[name] }

  /// The texts of a list.
  func texts(_ name: String) -> [String] { arguments[name]?.array?.compactMap(\.string) ?? [] }
}

/// What the person at the client has to say about a call.
enum MCPPerson: Sendable, Equatable {
  /// The client has no way to ask.
  case cannotBeAsked
  case canBeAsked
  case agreed
  case declined
  /// The client could not ask after all.
  case unanswered
}

/// Why a tool gives no result.
enum MCPStop: Error, Sendable {
  /// A sentence for the model, which may mend the call.
  case refused(String)
  /// The person must be asked first.
  case ask(String)
}

// MARK: What clients are told

extension MCPTool {
  /// The tool in the list of a revision.
  func json(for version: MCPVersion) -> JSONValue {
    var object: JSONObject = ["name": .string(name)]
    if version.hasStructure { object.append("title", .string(title)) }
    object.append("description", .string(about))
    object.append("inputSchema", .object(MCPShape.members(input).schema))
    if version.hasStructure { object.append("outputSchema", .object(MCPShape.members(output, isOpen: true).schema)) }
    if version.hasAnnotations { object.append("annotations", .object(annotations)) }
    return .object(object)
  }

  private var annotations: JSONObject {
    [
      "title": .string(title), "readOnlyHint": .bool(effect == .computes || effect == .reads),
      "destructiveHint": .bool(effect == .sends), "idempotentHint": .bool(effect != .keeps),
      "openWorldHint": .bool(effect != .computes),
    ]
  }

  /// What is wrong with the arguments of a call; nil when nothing is.
  func problem(_ arguments: JSONObject) -> String? { MCPShape.members(input).problem(.object(arguments)) }
}
