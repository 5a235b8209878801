import Glibc
import WireJSON

/// One keep-alive connection that asks, waits for the answer, and asks again.
struct IngestConnection {
  let socket: Int32
  var answer: [UInt8] = []
  var askedAt: UInt64 = 0

  init(port: UInt16) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Options.Failure(description: "cannot connect to 127.0.0.1 port \(port)") }
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  mutating func ask(_ request: [UInt8], at now: UInt64) throws {
    askedAt = now
    answer.removeAll(keepingCapacity: true)
    let sent = send(socket, request, request.count, Int32(MSG_NOSIGNAL))
    guard sent == request.count else { throw Options.Failure(description: "the server closed a connection") }
  }

  /// Reads what there is; the status when the answer is complete.
  mutating func receive(_ buffer: inout [UInt8]) throws -> Int? {
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { throw Options.Failure(description: "the server closed a connection") }
    answer += buffer[..<count]
    return answer.withUnsafeBytes { bytes in
      guard let head = Self.end(of: "\r\n\r\n", in: bytes),
        let length = Self.contentLength(UnsafeRawBufferPointer(rebasing: bytes[..<head])),
        bytes.count >= head + length
      else { return nil }
      return bytes[9..<12].reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    }
  }

  func close() { Glibc.close(socket) }

  private static func end(of mark: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
    let length = mark.utf8CodeUnitCount
    guard let base = bytes.baseAddress else { return nil }
    var start = 0
    while start + length <= bytes.count,
      let found = memchr(base + start, Int32(mark.utf8Start.pointee), bytes.count - length - start + 1)
    {
      if memcmp(found, mark.utf8Start, length) == 0 { return UnsafeRawPointer(found) - base + length }
      start = UnsafeRawPointer(found) - base + 1
    }
    return nil
  }

  private static func contentLength(_ head: UnsafeRawBufferPointer) -> Int? {
    guard let start = end(of: "Content-Length: ", in: head) else { return nil }
    var length = 0
    for byte in head[start...] {
      guard byte >= 0x30, byte <= 0x39 else { break }
      length = length * 10 + Int(byte - 0x30)
    }
    return length
  }
}

private func nowNs() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// A request whose digits change from one to the next: a token, or a user's number.
struct IngestRequest {
  private(set) var bytes: [UInt8]
  private let position: Range<Int>
  private var maker: TokenMaker
  private var token = [UInt8](repeating: 0, count: 64)
  private let users: Int

  /// - Parameters:
  ///   - form: `native`, our own API with a message of its own; `onesignal`, our own API with a message of that contract;
  ///     `drop-in`, the same message in OneSignal's own request.
  ///   - users: how many there are, named `user-0000000` and so on; 0 for tokens.
  ///   - seed: which tokens these are.
  init(form: String, app: String, key: String, users: Int, seed: UInt64 = 7) throws {
    maker = TokenMaker(seed: seed)
    let digits = String(repeating: "0", count: users > 0 ? Self.userDigits : 64)
    let texts =
      #""headings":{"en":"Welcome back!"},"contents":{"en":"Your streak is waiting for you."},"data":{"screen":"home"}"#
    let to =
      users > 0 ? #""to":{"users":["user-\#(digits)"]}"# : #""to":{"tokens":[{"type":"ios","token":"\#(digits)"}]}"#
    var path = "/v1/apps/\(app)/pushes"
    let body: String
    switch form {
    case "native":
      body =
        #"{"message":{"title":"Welcome back!","body":"Your streak is waiting for you.","data":{"screen":"home"}},\#(to)}"#
    case "onesignal": body = #"{"contract":"onesignal","message":{\#(texts)},\#(to)}"#
    case "drop-in":
      path = "/compat/onesignal/notifications"
      let target =
        users > 0
        ? #""target_channel":"push","include_aliases":{"external_id":["user-\#(digits)"]}"#
        : #""include_ios_tokens":["\#(digits)"]"#
      body = #"{"app_id":"\#(app)",\#(texts),\#(target)}"#
    default: throw Options.Failure(description: "--form: expected native, onesignal or drop-in, found \"\(form)\"")
    }
    let head =
      "POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    bytes = Array((head + body).utf8)
    // What it is for is the last member of every form.
    guard let end = bytes.lastIndex(of: 0x30) else {
      throw Options.Failure(description: "the request has no place for a token")
    }
    position = (end + 1 - digits.utf8.count)..<(end + 1)
    self.users = users
  }

  private static let userDigits = 7

  /// What differs from the others.
  var digits: String { String(decoding: bytes[position], as: UTF8.self) }

  /// The same request with the next token, or for another user.
  mutating func renew() {
    guard users > 0 else {
      maker.fill(&token)
      return bytes.replaceSubrange(position, with: token)
    }
    var number = Int(maker.next() >> 1) % users
    for index in position.reversed() {
      bytes[index] = 0x30 + UInt8(number % 10)
      number /= 10
    }
  }
}

/// Pushes to a running server over the API: one token or one user per request, each durable before it is answered.
func ingest(_ arguments: [String]) throws {
  let options = try Options(arguments, known: ["port", "key-file", "app", "count", "connections", "form", "users"])
  guard let port = UInt16(exactly: try options.number("port", default: 8787)) else {
    throw Options.Failure(description: "--port: expected 1 to 65535")
  }
  let key = try options.apiKey()
  let count = try options.number("count", default: 100_000)
  var connections = try (0..<options.number("connections", default: 128)).map { _ in try IngestConnection(port: port) }
  var request = try IngestRequest(
    form: options.text("form", default: "native"), app: options.text("app", default: "demo"), key: key,
    users: Int(options.text("users", default: "0")) ?? 0)
  let requestBytes = request.bytes.count
  let cost = Cost()
  let answers = try IngestAnswers(count, &connections) {
    request.renew()
    return request.bytes
  }
  let spent = cost.spent(on: answers.count)
  for connection in connections { connection.close() }
  printLine("ingest", sizes: [("connections", connections.count), ("request_bytes", requestBytes)], spent) { line in
    answers.write(to: &line)
  }
}

/// What a server answered to requests on several connections, each of which waits for its answer before it asks again.
struct IngestAnswers {
  private var latencies: [UInt64] = []
  private var statuses: [Int: Int] = [:]

  var count: Int { latencies.count }

  init(_ count: Int, _ connections: inout [IngestConnection], _ request: () -> [UInt8]) throws {
    var watched = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    latencies.reserveCapacity(count)
    for index in connections.indices { try connections[index].ask(request(), at: nowNs()) }
    var asked = connections.count
    while latencies.count < asked {
      guard poll(&watched, nfds_t(watched.count), 30_000) > 0 else {
        throw Options.Failure(description: "no answer for 30 seconds")
      }
      for index in watched.indices where watched[index].revents != 0 {
        guard let status = try connections[index].receive(&buffer) else { continue }
        let now = nowNs()
        statuses[status, default: 0] += 1
        latencies.append(now - connections[index].askedAt)
        if asked < count {
          asked += 1
          try connections[index].ask(request(), at: now)
        }
      }
    }
  }

  func write(to line: inout JSONWriter) {
    let sorted = latencies.sorted()
    func percentile(_ share: Double) -> Double {
      Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1_000_000
    }
    for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
      line.key("status_\(status)")
      line.int(count)
    }
    line.decimal("p50_ms", percentile(0.5), places: 2)
    line.decimal("p99_ms", percentile(0.99), places: 2)
    line.decimal("p999_ms", percentile(0.999), places: 2)
  }
}
