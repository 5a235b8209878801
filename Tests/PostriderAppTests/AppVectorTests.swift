import Glibc
import PostriderApp
import Synchronization
import TestSupport
import Testing
import WireJSON

/// The cases of Vectors/app-sdk (its README describes them), which the Android client's tests run in Java.
@Suite("Cases for both app clients")
struct AppVectorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let path: String
    var testDescription: String { path }
  }

  static let folder = Files.packageRoot + "/Vectors/app-sdk"

  static let cases: [Case] = ["both", "ios"].flatMap { part in
    ((try? Files.list("\(folder)/\(part)")) ?? []).map { Case(path: "\(part)/\($0)") }
  }

  @Test(arguments: cases)
  func runs(_ given: Case) throws {
    let bytes = try Files.read("\(Self.folder)/\(given.path)")
    let vector = try JSON.parse(Self.filled(String(decoding: bytes, as: UTF8.self)))
    let folder = try TemporaryFolder()
    var run = VectorRun(folder: folder.path + "/app")
    for (index, step) in try #require(vector["steps"]?.array).enumerated() {
      try run.perform(step, "step \(index + 1) \(JSON.minifiedText(step))")
    }
    let log = run.surroundings.lines.joined(separator: "\n")
    for secret in [VectorRun.key, String(Self.token(1).prefix(20)), "jwt-"] { #expect(!log.contains(secret), "\(log)") }
  }

  @Test("There are cases, and both clients run those for both")
  func exist() { #expect(Self.cases.count > 40) }

  @Test("The client has at most 1500 lines, and none of them imports another module of the package")
  func isSmall() throws {
    var lines = 0
    for part in ["", "/Apple"] {
      let folder = "\(Files.packageRoot)/Sources/PostriderApp\(part)"
      for name in try Files.list(folder) where name.hasSuffix(".swift") {
        let text = String(decoding: try Files.read("\(folder)/\(name)"), as: UTF8.self)
        lines += text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        for line in text.split(separator: "\n")
        where line.contains("internal import ") || line.contains("public import ") {
          let module = line.split(separator: " ").last.map(String.init) ?? ""
          #expect(
            ["Darwin", "Glibc", "Foundation", "FoundationNetworking", "UserNotifications"].contains(module),
            "\(name): \(line)")
        }
      }
    }
    #expect((1000...1500).contains(lines), "\(lines) lines")
  }

  /// The platform's own words in a case for both.
  private static func filled(_ text: String) -> String {
    var text = text
    func replace(_ name: String, _ value: String) {
      text = text.split(separator: name, omittingEmptySubsequences: false).joined(separator: value)
    }
    replace("%TYPE%", "ios")
    replace("%REF%", "apns_id")
    for digit in 0...9 {
      replace("%ID\(digit)%", "a1b2c3d4-e5f6-8788-8000-00000000000\(digit)")
      replace("%TOKEN\(digit)%", token(digit))
    }
    return text
  }

  private static func token(_ digit: Int) -> String { String(repeating: "00ff", count: 15) + "000\(digit)" }
}

/// The surroundings of a case: a clock and randomness that it sets.
final class VectorSurroundings: Surroundings {
  struct Values {
    var now: Int64 = 1_795_219_200_000
    var random = 500
    var names = 0
    var lines: [String] = []
    var details: JSONValue = ["locale": "de-AT", "timezone": "Europe/Vienna", "app_version": "1.2.3"]
  }

  let values = Mutex(Values())

  var now: Int64 { values.withLock { $0.now } }
  var random: Int { values.withLock { $0.random } }
  var locale: String? { detail("locale") }
  var timezone: String? { detail("timezone") }
  var appVersion: String? { detail("app_version") }
  var lines: [String] { values.withLock { $0.lines } }

  var newName: String {
    values.withLock {
      $0.names += 1
      return "device-\($0.names)"
    }
  }

  private func detail(_ name: String) -> String? { values.withLock { $0.details[name]?.string } }

  func log(_ line: String) { values.withLock { $0.lines.append(line) } }
}

/// One case while it runs.
struct VectorRun {
  static let key = "prk_client"
  private static let origin = "https://push.example.com"

  let folder: String
  let surroundings = VectorSurroundings()
  private var core: Core

  init(folder: String) {
    self.folder = folder
    core = Core(folder: folder, role: .app, surroundings: surroundings)
  }

  mutating func perform(_ step: JSONValue, _ what: String) throws {
    let comment = Comment(rawValue: what)
    if step["call"] != nil { return try call(step, comment) }
    if step["request"] != nil { return try request(step, comment) }
    if let user = step["ask_identity"]?.string {
      guard case .identity(user, step["refresh"]?.bool ?? false) = core.next() else {
        Issue.record("no question for the identity: \(what)")
        return
      }
      for meanwhile in step["meanwhile"]?.array ?? [] { try call(meanwhile, comment) }
      return core.identified(user, step["token"]?.string)
    }
    surroundings.values.withLock { values in
      if let advance = step["advance"]?.int { values.now += Int64(advance) }
      if let clock = step["clock"]?.int { values.now = Int64(clock) }
      if let random = step["random"]?.int { values.random = random }
      if let details = step["details"] { values.details = details }
    }
    if let restart = step["restart"] {
      core = Core(folder: folder, role: restart == "extension" ? .serviceExtension : .app, surroundings: surroundings)
    }
    if let file = step["file"]?.string {
      let folders = file.split(separator: "/").dropLast().joined(separator: "/")
      mkdir("\(self.folder)", 0o700)
      mkdir("\(self.folder)/\(folders)", 0o700)
      try Files.write(Array((step["text"]?.string ?? "").utf8), to: "\(self.folder)/\(file)")
    }
    check(step, comment)
  }

  /// What a step expects.
  private func check(_ step: JSONValue, _ comment: Comment) {
    if step["idle"] != nil {
      guard case .idle = core.next() else {
        Issue.record(comment)
        return
      }
    }
    if let wait = step["wait"]?.int {
      guard case .wait(let until) = core.next() else {
        Issue.record(comment)
        return
      }
      #expect(until - surroundings.now == Int64(wait), comment)
    }
    if let file = step["no_file"]?.string { #expect(access("\(folder)/\(file)", F_OK) != 0, comment) }
    if let queued = step["queued"]?.int { #expect(core.queued == queued, comment) }
    if let dropped = step["dropped"]?.int { #expect(core.dropped == dropped, comment) }
    if let device = step["device"] { #expect(core.device == device.string, comment) }
    if let isTaken = step["signed_out"] { #expect(core.isSignedOut == isTaken.bool, comment) }
    if let badge = step["next_badge"]?.int { #expect(core.badge { $0 + 1 } == badge, comment) }
    if let words = step["log"]?.string {
      #expect(surroundings.lines.contains { $0.contains(words) }, "\(comment): \(surroundings.lines)")
    }
    if let link = step["link"] {
      let payload = AppJSON.parse(JSON.minifiedText(step["payload"] ?? .null)) ?? .null
      let keys = PostriderConfiguration(server: "", app: "", key: "").linkKeys
      #expect(Links.find(in: payload, keys: keys) == link.string, comment)
    }
  }

  private func call(_ step: JSONValue, _ comment: Comment) throws {
    func text(_ name: String) -> String { step[name]?.string ?? "" }
    switch text("call") {
    case "start": start(step, comment)
    case "token": core.setToken(text("token"), environment: text("environment"))
    case "user": core.setUser(step["user"]?.string)
    case "tags": core.setTags((step["tags"]?.array ?? []).compactMap(\.string))
    case "opt_out": core.setOptOut(step["value"]?.bool ?? false)
    case "wake": core.wake()
    case "badge": _ = core.badge { _ in step["value"]?.int ?? 0 }
    case "event":
      for _ in 0..<(step["times"]?.int ?? 1) {
        if let identifier = step["identifier"]?.string ?? (step["reference"] == nil ? text("notification") : nil) {
          core.report(text("type"), action: step["action"]?.string, identifier: identifier)
        } else {
          core.report(text("type"), action: step["action"]?.string, .campaign(text("notification")))
        }
      }
    default: Issue.record(comment)
    }
  }

  private func start(_ step: JSONValue, _ comment: Comment) {
    var configuration = PostriderConfiguration(
      server: step["server"]?.string ?? Self.origin, app: step["app"]?.string ?? "demo",
      key: step["key"]?.string ?? Self.key)
    // Any provider: the case supplies the tokens.
    if step["identity"] != nil { configuration.identity = { _, _, done in done(nil) } }
    #expect((core.start(configuration) != nil) == (step["refused"] != nil), comment)
  }

  private mutating func request(_ step: JSONValue, _ comment: Comment) throws {
    let expected = try #require(step["request"])
    guard case .request(let request) = core.next() else {
      Issue.record(comment)
      return
    }
    #expect(request.url == (expected["server"]?.string ?? Self.origin) + (expected["path"]?.string ?? ""), comment)
    #expect(request.identity == expected["identity"]?.string, comment)
    let body = try JSON.parse(request.body)
    if let wanted = expected["body"] { #expect(Self.sorted(body) == Self.sorted(wanted), comment) }
    if let count = expected["events"]?.int { #expect(body["events"]?.array?.count == count, comment) }
    for meanwhile in step["meanwhile"]?.array ?? [] { try call(meanwhile, comment) }
    core.answered(request, answer(step["answer"] ?? .null, request))
  }

  /// The value with its members in one order: the clients differ in theirs.
  private static func sorted(_ value: JSONValue) -> JSONValue {
    if let array = value.array { return .array(array.map(sorted)) }
    guard let object = value.object else { return value }
    var result = JSONObject()
    for (name, value) in object.map({ ($0.key, sorted($0.value)) }).sorted(by: { $0.0 < $1.0 }) { result[name] = value }
    return .object(result)
  }

  /// The answer; `"recorded": true` is one that records every event.
  private func answer(_ answer: JSONValue, _ request: PostriderRequest) -> PostriderAnswer? {
    guard let status = answer["status"]?.int else { return nil }
    var body = answer["text"]?.string ?? answer["body"].map { JSON.minifiedText($0) } ?? ""
    if answer["recorded"] != nil {
      body = JSON.minifiedText(["results": .array((request.events ?? []).map { _ in "recorded" })])
    }
    return PostriderAnswer(status: status, retryAfter: answer["retry_after"]?.string, body: body)
  }
}
