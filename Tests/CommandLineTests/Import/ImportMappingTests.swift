import PushStore
import StoreModel
import TestSupport
import Testing
import WireJSON

@testable import postrider

/// Rows of vendors' files as registrations, column by column.
@Suite("import: the mapping of rows") struct ImportMappingTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let vendor: String
    let column: String
    let value: String
    let member: String
    let expected: JSONValue?

    init(_ vendor: String, _ column: String, _ value: String, _ member: String, _ expected: JSONValue?) {
      (self.vendor, self.column, self.value, self.member, self.expected) = (vendor, column, value, member, expected)
    }

    var testDescription: String { "\(vendor) \(column) \(value)" }
  }

  static let rows: [Row] = [
    Row("onesignal", "id", "0a1b-2c", "name", "0a1b-2c"),
    Row("onesignal", "identifier", "<" + ImportFixture.apns.uppercased() + ">", "token", .string(ImportFixture.apns)),
    Row("onesignal", "device_type", "0", "type", "ios"),
    Row("onesignal", "external_user_id", "Ann \"A\", B", "user", "Ann \"A\", B"),
    Row("onesignal", "language", "zh-Hans", "locale", "zh-Hans"),
    Row("onesignal", "timezone_id", "Europe/Vienna", "timezone", "Europe/Vienna"),
    Row("onesignal", "timezone", "-28800", "timezone", "Etc/GMT+8"),
    Row("onesignal", "timezone", "19800", "timezone", "Asia/Kolkata"),
    Row("onesignal", "timezone", "0", "timezone", "Etc/UTC"),
    Row("onesignal", "timezone", "123", "timezone", nil),
    Row("onesignal", "game_version", "2.10", "app_version", "2.10"),
    Row("onesignal", "test_type", "1", "environment", "development"),
    Row("onesignal", "test_type", "2", "environment", "production"),
    Row("onesignal", "test_type", "", "environment", "production"),
    Row("onesignal", "created_at", "2026-01-31 10:00:00", "created_at", "2026-01-31T10:00:00.000Z"),
    Row("onesignal", "last_active", "2026-01-31 10:00:00.25 UTC", "registered_at", "2026-01-31T10:00:00.250Z"),
    Row("onesignal", "last_active", "1769853600", "registered_at", "2026-01-31T10:00:00.000Z"),
    Row("onesignal", "invalid_identifier", "f", "token", .string(ImportFixture.apns)),
    Row("onesignal", "notification_types", "-2", "opt_out", true),
    Row("onesignal", "notification_types", "0", "opt_out", true),
    Row("onesignal", "notification_types", "1", "opt_out", nil),
    Row("onesignal", "notification_types", "31", "opt_out", nil),
    Row("onesignal", "notification_types", " -2\t", "opt_out", true),
    Row("onesignal", "notification_types", "-2.0", "opt_out", true),
    Row("onesignal", "notification_types", "1.0", "opt_out", nil),
    Row("onesignal", "notification_types", "unsubscribed", "opt_out", true),
    Row("onesignal", "notification_types", "nan", "opt_out", true),
    Row("onesignal", "invalid_identifier", " No ", "token", .string(ImportFixture.apns)),
    Row(
      "onesignal", "tags", #"{"plan":"pro","level":"42","zip":"007","v":"1.10","old":null,"on":true}"#, "properties",
      ["plan": "pro", "level": 42, "zip": "007", "v": "1.10", "on": true]),
    Row("onesignal", "tags", "{}", "properties", nil),
    Row("onesignal", "onesignal_id", "u-1", "properties.onesignal_id", "u-1"),
    Row("onesignal", "onesignal_id", "u-1", "aliases", nil),
    Row("onesignal", "device_os", "18.1", "properties.os_version", "18.1"),
    Row("onesignal", "device_model", "iPhone15,2", "properties.device_model", "iPhone15,2"),
    Row("onesignal", "session_count", "12", "properties.session_count", 12),
    Row("onesignal", "playtime", "3600", "properties.playtime_seconds", 3600),
    Row(
      "onesignal", "amount_spent", "9.99", "properties.amount_spent", .number(JSONNumber(text: "9.99") ?? JSONNumber(0))
    ),
    Row("onesignal", "country", "AT", "properties.country", "AT"),
    Row("onesignal", "location", "48.2,16.4", "properties.location", "48.2,16.4"),

    Row("pinpoint", "Id", "e-1", "name", "e-1"),
    Row("pinpoint", "Address", ImportFixture.apns, "token", .string(ImportFixture.apns)),
    Row("pinpoint", "ChannelType", "APNS_SANDBOX", "environment", "development"),
    Row("pinpoint", "User.UserId", "ann", "user", "ann"),
    Row("pinpoint", "Demographic.Locale", "pt_BR", "locale", "pt-BR"),
    Row("pinpoint", "Demographic.Timezone", "America/Los_Angeles", "timezone", "America/Los_Angeles"),
    Row("pinpoint", "Demographic.AppVersion", "1.0", "app_version", "1.0"),
    Row("pinpoint", "CreationDate", "2026-01-31T10:00:00.046Z", "created_at", "2026-01-31T10:00:00.046Z"),
    Row("pinpoint", "EffectiveDate", "2026-01-31T11:00:00+01:00", "registered_at", "2026-01-31T10:00:00.000Z"),
    Row("pinpoint", "EndpointStatus", "ACTIVE", "token", .string(ImportFixture.apns)),
    Row("pinpoint", "OptOut", "ALL", "opt_out", true), Row("pinpoint", "OptOut", "NONE", "opt_out", nil),
    Row("pinpoint", "OptOut", "PARTIAL", "opt_out", true),
    Row("pinpoint", "Attributes.plan", "pro", "properties.plan", "pro"),
    Row("pinpoint", "User.UserAttributes.age", "41", "properties.age", 41),
    Row("pinpoint", "Metrics.level", "6", "properties.level", 6),
    Row("pinpoint", "Demographic.Make", "apple", "properties.device_make", "apple"),
    Row("pinpoint", "Demographic.Model", "iPhone", "properties.device_model", "iPhone"),
    Row("pinpoint", "Demographic.ModelVersion", "8", "properties.device_model_version", "8"),
    Row("pinpoint", "Demographic.Platform", "ios", "properties.platform", "ios"),
    Row("pinpoint", "Demographic.PlatformVersion", "11.3.1", "properties.os_version", "11.3.1"),
    Row("pinpoint", "Location.Country", "US", "properties.country", "US"),
    Row("pinpoint", "Location.Region", "WA", "properties.region", "WA"),
    Row("pinpoint", "Location.City", "Seattle", "properties.city", "Seattle"),
    Row("pinpoint", "Location.PostalCode", "98121", "properties.postal_code", "98121"),
    Row("pinpoint", "Location.Latitude", "48", "properties.latitude", 48),
    Row("pinpoint", "Location.Longitude", "-122", "properties.longitude", -122),

    Row("firebase", "token", ImportFixture.fcm, "token", .string(ImportFixture.fcm)),
    Row("firebase", "device_id", "d-1", "name", "d-1"), Row("firebase", "name", "d-2", "name", "d-2"),
    Row("firebase", "uid", "ann", "user", "ann"), Row("firebase", "userId", "bob", "user", "bob"),
    Row("firebase", "platform", "Android", "type", "android"),
    Row("firebase", "locale", "de_AT", "locale", "de-AT"),
    Row("firebase", "timezone", "Asia/Tokyo", "timezone", "Asia/Tokyo"),
    Row("firebase", "app_version", "7", "app_version", "7"),
    Row("firebase", "created_at", "1769853600000", "created_at", "2026-01-31T10:00:00.000Z"),
    Row("firebase", "last_seen", "2026-01-31", "registered_at", "2026-01-31T00:00:00.000Z"),
    Row("firebase", "opt_out", "true", "opt_out", true), Row("firebase", "opt_out", "Y", "opt_out", true),
    Row("firebase", "opt_out", "off", "opt_out", nil), Row("firebase", "opt_out", "maybe", "opt_out", true),
    Row("firebase", "properties.plan", "pro", "properties.plan", "pro"),

    Row("powerauth", "activation_id", "a-1", "name", "a-1"),
    Row("powerauth", "push_token", ImportFixture.apns, "token", .string(ImportFixture.apns)),
    Row("powerauth", "platform", "ios", "type", "ios"), Row("powerauth", "user_id", "26", "user", "26"),
    Row("powerauth", "app_id", "3", "token", .string(ImportFixture.apns)),
    Row("pinpoint", "ApplicationId", "3", "token", .string(ImportFixture.apns)),
    Row("powerauth", "environment", "development", "environment", "development"),
    Row("powerauth", "environment", "Sandbox", "environment", "development"),
    Row("powerauth", "environment", "moon", "environment", "production"),
    Row("powerauth", "is_active", "b'1'", "token", .string(ImportFixture.apns)),
    Row(
      "powerauth", "timestamp_last_registered", "2026-01-31 11:00:00.5+01", "registered_at",
      "2026-01-31T10:00:00.500Z"),
    Row("powerauth", "is_active", "t", "token", .string(ImportFixture.apns)),
  ]

  static func vendor(_ name: String) throws -> ImportVendor {
    try #require(ImportVendor.all.first { $0.name == name })
  }

  @Test(arguments: rows) func column(row: Row) throws {
    let vendor = try Self.vendor(row.vendor)
    let found = try ImportFixture().run(vendor, ImportFixture.csv(vendor, [(row.column, row.value)]))
    let device = try #require(found.devices.first, "\(found.report)")
    #expect(Cell.member(row.member, of: device) == row.expected, "\(device)")
  }

  @Test func everyNameIsOneColumn() {
    for vendor in ImportVendor.all {
      let names = vendor.columns.flatMap { Set($0.names.map { $0.lowercased() }) }
      #expect(Set(names).count == names.count, "\(vendor.name): \(names)")
      for target in [ImportColumn.Target.token, .kind, .name, .user] {
        #expect(vendor.columns.count { $0.target == target } == 1, "\(vendor.name) \(target)")
      }
    }
  }

  @Test func everyColumnHasARow() {
    for vendor in ImportVendor.all {
      for column in vendor.columns where column.target != .unused {
        // `browsers` tries these.
        if column.target == .p256dh || column.target == .auth { continue }
        let isTried = Self.rows.contains { row in
          row.vendor == vendor.name
            && column.names.contains { row.column == $0 || row.column.hasPrefix("\($0).") && column.target == .family }
        }
        #expect(isTried, "\(vendor.name) \(column.name)")
      }
    }
  }

  /// What each of the vendors' kinds becomes: a type and an environment, or the reason why not.
  static let kinds: [(vendor: String, values: [String], expected: String)] = [
    ("onesignal", ["0", "iOSPush"], "ios production"), ("onesignal", ["1", "AndroidPush"], "android"),
    ("onesignal", ["2", "10", "FireOSPush"], "amazon"),
    ("onesignal", ["4", "7", "ChromeExtensionPush", "SafariLegacyPush"], "web-push"),
    ("onesignal", ["5", "8", "12", "17", "ChromePush", "FirefoxPush", "SafariPush"], "web-key"),
    ("onesignal", ["3", "6", "WindowsPush"], "windows"), ("onesignal", ["9", "macOSPush"], "mac"),
    ("onesignal", ["11", "Email"], "email"), ("onesignal", ["13", "HuaweiPush"], "hms"),
    ("onesignal", ["14", "SMS"], "sms"), ("onesignal", ["99", ""], "unknown-kind"),
    ("pinpoint", ["APNS"], "ios production"), ("pinpoint", ["APNS_SANDBOX"], "ios development"),
    ("pinpoint", ["APNS_VOIP"], "ios-voip production"), ("pinpoint", ["APNS_VOIP_SANDBOX"], "ios-voip development"),
    ("pinpoint", ["GCM", "FCM"], "android"), ("pinpoint", ["ADM"], "amazon"), ("pinpoint", ["BAIDU"], "baidu"),
    ("pinpoint", ["EMAIL"], "email"), ("pinpoint", ["SMS", "VOICE"], "sms"),
    ("pinpoint", ["CUSTOM", "IN_APP", "PUSH"], "other-channel"), ("pinpoint", [""], "unknown-kind"),
    ("firebase", ["android", "fcm", ""], "android"), ("firebase", ["ios", "iPhone", "iPad", "apns"], "fcm-ios"),
    ("firebase", ["web", "chrome", "safari", "firefox"], "fcm-web"), ("firebase", ["tv"], "unknown-kind"),
    ("powerauth", ["apns", "ios"], "ios production"), ("powerauth", ["fcm", "android"], "android"),
    ("powerauth", ["hms", "huawei"], "hms"), ("powerauth", [""], "unknown-kind"),
  ]

  @Test(arguments: kinds) func kind(vendor name: String, values: [String], expected: String) throws {
    let vendor = try Self.vendor(name)
    let column = try #require(vendor.column(.kind).map { vendor.columns[$0].name })
    for value in values {
      // Only Apple's tokens are hexadecimal digits alone.
      let token = expected.hasPrefix("ios") ? [] : [(ImportFixture.base(vendor)[0].column, "sample-token-of-it")]
      let found = try ImportFixture().run(vendor, ImportFixture.csv(vendor, [(column, value)] + token))
      let device = found.devices.first.map { device in
        [device["type"]?.string, device["environment"]?.string].compactMap { $0 }.joined(separator: " ")
      }
      #expect(device ?? ImportFixture.reasons(found.report).joined() == expected, "\(name) \(value)")
    }
  }

  @Test func everyKindHasARow() {
    for vendor in ImportVendor.all {
      let tried = Self.kinds.filter { $0.vendor == vendor.name }.flatMap(\.values).map { $0.lowercased() }
      for value in vendor.kinds.flatMap(\.values) {
        #expect(tried.contains(value.lowercased()), "\(vendor.name) \(value)")
      }
    }
  }

  static let long = String(repeating: "x", count: 1_100)

  /// Rows that are left out, and doubtful ones, by reason.
  static let reasons: [(reason: ImportReason, vendor: String, cells: [(column: String, value: String)])] = [
    (.webPush, "onesignal", [("device_type", "7")]), (.webKey, "onesignal", [("device_type", "5")]),
    (.email, "onesignal", [("device_type", "11")]),
    (.sms, "onesignal", [("device_type", "14")]), (.amazon, "onesignal", [("device_type", "2")]),
    (.windows, "onesignal", [("device_type", "6")]),
    (.baidu, "pinpoint", [("ChannelType", "BAIDU")]), (.mac, "onesignal", [("device_type", "9")]),
    (.apnsToken, "firebase", [("platform", "ios"), ("token", ImportFixture.apns)]),
    (.apnsToken, "firebase", [("platform", "android"), ("token", ImportFixture.apns)]),
    (.apnsToken, "firebase", [("platform", ""), ("token", ImportFixture.apns)]),
    (.apnsToken, "onesignal", [("device_type", "1"), ("identifier", ImportFixture.apns)]),
    (.otherChannel, "pinpoint", [("ChannelType", "CUSTOM")]),
    (.unknownKind, "onesignal", [("device_type", "77")]), (.otherApp, "powerauth", [("app_id", "2")]),
    (.noToken, "onesignal", [("identifier", "")]), (.invalidToken, "onesignal", [("identifier", "xyz")]),
    (.deadToken, "onesignal", [("invalid_identifier", "t")]),
    (.deadToken, "pinpoint", [("EndpointStatus", "INACTIVE")]), (.deadToken, "powerauth", [("is_active", "f")]),
    (.deadToken, "powerauth", [("is_active", "b'0'")]), (.deadToken, "powerauth", [("is_active", "N")]),
    (.deadToken, "onesignal", [("invalid_identifier", "Yes")]),
    (.unreadableStatus, "powerauth", [("is_active", "X")]),
    (.unreadableStatus, "pinpoint", [("EndpointStatus", "GONE")]),
    (.unreadableOptOut, "onesignal", [("notification_types", "\\N")]),
    (.unreadableOptOut, "pinpoint", [("OptOut", "PARTIAL")]), (.unreadableOptOut, "firebase", [("opt_out", "maybe")]),
    (.unknownEnvironment, "powerauth", [("environment", "moon")]),
    (.userTooLong, "onesignal", [("external_user_id", long)]), (.unreadable, "onesignal", []),
    (.noTime, "onesignal", []), (.unreadableTime, "onesignal", [("last_active", "yesterday")]),
    (.unreadableTime, "onesignal", [("last_active", "0")]),
    (.futureTime, "onesignal", [("last_active", "2026-11-01 00:00:01")]),
    (.zoneFromOffset, "onesignal", [("timezone", "3600")]), (.unknownZone, "onesignal", [("timezone_id", "Mars/Base")]),
    (.unknownZone, "onesignal", [("timezone", "123")]), (.unknownLocale, "onesignal", [("language", "klingonese-xx")]),
    (.userPlaceholder, "onesignal", [("external_user_id", "null")]),
    (.propertyLeftOut, "onesignal", [("country", long)]),
    (.propertyLeftOut, "onesignal", [("tags", #"{"a":{"b":1}}"#)]),
    (.propertyLeftOut, "onesignal", [("tags", #"{"country":"1"}"#), ("country", "AT")]),
    (.unreadableProperties, "onesignal", [("tags", "a=>b")]), (.valueTooLong, "onesignal", [("game_version", long)]),
  ]

  @Test(arguments: reasons)
  func reason(reason: ImportReason, vendor name: String, cells: [(column: String, value: String)]) throws {
    let vendor = try Self.vendor(name)
    var fixture = try ImportFixture()
    fixture.options.vendorApp = "1"
    let text = ImportFixture.csv(vendor, cells) + (reason == .unreadable ? "one cell only\n" : "")
    let found = try fixture.run(vendor, text)
    #expect(ImportFixture.reasons(found.report).contains(reason.rawValue), "\(found.report)")
    #expect(found.devices.count == (reason.isDoubt || reason == .unreadable ? 1 : 0))
    #expect(found.report["rows"]?.int == (reason == .unreadable ? 2 : 1))
    #expect(found.report["accepted"]?.int == found.devices.count)
    #expect(found.report["doubtful"] == (reason.isDoubt || reason == .unreadable ? 1 : 0))
  }

  @Test("Of two rows with one id and different tokens the later is doubtful; the same row twice is not")
  func sameIDs() throws {
    let vendor = try Self.vendor("onesignal")
    let other = String(repeating: "cd", count: 32)
    let rows = [("a", ImportFixture.apns), ("b", other), ("a", ImportFixture.apns), ("a", other), ("a", other)]
    let text =
      "id,identifier,device_type,last_active\n"
      + rows.map { "\($0.0),\($0.1),0,2026-10-01 00:00:00\n" }.joined()
    let found = try ImportFixture().run(vendor, text)
    #expect(found.devices.count == 5 && found.report["doubtful"] == 1, "\(found.report)")
    let reason = try #require(found.report["doubtful_because"]?.array?.first { $0["reason"] == "same-id" })
    #expect(reason["rows"] == 1 && reason["lines"] == [5], "\(found.report)")
  }

  /// RFC 8291, section 5, in plain Base64 as OneSignal has it.
  static let browser: [(column: String, value: String)] = [
    ("device_type", "5"), ("identifier", "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV"),
    ("web_p256", "BCVxsr7N/eNgVRqvHtD0zTZsEc6+VV+JvLexhqUzORcxaOzi6+AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4="),
    ("web_auth", "BTBZMqHH6r4Tts7J/aSIgg=="),
  ]
  static let key = "BP4z9KsN6nGRTbVYI/c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8="

  @Test("A browser is imported with the key that it subscribed for") func browsers() throws {
    let vendor = ImportVendor.oneSignal
    var fixture = try ImportFixture()
    let key: String = try #require(BrowserRow.publicKey(Self.key))
    fixture.options.webKey = key
    let found = try fixture.run(vendor, ImportFixture.csv(vendor, Self.browser))
    let device = try #require(found.devices.first, "\(found.report)")
    #expect(device["type"] == "web" && device["token"] == nil && device["environment"] == nil)
    for (member, column) in [("endpoint", 1), ("p256dh", 2), ("auth", 3)] {
      #expect(device[member]?.string == Self.browser[column].value)
    }
    #expect(
      device["application_server_key"]
        == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
    // A point that is not on the curve, a secret that is too short, an endpoint that is none, and each of the parts missing.
    let wrong = [
      ("web_p256", "BA" + String(repeating: "A", count: 85)), ("web_auth", "AAAA"), ("identifier", "fMEO1b"),
    ]
    for cell in wrong + Self.browser.dropFirst().map({ ($0.column, "") }) {
      let found = try fixture.run(vendor, ImportFixture.csv(vendor, Self.browser + [cell]))
      let reason = cell.0 == "identifier" && cell.1.isEmpty ? "no-token" : "invalid-token"
      #expect(found.devices == [] && ImportFixture.reasons(found.report) == [reason], "\(cell)")
    }
  }

  @Test func publicKeys() {
    for text in ["", "abc", String(repeating: "A", count: 87), Self.key + Self.key, "ключ"] {
      #expect(BrowserRow.publicKey(text) == nil, "\(text)")
    }
  }

  @Test func everyReasonHasARow() {
    // An id that is there twice takes two rows; `sameIDs` has them.
    #expect(Set(Self.reasons.map(\.reason)) == Set(ImportReason.allCases).subtracting([.sameID]))
  }

  @Test func rowsThatAreNotDoubtful() throws {
    let vendor = ImportVendor.oneSignal
    let cells = [("last_active", "2026-10-31 00:00:00"), ("created_at", "2026-10-30 00:00:00"), ("language", "de")]
    let found = try ImportFixture().run(vendor, ImportFixture.csv(vendor, cells))
    #expect(ImportFixture.reasons(found.report) == [] && found.report["doubtful"] == 0)
  }

  /// The environment and the time of a row win over the options of the command line.
  @Test func optionsAreForRowsThatSayNothing() throws {
    var fixture = try ImportFixture()
    fixture.options.environment = .development
    fixture.options.seenAt = 1_769_853_600_000
    func device(_ vendor: ImportVendor, _ cells: [(String, String)]) throws -> JSONValue? {
      try fixture.run(vendor, ImportFixture.csv(vendor, cells)).devices.first
    }
    #expect(try device(.oneSignal, [])?["environment"] == "development")
    #expect(try device(.oneSignal, [("test_type", "2")])?["environment"] == "production")
    #expect(try device(.pinpoint, [])?["environment"] == "production")
    #expect(try device(.oneSignal, [])?["registered_at"] == "2026-01-31T10:00:00.000Z")
    #expect(try device(.oneSignal, [])?["created_at"] == "2026-01-31T10:00:00.000Z")
    let unread = try device(.oneSignal, [("last_active", "soon"), ("created_at", "2025-01-02 00:00:00")])
    #expect(unread?["registered_at"] == "2026-01-31T10:00:00.000Z")
    #expect(unread?["created_at"] == "2025-01-02T00:00:00.000Z")
    let known = try device(.oneSignal, [("last_active", "2026-02-01 00:00:00")])
    #expect(known?["registered_at"] == "2026-02-01T00:00:00.000Z")
    #expect(try device(.firebase, [])?["environment"] == nil)
  }

  /// Firestore's libraries write times as objects; what has the name of a family and is no object has no properties.
  @Test func objectsOfJSON() throws {
    for text in [#"{"_seconds":1769853600,"_nanoseconds":5}"#, #"{"seconds":1769853600,"nanoseconds":0}"#] {
      let row = #"{"token":"\#(ImportFixture.fcm)","createdAt":\#(text),"properties":[1]}"#
      let (devices, report) = try ImportFixture().run(.firebase, row)
      #expect(devices.first?["created_at"] == "2026-01-31T10:00:00.000Z", "\(devices)")
      #expect(ImportFixture.reasons(report) == ["property-left-out"])
    }
  }

  /// An attribute of Pinpoint is a list; only with several values it cannot be a property.
  @Test func listsBecomeTags() throws {
    let line =
      #"{"Address":"\#(ImportFixture.fcm)","ChannelType":"GCM","Attributes":{"plan":["pro"],"likes":["rock","jazz","#
      + #""rock"],"none":[]},"User":{"UserId":"ann","UserAttributes":{"plan":["free"]}},"Metrics":{"level":6.5},"#
      + #""Future":{"Member":1},"EffectiveDate":"2026-10-01T00:00:00Z"}"#
    let fixture = try ImportFixture()
    let stream = try fixture.stream(.pinpoint, Array(line.utf8))
    let device = try JSON.parse(ImportFixture.output(stream))
    #expect(device["type"] == "android" && device["user"] == "ann" && device["tags"] == ["likes:rock", "likes:jazz"])
    #expect(device["properties"]?.description == #"{"plan":"pro","level":6.5}"#)
    // Two attributes have one name: the first stays, and the row is doubtful.
    #expect(ImportFixture.reasons(.object(stream.tally.json)) == ["property-left-out"])
    #expect(stream.header.unknown == ["Future.Member"])
    #expect(stream.header.missed.map(\.name) == ["EndpointStatus", "OptOut"])
  }

  @Test(
    arguments: [
      ("2026-01-31T10:00:00Z", 1_769_853_600_000), ("2026-01-31 10:00:00", 1_769_853_600_000),
      ("2026-01-31 10:00:00.123456", 1_769_853_600_123), ("2026-01-31 10:00:00 UTC", 1_769_853_600_000),
      ("2026-01-31 12:00:00+02", 1_769_853_600_000), ("2026-01-31 12:00:00+0200", 1_769_853_600_000),
      ("2026-01-31", 1_769_817_600_000), ("1769853600", 1_769_853_600_000), ("1769853600000", 1_769_853_600_000),
      ("31.01.2026", nil), ("2026-02-30", nil), ("", nil), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", nil), ("0", nil),
    ] as [(String, Int64?)])
  func times(text: String, expected: Int64?) { #expect(VendorTime.milliseconds(text) == expected) }

  /// Every offset that a device can have today has a zone with that offset, in winter or in summer.
  @Test func offsets() {
    let minutes = (-12...14).map { $0 * 60 } + [-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825]
    for minute in minutes {
      let name = VendorZone.name(offset: "\(minute * 60)")
      #expect(name.map(VendorZone.isKnown) == true, "\(minute)")
    }
    for text in ["x", "15.5", "54000", "-46800", "61", "\(Int.max)"] { #expect(VendorZone.name(offset: text) == nil) }
  }
}
