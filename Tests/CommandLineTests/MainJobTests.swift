import Glibc
import TestSupport
import Testing
import WireJSON

/// A server that a test started, with the demo behind it.
final class DemoServer {
  let process: Subprocess
  let api: String
  let control: String
  let key: String
  /// What changes to the virtual devices need.
  let token: String
  /// The lines it printed for a newcomer to paste: three for the phones, then those for the browser.
  let lines: [Substring]

  init(_ folder: TemporaryFolder, key: String? = nil, options: [String] = []) throws {
    process = try Subprocess(
      Postrider.path,
      ["serve", "--demo", "--port", "0", "--emulator-port", "0", "--data", "\(folder.path)/data"] + options)
    let text = try process.waitFor("Ctrl-C stops the server.")
    let words = text.split { " \n".contains($0) }
    api = words.first { $0.hasPrefix("http://") }.map(String.init) ?? ""
    lines = text.split(separator: "\n").filter { $0.hasPrefix("  curl ") }
    let received = lines.first { $0.contains("/devices/fcm/") }
    control = received?.split(separator: " ").last.map { String($0.prefix { $0 != "?" }) } ?? ""
    token = words.first { $0.hasPrefix("POSTRIDER_EMULATOR_TOKEN=") }.map { String($0.dropFirst(25)) } ?? ""
    self.key = try #require(key ?? words.first { $0.hasPrefix("POSTRIDER_KEY=") }.map { String($0.dropFirst(14)) })
  }

  /// Runs one of the printed lines as a person would, in a shell.
  func paste(_ line: Int) throws -> String {
    try Subprocess.run(
      "/bin/sh", ["-c", String(lines[line])], environment: ["POSTRIDER_KEY": key], seconds: 20
    ).outputText
  }

  func get(_ path: String) throws -> String {
    try Subprocess.run("curl", ["-s", "-H", "Authorization: Bearer \(key)", api + path], seconds: 20).outputText
  }

  func post(_ path: String, _ body: String) throws -> String {
    try Subprocess.run(
      "curl",
      ["-s", "-H", "Authorization: Bearer \(key)", "-H", "Content-Type: application/json", "-d", body, api + path],
      seconds: 20
    ).outputText
  }

  /// Waits until the push is done.
  func waitUntilSent(_ push: Int) throws {
    for _ in 0..<200 {
      if try get("/v1/apps/demo/pushes/\(push)").contains(#""state":"sent""#) { return }
      usleep(50_000)
    }
    Issue.record("the push was not sent within ten seconds: \(try get("/v1/apps/demo/pushes/\(push)"))")
  }
}

@Suite("The main job", .serialized)
struct MainJobTests {
  @Test(
    "the program's memory comes from jemalloc",
    .disabled(if: Files.environment("POSTRIDER_SANITIZE") != nil, "a sanitizer brings an allocator of its own"))
  func allocator() throws {
    let said = try Subprocess.run(Postrider.path, ["--version"], environment: ["MALLOC_CONF": "stats_print:true"])
    #expect(said.errorText.contains("jemalloc statistics"))
  }

  @Test("pasting the printed lines shows what the phones received, byte for byte")
  func pasteTheLines() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    #expect(try server.paste(0) == #"{"id":"1","number":1,"targeted":0}"#)
    try server.waitUntilSent(1)
    let iPhone = try server.paste(1)
    #expect(
      iPhone.contains(
        #""payload":{"screen":"home","promo":"winback","aps":{"alert":{"title":"Welcome back!","#
          + #""body":"Your streak is waiting for you."},"mutable-content":1}}"#))
    #expect(
      iPhone.contains(
        #""apns-push-type":"alert","apns-priority":"10","apns-topic":"com.example.demo","#
          + #""apns-collapse-id":"winback-1""#))
    let android = try server.paste(2)
    #expect(
      android.contains(
        #""notification":{"title":"Welcome back!","body":"Your streak is waiting for you."},"#
          + #""android":{"priority":"high","notification":{"tag":"winback-1"}},"data":{"screen":"home","promo":"winback"}"#
      ))
    let deliveries = try server.get("/v1/apps/demo/pushes/1/deliveries")
    #expect(deliveries.contains(#""type":"ios","state":"accepted","provider":"apns","status":200,"apns_id":""#))
    #expect(deliveries.contains(#""type":"android","state":"accepted","provider":"fcm","status":200,"message_name":""#))
    server.process.signal(SIGINT)
    #expect(try server.process.finish(seconds: 20).status == 0)
  }

  @Test("what was accepted survives kill -9 and a second start")
  func survivesKill() throws {
    let folder = try TemporaryFolder()
    let first = try DemoServer(folder)
    _ = try first.paste(0)
    first.process.signal(SIGKILL)
    _ = try first.process.finish(seconds: 20)
    let second = try DemoServer(folder, key: first.key)
    try second.waitUntilSent(1)
    #expect(try second.get("/v1/apps/demo/pushes/1").contains(#""targeted":2,"waiting":0,"in_flight":0,"accepted":2"#))
    second.process.signal(SIGTERM)
    #expect(try second.process.finish(seconds: 20).status == 0)
  }

  @Test("a second start keeps the key and settings of web push, and reaches the browser that was registered")
  func browserSurvives() throws {
    let folder = try TemporaryFolder()
    let first = try DemoServer(folder)
    #expect(try first.paste(3).contains(#""created":true"#))
    let shown = try JSON.parse(Array(first.get("/v1/apps/demo/credentials").utf8))["web"]
    var changed = try #require(shown?.object)
    for name in ["public_key", "earlier_keys", "updated_at", "gateway"] { changed[name] = nil }
    changed["declarative"] = true
    changed["url"] = "https://www.example.com/start"
    let settings = JSON.minifiedText(["web": .object(changed)])
    #expect(try first.post("/v1/apps/demo/credentials", settings).contains(#""declarative":true"#))
    first.process.signal(SIGTERM)
    #expect(try first.process.finish(seconds: 20).status == 0)

    let second = try DemoServer(folder, key: first.key)
    let kept = try JSON.parse(Array(second.get("/v1/apps/demo/credentials").utf8))["web"]
    #expect(kept?["public_key"] == shown?["public_key"] && kept?["public_key"] != nil)
    #expect(kept?["earlier_keys"] == [])
    #expect(kept?["declarative"]?.bool == true && kept?["url"]?.string == "https://www.example.com/start")
    let push = #"{"to":{"users":["carol"]},"message":{"title":"Still here","body":"After a second start"}}"#
    #expect(try second.post("/v1/apps/demo/pushes", push).contains(#""id":"1""#))
    try second.waitUntilSent(1)
    #expect(try second.get("/v1/apps/demo/pushes/1/deliveries").contains(#""type":"web","state":"accepted""#))
    #expect(try second.paste(4).contains("Still here"))
    second.process.signal(SIGTERM)
    #expect(try second.process.finish(seconds: 20).status == 0)
  }

  @Test("a port that is taken is named")
  func portTaken() throws {
    let folder = try TemporaryFolder()
    let first = try DemoServer(folder)
    let port = String(first.api.split(separator: ":").last ?? "")
    let second = try Postrider.run("serve", "--port", port, "--data", "\(folder.path)/other")
    #expect(second.status == 4)
    // Also no first key: it would be lost with the start that failed.
    #expect(
      second.errorText
        == "postrider: serve: cannot listen on 127.0.0.1 port \(port): the port is in use; stop the other program or "
        + "choose another port\n")
  }

  @Test("who is silent makes room when the connections that the options allow are open")
  func connectionLimits() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder, options: ["--max-connections", "3", "--max-connections-per-network", "2"])
    let port = UInt16(server.api.split(separator: ":").last ?? "") ?? 0
    let silent = try (0..<3).map { _ in try HTTPTestClient(port: port) }
    defer { withExtendedLifetime(silent) {} }
    let metrics = try server.get("/metrics")
    #expect(metrics.contains("\npostrider_http_connections_max 3\n"))
    #expect(try server.get("/v1/apps").contains(#""name":"demo""#))
    #expect(try !server.get("/metrics").contains("\npostrider_http_connections_evicted_total 0\n"))
  }

  @Test(
    "limits of connections that cannot be are refused",
    arguments: [
      (["--max-connections", "0"], "--max-connections"), (["--max-connections", "some"], "--max-connections"),
      (["--max-connections", "4", "--max-connections-per-network", "5"], "--max-connections-per-network"),
    ])
  func badConnectionLimits(_ options: [String], _ named: String) throws {
    let folder = try TemporaryFolder()
    let result = try Subprocess.run(
      Postrider.path, ["serve", "--port", "0", "--data", "\(folder.path)/data"] + options)
    #expect(result.status == 2)
    #expect(result.errorText.contains("\(named) takes"), "\(result.errorText)")
    #expect(access("\(folder.path)/data", F_OK) != 0)
  }

  @Test("a data folder that another server holds is refused")
  func folderTaken() throws {
    let folder = try TemporaryFolder()
    let first = try DemoServer(folder)
    let second = try Postrider.run("serve", "--port", "0", "--data", "\(folder.path)/data")
    #expect(second.status == 3, "\(second.errorText)")
    #expect(second.outputText == "")
    _ = first
  }
}
