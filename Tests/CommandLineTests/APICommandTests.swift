import Glibc
import TestSupport
import Testing
import WireJSON

/// The real program against a real server on loopback, with virtual phones behind it.
@Suite("Commands over the API", .serialized)
struct APICommandTests {
  private static let iPhone = "00a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4e5f601"

  @Test("apps, devices and users: made, shown, changed, listed, deleted")
  func records() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    #expect(
      try console.text("apps list") == """
        name\ttitle\tcontract\tcreated_at\tstopped
        demo\tDemo\tamba\tTIME\t

        """)
    #expect(
      try console.text("apps create shop --contract native --title", "The shop")
        == "name\tshop\ntitle\tThe shop\ncontract\tnative\nundo_seconds\t30\ncreated_at\tTIME\n")
    #expect(try console.json("apps show shop")["title"] == "The shop")
    #expect(try console.json("apps update shop --contract imkit --option ios-voip")["options"] == ["ios-voip"])
    #expect(try console.json("apps overview demo")["ledger"]?["balanced"] == true)
    #expect(try console.json("apps credentials demo")["apns"]?["topic"] == "com.example.demo")

    let token = String(repeating: "ab", count: 32)
    #expect(
      try console.text(
        "devices register \(token) --type ios --user carol --locale de-AT --tag vip --property level:=3 --property",
        "a=b=c")
        == "id\t3\ncreated\tyes\n")
    #expect(
      try console.text("devices list --user carol")
        == "id\ttype\tuser\tstate\tlocale\tapp_version\tregistered_at\ttoken\n3\tios\tcarol\tactive\tde-AT\t\tTIME\t\(token)\n"
    )
    let device = try console.json("devices update 3 --app-version 2.1 --property level:=null --opt-out true")
    #expect(device["app_version"] == "2.1" && device["opt_out"] == true && device["properties"] == ["a": "b=c"])
    #expect(try console.json("devices show 3")["tags"] == ["vip"])

    _ = try console.text("users update carol --email carol@example.com --phone 1 --display-name", "Carol C.")
    let user = try console.json("users update carol --phone", "")
    #expect(user["email"] == "carol@example.com" && user["display_name"] == "Carol C." && user["phone"] == nil)
    #expect(try console.json("users show carol")["devices"]?.array?.count == 1)
    #expect(
      try console.json("users list")["users"]?.array?.compactMap { $0["user"]?.string } == ["alice", "bob", "carol"])
    #expect(try console.json("users delete carol")["left"] == 0)
    #expect(try console.run("users show carol").status == 1)
    #expect(try console.text("devices delete 2") == "")
    #expect(try console.json("devices delete 1") == [:])
  }

  @Test("a push from its making to its deliveries, and what is said of it")
  func pushes() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let sent = try console.json(
      "push send --all --body You --data screen=home --data n:=42 --campaign c-1 --watch --timeout 120 --title",
      "Hi there")
    #expect(sent["status"] == "sent" && sent["counts"]?["accepted"] == 2 && sent["campaign"] == "c-1")
    let received = try Subprocess.run("curl", ["-s", "\(server.control)"], seconds: 60).outputText
    #expect(received.contains("Hi there") && received.contains("\"n\":\"42\""), "\(received)")
    #expect(
      try console.text("push list") == """
        number\tid\tcampaign\ttitle\tstate\ttargeted\taccepted\trejected\topened\tstart_at
        1\t1\tc-1\tHi there\tsent\t2\t2\t0\t0\tTIME

        """)
    #expect(
      try console.text("deliveries list 1 --provider apns")
        == "id\tuser\ttype\tstate\treason\tmeaning\tattempts\tat\n1\talice\tios\taccepted\t\t\t1\tTIME\n")
    #expect(try console.json("deliveries find --user bob")["deliveries"]?.array?.map { $0["push"] } == ["1"])
    #expect(try console.json("push funnel 1")["accepted"] == 2)
    #expect(try console.json("push series 1 --step day")["points"]?.array?.count == 1)
    #expect(try console.json("apps series demo")["points"]?.array?.first?["accepted"] == 2)

    let lines = try console.run("deliveries export 1").outputText
    #expect(lines.split(separator: "\n").count == 2 && lines.hasPrefix(#"{"id":"1","push":"1""#), "\(lines)")
    let file = "\(folder.path)/deliveries.csv"
    _ = try console.text("deliveries export 1 --state accepted --output", file)
    let table = String(decoding: try Files.read(file), as: UTF8.self)
    #expect(table.hasPrefix("id,push,device,user,") && table.split(separator: "\r\n").count == 3, "\(table)")
    #expect(try Files.list(folder.path) == ["data", "deliveries.csv"])

    let checked = try console.json("push check --all --title T --body B")
    #expect(checked["total"] == 2 && checked["over"] == 0)
    let tested = try console.json("push test --user alice --title T --body B --watch")
    #expect(tested["counts"]?["targeted"] == 1 && tested["campaign"] == nil)
  }

  @Test("a campaign: draft, changed, scheduled, taken back, sent, sent again, cancelled, deleted")
  func campaigns() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let request = #"{"message":{"title":"File","body":"Text","data":{"from_file":"1"}},"to":{"users":["alice"]}}"#
    #expect(
      try console.json("campaign create win-1 - --title Option --data screen=home", input: request)["id"] == "1")
    let draft = try console.json("campaign show 1")
    #expect(draft["status"] == "draft" && draft["campaign"] == "win-1")
    #expect(
      draft["request"]?["message"]
        == ["title": "Option", "body": "Text", "data": ["from_file": "1", "screen": "home"]])
    let update = try console.json("campaign update 1 --user alice --user bob --title Both --body Two")
    #expect(update["request"]?["to"] == ["users": ["alice", "bob"]])
    #expect(try console.json("campaign schedule 1 --at 2030-01-01T00:00:00Z")["status"] == "scheduled")
    #expect(try console.json("campaign unschedule 1")["status"] == "draft")
    let watched = try console.run("campaign watch 1")
    #expect(watched.status == 1 && watched.errorText.contains("the push is a draft"), "\(watched.errorText)")
    let sent = try console.json("campaign send 1 --watch --timeout 120")
    #expect(sent["status"] == "sent" && sent["counts"]?["accepted"] == 2)
    #expect(try console.json("campaign resend 1 --watch --timeout 120")["counts"]?["accepted"] == 2)
    _ = try console.text("push send --user alice --title None --body None --watch")
    #expect(try console.json("campaign list")["campaigns"] == nil)
    let campaigns = try console.json("campaign list --limit 1")
    #expect(campaigns["pushes"]?.array?.compactMap { $0["campaign"]?.string } == ["win-1"])
    let next = try #require(campaigns["next"]?.string)
    #expect(try console.json("campaign list --cursor \(next)")["pushes"]?.array?.map { $0["id"] } == ["1"])

    // One send a minute to two devices: it is over in time only because it is cancelled.
    let slow = try console.json("push send --all --throttle 1 --title Slow --body Lane")["id"]?.string ?? ""
    let late = try console.run("push watch \(slow) --timeout 1")
    #expect(late.status == 4 && late.errorText.contains("is not finished after 1 s"), "\(late.errorText)")
    #expect(try console.json("push pause \(slow)")["state"] == "paused")
    #expect(try console.json("push resume \(slow)")["state"] != "paused")
    let held = try console.json("push send --all --throttle 1 --title Held --body Lane")["id"]?.string ?? ""
    _ = try console.text("push pause \(held)")
    let cancelled = try console.json("push cancel \(held)")
    #expect(cancelled["status"] == "cancelled" && cancelled["stopped"] == cancelled["counts"]?["cancelled"])
    #expect(cancelled["not_stopped"] != nil)
    #expect(try console.run("push watch \(held) --timeout 120").status == 1)
    let draftToo = try console.json("campaign create win-2 --all --title A --body B")["id"]?.string ?? ""
    _ = try console.text("campaign delete \(draftToo)")
    #expect(try console.run("campaign show \(draftToo)").status == 1)
  }

  @Test("whom a push would reach, pushes that wait for one user, and reports of devices")
  func audienceAppointmentsAndEvents() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    #expect(try console.json("push audience --all")["total"] == 2)
    #expect(try console.json("push audience --user alice")["devices"]?["ios"] == 1)
    let request =
      #"{"message":{"title":"T","body":"B"},"to":{"filter":{"field":"platform","op":"eq","value":"android"}}}"#
    #expect(try console.json("push audience -", input: request)["total"] == 1)
    #expect(try console.run("push audience --device 1").status == 2)

    let waiting = try console.json(
      "users schedule alice reminder --at 2030-01-01T09:00:00Z --expires-in 60 --title Soon --body", "At nine.")
    #expect(waiting["status"] == "scheduled" && waiting["start_at"] == "2030-01-01T09:00:00.000Z")
    _ = try console.text("users schedule alice reminder --at 2031-01-01T09:00:00Z --title Later --body Then")
    let scheduled = try console.json("users scheduled alice")["scheduled"]?.array
    #expect(scheduled?.count == 1 && scheduled?.first?["start_at"] == "2031-01-01T09:00:00.000Z")
    #expect(try console.text("users unschedule alice reminder") == "")
    #expect(try console.json("users scheduled alice")["scheduled"] == [])
    #expect(try console.run("users unschedule alice reminder").status == 1)

    // The Android phone itself reports no arrival of what the system shows.
    let push = try console.json("push send --user bob --campaign c-1 --title A --body B --watch")["id"]?.string ?? ""
    let delivery =
      try console.json("deliveries list \(push)")["deliveries"]?.array?.first?["id"]?.string ?? ""
    #expect(try console.json("events received --delivery \(delivery)")["results"] == ["recorded"])
    #expect(try console.json("events opened --device 2 --campaign c-1")["counts"]?["recorded"] == 1)
    #expect(try console.json("events action reply --device 2 --push \(push)")["results"] == ["recorded"])
    #expect(try console.json("events action reply --device 2 --push \(push)")["results"] == ["duplicate"])
    let many = ##"{"events":[{"type":"opened","delivery":"\##(delivery)"},{"type":"opened","delivery":"77777"}]}"##
    #expect(try console.json("events send -", input: many)["results"] == ["duplicate", "unknown"])
    let funnel = try console.json("push funnel \(push)")
    #expect(funnel["received"] == 1 && funnel["opened"] == 1 && funnel["action"] == 1)
    let refused = try console.run("events opened --device 2")
    #expect(refused.status == 1 && refused.errorText.contains("error: --push: "), "\(refused.errorText)")
  }

  @Test("a phone's key comes from a file or the environment, and never from the command line")
  func phoneKey() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    var console = try Console(server)
    console.environment["POSTRIDER_EMULATOR_TOKEN"] = server.token
    let emulator = server.control.split(separator: "/").prefix(2).joined(separator: "//")
    let phone = "phone make --platform ios --emulator \(emulator) --server \(server.api) --app demo"
    #expect(try console.run("\(phone) --key prk_x").status == 2)
    let without = try console.run(phone)
    #expect(without.status == 2 && without.errorText.contains("POSTRIDER_CLIENT_KEY"), "\(without.errorText)")
    let key = try console.json("keys create phones --scope client --app demo")["key"]?.string ?? ""
    let file = "\(folder.path)/client.key"
    try Files.write(Array("\(key)\n".utf8), to: file)
    chmod(file, 0o644)
    let open = try console.run("\(phone) --key-file \(file)")
    #expect(open.status == 3 && open.errorText.contains("chmod 600"), "\(open.errorText)")
    chmod(file, 0o600)
    console.environment["POSTRIDER_CLIENT_KEY"] = key
    for line in ["\(phone) --key-file \(file)", phone] {
      let made = try console.run(line)
      let token = try JSON.parse(made.output)["token"]?.string ?? ""
      #expect(!made.outputText.contains(key))
      _ = try console.text("devices register \(token) --type ios --user phone")
      _ = try console.text("push send --user phone --title A --body B --watch")
      let tapped = try JSON.parse(try console.run("phone tap \(token) 1 --emulator \(emulator)").output)
      #expect(JSON.minified(tapped).split(separator: 0x22).contains(Array("recorded".utf8)[...]), "\(tapped)")
    }
  }

  @Test("keys, webhooks, templates, segments, peace, retention and the audit log")
  func operation() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    var console = try Console(server)
    let made = try console.json("keys create billing --scope read --app demo --expires-in 3600 --rate 600")
    let key = try #require(made["key"]?.string)
    #expect(made["scopes"] == ["read"] && made["app"] == "demo")
    #expect(try !console.text("keys list").contains(key))
    let id = made["id"]?.string ?? ""
    var reader = console
    reader.environment["POSTRIDER_KEY"] = key
    let forbidden = try reader.run("keys list")
    #expect(forbidden.status == 1)
    #expect(
      Console.settled(forbidden.errorText).hasPrefix("postrider: keys list: The API key may not do this\n"),
      "\(forbidden.errorText)")
    #expect(!forbidden.errorText.contains(key))
    let rotated = try console.json("keys rotate \(id) --overlap 0")["id"]?.string ?? ""
    #expect(try reader.run("apps list").status == 1)
    #expect(try console.text("keys revoke \(rotated)") == "")

    let hook = try console.json(
      "webhooks create https://example.com/hooks --type delivery.rejected --type push.finished")
    #expect(hook["types"] == ["delivery.rejected", "push.finished"])
    #expect(try console.json("webhooks update 1 --enabled false --to https://example.com/other")["enabled"] == false)
    #expect(try console.json("webhooks list")["webhooks"]?.array?.first?["url"] == "https://example.com/other")
    #expect(try console.json("webhooks rotate 1")["secret"] != hook["secret"])
    #expect(try console.json("webhooks dead 1")["batches"] == [])
    #expect(try console.json("webhooks replay 1")["replayed"] == 0)
    #expect(try console.json("webhooks show 1")["id"] == "1")
    _ = try console.text("webhooks delete 1")

    _ = try console.text("templates save welcome --body Welcome --title", "Hi {{first_name|there}}")
    #expect(try console.json("templates show welcome")["message"]?["title"] == "Hi {{first_name|there}}")
    #expect(
      try console.json("push send --user alice --template welcome --value first_name=Al --watch")["status"] == "sent")
    #expect(try console.json("templates list")["templates"]?.array?.count == 1)
    _ = try console.text("templates delete welcome")
    #expect(try console.json("users scheduled alice")["scheduled"] == [])

    let schedule =
      #"{"message":{"title":"Hi","body":"You"},"to":{"all":true},"repeat":{"every":"day","start":"2030-01-01T09:00:00","timezone":"UTC"}}"#
    #expect(try console.json("schedules create -", input: schedule)["next"]?.array?.first == "2030-01-01T09:00:00.000Z")
    #expect(try console.json("schedules list")["schedules"]?.array?.count == 1)
    #expect(try console.json("schedules show 1")["made"] == 0)
    #expect(
      try console.json("schedules update 1 -", input: #"{"campaign":"daily"}"#)["request"]?["campaign"] == "daily")
    #expect(try console.json("schedules pause 1")["id"] == "1")
    #expect(try console.json("schedules resume 1")["id"] == "1")
    _ = try console.text("schedules end 1")

    let filter = #"{"field":"platform","op":"eq","value":"android"}"#
    #expect(try console.json("segments create droids -", input: filter)["filter"]?["value"] == "android")
    #expect(try console.json("segments count droids --sample 1")["devices"] == 1)
    #expect(try console.json("segments try - --sample 0", input: filter)["devices"] == 1)
    #expect(try console.json("segments count --sample 0", "platform = 'android'")["devices"] == 1)
    let wrong = try console.run("segments count", "platform = android")
    #expect(
      wrong.status != 0 && wrong.errorText.contains("column 12: expected text in quotation marks"), "\(wrong.errorText)"
    )
    let newest = try console.json("segments create newest --expression", "last_seen < 7d and platform = 'ios'")
    #expect(newest["expression"] == #"last_seen_at < 7d and platform = "ios""#)
    _ = try console.text("segments delete newest")
    #expect(try console.json("segments update droids --title Robots")["title"] == "Robots")
    #expect(try console.text("segments list").contains("droids\tRobots\tno\t\(filter)"))
    #expect(try console.json("segments show droids")["system"] == false)
    #expect(try console.json("push send --segment droids --title A --body B --watch")["counts"]?["accepted"] == 1)
    _ = try console.text("segments delete droids")

    let peace = try console.json("suppression set --quiet-from 22:00 --quiet-to 07:00 --cap 3 --cap-window 86400")
    #expect(peace["quiet_hours"]?["from"] == "22:00" && peace["frequency_cap"]?["pushes"] == 3)
    #expect(try console.json("suppression show") == peace)
    let cap = try console.json("suppression set --cap 5")
    #expect(
      cap["quiet_hours"] == peace["quiet_hours"] && cap["frequency_cap"] == ["pushes": 5, "window_seconds": 86400])
    #expect(try console.json("suppression set") == cap)
    #expect(try console.json("suppression set --no-cap") == ["quiet_hours": peace["quiet_hours"] ?? .null])
    let both = try console.run("suppression set --no-quiet-hours --quiet-to 06:00")
    #expect(
      both.status == 2 && both.errorText.contains("--no-quiet-hours and --quiet-to contradict"), "\(both.errorText)")
    #expect(try console.json("suppression set --no-quiet-hours") == [:])

    #expect(try console.json("retention set --deliveries-days 30")["deliveries_days"] == 30)
    #expect(try console.json("retention set --app demo --deliveries-days 10")["deliveries_days"] == 10)
    #expect(try console.json("retention show")["deliveries_days"] == 30)
    #expect(try console.json("retention set --events-days 40") == ["deliveries_days": 30, "events_days": 40])
    #expect(try console.json("retention set --no-deliveries-days") == ["deliveries_days": nil, "events_days": 40])
    _ = try console.json("apps update demo --onesignal")
    let shadow = try console.json("shadow set onesignal --app demo --mode forward --live 10")
    #expect(shadow == ["mode": "forward", "live_percent": 10])
    #expect(try console.json("shadow report --app demo")["vendors"]?[0]?["live_percent"] == 10)
    #expect(try console.json("shadow list --app demo")["requests"] == [])
    #expect(try console.run("shadow clear --app demo").status == 0)
    console.environment["POSTRIDER_APP"] = ""
    let acts = try console.json("audit list --limit 1000")["acts"]?.array?.compactMap { $0["act"]?.string } ?? []
    #expect(acts.contains("createKey") && acts.contains("putRetention") && acts.contains("putAppRetention"))
    let inApp = try console.json("audit list --app demo")["acts"]?.array?.compactMap { $0["act"]?.string } ?? []
    #expect(inApp.contains("putAppRetention") && !inApp.contains("putRetention"))
  }

  @Test("credentials are set, checked and shown without secrets; doing it again with one key does it once")
  func credentials() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let checked = try console.json("apps check-credentials demo")
    #expect(checked["apns"]?["usable"] == true && checked["fcm"]?["usable"] == true, "\(checked)")
    let bad = try console.run(
      "apps set-credentials demo -", input: #"{"apns":{"topic":"com.example.demo","key":"no key"}}"#)
    #expect(bad.status == 1)
    #expect(bad.errorText.contains("error: apns"), "\(bad.errorText)")
    #expect(try console.text("apps set-credentials demo -", input: "{}").contains("apns.topic\tcom.example.demo\n"))
    let broken = try console.run("apps set-credentials demo -", input: "{")
    #expect(broken.status == 3 && broken.errorText.contains("standard input:1:2: not JSON"), "\(broken.errorText)")

    let first = try console.json("push send --user alice --title A --body B --idempotency-key k1")
    let again = try console.json("push send --user alice --title A --body B --idempotency-key k1")
    #expect(again["id"] == first["id"] && again["replayed"] == true)
  }

  @Test("pages are followed up to the limit, and no further")
  func pages() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let lines = (0..<1_200).map { index in
      let number = String(index, radix: 16)
      let token = String(repeating: "0", count: 64 - number.count) + number
      return #"{"type":"ios","token":"\#(token)","user":"u\#(index)"}"# + "\n"
    }
    let imported = try console.json("devices import - --format ndjson", input: lines.joined())
    #expect(imported["created"] == 1_200 && imported["failed"] == 0)
    for (limit, count, hasNext) in [("1", 1, true), ("1050", 1_050, true), ("2000", 1_202, false)] {
      let page = try console.json("devices list --limit \(limit)")
      let ids = page["devices"]?.array?.compactMap { $0["id"]?.string } ?? []
      #expect(ids.count == count && Set(ids).count == count)
      #expect((page["next"] != nil) == hasNext)
    }
    let more = try console.run("devices list")
    #expect(more.outputText.split(separator: "\n").count == 101)
    #expect(more.errorText == "There are more: --limit N shows more at once, --cursor 100 continues.\n")
    #expect(try console.text("devices list --cursor 1201").split(separator: "\n").count == 2)
  }

  @Test("devices go to a file and come back, and wrong lines are named")
  func deviceFiles() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let csv = "\(folder.path)/devices.csv"
    _ = try console.text("devices export --output", csv)
    #expect(String(decoding: try Files.read(csv), as: UTF8.self).contains(Self.iPhone))
    let back = try console.text("devices import", csv)
    #expect(
      back.hasPrefix("bytes\t") && back.contains("lines\t2\ncreated\t0\nupdated\t2\nolder\t0\nfailed\t0\n"), "\(back)")
    #expect(try console.json("devices imports")["imports"]?.array?.count == 1)
    let ndjson = try console.run("devices export --format ndjson").outputText
    #expect(ndjson.split(separator: "\n").count == 2)

    let wrong = "\(folder.path)/wrong.ndjson"
    try Files.write(
      Array("{\"type\":\"ios\",\"token\":\"\(Self.iPhone)\"}\n{\"type\":\"ios\",\"token\":\"xyz\"}\n".utf8), to: wrong)
    let result = try console.run("devices import", wrong)
    #expect(result.status == 1)
    #expect(result.errorText.hasPrefix("postrider: \(wrong):2: token: "), "\(result.errorText)")
    #expect(result.outputText.contains("failed\t1\n"))

    for (line, status, text) in [
      ("devices import \(folder.path)/none.csv", 3, "cannot open"),
      ("devices import \(folder.path)", 2, "is it NDJSON or CSV?"),
      ("devices import \(folder.path) --format csv", 3, "cannot read"),
      ("devices export --output \(folder.path)/no/such.csv", 3, "cannot write"),
      ("devices export --app nobody --output \(folder.path)/half.csv", 1, "Not found"),
    ] {
      let result = try console.run(line)
      #expect(result.status == Int32(status) && result.errorText.contains(text), "\(line): \(result.errorText)")
    }
    // What was not written whole is not there.
    #expect(try Files.list(folder.path) == ["data", "devices.csv", "wrong.ndjson"])
  }

  @Test("refusals say what, where and how to mend it; the status says whose turn it is")
  func refusals() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    var console = try Console(server)
    let missing = try console.run("push send --all")
    #expect(missing.status == 1)
    #expect(
      Console.settled(missing.errorText) == """
        postrider: push send: Invalid request
          error: --message: is required without a template [request-missing]
          (HTTP 422 invalid, request REQUEST)

        """)
    let problem = try console.run("push show 99 --json")
    #expect(problem.status == 1)
    #expect(try JSON.parse(problem.output)["type"] == "urn:postrider:problem:not-found")
    // A push has a number for people, and an id for paths.
    let numbers = try (1...2).map { _ in try console.json("push send --all --title T --body B") }
    #expect(numbers.map { $0["number"]?.int } == [1, 2], "\(numbers)")
    let id = try #require(numbers[1]["id"]?.string)
    let mixed = try console.run("push show 2")
    #expect(
      id != "2" && mixed.status == 1
        && mixed.errorText.contains("this app has no push with that id; push 2 of this app has the id \(id)"),
      "\(mixed.errorText)")
    #expect(try console.text("push list").hasPrefix("number\tid\t"))
    #expect(try console.text("push send --user alice --title T --body B").contains("\nnumber\t3\n"))

    for (line, text) in [
      ("push show", "PUSH is missing: postrider push show PUSH"), ("push show 1 2", "unexpected “2”"),
      ("push list --limit 0", "--limit takes a whole number from 1 to 1000000"),
      ("push send --data screen", "--data takes NAME=TEXT or NAME:=JSON, not “screen”"),
      ("push send --data n:={", "what follows := is not JSON"),
      ("push send --throttle fast", "--throttle takes a whole number, not “fast”"),
      ("devices show ..", "DEVICE is empty or no name: “..”"),
      ("push", "say what to do: send, test, check, preview, audience, list"),
      ("push snd", "unknown command “push snd”; did you mean “push send”?"),
      ("push list --jsn", "did you mean --json?"),
    ] {
      let result = try console.run(line)
      #expect(result.status == 2 && result.errorText.contains(text), "\(line): \(result.errorText)")
    }
    console.environment["POSTRIDER_APP"] = ""
    #expect(try console.run("push list").errorText.contains("which app? give --app NAME, set POSTRIDER_APP"))

    console.environment["POSTRIDER_KEY"] = "prk_" + String(repeating: "x", count: 43)
    let stranger = try console.run("apps list")
    #expect(stranger.status == 1)
    #expect(
      Console.settled(stranger.errorText).contains(
        "  The key that was sent comes from environment (POSTRIDER_KEY).\n  (HTTP 401 unauthenticated, request REQUEST)\n"
      ),
      "\(stranger.errorText)")
    #expect(!stranger.errorText.contains("xxxxx"))
  }

  @Test("a server that is not there, and one that is none")
  func unreachable() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    var console = try Console(server)
    let control = server.control.split(separator: "/").prefix(2).joined(separator: "//")
    let other = try console.run("apps list --url \(control)")
    #expect(other.status == 4 && other.errorText.contains("is it a Postrider server?"), "\(other.errorText)")
    server.process.signal(SIGKILL)
    _ = try server.process.finish(seconds: 60)
    let gone = try console.run("apps list")
    #expect(gone.status == 4)
    #expect(
      gone.errorText == """
        postrider: apps list: cannot reach \(server.api): Couldn't connect to server
          Is the server running? Its address comes from environment (POSTRIDER_URL); --url, POSTRIDER_URL or “postrider config set url” names another.

        """)
    // Whether a server listens at the address by default is not this test's.
    console.environment["POSTRIDER_URL"] = nil
    let nowhere = try console.run("apps list").errorText
    let isSilent = nowhere.contains("cannot reach http://127.0.0.1:8787")
    #expect(!isSilent || nowhere.contains("Its address is the one that is built in; --url, "), "\(nowhere)")
    let tls = try TLSPage()
    console.environment["POSTRIDER_URL"] = tls.url
    let stranger = try console.run("apps list")
    #expect(stranger.status == 4)
    #expect(stranger.errorText.contains("--ca FILE, POSTRIDER_CA or “postrider config set ca” names an authority"))
    // openssl's page is no API, but the handshake went through.
    let known = try console.run("apps list --ca \(tls.certificate)")
    #expect(known.status == 4 && known.errorText.contains("no JSON"), "\(known.errorText)")
  }

  @Test("long work shows a bar on a terminal, and none elsewhere")
  func bars() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let line = #"{"type":"ios","token":"\#(Self.iPhone)","user":"alice"}"#
    try Files.write(Array((line + "\n").utf8), to: "\(folder.path)/one.ndjson")
    // A file that comes slowly: a bar is shown only for what takes a while.
    let slow = "(cat \(folder.path)/one.ndjson; sleep 1; cat \(folder.path)/one.ndjson)"
    let imported = "\(slow) | \(Postrider.path) devices import - --format ndjson"
    let watched = "\(Postrider.path) push send --all --throttle 1 --title A --body B --watch --timeout 2"
    for (command, shown) in [(imported, " sent, "), (watched, "sending; of 2: ")] {
      let terminal = try Subprocess.run(
        "script", ["-qefc", command, "/dev/null"], environment: console.environment, seconds: 120)
      #expect(terminal.outputText.contains(shown), "\(command): \(terminal.outputText)")
      let pipe = try Subprocess.run("sh", ["-c", command], environment: console.environment, seconds: 120)
      #expect(!pipe.errorText.contains(shown) && !pipe.outputText.contains(shown), "\(pipe.errorText)")
    }
  }

  @Test("a terminal gets aligned columns that fit it")
  func terminal() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let result = try Subprocess.run(
      "script",
      ["-qec", "stty cols 80; \(Postrider.path) devices list; \(Postrider.path) templates list", "/dev/null"],
      environment: console.environment, seconds: 120)
    #expect(
      Console.settled(result.outputText).split(separator: "\r\n").map(String.init) == [
        "id  type     user   state   registered_at         token",
        " 1  ios      alice  active  TIME  00a1b2c3d4a1b2c3d4a1b2c3d4a1b…",
        " 2  android  bob    active  TIME  demo-android:APA91bDemoDemoDe…",
        "There are none.",
      ])
  }
}
