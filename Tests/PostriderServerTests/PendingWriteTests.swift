import HTTPServer
import System
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer
@testable import PushStore
@testable import StoreModel

/// No serving thread waits for the disk: while a commit is held up, everything that only reads is answered, and every change is
/// answered once the commit goes on.
@Suite(.timeLimit(.minutes(5))) struct PendingWriteTests {
  /// A request that changes something, beside those of ``RepetitionTests``, which are all POSTs.
  private struct Row {
    let operation: String
    let method: String
    let path: String
    var body: String?
    var before: [RepetitionTests.Step] = []

    init(
      _ operation: String, _ method: String, _ path: String, _ body: String? = nil,
      before: [RepetitionTests.Step] = []
    ) {
      (self.operation, self.method, self.path, self.body, self.before) = (operation, method, path, body, before)
    }
  }

  private typealias Step = RepetitionTests.Step
  private static let app = RepetitionTests.app
  private static let token = #"{"type":"android","token":"bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1"}"#
  private static let device = Step("POST", app + "/devices", token)
  private static let identityKey = Step("POST", app + "/identity/keys", #"{"algorithm":"HS256"}"#)
  private static let schedule = Step("POST", app + "/schedules", RepetitionTests.repeating)
  private static let userPushName = #"{"template":"t","send_at":"2026-11-20T13:00:00Z"}"#
  private static let scheduled = app + "/users/erika/scheduled/k"
  private static let inboxMessage = Step("POST", app + "/users/erika/inbox", #"{"title":"T","body":"B"}"#)

  private static func person(_ name: String) -> Step {
    Step("POST", "/v1/people", #"{"email":"\#(name)@example.com","name":"A","roles":["sender"]}"#)
  }

  private static let others: [Row] = [
    Row("updateApp", "PATCH", app, #"{"title":"Other"}"#),
    Row("putCredentials", "PUT", app + "/credentials", #"{"fcm":null}"#),
    Row("registerDevice", "POST", app + "/devices", token),
    Row("updateDevice", "PATCH", app + "/devices/{id}", #"{"locale":"de"}"#, before: [device]),
    Row("deleteDevice", "DELETE", app + "/devices/{id}", before: [device]),
    Row("updateUser", "PATCH", app + "/users/erika", #"{"tags":["beta"]}"#),
    Row("deleteUser", "DELETE", app + "/users/erika"),
    Row("readInbox", "PATCH", app + "/users/erika/inbox", #"{"read":true}"#, before: [inboxMessage]),
    Row(
      "updateInboxMessage", "PATCH", app + "/users/erika/inbox/{id}", #"{"read":true}"#, before: [inboxMessage]),
    Row("deleteInboxMessage", "DELETE", app + "/users/erika/inbox/{id}", before: [inboxMessage]),
    Row("updateSegment", "PATCH", app + "/segments/s", #"{"title":"S"}"#),
    Row("deleteSegment", "DELETE", app + "/segments/s"),
    Row("setSuppression", "PUT", app + "/suppression", #"{"quiet_hours":{"from":"22:00","to":"07:00"}}"#),
    Row(
      "updatePush", "PATCH", RepetitionTests.pushes + "/{id}", #"{"throttle_per_minute":60}"#,
      before: [RepetitionTests.sending]),
    Row("deletePush", "DELETE", RepetitionTests.pushes + "/{id}", before: [RepetitionTests.draft]),
    Row("scheduleForUser", "PUT", scheduled, userPushName),
    Row("cancelForUser", "DELETE", scheduled, before: [Step("PUT", scheduled, userPushName)]),
    Row("updateSchedule", "PATCH", app + "/schedules/{id}", #"{"throttle_per_minute":60}"#, before: [schedule]),
    Row("endSchedule", "DELETE", app + "/schedules/{id}", before: [schedule]),
    Row(
      "deleteChannel", "DELETE", app + "/channels/{id}",
      before: [RepetitionTests.channels, Step("POST", app + "/channels", "{}")]),
    Row(
      "reportActivityToken", "POST", app + "/activities/a/tokens", RepetitionTests.updateToken,
      before: [RepetitionTests.startToken, Step("POST", app + "/activities", RepetitionTests.activity)]),
    Row(
      "deleteActivity", "DELETE", app + "/activities/a",
      before: [RepetitionTests.startToken, Step("POST", app + "/activities", RepetitionTests.activity)]),
    Row("saveTemplate", "PUT", app + "/templates/u", #"{"contract":"amba","message":{"title":"T","body":"B"}}"#),
    Row("saveView", "PUT", app + "/views/v", #"{"query":{"query":"sale"}}"#),
    Row("deleteView", "DELETE", app + "/views/v", before: [Step("PUT", app + "/views/v", #"{"query":{}}"#)]),
    Row("deleteTemplate", "DELETE", app + "/templates/t"),
    Row("reportEvents", "POST", app + "/events", #"{"events":[{"type":"opened","delivery":"1"}]}"#),
    Row(
      "updateWebhook", "PATCH", app + "/webhooks/{id}", #"{"enabled":false}"#,
      before: [Step("POST", app + "/webhooks", RepetitionTests.hook)]),
    Row(
      "deleteWebhook", "DELETE", app + "/webhooks/{id}", before: [Step("POST", app + "/webhooks", RepetitionTests.hook)]
    ),
    Row("setIdentity", "PUT", app + "/identity", #"{"mode":"optional"}"#, before: [identityKey]),
    Row("deleteIdentityKey", "DELETE", app + "/identity/keys/{id}", before: [identityKey]),
    Row("putShadow", "PUT", app + "/compat/onesignal/shadow", #"{"mode":"observe"}"#),
    Row("clearShadow", "DELETE", app + "/shadow"),
    Row("putRetention", "PUT", "/v1/retention", #"{"events_days":90}"#),
    Row("putAppRetention", "PUT", app + "/retention", #"{"events_days":90}"#),
    Row("putUnseenDevices", "PUT", app + "/unseen-devices", #"{"days":270}"#),
    Row("updatePerson", "PATCH", "/v1/people/{id}", #"{"name":"B"}"#, before: [person("update")]),
    Row("removePerson", "DELETE", "/v1/people/{id}", before: [person("remove")]),
    Row("revokeInvitation", "DELETE", "/v1/people/{id}/invitation", before: [person("revoke")]),
    Row(
      "revokeKey", "DELETE", "/v1/keys/{id}", before: [Step("POST", "/v1/keys", #"{"name":"r","scopes":["send"]}"#)]),
  ]

  /// Operations that may change something and here have nothing to change, or only ask others.
  private static let unchanging: Set<String> = [
    "resumeApp", "checkCredentials", "checkPush", "previewPush", "countFilter", "countAudience",
    // Without a session of a browser.
    "signIn", "signOut", "showInvitation", "join", "changePassword", "endOtherSessions", "endOwnSession", "endSession",
    "signInWithPasskey", "preparePasskey", "addPasskey", "renamePasskey", "removePasskey",
    "beginOIDC", "finishOIDC", "unlinkOIDC",
  ]

  private static let rows: [Row] =
    RepetitionTests.rows.filter { !unchanging.contains($0.operation) }
    .map { Row($0.operation, "POST", $0.path, $0.body, before: $0.before) } + others

  @Test("The table has every route that changes something")
  func coversEveryRoute() {
    let changing = RouteTable.routes.filter { route in
      switch route.action {
      case .write, .long: route.method != .get
      case .now, .upload: false
      }
    }
    let listed = Set(Self.rows.map(\.operation)).union(Self.unchanging)
    #expect(Set(changing.map(\.name)).symmetricDifference(listed).isEmpty)
  }

  /// A request that was sent and is not answered yet.
  private struct Pending {
    let row: Row
    let client: HTTPTestClient
  }

  @Test("A commit that is held up holds up no answer but those that depend on it")
  func servesWhileWritesWait() throws {
    let other = try RepetitionTests()
    let fixture = other.fixture
    var filled: [(row: Row, path: String)] = []
    for (number, row) in Self.rows.enumerated() {
      let name = "demo\(number)"
      try other.furnish(name)
      func path(_ path: String, _ id: String) -> String {
        let isInApp = path == Self.app || path.hasPrefix(Self.app + "/")
        return (isInApp ? "/v1/apps/\(name)" + path.dropFirst(Self.app.count) : path).replacing("{id}", with: id)
      }
      var id = ""
      for step in row.before {
        let answer = try fixture.send(
          step.method, path(step.path, id), step.body, key: step.isByAnother ? other.another : .none)
        #expect(answer.status < 300, "\(row.operation): \(answer.text)")
        if id.isEmpty { id = answer.json["id"]?.string ?? "" }
      }
      filled.append((row, path(row.path, id)))
    }

    let (held, release) = (Semaphore(), Semaphore())
    fixture.server.service.store.change(
      { _ in
        held.signal()
        release.wait()
      }, completion: { _ in })
    held.wait()
    let pending: [Pending]
    do {
      defer { release.signal() }
      pending = try filled.map { row, path in Pending(row: row, client: try begin(row, path, fixture)) }
      for _ in 0..<4 {
        #expect(try fixture.send("GET", "/healthz", key: .some(nil)).status == 200)
        #expect(try fixture.send("GET", "/v1/apps/demo/pushes").status == 200)
        #expect(try fixture.send("GET", "/v1/apps/demo/devices").status == 200)
      }
      for one in pending { #expect(!one.client.hasInput, "\(one.row.operation) was answered before it was durable") }
    }
    for one in pending {
      let answer = try one.client.readAnswer(toHead: false)
      #expect(answer.status < 300, "\(one.row.operation): \(answer.body)")
    }
  }

  private func begin(_ row: Row, _ path: String, _ fixture: ServerFixture) throws -> HTTPTestClient {
    let client = try HTTPTestClient(port: fixture.server.port)
    let body = row.body ?? ""
    client.send(
      "\(row.method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(fixture.admin)\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    return client
  }

  @Test("What would wait on a serving thread is refused, so that no route can do it unseen")
  func forbidsWaiting() throws {
    let fixture = try ServerFixture()
    _ = try fixture.makeDemo()
    let store = fixture.server.service.store
    let error = #expect(throws: StoreError.self) {
      try DiskWaits.$areForbidden.withValue(true) { try store.clearStops(app: AppID(rawValue: 1)) }
    }
    #expect(error?.code == .bug)
    #expect(throws: Never.self) { try store.clearStops(app: AppID(rawValue: 1)) }
  }
}
