import WireJSON

/// A message of JSON-RPC 2.0, as a client sends it.
enum MCPMessage: Sendable {
  case request(id: JSONValue, method: String, params: JSONObject)
  case notification(method: String, params: JSONObject)
  /// The answer to a request of ours; nil when the client answered with an error.
  case answer(id: JSONValue, result: JSONObject?)

  /// Reads a message.
  ///
  /// - Throws: what is answered instead.
  init(_ value: JSONValue) throws(MCPError) {
    guard let object = value.object else { throw MCPError(.invalidRequest, "expected a message, found \(value.kind)") }
    let id = object["id"]
    let isID = id.map(MCPMessage.isID) ?? false
    func refuse(_ code: MCPError.Code, _ text: String) -> MCPError {
      MCPError(code, text, id: isID ? id ?? .null : .null)
    }
    guard object["jsonrpc"] == "2.0" else { throw refuse(.invalidRequest, "expected \"jsonrpc\": \"2.0\"") }
    guard let method = object["method"] else {
      guard isID, let id, object["result"] != nil || object["error"] != nil else {
        throw refuse(.invalidRequest, "the message has no method")
      }
      self = .answer(id: id, result: object["error"] == nil ? object["result"]?.object : nil)
      return
    }
    guard let name = method.string else { throw refuse(.invalidRequest, "method: expected a text") }
    guard id == nil || isID else { throw refuse(.invalidRequest, "id: expected a text or a whole number") }
    let params = object["params"] ?? [:]
    guard let params = params.object else { throw refuse(.invalidParams, "params: expected an object") }
    self =
      if let id { .request(id: id, method: name, params: params) } else { .notification(method: name, params: params) }
  }

  private static func isID(_ value: JSONValue) -> Bool { value.string != nil || value.number?.isInteger == true }
}

/// An error that the protocol has, in place of a result.
struct MCPError: Error, Sendable {
  enum Code: Int, Sendable {
    case parse = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case `internal` = -32603
    /// Ours: more requests at once than are taken.
    case busy = -32000
    case unsupportedVersion = -32022
  }

  let code: Code
  let message: String
  /// The request it is about; null when that cannot be known.
  var id = JSONValue.null
  var data: JSONValue?

  init(_ code: Code, _ message: String, id: JSONValue = .null, data: JSONValue? = nil) {
    (self.code, self.message, self.id, self.data) = (code, message, id, data)
  }

  var json: JSONValue {
    var object: JSONObject = ["code": .number(JSONNumber(code.rawValue)), "message": .string(message)]
    if let data { object.append("data", data) }
    return .object(object)
  }
}

/// Cuts what arrives into lines; a line beyond the bound is dropped while it arrives, and reported once.
struct MCPLines {
  /// The longest message that is read, in bytes.
  static let bytesMax = 1 << 20

  enum Piece: Sendable, Equatable {
    case line([UInt8])
    case tooLong
  }

  private var pending: [UInt8] = []
  private var isSkipping = false

  /// Takes what was read and returns the lines that it ends.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> [Piece] {
    var pieces: [Piece] = []
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      add(rest[..<end], &pieces)
      if !isSkipping, !pending.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { pieces.append(.line(pending)) }
      isSkipping = false
      pending.removeAll(keepingCapacity: pending.capacity <= 65_536)
      rest = rest[(end + 1)...]
    }
    add(rest, &pieces)
    return pieces
  }

  /// What is left when the input ends without a line feed.
  mutating func finish() -> [Piece] { take([UInt8(ascii: "\n")]) }

  private mutating func add(_ bytes: ArraySlice<UInt8>, _ pieces: inout [Piece]) {
    guard !isSkipping else { return }
    guard pending.count + bytes.count <= MCPLines.bytesMax else {
      isSkipping = true
      pending = []
      return pieces.append(.tooLong)
    }
    pending += bytes
  }
}
