import Glibc
import PushStore
import StoreModel
import WireJSON

/// The values of device number `number`: three properties and a tag, spread as in an app with a paid plan.
private func registration(_ number: Int, _ app: AppID, _ token: String) -> DeviceRegistration {
  let plans = ["free", "free", "free", "pro", "team"]
  var registration = DeviceRegistration(
    app: app, token: token, kind: number % 3 == 0 ? .android : .ios, user: "user-\(number)",
    locale: number % 2 == 0 ? "de" : "en", timezone: "Europe/Vienna")
  registration.properties = [
    Property("plan", .text(plans[number % plans.count])), Property("age", .integer(Int64(number * 7919 % 90))),
    Property("score", .integer(Int64(number * 104_729 % 1_000_000))),
  ]
  registration.tags = number % 7 == 0 ? ["vip"] : []
  return registration
}

private func temporaryStore(_ folder: String) throws -> (store: SQLStore, folder: String) {
  let folder = folder + "/postrider-bench-\(getpid())"
  guard mkdir(folder, 0o700) == 0 else { throw Options.Failure(description: "--folder: cannot create \(folder)") }
  return (try SQLStore(path: folder + "/s.db"), folder)
}

private func removeStore(_ folder: String) {
  for name in ["/s.db", "/s.db-wal", "/s.db-shm", "/s.db.lock", ""] { remove(folder + name) }
}

/// Counts of segments with three conditions over a store of its own.
func segments(_ arguments: [String]) throws {
  let options = try Options(arguments, known: ["devices", "folder"])
  let devices = try options.number("devices", default: 1_000_000)
  let (store, folder) = try temporaryStore(try options.text("folder", default: "/tmp"))
  defer { removeStore(folder) }
  let app = try store.createApp(name: "bench", title: "", settings: [], now: wallClock()).id
  var maker = TokenMaker(seed: 7)
  var token = [UInt8](repeating: 0, count: 64)
  let whole = Cost()
  for first in stride(from: 0, to: devices, by: 5_000) {
    let batch = (first..<min(first + 5_000, devices)).map { number in
      maker.fill(&token)
      return registration(number, app, String(decoding: token, as: UTF8.self))
    }
    _ = try store.registerDevices(batch, now: wallClock())
  }
  let registering = whole.spent(on: devices)
  func condition(_ name: String, _ comparison: SegmentComparison) -> SegmentFilter {
    .condition(SegmentCondition(.attribute(name), comparison))
  }
  let filters: [(name: String, filter: SegmentFilter)] = [
    (
      "selective",
      .and([
        condition("properties.plan", .equal(.text("pro"))), condition("properties.age", .greater(.integer(30))),
        condition("tags", .contains("vip")),
      ])
    ),
    (
      "wide",
      .and([
        condition("properties.age", .greaterOrEqual(.integer(0))),
        condition("properties.score", .less(.integer(900_000))),
        .condition(SegmentCondition(.column(.lastSeenAt), .within(milliseconds: 7 * 86_400_000))),
      ])
    ),
    (
      "any",
      .or([
        condition("tags", .contains("nobody")), condition("properties.plan", .equal(.text("team"))),
        condition("properties.score", .less(.integer(1_000))),
      ])
    ),
  ]
  var found: [(name: String, devices: Int, seconds: Double, cpuSeconds: Double)] = []
  let rounds = 3
  let counting = Cost()
  for (name, filter) in filters {
    var best = (devices: 0, seconds: Double.infinity, cpuSeconds: Double.infinity)
    for _ in 0..<rounds {
      let cost = Cost()
      let count = try store.count(filter, app: app, sample: 10, now: wallClock()).devices
      let spent = cost.spent(on: 1)
      best = (count, min(best.seconds, spent.seconds), min(best.cpuSeconds, spent.cpuSeconds))
    }
    found.append((name, best.devices, best.seconds, best.cpuSeconds))
  }
  printLine("segments", sizes: [("devices", devices)], counting.spent(on: filters.count * rounds)) { line in
    line.decimal("register_seconds", registering.seconds, places: 2)
    line.decimal("registered_per_second", Double(devices) / registering.seconds, places: 0)
    line.key("results")
    line.beginArray()
    for filter in found {
      line.beginObject()
      line.key("filter")
      line.string(filter.name)
      line.key("found")
      line.int(filter.devices)
      line.decimal("count_ms", filter.seconds * 1_000, places: 1)
      line.decimal("count_cpu_ms", filter.cpuSeconds * 1_000, places: 1)
      line.endObject()
    }
    line.endArray()
  }
  store.close()
}

/// Writes a file of devices and uploads it to a running server, as `curl -T` does.
func importDevices(_ arguments: [String]) throws {
  let options = try Options(arguments, known: ["devices", "port", "key-file", "app"])
  let devices = try options.number("devices", default: 1_000_000)
  guard let port = UInt16(exactly: try options.number("port", default: 8787)) else {
    throw Options.Failure(description: "--port: expected 1 to 65535")
  }
  let connection = try UploadConnection(port: port)
  try connection.send(
    "PUT /v1/apps/\(try options.text("app", default: "demo"))/devices/import HTTP/1.1\r\nHost: localhost\r\n"
      + "Authorization: Bearer \(try options.apiKey())\r\nTransfer-Encoding: chunked\r\n\r\n")
  var maker = TokenMaker(seed: 11)
  var token = [UInt8](repeating: 0, count: 64)
  let cost = Cost()
  var bytes = 0
  let plans = ["free", "free", "free", "pro", "team"]
  for first in stride(from: 0, to: devices, by: 1_000) {
    var piece = ""
    for number in first..<min(first + 1_000, devices) {
      maker.fill(&token)
      piece +=
        #"{"type":"ios","token":"\#(String(decoding: token, as: UTF8.self))","user":"user-\#(number)","locale":"de","#
        + #""timezone":"Europe/Vienna","properties":{"plan":"\#(plans[number % 5])","age":\#(number * 7919 % 90),"#
        + #""score":\#(number * 104_729 % 1_000_000)},"tags":["vip"]}"# + "\n"
    }
    bytes += piece.utf8.count
    try connection.send(String(piece.utf8.count, radix: 16) + "\r\n" + piece + "\r\n")
  }
  try connection.send("0\r\n\r\n")
  let answer = try connection.answer()
  printLine("import", sizes: [("devices", devices), ("bytes", bytes)], cost.spent(on: devices)) { line in
    line.key("answer")
    line.string(answer)
  }
}

/// A connection that sends all there is before it reads.
private struct UploadConnection {
  let socket: Int32

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
  }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Options.Failure(description: "the server closed the connection") }
      sent += count
    }
  }

  /// The answer's body, as far as it comes within a read.
  func answer() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &buffer, buffer.count, 0)
    close(socket)
    guard count > 0 else { throw Options.Failure(description: "the server closed the connection") }
    let text = String(decoding: buffer[..<count], as: UTF8.self)
    guard text.hasPrefix("HTTP/1.1 200") else { throw Options.Failure(description: String(text.prefix(400))) }
    return String(text.split(separator: "\r\n").last ?? "")
  }
}
