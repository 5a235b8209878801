import Glibc
import HTTPServer
import PostriderApp
import PostriderServer
import Synchronization
import TestSupport
import Testing
import WireJSON

@testable import AppPhone

/// The client on a phone of the tests, against a real server in this process.
@Suite("The app client and a server", .serialized)
struct AppClientTests {
  private static let token = String(repeating: "00fc13adff785122", count: 4)

  /// A server with the app `demo`, a key of the scope `client`, and a folder for the phone.
  private struct Lab {
    let folder: TemporaryFolder
    let server: PostriderServer
    let admin: String
    let configuration: PostriderConfiguration

    init() throws {
      folder = try TemporaryFolder()
      let configuration = PostriderServerConfiguration(
        dataFolder: folder.path + "/data", http: HTTPServerConfiguration(port: 0), version: "1.2.3")
      server = try PostriderServer(configuration, log: Log(level: .error, clock: configuration.clock) { _ in })
      admin = server.firstKey ?? ""
      #expect(try Self.call(server, admin, "POST", "/v1/apps", ["name": "demo"])["name"] == "demo")
      let key = try Self.call(
        server, admin, "POST", "/v1/keys", ["name": "phones", "scopes": ["client"], "app": "demo"])
      self.configuration = PostriderConfiguration(
        server: "http://127.0.0.1:\(server.port)", app: "demo", key: try #require(key["key"]?.string))
    }

    static func call(
      _ server: PostriderServer, _ key: String, _ method: String, _ path: String, _ body: JSONValue? = nil
    ) throws -> JSONValue {
      let text = body.map { JSON.minifiedText($0) } ?? ""
      let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n"
      let answer = try HTTPTestClient(port: server.port).exchange(
        "\(head)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
      return try JSON.parse(answer.body)
    }

    func devices() throws -> [JSONValue] {
      try Self.call(server, admin, "GET", "/v1/apps/demo/devices")["devices"]?.array ?? []
    }

    func client(_ phone: TestPhone, _ role: Role = .app) -> AppClient {
      AppClient(folder: folder.path + "/phone", role: role, phone: phone)
    }
  }

  /// Waits at most ten seconds.
  private func wait(_ what: String, until holds: () throws -> Bool) throws {
    for _ in 0..<500 {
      if try holds() { return }
      usleep(20_000)
    }
    Issue.record("not within ten seconds: \(what)")
  }

  /// Waits until `client` has nothing more to send.
  private func settle(_ client: AppClient) throws {
    let settled = Mutex(false)
    client.whenSettled(milliseconds: 10_000) { settled.withLock { $0 = true } }
    try wait("settled") { settled.withLock { $0 } }
  }

  @Test("a device is registered, moves to another token and user, and stays the same device")
  func registers() throws {
    let lab = try Lab()
    let phone = TestPhone()
    let client = lab.client(phone)
    #expect(client.perform { $0.start(lab.configuration) } == nil)
    client.perform { $0.setToken(Self.token, environment: "development") }
    client.perform { $0.setTags(["beta"]) }
    try wait("registration") { try lab.devices().first?["tags"] == ["beta"] }
    let first = try #require(try lab.devices().first)
    #expect(first["token"] == .string(Self.token) && first["environment"] == "development")
    #expect(first["locale"] == "de-AT" && first["timezone"] == "Europe/Vienna" && first["app_version"] == "1.2.3")
    try wait("id") { client.perform { $0.device } == first["id"]?.string }

    client.perform { $0.setUser("ann") }
    client.perform { $0.setToken(String(Self.token.reversed()), environment: "production") }
    try wait("another token") { try lab.devices().first?["environment"] == "production" }
    let devices = try lab.devices()
    #expect(devices.map { $0["id"] } == [first["id"]])
    #expect(devices.first?["user"] == "ann" && devices.first?["name"] == first["name"])
    // The server has it before its answer is here.
    try settle(client)
    // In a new process, nothing is sent for what the server knows.
    let after = TestPhone()
    let again = lab.client(after)
    again.perform { $0.start(lab.configuration) }
    again.perform { $0.setToken(String(Self.token.reversed()), environment: "production") }
    try settle(again)
    #expect(after.heads == [] && again.perform { $0.device } == first["id"]?.string)
    #expect(!(phone.lines + after.lines).joined().contains(Self.token))
  }

  @Test("the identity of a user is a header of the registration, and of nothing else")
  func identity() throws {
    let lab = try Lab()
    let phone = TestPhone()
    let client = lab.client(phone)
    var configuration = lab.configuration
    // Answered twice, as careless code does: the second is ignored.
    configuration.identity = { user, refresh, done in
      done("jwt.\(user).\(refresh)")
      done("jwt.twice")
    }
    client.perform { _ = $0.start(configuration) }
    client.perform { $0.setUser("ann") }
    client.perform { $0.setToken(Self.token, environment: "production") }
    try wait("registration") { try lab.devices().first?["user"] == "ann" }
    client.perform { $0.report("opened", identifier: "a1b2c3d4-e5f6-8788-8000-00000000002a") }
    try wait("event") { phone.heads.count >= 2 }
    #expect(phone.heads.map { $0.contains("\r\nPostrider-Identity: jwt.ann.false\r\n") }.prefix(2) == [true, false])
  }

  @Test("an app that never answers for an identity delays the registration only")
  func neverAnswers() throws {
    let lab = try Lab()
    let phone = TestPhone(haste: 100)
    let client = lab.client(phone)
    var configuration = lab.configuration
    configuration.identity = { _, _, _ in }
    client.perform { _ = $0.start(configuration) }
    client.perform { $0.setUser("ann") }
    client.perform { $0.setToken(Self.token, environment: "production") }
    client.perform { $0.report("opened", identifier: "a1b2c3d4-e5f6-8788-8000-00000000002a") }
    try wait("event") { phone.heads.count >= 1 }
    #expect(phone.heads.first?.contains("/events ") == true)
    #expect(phone.lines.contains { $0.contains("no identity") })
  }

  @Test("a key that the server does not know stops the client")
  func stops() throws {
    let lab = try Lab()
    let phone = TestPhone()
    let client = lab.client(phone)
    var configuration = lab.configuration
    configuration.key = "prk_unknown"
    client.perform { _ = $0.start(configuration) }
    client.perform { $0.setToken(Self.token, environment: "production") }
    try wait("answer") { phone.lines.contains { $0.contains("answered 401; stopped") } }
    client.perform { $0.report("opened", identifier: "c-1") }
    client.perform { $0.setTags(["x"]) }
    #expect(client.perform { $0.queued } == 1 && phone.heads.count == 1)
    client.perform { _ = $0.start(lab.configuration) }
    try wait("registration") { try lab.devices().count == 1 }
  }

  @Test("calls of the app while the client waits start no more timers")
  func timers() throws {
    let lab = try Lab()
    let phone = TestPhone()
    let client = lab.client(phone)
    // Nothing listens there.
    client.perform { _ = $0.start(PostriderConfiguration(server: "http://127.0.0.1:1", app: "demo", key: "prk_k")) }
    client.perform { $0.setToken(Self.token, environment: "production") }
    client.perform { $0.report("opened", identifier: "a1b2c3d4-e5f6-8788-8000-00000000002a") }
    try wait("two failures") { phone.lines.count { $0.contains("no answer") } == 2 && phone.timers > 0 }
    let before = phone.timers
    for _ in 0..<50 { client.perform { _ = ($0.queued, $0.device, $0.dropped) } }
    #expect(phone.timers == before && before <= 2)
    // The one timer runs, and what follows is another.
    try wait("another attempt") { phone.lines.count { $0.contains("no answer") } >= 4 }
    #expect(phone.timers <= before + 3)
  }

  @Test("a sign-out is answered for: taken by the server, or overtaken by another user")
  func signOut() throws {
    let lab = try Lab()
    let client = lab.client(TestPhone())
    let heard = Mutex<[Bool]>([])
    // Without a token, the server has nothing of the device.
    client.signOut { isTaken in heard.withLock { $0.append(isTaken) } }
    #expect(heard.withLock { $0 } == [true])
    client.perform { _ = $0.start(lab.configuration) }
    client.perform { $0.setToken(Self.token, environment: "production") }
    client.perform { $0.setUser("ann") }
    try wait("registration") { try lab.devices().first?["user"] == "ann" }
    client.signOut { isTaken in heard.withLock { $0.append(isTaken) } }
    try wait("the answer") { heard.withLock { $0.count } == 2 }
    #expect(heard.withLock { $0 } == [true, true])
    #expect(try lab.devices().map { $0["user"] } == [nil])
    client.perform { _ = $0.start(PostriderConfiguration(server: "http://127.0.0.1:1", app: "demo", key: "prk_k")) }
    client.perform { $0.setUser("bob") }
    client.signOut { isTaken in heard.withLock { $0.append(isTaken) } }
    #expect(heard.withLock { $0.count } == 2)
    client.perform { $0.setUser("cy") }
    #expect(heard.withLock { $0 } == [true, true, false])
  }

  @Test("the badge of the extension and the app is one number, also from two processes at once")
  func badge() throws {
    let lab = try Lab()
    let app = lab.client(TestPhone())
    let other = lab.client(TestPhone(), .serviceExtension)
    let threads = (0..<2).map { index in
      var thread = pthread_t()
      let client = Unmanaged.passRetained(index == 0 ? app : other)
      pthread_create(
        &thread, nil,
        { pointer in
          guard let pointer else { return nil }
          let client = Unmanaged<AppClient>.fromOpaque(pointer).takeRetainedValue()
          for _ in 0..<100 { _ = client.perform { $0.badge { $0 + 1 } } }
          return nil
        }, client.toOpaque())
      return thread
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(app.perform { $0.badge { $0 } } == 200)
    #expect(other.perform { $0.badge { _ in 0 } } == 0 && app.perform { $0.badge { $0 } } == 0)
  }
}
