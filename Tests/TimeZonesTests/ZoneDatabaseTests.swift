import TestSupport
import Testing

@testable import TimeZones

/// TZif bytes made by hand, after RFC 9636 3.
enum TZifBytes {
  /// A file without listed changes.
  static func file(footer: String, version: UInt8 = 0x32) -> [UInt8] {
    let block = header(version) + [0, 0, 0, 0, 0, 0] + Array("LMT\0".utf8)
    return version == 0 ? block : block + block + Array("\n\(footer)\n".utf8)
  }

  /// One type, four characters of names, nothing else.
  static func header(_ version: UInt8, leaps: UInt8 = 0, times: UInt8 = 0, types: UInt8 = 1) -> [UInt8] {
    Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
      + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, leaps, 0, 0, 0, times, 0, 0, 0, types, 0, 0, 0, 4]
  }
}

@Suite struct ZoneDatabaseTests {
  @Test(
    "A name that no zone has is refused in words, and no name leaves the folder",
    arguments: [
      "", "Europe", "Europe/", "/etc/passwd", "../../etc/passwd", "Europe/../Europe/Vienna", "europe/Nowhere",
      "Mars/Olympus",
      "tzdata.zi", "zone.tab", "Europe/Vienna\u{0}", "Europe//Vienna", "5", ".", String(repeating: "A", count: 65),
      "Zürich",
    ])
  func unknown(name: String) {
    #expect(
      throws: TimeZoneError(
        "there is no time zone \"\(name.prefix(40))\"; give a name of the IANA database, such as \"Europe/Vienna\"")
    ) { try ZoneDatabase.system.zone(name) }
  }

  @Test("A machine without the database says what to install") func noDatabase() {
    #expect(
      throws: TimeZoneError("there is no time zone database at /nowhere; install Debian's package tzdata")
    ) { try ZoneDatabase(folder: "/nowhere").zone("Europe/Vienna") }
  }

  @Test("A file cut short at any byte is damaged, never a crash") func cutShort() throws {
    let whole = try Files.read("/usr/share/zoneinfo/Europe/Vienna")
    let rules = try ZoneRules(name: "v", tzif: whole)
    #expect(rules.changes.count > 100)
    for count in 0..<whole.count {
      #expect(throws: TimeZoneError.self) { try ZoneRules(name: "v", tzif: Array(whole[..<count])) }
    }
  }

  @Test("A damaged byte gives an error or other rules, never a crash") func damaged() throws {
    let whole = try Files.read("/usr/share/zoneinfo/Europe/Vienna")
    var random = SeededRandom(seed: 9636)
    for _ in 0..<3_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let rules = try? ZoneRules(name: "v", tzif: bytes) {
        _ = rules.instant(of: CivilTime(secondsOfClock: Int64.random(in: 0...10_000_000_000, using: &random)))
      }
    }
  }

  @Test("Leap seconds are refused, version 1 is read") func versions() throws {
    #expect(try ZoneRules(name: "one", tzif: TZifBytes.file(footer: "", version: 0)).offset(at: 0) == 0)
    let leaping = TZifBytes.header(0, leaps: 1) + [0, 0, 0, 0, 0, 0] + Array("LMT\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]
    #expect(
      throws: TimeZoneError(
        "the time zone leaping counts leap seconds, which clocks here do not; leave out \"right/\"")
    ) { try ZoneRules(name: "leaping", tzif: leaping) }
  }

  @Test("A civil time reads what it writes and refuses the rest") func civilTimes() {
    #expect(CivilTime("2026-12-24T18:30")?.description == "2026-12-24T18:30:00")
    #expect(CivilTime("2024-02-29 23:59:59")?.weekday == 4)
    for text in [
      "", "2026-02-29T00:00", "2026-13-01T00:00", "2026-01-01T24:00", "2026-01-01T00:60", "2026-01-01",
      "2026-01-01T00:00Z",
      "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+01:00", "2026-1-1T00:00:00", "２０26-01-01T00:00", "2026-01-32T00:00",
    ] {
      #expect(CivilTime(text) == nil, "\(text)")
    }
    for seconds: Int64 in stride(from: -62_000_000_000, through: 250_000_000_000, by: 86_399_123) {
      #expect(CivilTime(secondsOfClock: seconds).secondsOfClock == seconds)
    }
  }
}
