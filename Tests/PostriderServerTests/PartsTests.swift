import Delivery
import Glibc
import HTTPServer
import PushPayload
import PushStore
import Signing
import StoreModel
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (1_795_219_199_999, "2026-11-20T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func writesMoments(_ ms: Int64, _ text: String) {
    #expect(TimeText.text(ms: ms) == text)
  }
}

@Suite struct SchemaTests {
  static let schema = Schema.object([
    .required("name", .string("", max: 5)), .optional("count", .integer(1...9, "")),
    .optional("kind", .choice(["a", "b"], "")), .optional("on", .boolean("")),
    .optional("list", .array(of: .string("", max: 3), max: 2)), .optional("free", Schema(.map)),
  ])

  @Test(arguments: [
    (#"{"name":"x"}"#, []),
    (#"{"name":"x","count":9,"kind":"b","on":true,"list":["abc"],"free":{"z":1}}"#, []),
    (#"[]"#, ["error request-type : expected an object, found an array"]),
    (#"{}"#, ["error request-missing name: is required and missing"]),
    (#"{"name":1}"#, ["error request-type name: expected a string, found a number"]),
    (#"{"name":""}"#, ["error request-value name: expected 1 to 5 characters, found 0"]),
    (#"{"name":"ééééé"}"#, []),
    (#"{"name":"éééééé"}"#, ["error request-value name: expected 1 to 5 characters, found 6"]),
    (#"{"name":"x","count":10}"#, ["error request-value count: expected a whole number from 1 to 9, found 10"]),
    (#"{"name":"x","count":1.5}"#, ["error request-value count: expected a whole number from 1 to 9, found 1.5"]),
    (#"{"name":"x","kind":"c"}"#, [#"error request-value kind: expected one of "a", "b", found "c""#]),
    (#"{"name":"x","on":"true"}"#, ["error request-type on: expected a boolean, found a string"]),
    (#"{"name":"x","list":["abc",5]}"#, ["error request-type list[1]: expected a string, found a number"]),
    (#"{"name":"x","list":["a","b","c"]}"#, ["error request-value list: expected at most 2 elements, found 3"]),
    (#"{"name":"x","free":[]}"#, ["error request-type free: expected an object, found an array"]),
    (#"{"name":"x","nam":1}"#, ["warning request-unknown-field nam: is not a field of this request and was ignored"]),
  ])
  func checks(_ text: String, _ findings: [String]) throws {
    var report = Report()
    Self.schema.check(try JSON.parse(text), schemas: [:], into: &report)
    #expect(report.findings.map(\.description) == findings)
  }
}

@Suite struct SendingLimitsTests {
  @Test func theDefaultsAreThoseOfThePipeline() {
    var options = DeliveryOptions()
    SendingLimits().apply(to: &options)
    #expect(options.rates == DeliveryOptions().rates)
    #expect(options.spikeGuard == DeliveryOptions().spikeGuard)
    #expect(options.choices == DeliveryOptions().choices)
  }

  @Test func whatIsAskedForIsUsed() {
    var limits = SendingLimits()
    limits.apnsPerSecond = 500
    limits.fcmPerSecond = 50
    limits.retirePercent = 5
    limits.fcmPlain429IsForDevice = true
    var options = DeliveryOptions()
    limits.apply(to: &options)
    #expect(options.rates == [.apns: .init(perSecond: 500), .fcm: .init(perSecond: 50, rampMs: 60_000)])
    #expect(options.spikeGuard.shareMax == 0.05)
    #expect(options.choices.fcmPlain429 == .device)
  }
}

@Suite struct DeliveryHealthTests {
  /// A doubt is over when it was not told of again; nothing else takes it back.
  @Test func aDoubtLastsAsLongAsItIsTold() {
    let health = DeliveryHealth()
    let app = AppID(rawValue: 1)
    let lane = LaneKey(app: app, provider: .fcm, environment: .production)
    func at(_ minutes: Int64) -> Timestamp { Timestamp(seconds: 1_800_000_000 + minutes * 60) }
    func since(_ minutes: Int64) -> [Timestamp] { health.troubles(of: app, now: at(minutes)).map(\.since) }
    health.note(.credentialDoubted(lane, reason: "THIRD_PARTY_AUTH_ERROR"), now: at(0))
    let trouble = health.troubles(of: app, now: at(1))
    #expect(trouble.map(\.subject.name) == ["credential-doubted"])
    #expect(trouble.map(\.detail) == ["fcm refused pushes because of a credential: THIRD_PARTY_AUTH_ERROR"])
    health.note(.credentialDoubted(lane, reason: "THIRD_PARTY_AUTH_ERROR"), now: at(10))
    #expect(since(24) == [at(0)] && since(25).isEmpty)
    #expect(health.troubles(of: AppID(rawValue: 2), now: at(11)).isEmpty)
    health.note(.credentialDoubted(lane, reason: "THIRD_PARTY_AUTH_ERROR"), now: at(60))
    #expect(since(61) == [at(60)])
  }

  /// The sandbox is a gateway of its own: that it works again says nothing about the other.
  @Test func eachLaneHasATroubleOfItsOwn() {
    let health = DeliveryHealth()
    let app = AppID(rawValue: 1)
    let now = Timestamp(seconds: 1_800_000_000)
    let lanes = DeviceEnvironment.allCases.map { LaneKey(app: app, provider: .apns, environment: $0) }
    for lane in lanes {
      health.note(.gatewayUnreachable(lane, reason: "connect"), now: now)
      health.note(.credentialDoubted(lane, reason: "x"), now: now)
    }
    #expect(health.troubles(of: app, now: now).count == 4)
    health.note(.gatewayReachable(lanes[1]), now: now)
    let left = health.troubles(of: app, now: now)
    #expect(
      left.map(\.detail) == [
        "apns cannot be reached: connect", "apns refused pushes because of a credential: x",
        "apns_sandbox refused pushes because of a credential: x",
      ])
    #expect(left.contains { $0.subject == .gateway(lanes[0]) })
  }
}

@Suite struct RouterTests {
  static func route(_ method: HTTPMethod, _ pattern: String) -> Route {
    Route(
      .init(method: method, pattern: pattern, access: .open), name: pattern, about: "", answers: [],
      action: .now { _, _ in .noContent })
  }

  let router = Router([
    route(.get, "/v1/apps"), route(.post, "/v1/apps"), route(.get, "/v1/apps/{app}"),
    route(.get, "/v1/apps/{app}/devices"), route(.delete, "/v1/apps/{app}/devices/{device}"), route(.get, "/healthz"),
  ])

  @Test(arguments: [
    (HTTPMethod.get, ["v1", "apps"], "0 []"), (.post, ["v1", "apps"], "1 []"), (.head, ["v1", "apps"], "0 []"),
    (.get, ["v1", "apps", "x y"], #"2 ["x y"]"#), (.delete, ["v1", "apps", "a", "devices", "d"], #"4 ["a", "d"]"#),
    (.put, ["v1", "apps"], "other [GET, POST]"), (.get, ["v1", "apps", ""], "none"), (.get, [], "none"),
    (.get, ["v1"], "none"), (.get, ["a", "b", "c", "d", "e", "f", "g"], "none"),
  ])
  func finds(_ method: HTTPMethod, _ segments: [String], _ expected: String) {
    let text =
      switch router.match(method, segments) {
      case .route(let index, let parameters): "\(index) \(parameters)"
      case .otherMethods(let methods): "other \(methods)"
      case .none: "none"
      }
    #expect(text == expected)
  }
}

@Suite struct KeyTextTests {
  @Test func derivesTheSameKeyFromTheSameRequest() {
    let one = APIKeyText.derived(from: [1], secret: [9])
    #expect(one.text == APIKeyText.derived(from: [1], secret: [9]).text)
    #expect(one.text != APIKeyText.derived(from: [2], secret: [9]).text)
    #expect(one.text != APIKeyText.derived(from: [1], secret: [8]).text)
    #expect(one.text.utf8.count == 47)
    #expect(APIKeyText.hasForm(Array(one.text.utf8)[...]))
    #expect(one.shown == String(one.text.prefix(10)))
  }
}

@Suite struct VaultTests {
  @Test func opensOnlyWhereItWasSealed() throws {
    let vault = try Vault(key: SecureRandom.bytes(32))
    let sealed = try vault.seal([1, 2, 3], context: "app/a")
    #expect(try vault.open(sealed, context: "app/a") == [1, 2, 3])
    #expect(throws: SigningError.self) { try vault.open(sealed, context: "app/b") }
    let other = try Vault(key: SecureRandom.bytes(32))
    #expect(throws: SigningError.self) { try other.open(sealed, context: "app/a") }
  }
}

@Suite struct DataFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func mode(_ path: String) -> UInt32 {
    var info = stat()
    return stat(path, &info) == 0 ? info.st_mode & 0o777 : 0
  }

  func failure(_ path: String, sealingKey: String? = nil) -> String? {
    do throws(DataFolderError) {
      _ = try DataFolder(path, sealingKey: sealingKey).sealingKey(isNothingSealed: false)
      return nil
    } catch { return error.description }
  }

  @Test func makesAPrivateFolderAndKeepsItsKey() throws {
    let path = folder.path + "/data"
    var first: [UInt8] = []
    do {
      let data = try DataFolder(path, sealingKey: nil)
      #expect(data.isNew)
      try Files.write([1], to: path + "/postrider.sqlite")
      first = try data.sealingKey(isNothingSealed: true)
      #expect(first.count == 32)
      #expect(mode(path) == 0o700)
      #expect(mode(path + "/sealing.key") == 0o600)
      #expect(
        failure(path)
          == "another Postrider uses this data folder (lock \(path)/lock); stop it or choose another folder")
    }
    let again = try DataFolder(path, sealingKey: nil)
    #expect(!again.isNew)
    #expect(try again.sealingKey(isNothingSealed: false) == first)
  }

  /// Whatever the umask, and also where an older version made the files.
  @Test func filesAreTheirOwnersAlone() throws {
    let data = folder.path + "/data"
    func open() throws -> ServerFixture { try ServerFixture(folder: folder) }
    func check(_ folder: String) throws {
      #expect(mode(folder) == 0o700)
      let names = try Files.list(folder)
      #expect(names.contains("postrider.sqlite"))
      for name in names { #expect(mode("\(folder)/\(name)") == 0o600, "\(name)") }
    }
    do {
      let fixture = try open()
      _ = try fixture.post("/v1/apps", ["name": "demo", "contract": "amba"])
      try check(data)
      #expect(try Files.list(data).contains("postrider.sqlite-wal"))
      _ = try Backup.make(of: data, in: folder.path + "/backup", includingKey: true)
      try check(folder.path + "/backup")
      fixture.server.stop()
    }
    chmod(data + "/postrider.sqlite", 0o644)
    let again = try open()
    try check(data)
    again.server.stop()
    _ = try Backup.restore(folder.path + "/backup", as: folder.path + "/restored")
    try check(folder.path + "/restored")
  }

  @Test func saysWhatIsWrong() throws {
    let path = folder.path + "/data"
    try Files.write([1], to: folder.path + "/file")
    #expect(
      failure(folder.path + "/file") == "the data folder \(folder.path)/file is not a folder; choose another path")
    #expect(
      failure(folder.path + "/no/such")
        == "cannot create the data folder \(folder.path)/no/such: No such file or directory")
    _ = try DataFolder(path, sealingKey: nil).sealingKey(isNothingSealed: true)
    try Files.write([1], to: path + "/postrider.sqlite")
    chmod(path, 0o755)
    #expect(failure(path) == "the data folder \(path) is open to other users; close it with: chmod 700 \(path)")
    chmod(path, 0o700)
    chmod(path + "/sealing.key", 0o644)
    #expect(
      failure(path)
        == "the key file \(path)/sealing.key is open to other users; close it with: chmod 600 \(path)/sealing.key")
    chmod(path + "/sealing.key", 0o600)
    try Files.write(Array("hello".utf8), to: path + "/sealing.key")
    #expect(failure(path) == "the key file \(path)/sealing.key does not hold 64 hexadecimal digits")
    #expect(
      failure(path, sealingKey: "xyz") == "the sealing key of the configuration does not hold 64 hexadecimal digits")
    #expect(failure(path, sealingKey: String(repeating: "ab", count: 32)) == nil)
    Files.removeTree(path + "/sealing.key")
    #expect(
      failure(path)
        == "the key file \(path)/sealing.key is missing, and the stored credentials cannot be read without it;"
        + " bring it back from a backup, or copy it from another node of the same database, or start with"
        + " POSTRIDER_SEALING_KEY set to 64 new hexadecimal digits and"
        + " --replace-sealing-key, and enter the credentials again")
  }

  /// What is left of a data folder whose database is lost.
  static let remains: [(name: String, files: [String: [UInt8]], words: String?)] = [
    ("nothing", [:], nil), ("an empty database", ["postrider.sqlite": []], nil),
    (
      "a key", ["sealing.key": Array(String(repeating: "ab", count: 32).utf8)],
      "has sealing.key, but its database postrider.sqlite is missing"
    ),
    (
      "a key and an empty database",
      ["sealing.key": Array(String(repeating: "ab", count: 32).utf8), "postrider.sqlite": []],
      "has sealing.key, but its database postrider.sqlite is empty"
    ),
    ("a log", ["postrider.sqlite-wal": [1]], "has postrider.sqlite-wal, but its database postrider.sqlite is missing"),
    (
      "a log and an empty database", ["postrider.sqlite-wal": [1], "postrider.sqlite": []],
      "has postrider.sqlite-wal, but its database postrider.sqlite is empty"
    ),
    ("an empty log", ["postrider.sqlite-wal": []], nil), ("an empty lock", ["lock": []], nil),
    (
      "a lock that knows of one", ["lock": Array("postrider.sqlite\n".utf8)],
      "has lock, but its database postrider.sqlite is missing"
    ),
    ("a journal", ["postrider.sqlite-journal": [1]], "has postrider.sqlite-journal"),
  ]

  @Test("A folder whose database is lost does not start as new", arguments: remains.indices)
  func refusesALostDatabase(row: Int) throws {
    let (_, files, words) = Self.remains[row]
    let path = folder.path + "/data"
    #expect(mkdir(path, 0o700) == 0)
    for (name, bytes) in files {
      try Files.write(bytes, to: "\(path)/\(name)")
      chmod("\(path)/\(name)", 0o600)
    }
    var failure: String?
    do throws(DataFolderError) {
      let data = try DataFolder(path, sealingKey: nil)
      #expect(data.isNew)
    } catch { failure = error.description }
    guard let words else {
      #expect(failure == nil)
      return
    }
    #expect(failure?.contains(words) == true, "\(failure ?? "it started")")
    #expect(failure?.contains("restore a backup into a new folder (postrider restore)") == true)
    for (name, bytes) in files { #expect(try Files.read("\(path)/\(name)") == bytes) }
  }
}

@Suite struct LogTests {
  @Test func writesOneObjectPerLineAndNoTokenWhole() throws {
    let lines = Lines()
    let log = Log(level: .info, clock: WallClock { 0 }) { lines.append($0) }
    let token = String(repeating: "0123456789abcdef", count: 4)
    log(.info, "device registered", ["app": .text("a\"b\n"), "token": .token(token), "ms": .milliseconds(1.2345)])
    log(.debug, "not written", [:])
    let expected =
      #"{"time":"1970-01-01T00:00:00.000Z","level":"info","event":"device registered","app":"a\"b\n","#
      + #""token":"0123…(64)","ms":1.234}"# + "\n"
    #expect(lines.text == expected)
    #expect(Log.redacted("short") == "…(5)")
  }
}

@Suite struct MetricsTests {
  @Test func writesPrometheusText() {
    let metrics = Metrics(routeNames: ["a", "b"])
    metrics.count(route: 0, status: 202, microseconds: 900)
    metrics.count(route: 0, status: 202, microseconds: 3_000_000)
    metrics.count(route: nil, status: 404, microseconds: 10)
    let text = metrics.text(gauges: [
      Metrics.Gauge(
        name: "postrider_sends_total", kind: .counter, help: "Sends.", values: [(#"provider="apns""#, 3), ("", 1)])
    ])
    #expect(
      text == """
        # HELP postrider_http_requests_total Answered API requests.
        # TYPE postrider_http_requests_total counter
        postrider_http_requests_total{route="a",status="2xx"} 2
        postrider_http_requests_total{route="none",status="4xx"} 1
        # HELP postrider_http_request_seconds Time from the complete request to its answer.
        # TYPE postrider_http_request_seconds histogram
        postrider_http_request_seconds_bucket{route="a",le="0.001"} 1
        postrider_http_request_seconds_bucket{route="a",le="0.005"} 1
        postrider_http_request_seconds_bucket{route="a",le="0.02"} 1
        postrider_http_request_seconds_bucket{route="a",le="0.1"} 1
        postrider_http_request_seconds_bucket{route="a",le="0.5"} 1
        postrider_http_request_seconds_bucket{route="a",le="2"} 1
        postrider_http_request_seconds_bucket{route="a",le="+Inf"} 2
        postrider_http_request_seconds_sum{route="a"} 3.0009
        postrider_http_request_seconds_count{route="a"} 2
        postrider_http_request_seconds_bucket{route="none",le="0.001"} 1
        postrider_http_request_seconds_bucket{route="none",le="0.005"} 1
        postrider_http_request_seconds_bucket{route="none",le="0.02"} 1
        postrider_http_request_seconds_bucket{route="none",le="0.1"} 1
        postrider_http_request_seconds_bucket{route="none",le="0.5"} 1
        postrider_http_request_seconds_bucket{route="none",le="2"} 1
        postrider_http_request_seconds_bucket{route="none",le="+Inf"} 1
        postrider_http_request_seconds_sum{route="none"} 1e-05
        postrider_http_request_seconds_count{route="none"} 1
        # HELP postrider_sends_total Sends.
        # TYPE postrider_sends_total counter
        postrider_sends_total{provider="apns"} 3
        postrider_sends_total 1

        """)
  }
}
