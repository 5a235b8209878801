import DevicePreview
import PushContracts
import PushPayload
import Testing
import WireJSON

@Suite("Tray")
struct TrayTests {
  private static func alert(
    _ title: String, thread: String? = nil, badge: Int? = nil, collapse: String? = nil
  ) -> PreviewPush {
    var aps: JSONObject = ["alert": ["title": .string(title)]]
    if let thread { aps.append("thread-id", .string(thread)) }
    if let badge { aps.append("badge", .number(JSONNumber(badge))) }
    return PreviewPush(
      platform: .ios, payload: ["aps": .object(aps)], contract: .native, collapseID: collapse)
  }

  private static func data(_ members: JSONObject, contract: String) -> PreviewPush {
    PreviewPush(
      platform: .android, payload: ["message": ["data": .object(members)]], contract: .init(rawValue: contract))
  }

  private static func oneSignal(_ id: String, _ alert: String, _ more: JSONObject = [:]) -> PreviewPush {
    var members: JSONObject = ["custom": .string(#"{"i":"\#(id)"}"#), "alert": .string(alert)]
    for (key, value) in more { members[key] = value }
    return data(members, contract: "onesignal")
  }

  private static func titles(_ tray: Tray) -> [String?] { tray.items.map { $0.notification.title?.text } }

  @Test("a collapse id replaces, and what replaces stands in front")
  func replacement() {
    var tray = Tray(platform: .ios)
    let result1 = tray.receive(Self.alert("1", collapse: "a"), now: 0)
    #expect(result1 == TrayChange(.shown, item: 1))
    let result2 = tray.receive(Self.alert("2"), now: 1)
    #expect(result2 == TrayChange(.shown, item: 2))
    let change = tray.receive(Self.alert("3", collapse: "a"), now: 2)
    #expect(change == TrayChange(.replaced, item: 3, reason: "it replaced 1"))
    #expect(Self.titles(tray) == ["2", "3"])
    #expect(tray[3]?.replacedCount == 1)
  }

  @Test("threads are stacked, the newest first")
  func stacks() {
    var tray = Tray(platform: .ios)
    for (title, thread) in [("1", "a"), ("2", nil), ("3", "a"), ("4", nil), ("5", "b")] {
      _ = tray.receive(Self.alert(title, thread: thread), now: 0)
    }
    let groups = tray.groups.map { group in
      "\(group.key ?? "-"): " + group.items.map { $0.notification.title?.text ?? "" }.joined(separator: " ")
        + (group.summary.map { " (\($0))" } ?? "")
    }
    #expect(groups == ["b: 5", "-: 4 2 (1 more)", "a: 3 1 (1 more)"])
  }

  @Test("Android stacks by group key with the sender's text, and the rest from the fourth on")
  func summaries() {
    var tray = Tray(platform: .android)
    for number in 1...3 { _ = tray.receive(Self.oneSignal("n\(number)", "x"), now: 0) }
    #expect(tray.groups.map(\.isStacked) == [false])
    _ = tray.receive(Self.oneSignal("n4", "x"), now: 0)
    #expect(tray.groups.map(\.summary) == ["4 notifications"])
    for number in 5...6 {
      let group: JSONObject = ["grp": "chat", "grp_msg": "$[notif_count] new messages"]
      _ = tray.receive(Self.oneSignal("n\(number)", "x", group), now: 0)
    }
    #expect(tray.groups.map(\.summary) == ["2 new messages", "4 notifications"])
  }

  @Test("the number on an iPhone's icon follows the pushes, silent ones too")
  func badges() {
    var tray = Tray(platform: .ios)
    var numbers: [Int] = []
    let increment = { (step: Int) -> PreviewPush in
      let custom: JSONValue = ["i": "n", "badge_inc": .number(JSONNumber(step))]
      return PreviewPush(
        platform: .ios, payload: ["aps": ["alert": "x", "mutable-content": 1], "custom": custom], contract: .onesignal)
    }
    let silent = PreviewPush(platform: .ios, payload: ["aps": ["badge": 9]], contract: .native)
    for push in [Self.alert("1", badge: 3), Self.alert("2"), increment(2), increment(-9), silent] {
      _ = tray.receive(push, now: 0)
      numbers.append(tray.badge)
    }
    #expect(numbers == [3, 3, 5, 0, 9])
    tray.clear()
    #expect(tray.badge == 9)
  }

  @Test("an Android launcher counts what stands")
  func androidBadge() {
    var tray = Tray(platform: .android)
    let push = { (title: String, count: Int?) -> PreviewPush in
      var block: JSONObject = ["title": .string(title)]
      if let count { block.append("notification_count", .number(JSONNumber(count))) }
      return PreviewPush(
        platform: .android, payload: ["message": ["android": ["notification": .object(block)]]], contract: .native)
    }
    _ = tray.receive(push("a", 4), now: 0)
    _ = tray.receive(push("b", nil), now: 0)
    #expect(tray.badge == 5)
    let result3 = tray.dismiss(1)
    #expect(result3)
    #expect(tray.badge == 1)
  }

  @Test("OneSignal shows each id once, and nothing that is too old")
  func oneSignalFilters() {
    var tray = Tray(platform: .android)
    let old: JSONObject = ["google.sent_time": "1000000", "google.ttl": "60"]
    let result4 = tray.receive(Self.oneSignal("a", "x"), now: 2000)
    #expect(result4.kind == .shown)
    let result5 = tray.receive(Self.oneSignal("a", "y"), now: 2000)
    #expect(result5.kind == .duplicate)
    let result6 = tray.receive(Self.oneSignal("b", "x", old), now: 1059)
    #expect(result6.kind == .shown)
    // The SDK shows what is sent at 1000 for 60 seconds while it is before 1060.
    let result7 = tray.receive(Self.oneSignal("c", "x", old), now: 1060)
    #expect(result7.kind == .expired)
    var received: JSONObject = ["custom": #"{"i":"e"}"#, "alert": "x"]
    for (name, value) in old { received[name] = value }
    let flat = PreviewPush(platform: .android, payload: .object(received), contract: .onesignal)
    #expect(tray.receive(flat, now: 1060).kind == .expired)
    #expect(tray.receive(flat, now: 1059).kind == .shown)
    let result8 = tray.receive(Self.oneSignal("d", ""), now: 2000)
    #expect(result8.kind == .silent)
  }

  @Test("a restart restores OneSignal's notifications that are still worth it, and no others")
  func restart() {
    var tray = Tray(platform: .android)
    let block: JSONValue = ["message": ["notification": ["title": "plain"]]]
    _ = tray.receive(PreviewPush(platform: .android, payload: block, contract: .native), now: 1000)
    _ = tray.receive(
      Self.oneSignal("a", "short", ["google.sent_time": "1000000", "google.ttl": "60"]), now: 1000)
    _ = tray.receive(Self.oneSignal("b", "long"), now: 1000)
    // In the second in which its time ends it is not shown again.
    let result9 = tray.restart(now: 1060)
    #expect(result9 == [TrayChange(.restored, item: 4)])
    #expect(tray.items.map { $0.notification.body?.text } == ["long"])
    #expect(tray.items.map(\.isRestored) == [true])
  }

  private static let adobe: JSONObject = [
    "adb_version": "1", "adb_template_type": "basic", "adb_title": "T", "adb_body": "B", "adb_uri": "app://x",
    "adb_a_type": "DEEPLINK", "adb_rem_txt": "Later", "adb_rem_ts": "500",
    "adb_act": #"[{"label":"Go","uri":"https://a.example","type":"WEBURL"},{"label":"No","type":"DISMISS"}]"#,
  ]

  @Test("“remind later” takes the notification away and brings it back when it is due")
  func reminder() throws {
    var tray = Tray(platform: .android)
    _ = tray.receive(Self.data(Self.adobe, contract: "adobe"), now: 100)
    let pressed = tray.press("remind-later", on: 1, now: 200)
    let tap = try #require(pressed)
    #expect(tap.effect == .remindLater)
    #expect(tray.items.isEmpty)
    #expect(tray.reminders.map(\.due) == [500])
    let result10 = tray.advance(to: 499)
    #expect(result10 == [])
    let result11 = tray.advance(to: 501)
    #expect(result11 == [TrayChange(.shown, item: 2)])
    #expect(tray.items.map(\.shownTime) == [500])
    // Now it is due already: the library takes it away for good.
    _ = tray.press("remind-later", on: 2, now: 600)
    #expect(tray.reminders.isEmpty)
    #expect(tray.items.isEmpty)
  }

  @Test("a tap and the buttons of Adobe's template do what their kinds say")
  func adobeTaps() throws {
    var taps: [String] = []
    for button in [nil, "Go", "No"] {
      var tray = Tray(platform: .android)
      _ = tray.receive(Self.data(Self.adobe, contract: "adobe"), id: "m1", now: 0)
      let done: TrayTap?
      if let button { done = tray.press(button, on: 1, now: 0) } else { done = tray.tap(1, now: 0) }
      let tap = try #require(done)
      taps.append("\(tap.type) \(tap.effect.rawValue) \(tap.link ?? "-") \(tap.pushID ?? "")")
    }
    #expect(taps == ["opened deep-link app://x m1", "action web https://a.example m1", "action dismiss - m1"])
  }

  @Test("a sticky notification survives a tap")
  func sticky() {
    var members = Self.adobe
    members["adb_sticky"] = "true"
    var tray = Tray(platform: .android)
    _ = tray.receive(Self.data(members, contract: "adobe"), now: 0)
    let result12 = tray.tap(1, now: 0)
    #expect(result12?.stays == true)
    #expect(tray.items.count == 1)
    let result13 = tray.press("No", on: 1, now: 0)
    #expect(result13?.stays == false)
    #expect(tray.items.isEmpty)
  }

  @Test("a full tray lets the oldest go")
  func limit() {
    var tray = Tray(platform: .ios)
    let push = Self.alert("x")
    for _ in 0...Tray.itemsMax { _ = tray.receive(push, now: 0) }
    #expect(tray.items.count == Tray.itemsMax)
    #expect(tray.items.first?.id == 2)
  }
}

@Suite("Held pushes")
struct HeldPushesTests {
  @Test("APNs keeps the last of each app")
  func apns() {
    var held = HeldPushes<String>(platform: .ios)
    let result14 = held.hold("1", key: "a", lifetime: nil, now: 0)
    #expect(result14 == .held)
    let result15 = held.hold("2", key: "b", lifetime: nil, now: 0)
    #expect(result15 == .held)
    let result16 = held.hold("3", key: "a", lifetime: 10, now: 0)
    #expect(result16 == .replaced)
    let result17 = held.hold("4", key: "a", lifetime: 0, now: 0)
    #expect(result17 == .dropped)
    let result18 = held.release(now: 5)
    #expect(result18 == ["2", "3"])
    #expect(held.count == 0)
  }

  @Test("what expires is gone")
  func expiry() {
    var held = HeldPushes<String>(platform: .ios)
    _ = held.hold("1", key: "a", lifetime: 10, now: 0)
    let result19 = held.release(now: 10)
    #expect(result19 == [])
  }

  @Test("FCM keeps four collapse keys, and forgets everything without one at the hundred and first")
  func fcm() {
    var held = HeldPushes<String>(platform: .android)
    for key in 1...5 { _ = held.hold("k\(key)", key: "\(key)", lifetime: nil, now: 0) }
    for number in 1...100 {
      let result20 = held.hold("p\(number)", key: nil, lifetime: nil, now: 0)
      #expect(result20 == .held)
    }
    #expect(held.count == 104)
    let result21 = held.hold("p101", key: nil, lifetime: nil, now: 0)
    #expect(result21 == .overflowed)
    #expect(held.hasForgotten)
    let result22 = held.release(now: 0)
    #expect(result22 == ["k2", "k3", "k4", "k5"])
  }
}
