import System
import TestSupport
import Testing
import WireJSON

@testable import postrider

/// The real program against a real server: import, import again, and what the server has then.
@Suite("import: into a server", .serialized) struct ImportServerTests {
  /// A time so many days ago, as OneSignal writes it.
  private static func time(daysAgo days: Int64) -> String { "\(SystemClock.wallSeconds() - days * 86_400)" }

  private static func hex(_ number: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 64 - text.count) + text
  }

  /// Rows of all ways to end; most of them are imported.
  private static func oneSignal(rows: Int) -> String {
    var text =
      "id,identifier,device_type,external_user_id,language,timezone_id,game_version,tags,created_at,last_active,"
      + "invalid_identifier,notification_types,session_count\n"
    for row in 0..<rows {
      let isAndroid = row % 2 == 1
      let token = isAndroid ? "tok\(row):APA91bSample" : hex(row)
      let tags = #""{""plan"":""\#(row % 3 == 0 ? "pro" : "free")"",""level"":""\#(row % 50)""}""#
      let seen = row % 4 == 0 ? 2 : 60
      text +=
        "os-\(row),\(token),\(isAndroid ? 1 : 0),user-\(row),de,Europe/Vienna,\(row % 9).0,\(tags),"
        + "\(time(daysAgo: row % 8 == 0 ? 3 : 400)),\(time(daysAgo: Int64(seen))),\(row % 10 == 9 ? "t" : "f"),"
        + "\(row % 20 == 5 ? -2 : 1),\(row % 30)\n"
    }
    return text
  }

  private static func export(_ console: Console) throws -> String {
    let result = try console.run("devices export --app moved")
    #expect(result.status == 0, "\(result.errorText)")
    return result.outputText
  }

  /// Rows of several apps are refused before one of them is sent.
  @Test func severalAppsAreNotSent() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    _ = try console.text("apps create moved --contract powerauth")
    let path = "\(folder.path)/devices.csv"
    var rows = "push_token,platform,app_id\n"
    for row in 0..<3_000 { rows += "\(Self.hex(row)),apns,\(row == 2_999 ? 2 : 1)\n" }
    try Files.write(Array(rows.utf8), to: path)
    let refused = try console.run("import powerauth --app moved", path)
    #expect(refused.status == 3 && refused.errorText.contains("devices.csv:3001: is a row of another app"))
    #expect(refused.errorText.contains("Nothing was sent."), "\(refused.errorText)")
    #expect(try Self.export(console).isEmpty)
    let chosen = try console.json("import powerauth --app moved --vendor-app 1", path)
    #expect(chosen["server"]?["created"] == 2_999, "\(chosen)")
  }

  @Test func twiceIsOnce() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    _ = try console.text("apps create moved --contract onesignal")
    let path = "\(folder.path)/users.csv.gz"
    try Files.write(try ImportFileTests.gzip(Array(Self.oneSignal(rows: 3_000).utf8)), to: path)

    let first = try console.json("import onesignal --app moved", path)
    #expect(first["rows"] == 3_000 && first["accepted"] == 2_700 && first["opted_out"] == 150, "\(first)")
    #expect(first["server"]?["created"] == 2_700 && first["server"]?["failed"] == 0, "\(first)")
    let before = try Self.export(console)
    #expect(before.split(separator: "\n").count == 2_700)
    let second = try console.json("import onesignal --app moved", path)
    #expect(second["server"]?["created"] == 0 && second["server"]?["lines"] == 2_700, "\(second)")
    #expect(try Self.export(console) == before)

    // What is known of time and opt-outs is true from the first day.
    func count(_ segment: String) throws -> JSONValue? {
      try console.json("segments count \(segment) --app moved")["devices"]
    }
    let rows = (0..<3_000).filter { $0 % 10 != 9 }
    #expect(try count("active_7d")?.int == rows.count { $0 % 4 == 0 })
    #expect(try count("new_users")?.int == rows.count { $0 % 8 == 0 })
    let device = try JSON.parse(before.split(separator: "\n").first.map(String.init) ?? "")
    #expect(device["name"] == "os-0" && device["user"] == "user-0" && device["timezone"] == "Europe/Vienna")
    #expect(device["properties"] == ["level": 0, "plan": "pro", "session_count": 0], "\(device)")

    // A device that has registered since is not changed by the older row.
    _ = try console.text(
      "devices register \(Self.hex(2)) --app moved --type ios --name os-2 --user somebody --locale fr")
    let changed = try Self.export(console)
    let third = try console.json("import onesignal --app moved", path)
    #expect(third["server"]?["older"] == 1 && third["server"]?["updated"] == 2_699, "\(third)")
    #expect(try Self.export(console) == changed && changed != before)
  }

  /// The server's objections name lines of the vendor's file; what can be registered is.
  @Test func theServersObjectionsAreShown() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    _ = try console.text("apps create moved --contract onesignal")
    let path = "\(folder.path)/users.csv"
    let text =
      "id,identifier,device_type,external_user_id\n1,\(Self.hex(1)),5,\n2,\(Self.hex(2)),0,\"a\nb\"\n3,\(Self.hex(3)),0,"
      + "x\u{0}y\n4,\(Self.hex(4)),0,ok\n"
    try Files.write(Array(text.utf8), to: path)
    let result = try console.run("import onesignal --app moved", path)
    // A NUL in the beginning would be no text at all.
    #expect(result.status == 3 && result.errorText.contains("is not text"), "\(result.errorText)")

    let names = (0..<40).map { row in
      let tags = (0..<30).map { #"""\#("tag-\(row)-\($0)")"":1"# }.joined(separator: ",")
      return "n\(row),\(Self.hex(100 + row)),0,,\"{\(tags)}\"\n"
    }
    try Files.write(Array(("id,identifier,device_type,external_user_id,tags\n" + names.joined()).utf8), to: path)
    let refused = try console.run("import onesignal --app moved", path)
    // An app has 1 000 names of properties; the rows behind them are refused by the server.
    #expect(refused.status == 1 && refused.outputText.contains("server.created\t33\n"), "\(refused.outputText)")
    #expect(refused.outputText.contains("server.failed\t7\n"), "\(refused.outputText)")
    #expect(refused.errorText.contains("\(path):35: "), "\(refused.errorText)")
  }

  /// A file that is damaged in its middle: what came before is registered, and the rest follows when it is whole.
  @Test func damageStopsTheImport() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    _ = try console.text("apps create moved --contract onesignal")
    let path = "\(folder.path)/users.csv"
    let whole = Self.oneSignal(rows: 100)
    try Files.write(Array((whole + "x,\"open\n").utf8), to: path)
    let result = try console.run("import onesignal --app moved", path)
    #expect(result.status == 3, "\(result.errorText)")
    #expect(result.errorText.contains("\(path):102: a quoted cell that begins here does not end"))
    #expect(
      result.errorText.contains("100 rows before that were read; the server has registered 90 of them."),
      "\(result.errorText)")
    try Files.write(Array(whole.utf8), to: path)
    #expect(try console.json("import onesignal --app moved", path)["server"]?["created"] == 0)

    // An export of the server is no file of a vendor's, and nothing is sent.
    let exported = "\(folder.path)/devices.csv"
    _ = try console.text("devices export --app moved --output", exported)
    let other = try console.run("import onesignal --app moved", exported)
    #expect(other.status == 3 && other.errorText.contains("there is no column identifier"), "\(other.errorText)")
    let missing = try console.run("import onesignal --app nowhere", path)
    #expect(missing.status == 1 && missing.errorText.contains("there is no app"), "\(missing.errorText)")
    #expect(!missing.errorText.contains("may be registered"), "\(missing.errorText)")

    // One wrong bit of a compressed file is many wrong devices, so its check sum is looked at before anything is sent.
    var packed = try ImportFileTests.gzip(Array(Self.oneSignal(rows: 2_000).utf8))
    packed[packed.count / 2] ^= 4
    try Files.write(packed, to: "\(path).gz")
    let before = try Self.export(console)
    let flipped = try console.run("import onesignal --app moved", "\(path).gz")
    #expect(flipped.status == 3 && flipped.errorText.contains("Nothing was sent."), "\(flipped.errorText)")
    #expect(try Self.export(console) == before)
  }

  /// One device may be in a file under several of the vendor's ids: the row that was seen last has the token.
  @Test func aTokenOfManyRowsIsOneDevice() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    _ = try console.text("apps create moved --contract powerauth")
    var random = SeededRandom(seed: 3)
    var text = "activation_id,user_id,platform,push_token,timestamp_last_registered,is_active\n"
    var tokens: Set<Int> = []
    for row in 0..<2_000 {
      let token = Int.random(in: 0..<600, using: &random)
      tokens.insert(token)
      let user = Int.random(in: 0..<300, using: &random)
      text += "a-\(row),u\(user),fcm,t\(token):APA,2026-0\(Int.random(in: 1...3, using: &random))-01 00:00:00,t\n"
    }
    let path = "\(folder.path)/devices.csv"
    try Files.write(Array(text.utf8), to: path)
    let first = try console.json("import powerauth --app moved", path)
    #expect(first["server"]?["created"]?.int == tokens.count && first["server"]?["failed"] == 0, "\(first)")
    let before = try Self.export(console)
    #expect(before.split(separator: "\n").count == tokens.count)
    _ = try console.json("import powerauth --app moved", path)
    #expect(try Self.export(console) == before)
  }

  @Test("Browsers are registered with the key that the app has") func browsers() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    _ = try console.text("apps create moved --contract onesignal")
    let (credentials, path) = ("\(folder.path)/credentials.json", "\(folder.path)/users.csv")
    try Files.write(Array(#"{"web":{"subject":"mailto:ops@example.com"}}"#.utf8), to: credentials)
    _ = try console.text("apps set-credentials moved", credentials)
    let web = try console.json("apps credentials moved")["web"]
    let key = try #require(web?["public_key"]?.string)
    try Files.write(
      Array(ImportFixture.csv(.oneSignal, ImportMappingTests.browser + [("external_user_id", "ann")]).utf8), to: path)
    let without = try console.json("import onesignal --app moved", path)
    #expect(without["left_out"] == 1 && without["server"]?["lines"] == 0, "\(without)")
    for created in [1, 0] {
      let found = try console.json("import onesignal --app moved --web-key \(key)", path)
      #expect(found["server"]?["created"]?.int == created && found["server"]?["failed"] == 0, "\(found)")
    }
    let device = try JSON.parse(Self.export(console))
    #expect(device["type"] == "web" && device["user"] == "ann" && device["token"]?.string?.hasSuffix(" \(key)") == true)
    let refused = try console.run("import onesignal --app moved --web-key abc", path)
    #expect(
      refused.status == 2 && refused.errorText.contains("--web-key takes the public half"), "\(refused.errorText)")
  }

  @Test(arguments: ["pinpoint", "firebase", "powerauth"]) func otherVendorsTwice(name: String) throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    _ = try console.text("apps create moved --contract native")
    let path = "\(folder.path)/file.gz"
    var lines: [String] = []
    for row in 0..<500 {
      switch name {
      case "pinpoint":
        lines.append(
          #"{"Id":"e-\#(row)","ChannelType":"GCM","Address":"t\#(row):APA","EndpointStatus":"ACTIVE","OptOut":"NONE","#
            + #""EffectiveDate":"2026-05-07T19:03:29.963Z","CreationDate":"2025-05-01T17:31:01.046Z","#
            + #""Attributes":{"likes":["a","b"],"plan":["pro"]},"User":{"UserId":"u\#(row / 2)"}}"#)
      case "firebase": lines.append("t\(row):APA")
      default:
        if row == 0 {
          lines.append("id,activation_id,user_id,app_id,platform,push_token,timestamp_last_registered,is_active")
        }
        lines.append(
          "\(row),a-\(row),u\(row / 2),1,\(row % 5 == 0 ? "hms" : "android"),t\(row):APA,2026-05-07 19:03:29.963,t")
      }
    }
    try Files.write(try ImportFileTests.gzip(Array(lines.joined(separator: "\n").utf8)), to: path)
    let first = try console.json("import \(name) --app moved", path)
    let accepted = name == "powerauth" ? 400 : 500
    #expect(first["rows"] == 500 && first["accepted"]?.int == accepted, "\(first)")
    #expect(first["server"]?["created"]?.int == accepted && first["server"]?["failed"] == 0, "\(first)")
    let before = try Self.export(console)
    let second = try console.json("import \(name) --app moved", path)
    #expect(second["server"]?["created"] == 0 && second["server"]?["failed"] == 0, "\(second)")
    #expect(try Self.export(console) == before)
  }
}
