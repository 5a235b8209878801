import Glibc

/// A request with what devices report of a push: that they opened it, each once.
///
/// The devices' tokens are their numbers, in 64 digits.
private struct ReportRequest {
  private let head: [UInt8]
  private let event: [UInt8]
  private let perRequest: Int
  private var device: Int

  init(app: String, key: String, push: String, perRequest: Int, first: Int) {
    event = Array(#"{"type":"opened","push":"\#(push)","token":"\#(String(repeating: "0", count: 64))"}"#.utf8)
    self.perRequest = perRequest
    device = first
    let length = Self.open.count + perRequest * (event.count + 1) - 1 + Self.close.count
    head =
      Array(
        ("POST /v1/apps/\(app)/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(length)\r\n\r\n").utf8) + Self.open
  }

  private static let open = Array(#"{"events":["#.utf8)
  private static let close = Array("]}".utf8)

  /// The request for the next devices.
  mutating func next() -> [UInt8] {
    var bytes = head
    for position in 0..<perRequest {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += event
      var (number, index) = (device, bytes.count - 3)
      while number > 0 {
        bytes[index] = 0x30 + UInt8(number % 10)
        number /= 10
        index -= 1
      }
      device += 1
    }
    return bytes + Self.close
  }
}

/// Reports to a running server over the API, each durable before it is answered.
func reports(_ arguments: [String]) throws {
  let options = try Options(
    arguments, known: ["port", "key-file", "app", "push", "first", "count", "per-request", "connections"])
  guard let port = UInt16(exactly: try options.number("port", default: 8787)) else {
    throw Options.Failure(description: "--port: expected 1 to 65535")
  }
  let perRequest = try options.number("per-request", default: 1)
  var request = try ReportRequest(
    app: options.text("app", default: "demo"), key: options.apiKey(), push: options.text("push", default: ""),
    perRequest: perRequest, first: Int(options.text("first", default: "0")) ?? 0)
  let requests = try options.number("count", default: 10_000) / perRequest
  var connections = try (0..<min(options.number("connections", default: 64), requests)).map { _ in
    try IngestConnection(port: port)
  }
  let cost = Cost()
  let answers = try IngestAnswers(requests, &connections) { request.next() }
  let spent = cost.spent(on: answers.count * perRequest)
  for connection in connections { connection.close() }
  printLine("reports", sizes: [("connections", connections.count), ("per_request", perRequest)], spent) { line in
    answers.write(to: &line)
  }
}
