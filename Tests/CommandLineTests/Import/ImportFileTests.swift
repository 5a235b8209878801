import Glibc
import TestSupport
import Testing
import WireJSON

@testable import postrider

/// Files in all their forms, and files that are none.
@Suite("import: the files") struct ImportFileTests {
  /// A file of many rows: cells with line breaks, rows that are left out, and letters of many bytes.
  static func large(rows: Int) -> String {
    var text = "id,identifier,device_type,external_user_id\n"
    for row in 0..<rows {
      let user = row % 3 == 0 ? "\"line\nbreak \(row)\"" : "Zoë-\(row)"
      text += "id-\(row),\(ImportFixture.apns),\(row % 5 == 0 ? 5 : 0),\(user)\n"
    }
    return text
  }

  static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try Files.write(bytes, to: "\(folder.path)/plain")
    return try Subprocess.run("gzip", ["-c", "\(folder.path)/plain"], seconds: 60).output
  }

  @Test func gzipIsTheSameFile() throws {
    let bytes = Array(Self.large(rows: 9_000).utf8)
    let fixture = try ImportFixture()
    let plain = ImportFixture.output(try fixture.stream(.oneSignal, bytes))
    #expect(plain.split(separator: "\n").count == 7_200)
    let whole = try fixture.stream(.oneSignal, try Self.gzip(bytes))
    #expect(ImportFixture.output(whole, pieces: 777) == plain)
    #expect(whole.fault == nil)
    // Several members in a row are one file, as gzip itself has it; also where one ends with a piece that is read.
    for cut in [1, 40, bytes.count / 2] {
      let members = try Self.gzip(Array(bytes[..<cut])) + Self.gzip([]) + Self.gzip(Array(bytes[cut...]))
      #expect(ImportFixture.output(try fixture.stream(.oneSignal, members)) == plain)
    }
  }

  /// So the lines in the server's messages are lines of the vendor's file.
  @Test func linesOfTheOutputAreThoseOfTheFile() throws {
    let text =
      "id,identifier,device_type,external_user_id\n1,\(ImportFixture.apns),5,x\n2,\(ImportFixture.apns),0,\"a\n\nb\"\n"
      + "3,,0,\n4,\(ImportFixture.apns),0,d\n"
    let stream = try ImportFixture().stream(.oneSignal, Array(text.utf8), keepsLines: true)
    let lines = ImportFixture.output(stream).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 8 && [0, 1, 3, 4, 5, 7].allSatisfy { lines[$0].isEmpty })
    #expect(lines[2].contains(#""name":"2","user":"a\n\nb""#) && lines[6].contains(#""name":"4""#), "\(lines)")
    #expect(stream.tally.rows == 4)
  }

  static let copy = """
    --
    -- PostgreSQL database dump
    --
    SET client_encoding = 'UTF8';
    COPY public.push_app_credentials (id, app_id) FROM stdin;
    1\tbank
    \\.

    COPY public.push_device_registration (id, activation_id, user_id, app_id, platform, push_token, timestamp_last_registered, is_active, environment) FROM stdin;
    1\ta-1\tann\\tb\\\\c\t1\tios\t\(ImportFixture.apns)\t2026-01-31 10:00:00.5\tt\tdevelopment
    2\ta-2\t\\N\t1\tandroid\t\(ImportFixture.fcm)\t2026-01-31 10:00:00\tt\t\\N
    3\ta-3\teve\t1\tandroid\t\(ImportFixture.fcm)\t2026-01-31 10:00:00\tf\t\\N
    \\.

    COPY public.push_message (id) FROM stdin;
    7
    \\.
    """

  @Test func aDumpIsReadWhereItsTableIs() throws {
    let found = try ImportFixture().run(.powerAuth, Self.copy)
    #expect(found.report["rows"] == 3 && found.report["accepted"] == 2, "\(found.report)")
    #expect(found.devices.first?["user"] == "ann\tb\\c" && found.devices.first?["environment"] == "development")
    #expect(found.devices.last?["user"] == nil && found.devices.last?["type"] == "android")
  }

  @Test func aDumpThatWasCutIsNotComplete() throws {
    let end = try #require(Self.copy.firstRange(of: "\\.\n\nCOPY public.push_message"))
    let stream = try ImportFixture().stream(.powerAuth, Array(Self.copy[..<end.lowerBound].utf8))
    stream.drain()
    #expect(stream.fault?.message.contains("the dump ends inside the table") == true && stream.tally.rows == 3)
  }

  /// The output has its name only when it is complete, and is never the file that is read.
  @Test func theOutputIsAFileOfItsOwn() throws {
    let folder = try TemporaryFolder()
    let (path, output) = ("\(folder.path)/users.csv", "\(folder.path)/devices.ndjson")
    let text = Array(Self.large(rows: 50).utf8)
    try Files.write(text, to: path)
    #expect(link(path, "\(folder.path)/other") == 0)
    for name in [path, "\(folder.path)/other"] {
      let result = try Postrider.run("import", "onesignal", path, "--output", name)
      #expect(result.status == 2 && result.errorText.contains("would replace the file that is read"))
      #expect(try Files.read(path) == text)
    }
    let cut = "\(folder.path)/cut.csv.gz"
    let packed = try Self.gzip(Array(Self.large(rows: 9_000).utf8))
    try Files.write(Array(packed[..<(packed.count / 2)]), to: cut)
    #expect(try Postrider.run("import", "onesignal", cut, "--output", output).status == 3)
    #expect(try Files.list(folder.path) == ["cut.csv.gz", "other", "users.csv"])
    #expect(try Postrider.run("import", "onesignal", path, "--output", output).status == 0)
    #expect(try Files.read(output).split(separator: UInt8(ascii: "\n")).count == 40)
  }

  @Test(arguments: [
    "a:APA91b_1\nb:APA91b-2\n\nc:APA91b3", "\u{FEFF}token\r\na:APA91b_1\r\nb:APA91b-2\r\nc:APA91b3\r\n",
    "{\"token\":\"a:APA91b_1\"}\n{\"fcmToken\":\"b:APA91b-2\"}\n{\"token\":\"c:APA91b3\"}\n",
    "user,token\nann,a:APA91b_1\nbob,b:APA91b-2\neve,c:APA91b3", " a:APA91b_1 \nb:APA91b-2\t\n \r\nc:APA91b3\n",
  ])
  func tokensInEveryForm(text: String) throws {
    let found = try ImportFixture().run(.firebase, text)
    #expect(found.devices.compactMap { $0["token"]?.string } == ["a:APA91b_1", "b:APA91b-2", "c:APA91b3"])
    #expect(found.devices.allSatisfy { $0["type"] == "android" })
  }

  /// A row that cannot be read is left out, and the others are not.
  @Test func unreadableRowsAreNamed() throws {
    let latin = Array("id,identifier,device_type,external_user_id\n1,\(ImportFixture.apns),0,M".utf8) + [0xFC, 0x0A]
    let more = "2,\(ImportFixture.apns),0\n3,\"x\"y,0,\n4,\(ImportFixture.apns),0,ok\n"
    let stream = try ImportFixture().stream(.oneSignal, latin + Array(more.utf8))
    #expect(ImportFixture.output(stream).split(separator: "\n").count == 1)
    #expect(stream.problems.map(\.line) == [2, 3, 4] && stream.tally.unreadable == 3 && stream.fault == nil)
    #expect(stream.problems.map(\.message).map { $0.prefix(12) } == ["is not UTF-8", "has 3 cells,", "is not CSV: "])
    let json = try ImportFixture().stream(.pinpoint, Array("{\"Address\":1}\n{\n[]\n".utf8))
    json.drain()
    #expect(json.problems.map(\.line) == [2, 3] && json.tally.rows == 3)
  }

  /// Files in other formats are refused before anything is sent.
  static let refused: [(vendor: String, content: [UInt8], message: String)] = [
    ("onesignal", [], "is empty"), ("onesignal", Array(" \n\n".utf8), "is empty"),
    ("onesignal", [0xFF, 0xFE, 0x69, 0x00], "is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE"),
    ("onesignal", Array("id\0".utf8), "is not text"), ("onesignal", [0x50, 0x4B, 0x03, 0x04], "is a zip archive"),
    ("onesignal", Array("type,token\nios,ab\n".utf8), ":1: there is no column identifier"),
    ("onesignal", Array("id,identifier\n".utf8), ":1: there is no column device_type"),
    ("onesignal", Array("identifier,device_type,identifier\n".utf8), ":1: the column identifier is duplicated"),
    ("onesignal", Array("identifier;device_type\n".utf8), ":1: the cells are separated by semicolons"),
    ("onesignal", Array("identifier\tdevice_type\n".utf8), ":1: the cells are separated by tabs"),
    ("onesignal", Array("\"identifier,device_type\n".utf8), ":1: a quoted cell that begins here does not end"),
    ("onesignal", Array("\"a\"b,device_type\n".utf8), ":1: the header is not CSV"),
    ("onesignal", Array(#"{"id":"1"}"#.utf8), "is JSON; OneSignal's file is CSV"),
    (
      "firebase", Array("{\n  \"token\": \"a:b\"\n}\n".utf8),
      "has JSON objects of several lines; put each of them in one"
    ),
    ("pinpoint", Array("[{}]".utf8), "is a JSON array; put each of its elements in a line"),
    ("powerauth", Array("--\nCREATE TABLE x ();\n".utf8), "there is no table push_device_registration in the dump"),
    (
      "powerauth", Array("--\nINSERT INTO public.push_device_registration VALUES (1, 'a');\n".utf8),
      ":2: the dump has INSERT statements; dump the table without --inserts"
    ),
    ("powerauth", Array("PGDMP".utf8), "is a dump in PostgreSQL's own format"),
    ("onesignal", [0x1F, 0x8B, 0x08, 0x00], "the gzip data ends too early"),
    ("onesignal", [0x1F, 0x8B, 0x08, 0x00, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF], "the gzip data is damaged"),
  ]

  @Test(arguments: refused) func refusals(vendor: String, content: [UInt8], message: String) throws {
    let folder = try TemporaryFolder()
    try Files.write(content, to: "\(folder.path)/file")
    let result = try Postrider.run("import", vendor, "\(folder.path)/file", "--dry-run")
    #expect(result.status == 3 && result.errorText.contains(message), "\(result.errorText)")
    #expect(result.errorText.contains("\(folder.path)/file") && result.outputText.isEmpty)
  }

  /// Damage behind the beginning: the rows before it are counted.
  @Test func damageIsFoundWhereItIs() throws {
    let bytes = Array(Self.large(rows: 20_000).utf8)
    let packed = try Self.gzip(bytes)
    let fixture = try ImportFixture()
    let cut = try fixture.stream(.oneSignal, Array(packed[..<(packed.count / 2)]))
    cut.drain()
    #expect(cut.fault?.message.contains("the gzip data ends too early") == true && cut.tally.rows > 1_000)

    var broken = packed
    for index in (packed.count / 2)..<(packed.count / 2 + 200) { broken[index] = 0xFF }
    let damaged = try fixture.stream(.oneSignal, broken)
    damaged.drain()
    #expect(damaged.fault?.message.contains("the gzip data is damaged") == true, "\(damaged.fault?.message ?? "")")

    let open = try fixture.stream(.oneSignal, Array("identifier,device_type\n\(ImportFixture.apns),0\nx,\"0\n".utf8))
    open.drain()
    #expect(
      open.fault?.message.hasSuffix("file:3: a quoted cell that begins here does not end; double the quotes inside it")
        == true)
    #expect(open.tally.rows == 1)

    let endless = "identifier,device_type\n\(ImportFixture.apns),0\n" + String(repeating: "x", count: 1_200_000) + "\n"
    let long = try fixture.stream(.oneSignal, Array(endless.utf8))
    long.drain()
    #expect(long.fault?.message.contains("file:3: the record that begins here is longer than 1048576 bytes") == true)
    #expect(long.tally.rows == 1)

    let apps = "push_token,platform,app_id\n\(ImportFixture.fcm),fcm,1\n\(ImportFixture.fcm),fcm,2\n"
    // What is wrong in the first lines is found before anything is sent.
    let mixed = #expect(throws: Exit.self) { try fixture.stream(.powerAuth, Array(apps.utf8)) }
    #expect(mixed?.message.contains("file:3: is a row of another app than those before it (1)") == true)
  }

  /// Whatever a file contains: each row is counted once, and what comes out can be registered.
  @Test(arguments: ImportVendor.all.map(\.name)) func randomDamage(name: String) throws {
    let vendor = try ImportMappingTests.vendor(name)
    let samples: [String] = [
      ImportFixture.csv(vendor, [("created_at", "2026-01-31"), ("x", "a\nb")]), Self.copy,
      "{\"Address\":\"\(ImportFixture.apns)\",\"ChannelType\":\"APNS\",\"token\":\"a:b\",\"Attributes\":{\"a\":[1,\"x\"]}}\n",
    ]
    let fixture = try ImportFixture()
    var random = SeededRandom(seed: 15)
    var read = 0
    for round in 0..<600 {
      var bytes = Array(String(repeating: samples[round % samples.count], count: 3).utf8)
      for _ in 0..<(round % 4) {
        let marks = Array("\",\n\\{}[]:\t\r;".utf8) + [0, 0xFF, 0xC3]
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = marks.randomElement(using: &random) ?? 0
      }
      guard let stream = try? fixture.stream(vendor, bytes) else { continue }
      let lines = ImportFixture.output(stream).split(separator: "\n")
      #expect(lines.count == stream.tally.accepted && stream.tally.accepted <= stream.tally.rows)
      #expect(lines.allSatisfy { (try? JSON.parse(String($0)).object) != nil }, "\(lines)")
      read += lines.count
    }
    #expect(read > 100)
  }

  /// Rows of several apps are no one's audience; a choice that no row has is a mistake.
  @Test func oneAppIsImported() throws {
    let rows = "Address,ChannelType,ApplicationId\n\(ImportFixture.apns),APNS,a\n\(ImportFixture.fcm),GCM,b\n"
    let fault = "is a row of another app than those before it (a); choose one with --vendor-app ID"
    let both = try Postrider.run("import", "pinpoint", "-", "--dry-run", input: rows)
    #expect(both.status == 3 && both.errorText.contains(fault), "\(both.errorText)")
    let one = try Postrider.run("import", "pinpoint", "-", "--dry-run", "--json", "--vendor-app", "b", input: rows)
    #expect(one.status == 0, "\(one.errorText)")
    #expect(try JSON.parse(one.output)["accepted"] == 1)
    let none = try Postrider.run("import", "pinpoint", "-", "--dry-run", "--vendor-app", "c", input: rows)
    #expect(none.status == 3 && none.errorText.contains("no row is of the app c; check --vendor-app"))
  }

  @Test func valuesOfOneColumnAgree() throws {
    let token = ImportFixture.fcm
    let rows =
      #"{"token":"\#(token)","fcmToken":"\#(token)"}"# + "\n" + #"{"token":"\#(token)","fcmToken":"x:y"}"# + "\n"
    let stream = try ImportFixture().stream(.firebase, Array(rows.utf8))
    #expect(ImportFixture.output(stream).split(separator: "\n").count == 1)
    #expect(stream.problems.map { $0.line } == [2])
    #expect(stream.problems.first?.message == "has two values for token; leave one of them out")
  }

  @Test func theCommandSaysWhatIsMissing() throws {
    let rows: [(words: [String], text: String)] = [
      (["import", "onesignal"], "FILE is missing: postrider import onesignal FILE.csv[.gz]"),
      (["import"], "say what to do: onesignal, pinpoint, firebase, powerauth"),
      (["import", "onesgnal", "x"], "did you mean “import onesignal”?"),
      (["import", "onesignal", "x", "--dry-run", "--output", "y"], "--dry-run and --output contradict each other"),
      (["import", "onesignal", "x", "--dry-run", "--seen-at", "soon"], "--seen-at takes a time that has passed"),
      (["import", "onesignal", "x", "--dry-run", "--seen-at", "2999-01-01"], "--seen-at takes a time that has passed"),
      (["import", "onesignal", "x", "--vendor-app", "1"], "unknown option “--vendor-app”"),
      (["import", "onesignal", "x"], "which app? give --app NAME"),
      (["import", "onesignal", "x", "--app", "shop"], "there is no API key"),
    ]
    let console = try Console()
    for row in rows {
      let result = try Subprocess.run(Postrider.path, row.words, environment: console.environment, seconds: 60)
      #expect(result.status == 2 && result.errorText.contains(row.text), "\(row.words): \(result.errorText)")
    }
    let absent = try Postrider.run("import", "onesignal", "/nonexistent", "--dry-run")
    #expect(absent.status == 3 && absent.errorText.contains("cannot open /nonexistent"))
  }

  @Test func aDryRunReportsAndSendsNothing() throws {
    let text =
      "id,identifier,device_type,timezone,ip,mood\n1,\(ImportFixture.apns),0,3600,1.2.3.4,x\n2,,0,,,\n3,\(ImportFixture.apns)\n"
    let result = try Postrider.run("import", "onesignal", "-", "--dry-run", "--json", input: text)
    #expect(result.status == 1 && result.errorText.isEmpty, "\(result.errorText)")
    let report = try JSON.parse(result.output)
    #expect(report["vendor"] == "onesignal" && report["rows"] == 3 && report["accepted"] == 1)
    #expect(report["left_out"] == 2 && report["doubtful"] == 1 && report["active"] == 1 && report["opted_out"] == 0)
    #expect(report["left_out_because"]?[0]?["reason"] == "no-token")
    #expect(
      report["left_out_because"]?[1] == [
        "reason": "unreadable", "rows": 1, "lines": [4], "meaning": "the row cannot be read",
      ])
    #expect(report["unreadable"] == [["line": 4, "message": "has 2 cells, the header 6"]])
    #expect(report["columns_missing"] == ["external_user_id", "notification_types"])
    #expect(report["columns_unused"] == ["ip"] && report["columns_unknown"] == ["mood"] && report["server"] == nil)

    let people = try Postrider.run("import", "onesignal", "-", "--dry-run", input: text)
    #expect(people.status == 1 && people.outputText.hasPrefix("vendor\tonesignal\nfile\t-\nrows\t3\naccepted\t1\n"))
    #expect(
      people.errorText.contains(
        "-: there is no column notification_types: unsubscribed people look like subscribed ones")
        && people.errorText.contains("postrider: -:4: has 2 cells, the header 6\n"), "\(people.errorText)")
  }

  @Test func theRegistrationsCanBeAFile() throws {
    let folder = try TemporaryFolder()
    let text = "id,identifier,device_type\n1,\(ImportFixture.apns),5\n2,\(ImportFixture.apns),0\n"
    let result = try Postrider.run("import", "onesignal", "-", "--output", "\(folder.path)/out", input: text)
    #expect(result.status == 0 && result.outputText.contains("accepted\t1\n"))
    let line = #"{"type":"ios","token":"\#(ImportFixture.apns)","environment":"production","name":"2"}"# + "\n"
    #expect(String(decoding: try Files.read("\(folder.path)/out"), as: UTF8.self) == line)
    let piped = try Postrider.run("import", "onesignal", "-", "--output", "-", input: text)
    #expect(piped.outputText == line && piped.errorText.contains("accepted\t1\n"))
  }
}
