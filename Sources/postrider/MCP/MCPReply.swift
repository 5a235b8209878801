import WireJSON

/// Whom an answer is for.
struct MCPReply: Sendable {
  let id: JSONValue
  /// The batch that the request came in; its answers are written together.
  let batch: Int?

  func json(_ member: String, _ value: JSONValue) -> JSONValue {
    .object(["jsonrpc": "2.0", "id": id, member: value])
  }

  /// The answer as a line.
  func line(_ member: String, _ value: JSONValue) -> [UInt8] { MCPReply.line(json(member, value)) }

  static func line(_ value: JSONValue) -> [UInt8] { JSON.minified(value) + [UInt8(ascii: "\n")] }

  static func request(_ id: String, _ method: String, _ params: JSONObject) -> [UInt8] {
    line(["jsonrpc": "2.0", "id": .string(id), "method": .string(method), "params": .object(params)])
  }

  static func notification(_ method: String, _ params: JSONObject) -> [UInt8] {
    line(["jsonrpc": "2.0", "method": .string(method), "params": .object(params)])
  }
}

/// Answers that are collected until all of their batch are there.
struct MCPBatches {
  private struct Batch {
    var isOpen = true
    var awaited = 0
    var answers: [JSONValue] = []
  }

  private var batches: [Int: Batch] = [:]
  private var last = 0

  mutating func open() -> Int {
    last += 1
    batches[last] = Batch()
    return last
  }

  /// An answer will come later.
  mutating func expect(_ number: Int) { batches[number]?.awaited += 1 }

  /// Adds an answer, and returns the line when it was the last.
  mutating func add(_ answer: JSONValue, to number: Int, isExpected: Bool) -> [UInt8]? {
    batches[number]?.answers.append(answer)
    if isExpected { batches[number]?.awaited -= 1 }
    return line(number)
  }

  /// An answer that was expected will not come.
  mutating func give(up number: Int) -> [UInt8]? {
    batches[number]?.awaited -= 1
    return line(number)
  }

  /// Every message of the batch has been read.
  mutating func close(_ number: Int) -> [UInt8]? {
    batches[number]?.isOpen = false
    return line(number)
  }

  private mutating func line(_ number: Int) -> [UInt8]? {
    guard let batch = batches[number], !batch.isOpen, batch.awaited == 0 else { return nil }
    batches[number] = nil
    // A batch of notifications has no answer.
    return batch.answers.isEmpty ? nil : MCPReply.line(.array(batch.answers))
  }
}
