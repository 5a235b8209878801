import Glibc
import PostriderServer
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// What becomes of a Live Activity's send and its token with each answer on Apple's page.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ActivityAnswerTests {
  enum Fate: String, Sendable {
    /// The send ends as rejected; the token stays.
    case rejected
    /// The send ends, and the token is retired.
    case retired
    /// The send ends, and the token is quarantined.
    case quarantined
    /// The send waits for another try; the token stays.
    case again
    /// The send waits until Apple accepts the credential; the token stays, and the operator is notified.
    case stopped
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let reason: String
    let fate: Fate
    var testDescription: String { "\(reason): \(fate.rawValue)" }
  }

  static let fates: [(fate: Fate, reasons: [String])] = [
    (
      .rejected,
      [
        "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic", "DeviceTokenNotForTopic",
        "DuplicateHeaders", "InvalidPushType", "MissingDeviceToken", "MissingTopic", "PayloadEmpty", "TopicDisallowed",
        "Forbidden", "BadPath", "MethodNotAllowed", "PayloadTooLarge",
      ]
    ), (.retired, ["Unregistered", "ExpiredToken"]), (.quarantined, ["BadDeviceToken"]),
    (
      .again,
      [
        "IdleTimeout", "ExpiredProviderToken", "UnrelatedKeyIdInToken", "TooManyProviderTokenUpdates",
        "TooManyRequests", "InternalServerError", "ServiceUnavailable", "Shutdown",
      ]
    ),
    (
      .stopped,
      [
        "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken", "InvalidProviderToken",
        "MissingProviderToken",
      ]
    ),
  ]
  static let rows = fates.flatMap { fate, reasons in reasons.map { Row(reason: $0, fate: fate) } }

  @Test("The table has every answer on Apple's page, once") func isWhole() {
    #expect(Self.rows.map(\.reason).sorted() == APNsRejection.devicePush.map(\.reason).sorted())
  }

  private let world: EndToEndTests

  init() throws {
    world = try EndToEndTests()
    let start: JSONValue = [
      "type": "ios-live-activity-start", "token": .string(ActivityTests.startToken), "user": "ann",
    ]
    #expect(try world.fixture.post("/v1/apps/demo/devices", start).status == 201)
  }

  private func send(_ path: String, _ body: String) throws -> JSONValue {
    let answer = try world.fixture.send("POST", ActivityTests.path + path, body)
    #expect([200, 201, 202].contains(answer.status), "\(answer.text)")
    return answer.json
  }

  private func begin() throws -> JSONValue {
    try send("", #"{"id":"order-17","to":{"user":"ann"},\#(ActivityTests.parts)}"#)
  }

  private func refuse(_ reason: String) {
    var refusal = Refusal(reason)
    refusal.timestampMs = 4_000_000_000_000
    emulator.add(FaultRule(name: reason, effect: .refuse(refusal)))
  }

  private var emulator: ProviderEmulator { world.emulator }

  /// The one delivery of a push, as soon as an answer to it is recorded.
  private func answered(_ push: JSONValue) throws -> JSONValue {
    let path = "/v1/apps/demo/pushes/\(push["id"]?.string ?? "")/deliveries"
    var found = JSONValue.null
    for _ in 0..<6_000 {
      found = try world.fixture.send("GET", path).json["deliveries"]?[0] ?? .null
      let isStopped = try world.fixture.send("GET", "/v1/apps/demo").json["stops"] != nil
      let isWaiting = found["state"] == "waiting" && (found["attempts"]?.int ?? 0 > 0 || isStopped)
      if isWaiting || ["rejected", "accepted", "unknown", "expired"].contains(found["state"]?.string) { break }
      usleep(10_000)
    }
    return found
  }

  private func check(_ row: Row, _ delivery: JSONValue, token: JSONValue) throws {
    let ends = ![Fate.again, .stopped].contains(row.fate)
    #expect(delivery["state"]?.string == (ends ? "rejected" : "waiting"), "\(delivery)")
    if row.fate != .stopped {
      #expect(delivery["reason"]?.string == row.reason, "\(delivery)")
    }
    if ends {
      let status = APNsRejection.named(row.reason)?.status
      #expect(delivery["status"]?.int.map { Int($0) } == status, "\(delivery)")
    }
    let state = [Fate.retired: "retired", .quarantined: "quarantined"][row.fate] ?? "active"
    #expect(token["state"]?.string == state, "\(token)")
    #expect(token["state_reason"]?.string == (state == "active" ? nil : row.reason), "\(token)")
    let stops = try world.fixture.send("GET", "/v1/apps/demo").json["stops"]
    #expect((stops != nil) == (row.fate == .stopped), "\(stops ?? .null)")
    if row.fate == .stopped { #expect(stops?[0]?["reason"]?.string?.contains(row.reason) == true, "\(stops ?? .null)") }
  }

  @Test("An update", arguments: rows) func update(row: Row) throws {
    _ = try world.finished(try begin()["id"]?.string ?? "")
    _ = try send("/order-17/tokens", #"{"token":"\#(ActivityTests.token)"}"#)
    refuse(row.reason)
    let delivery = try answered(try send("/order-17/updates", #"{"event":"update","content_state":{}}"#))
    let life = try world.fixture.send("GET", ActivityTests.path + "/order-17").json
    try check(row, delivery, token: life["tokens"]?[0] ?? .null)
    // The activity itself lives on; without a live token there is nothing to send to.
    #expect(life["state"] == "active" && life["ended_at"] == nil, "\(life)")
    let next = try world.fixture.send("POST", ActivityTests.path + "/order-17/updates", #"{"event":"end"}"#)
    let isDead = [Fate.retired, .quarantined].contains(row.fate)
    #expect(next.status == (isDead ? 409 : 202), "\(next.text)")
    guard isDead else { return }
    // The app reports the token that it has now, and the activity is updated again.
    emulator.removeFaults()
    _ = try send("/order-17/tokens", #"{"token":"\#(String(repeating: "7c", count: 48))"}"#)
    let end = try send("/order-17/updates", #"{"event":"end"}"#)
    #expect(try world.finished(end["id"]?.string ?? "")["counts"]?["accepted"] == 1)
  }

  @Test(
    "A start, whose token is the app's", arguments: rows.filter { [.retired, .quarantined].contains($0.fate) })
  func start(row: Row) throws {
    refuse(row.reason)
    let delivery = try answered(try begin())
    let devices = try world.fixture.send("GET", "/v1/apps/demo/devices?user=ann").json["devices"]
    try check(row, delivery, token: devices?[0] ?? .null)
    let again = try world.fixture.send(
      "POST", ActivityTests.path, #"{"id":"order-18","to":{"user":"ann"},\#(ActivityTests.parts)}"#)
    #expect(again.status == 422 && again.text.contains("push-to-start"), "\(again.text)")
  }
}
