import Glibc
import TestSupport
import Testing
import WireJSON

/// Virtual phones that report to the real server what their apps would, worked by the command line and by the API.
@Suite("Phones and the server", .serialized)
struct PhoneReportTests {
  private static let iPhone = String(repeating: "00ff", count: 16)
  private static let android = "android-1:APA91b" + String(repeating: "Phone", count: 8)
  private static let message: JSONValue = [
    "headings": ["en": "Your parcel"], "contents": ["en": "It is here."], "url": "https://shop.example/p/7",
    "data": ["parcel": "7"], "buttons": [["id": "later", "text": "Later"], ["id": "map", "text": "Map"]],
  ]

  /// A server with one app, two phones behind its emulator, and the way a test reaches them.
  private struct Lab {
    let folder: TemporaryFolder
    let server: DemoServer
    var console: Console
    /// The emulator's plain port.
    let emulator: String

    init() throws {
      folder = try TemporaryFolder()
      server = try DemoServer(folder)
      console = try Console(server)
      console.environment["POSTRIDER_EMULATOR_TOKEN"] = server.token
      emulator = String(
        server.control.prefix(upTo: try #require(server.control.ranges(of: "/control").first).lowerBound))
      for token in [iPhone, android] {
        let type = token == iPhone ? "ios" : "android"
        _ = try console.text("devices register \(token) --type \(type) --user carol --locale de")
      }
    }

    /// `postrider phone …`, whose answer is JSON.
    func phone(_ line: String) throws -> JSONValue {
      let result = try console.run("phone \(line) --emulator \(emulator)")
      #expect(result.status == 0, "phone \(line): \(result.errorText)")
      return result.output.isEmpty ? .null : try JSON.parse(result.output)
    }

    /// Sends both phones a message; the push's id, when it is over.
    func send(_ message: JSONValue = PhoneReportTests.message) throws -> Int {
      let body: JSONValue = ["contract": "onesignal", "to": ["users": ["carol"]], "message": message]
      let answer = try JSON.parse(server.post("/v1/apps/demo/pushes", JSON.minifiedText(body)))
      let id = try #require(answer["id"]?.string.flatMap { Int($0) }, "\(answer)")
      try server.waitUntilSent(id)
      return id
    }

    func funnel(_ push: Int) throws -> JSONValue { try JSON.parse(server.get("/v1/apps/demo/pushes/\(push)/funnel")) }

    /// Waits until a count of the funnel stands so, at most two minutes.
    func wait(for name: String, of push: Int, toBe count: Int) throws {
      for _ in 0..<1200 {
        if try funnel(push)[name]?.int == count { return }
        usleep(100_000)
      }
      Issue.record("\(name) of push \(push) is not \(count) within two minutes: \(try funnel(push))")
    }
  }

  /// The notifications of a phone's answer, newest first.
  private static func items(_ phone: JSONValue) -> [JSONValue] {
    (phone["tray"]?["groups"]?.array ?? []).flatMap { $0["items"]?.array ?? [] }
  }

  private static func titles(_ phone: JSONValue) -> [String?] {
    items(phone).map { $0["notification"]?["title"]?["text"]?.string }
  }

  private static let recorded: JSONValue = [
    "status": 200,
    "answer": ["counts": ["recorded": 1, "duplicate": 0, "late": 0, "unknown": 0], "results": ["recorded"]],
  ]

  @Test("by the command line: arrivals, a tap and a pressed button stand in the push's funnel")
  func commandLine() throws {
    var lab = try Lab()
    let key = try #require(lab.console.json("keys create phones --scope client --app demo")["key"]?.string)
    lab.console.environment["POSTRIDER_CLIENT_KEY"] = key
    let report = "--server \(lab.server.api) --app demo"
    _ = try lab.phone("make \(Self.iPhone) --platform ios --locale de --contract onesignal \(report)")
    _ = try lab.phone("make \(Self.android) --platform android --contract onesignal \(report)")
    let push = try lab.send()
    // Code of the app runs on both: a service extension for mutable-content, a data message on Android.
    try lab.wait(for: "received", of: push, toBe: 2)
    #expect(try lab.phone("show \(Self.iPhone)")["reports"] == ["told": 1, "unknown": 0, "failed": 0])

    let first = try #require(Self.items(lab.phone("show \(Self.iPhone)")).first)
    let tap = try lab.phone("tap \(Self.iPhone) \(first["item"]?.int ?? 0)")
    #expect(tap["type"] == "opened" && tap["link"] == "https://shop.example/p/7" && tap["data"] == ["parcel": "7"])
    #expect(tap["reported"] == Self.recorded)
    let other = try #require(Self.items(lab.phone("show \(Self.android)")).first)
    let press = try lab.phone("press \(Self.android) \(other["item"]?.int ?? 0) map")
    #expect(press["type"] == "action" && press["action"] == "map" && press["reported"] == Self.recorded)

    let funnel = try lab.funnel(push)
    #expect(
      ["targeted", "accepted", "received", "opened", "action"].map { funnel[$0]?.int } == [2, 2, 2, 2, 1], "\(funnel)")
    #expect(funnel["actions"] == [["action": "map", "count": 1]])
    let rows = try lab.console.json("deliveries list \(push)")["deliveries"]?.array ?? []
    #expect(rows.allSatisfy { $0["received_at"] != nil && $0["opened_at"] != nil }, "\(rows)")
    #expect(rows.last?["actions"] == ["map"])
  }

  @Test("by the API: a phone away is given the last one kept, and a person works it")
  func api() throws {
    let lab = try Lab()
    let key = try #require(lab.console.json("keys create phones --scope client --app demo")["key"]?.string)
    let device = "/lab/devices/apns/\(Self.iPhone)"
    let phone: JSONValue = [
      "locales": ["de"], "contract": "onesignal",
      "report": ["url": .string(lab.server.api), "app": "demo", "key": .string(key)],
    ]
    let made = try JSON.parse(
      lab.server.post(
        "/lab/devices",
        JSON.minifiedText(["provider": "apns", "token": .string(Self.iPhone), "phone": phone])))
    #expect(made["token"] == .string(Self.iPhone))

    let kept = ["One", "Two", "Three"]
    #expect(try JSON.parse(lab.server.post("\(device)/phone/offline", "{}"))["online"] == false)
    var pushes: [Int] = []
    for title in kept { pushes.append(try lab.send(Self.titled(title))) }
    let away = try JSON.parse(lab.server.get("\(device)/phone"))
    #expect(Self.titles(away) == [] && away["held"] == 1)
    // APNs took all three; what was not kept never arrives.
    #expect(try pushes.map { try lab.funnel($0)["accepted"]?.int } == [2, 2, 2])
    let back = try JSON.parse(lab.server.post("\(device)/phone/online", "{}"))
    #expect(Self.titles(back) == ["Three"] && back["held"] == 0)
    try lab.wait(for: "received", of: pushes[2], toBe: 1)
    #expect(try pushes.prefix(2).map { try lab.funnel($0)["received"]?.int } == [0, 0])

    let item = Self.items(back).first?["item"]?.int ?? 0
    let press = try JSON.parse(lab.server.post("\(device)/phone/items/\(item)/press", #"{"button":"later"}"#))
    #expect(press["type"] == "action" && press["reported"] == Self.recorded)
    #expect(try lab.funnel(pushes[2])["actions"] == [["action": "later", "count": 1]])
    // What a person takes away is no report.
    _ = try lab.send(Self.titled("Four"))
    let four = Self.items(try JSON.parse(lab.server.get("\(device)/phone"))).first?["item"]?.int ?? 0
    #expect(try lab.server.post("\(device)/phone/items/\(four)/dismiss", "") == "")
    let fifth = try lab.send(Self.titled("Five"))
    #expect(try JSON.parse(lab.server.post("\(device)/phone/clear", ""))["tray"]?["count"] == 0)
    #expect(try lab.funnel(fifth)["opened"] == 0)
  }

  @Test("by the command line: a phone goes away and comes back to the last of each key; dismissed, cleared, restarted")
  func comesBack() throws {
    let lab = try Lab()
    _ = try lab.phone("make \(Self.android) --platform android --contract onesignal")
    #expect(try lab.phone("offline \(Self.android)")["online"] == false)
    for (title, key) in [("One", "a"), ("Two", "b"), ("Three", "a")] { _ = try lab.send(Self.titled(title, key)) }
    #expect(try lab.phone("show \(Self.android)")["held"] == 2)
    let back = try lab.phone("online \(Self.android)")
    #expect(Self.titles(back) == ["Three", "Two"])
    #expect(try lab.phone("dismiss \(Self.android) \(Self.items(back).first?["item"]?.int ?? 0)") == .null)
    #expect(try Self.titles(lab.phone("show \(Self.android)")) == ["Two"])
    // OneSignal's library puts back what stood before the restart.
    let restarted = try lab.phone("restart \(Self.android)")
    #expect(Self.items(restarted).map { $0["restored"] } == [true])
    #expect(try lab.phone("clear \(Self.android)")["tray"]?["count"] == 0)
    let listed = try lab.phone("list").array ?? []
    #expect(listed.contains { $0["token"] == .string(Self.android) }, "\(listed)")
  }

  private static func titled(_ title: String, _ key: String? = nil) -> JSONValue {
    var message = message.object ?? [:]
    message["headings"] = ["en": .string(title)]
    if let key { message["collapse_id"] = .string(key) }
    return .object(message)
  }
}
