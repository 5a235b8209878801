import PushContracts
import PushPayload
import Testing
import WireJSON

@testable import DevicePreview

/// Live Activities of a phone: what each push and time itself make of them.
@Suite struct LiveScreenTests {
  private static let start: JSONValue = [
    "timestamp": 100, "event": "start", "attributes-type": "Order", "attributes": ["id": "order-17"],
    "content-state": ["minutes": 25], "alert": ["title": "T"], "input-push-token": 1,
  ]

  private static func push(
    _ aps: JSONValue, to address: LiveActivity.Address = .token("app"), alert: String? = nil
  ) -> LiveScreen.Push {
    let shown = alert ?? aps["alert"]?["title"]?.string
    return LiveScreen.Push(
      aps: aps, alert: shown.map { LiveActivity.Alert(title: $0, body: nil) }, id: "p", address: address)
  }

  private static func change(
    _ event: String, _ timestamp: Int, _ more: JSONObject = ["content-state": ["minutes": 5]]
  ) -> JSONValue {
    var aps = more
    aps["timestamp"] = .number(JSONNumber(timestamp))
    aps["event"] = .string(event)
    return .object(aps)
  }

  private func started(_ aps: JSONValue = start, now: Int64 = 100) -> LiveScreen {
    var screen = LiveScreen()
    _ = screen.receive(Self.push(aps), now: Int(now)) { "own-\($0)" }
    return screen
  }

  private static let own = LiveActivity.Address.token("own-1")

  @Test("A start makes an activity with a token of its own, an update changes it, and an end leaves it for four hours")
  func life() throws {
    var screen = started()
    var one = try #require(screen.activities.first)
    #expect(one.address == Self.own && one.type == "Order" && one.state == .active && one.alert?.title == "T")
    let changed = screen.receive(Self.push(Self.change("update", 110), to: Self.own), now: 110) { "\($0)" }
    #expect(changed.map(\.kind) == [.changed])
    one = try #require(screen.activities.first)
    #expect(one.contentState == ["minutes": 5] && one.updateCount == 1 && one.attributes == ["id": "order-17"])
    let ended = screen.receive(Self.push(Self.change("end", 120, [:]), to: Self.own), now: 120) { "\($0)" }
    #expect(ended.map(\.kind) == [.removed])
    one = try #require(screen.activities.first)
    #expect(one.state == .ended && one.contentState == ["minutes": 5] && one.leavesTime == 120 + 14_400)
    #expect(screen.advance(to: 120 + 14_399).isEmpty)
    #expect(screen.advance(to: 120 + 14_400).map(\.kind) == [.removed])
    #expect(screen.activities.isEmpty && screen.left == [Self.own])
    let late = screen.receive(Self.push(Self.change("update", 130), to: Self.own), now: 20_000) { "\($0)" }
    #expect(late.map(\.kind) == [.silent] && screen.activities.isEmpty)
  }

  /// The push, and a word of why nothing changes.
  private static let ignored: [(aps: JSONValue, address: LiveActivity.Address, word: String)] = [
    (change("update", 99), own, "newer"),
    (change("update", 110, [:]), own, "content-state"),
    (["event": "update", "content-state": [:]], own, "timestamp"),
    (change("pause", 110), own, "start, update and end"),
    (change("update", 110), .channel("other"), "listens"),
    (["timestamp": 100, "event": "start", "alert": ["title": "T"]], .token("app"), "attributes-type"),
    (
      ["timestamp": 100, "event": "start", "attributes-type": "O", "attributes": [:], "content-state": [:]],
      .token("app"), "alert"
    ),
  ]

  @Test("What a phone does nothing with leaves the screen as it is, and says why", arguments: ignored.indices)
  func nothing(index: Int) throws {
    let (aps, address, word) = Self.ignored[index]
    var screen = started()
    let before = screen.json
    let changes = screen.receive(Self.push(aps, to: address), now: 110) { "\($0)" }
    #expect(changes.map(\.kind) == [.silent] && changes[0].reason?.contains(word) == true, "\(changes)")
    #expect(screen.json == before)
  }

  @Test("Content of the same second is shown, because only what is older is ignored") func sameSecond() {
    var screen = started()
    _ = screen.receive(Self.push(Self.change("update", 100), to: Self.own), now: 100) { "\($0)" }
    #expect(screen.activities.first?.contentState == ["minutes": 5])
  }

  @Test("Content gets stale at its time, an update makes it fresh, and after eight hours the system ends it")
  func time() {
    var aps = Self.start.object ?? [:]
    aps["stale-date"] = 200
    var screen = started(.object(aps))
    #expect(screen.advance(to: 199).isEmpty && screen.activities[0].state == .active)
    #expect(screen.advance(to: 200).map(\.kind) == [.changed] && screen.activities[0].state == .stale)
    _ = screen.receive(Self.push(Self.change("update", 210), to: Self.own), now: 210) { "\($0)" }
    #expect(screen.activities[0].state == .active && screen.activities[0].staleDate == nil)
    #expect(screen.advance(to: 100 + 28_800).map(\.kind) == [.changed] && screen.activities[0].state == .ended)
    _ = screen.advance(to: 100 + 28_800 + 14_400)
    #expect(screen.activities.isEmpty)
  }

  @Test(
    "A dismissal date in the past takes it away at once, a later one than four hours counts as four",
    arguments: [(50, 0), (300, 300), (1_000_000, 110 + 14_400)])
  func dismissal(date: Int, leaves: Int) {
    var screen = started()
    let aps = Self.change("end", 110, ["dismissal-date": .number(JSONNumber(date))])
    _ = screen.receive(Self.push(aps, to: Self.own), now: 110) { "\($0)" }
    #expect(screen.activities.first?.leavesTime.map { Int($0) } ?? 0 == leaves)
  }

  @Test("A start for a channel is changed by its broadcasts alone") func channel() {
    var aps = Self.start.object ?? [:]
    aps.removeValue(forKey: "input-push-token")
    aps["input-push-channel"] = "Y2g="
    var screen = started(.object(aps))
    _ = screen.receive(Self.push(Self.change("update", 110), to: .token("own-1")), now: 110) { "\($0)" }
    #expect(screen.activities.first { $0.address == .channel("Y2g=") }?.contentState == ["minutes": 25])
    _ = screen.receive(Self.push(Self.change("update", 111), to: .channel("Y2g=")), now: 111) { "\($0)" }
    #expect(screen.activities.first { $0.address == .channel("Y2g=") }?.contentState == ["minutes": 5])
  }

  @Test("A token that the app got for an activity of its own is known by its first push") func startedByTheApp() {
    var screen = LiveScreen()
    _ = screen.receive(Self.push(Self.change("update", 110), to: .token("aa")), now: 110) { "\($0)" }
    #expect(screen.activities.map(\.address) == [.token("aa")] && screen.activities[0].type == nil)
    #expect(screen.activities[0].contentState == ["minutes": 5])
  }

  @Test("A phone holds so many activities and no more, the most relevant first") func bound() {
    var screen = LiveScreen()
    for index in 0...LiveScreen.activitiesMax {
      var aps = Self.start.object ?? [:]
      aps["relevance-score"] = .number(JSONNumber(index == 3 ? 100 : 1))
      let changes = screen.receive(Self.push(.object(aps)), now: 100) { "own-\($0)" }
      #expect(changes.last?.kind == (index < LiveScreen.activitiesMax ? .shown : .silent))
    }
    #expect(screen.activities.count == LiveScreen.activitiesMax && screen.sorted.first?.id == 4)
    #expect(screen.dismiss(4) && !screen.dismiss(4) && screen.sorted.first?.id == LiveScreen.activitiesMax)
  }

  @Test("The picture has the content's values above the notifications, and nothing in it is markup") func picture()
    throws
  {
    let hostile = #"</text><script>alert(1)</script>"&<!--"# + "\u{202E}\u{0}"
    var aps = Self.start.object ?? [:]
    aps["content-state"] = [
      "home": 2, hostile: .string(hostile), "nested": ["a": [1, .null]],
      "long": .string(String(repeating: "x", count: 9_000)),
    ]
    aps["attributes-type"] = .string(hostile)
    var screen = LiveScreen()
    _ = screen.receive(Self.push(.object(aps), alert: hostile), now: 100) { "own-\($0)" }
    var tray = Tray(platform: .ios, device: PreviewDevice(locales: ["en"], appName: "Shop", tables: nil))
    let empty = tray.svg()
    #expect(tray.svg(.light, live: LiveScreen()) == empty)
    _ = tray.receive(
      PreviewPush(platform: .ios, payload: ["aps": ["alert": ["title": "Below"]]], contract: .native), now: 100)
    for appearance in Appearance.allCases {
      let svg = tray.svg(appearance, live: screen)
      #expect(InertPicture.fault(in: svg) == nil)
      #expect(!svg.contains("<script") && svg.contains(">home<") && svg.contains(">active<"))
      let (above, below) = (svg.firstRange(of: ">home<"), svg.firstRange(of: ">Below<"))
      #expect(try #require(above).lowerBound < #require(below).lowerBound)
    }
  }
}
