import Glibc
import ProviderEmulator
import WireJSON

/// A small HTTP/1.1 client for the emulator's plain port: one request, one connection, five seconds at most.
struct PlainClient {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  struct Response: Sendable {
    var status: Int
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// The emulator lives as long as its client.
  let emulator: ProviderEmulator

  private var port: UInt16 { emulator.ports.plain }

  /// Sends a request; one to the control API as a program with the emulator's token does.
  func send(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: String = ""
  ) throws -> Response {
    guard path.hasPrefix("/control") else { return try sendAsIs(method, path, headers: headers, body: body) }
    let own = [
      ("Host", "localhost"), ("Authorization", "Bearer \(emulator.controlToken)"), ("Content-Type", "application/json"),
    ]
    return try sendAsIs(method, path, headers: own + headers, body: body)
  }

  /// Sends a request with these headers and no others.
  func sendAsIs(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: String = ""
  ) throws -> Response {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(description: "cannot connect to port \(port)") }
    var head = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\n"
    if !headers.contains(where: { $0.0 == "Host" }) { head += "Host: localhost\r\n" }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    head += "Content-Length: \(body.utf8.count)\r\n\r\n"
    let request = Array((head + body).utf8)
    guard Glibc.send(descriptor, request, request.count, 0) == request.count else {
      throw Failure(description: "cannot send")
    }
    return try Self.parse(Self.readAll(descriptor))
  }

  func json(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
    let response = try send(method, path, body: body.map { JSON.minifiedText($0) } ?? "")
    return response.body.isEmpty ? .number(JSONNumber(response.status)) : try JSON.parse(response.body)
  }

  private static func readAll(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  private static func parse(_ bytes: [UInt8]) throws -> Response {
    let text = Array("\r\n\r\n".utf8)
    var end = 0
    while end + 4 <= bytes.count, Array(bytes[end..<(end + 4)]) != text { end += 1 }
    guard end + 4 <= bytes.count, bytes.count > 12, let status = Int(String(decoding: bytes[9..<12], as: UTF8.self))
    else { throw Failure(description: "no answer within five seconds") }
    return Response(status: status, body: Array(bytes[(end + 4)...]))
  }
}
