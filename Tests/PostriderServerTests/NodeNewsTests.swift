import Delivery
import ProviderEmulator
import StoreModel
import TestEngines
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// What one node changes and another one goes by: what is remembered, and which providers are sent nothing.
///
/// Time stands still in these tests. So nothing that is remembered is read again, no node looks for work by itself, and no
/// provider is tried again, unless the test lets time pass.
@Suite(.timeLimit(.minutes(5))) struct NodeNewsTests {
  // MARK: What is remembered

  /// Something that the second node remembers, and a change of it by the first.
  struct Case {
    let name: String
    /// Makes the change; false when the first node refuses it.
    let change: () throws -> Bool
    /// Whether it holds at the second node.
    let holds: () throws -> Bool

    /// Each kind of what is remembered, as the second node has it before it is changed.
    static func all(_ pair: NodesTests.Pair) throws -> [Case] {
      [try key(pair), try app(pair), try credential(pair), try session(pair), try role(pair)]
    }

    private static func key(_ pair: NodesTests.Pair) throws -> Case {
      let made = try pair.a.post("/v1/keys", ["name": "other", "scopes": ["admin"]])
      let key = try #require(made.json["key"]?.string)
      let id = try #require(made.json["id"]?.string)
      #expect(try pair.b.send("GET", "/v1/apps", key: key).status == 200)
      return Case(name: "a key") {
        try pair.a.send("DELETE", "/v1/keys/\(id)").status == 204
      } holds: {
        try pair.b.send("GET", "/v1/apps", key: key).status == 401
      }
    }

    static func entry(_ pair: NodesTests.Pair, _ name: String) throws -> AppEntry {
      try pair.b.server.service.apps.app(named: name, now: pair.b.server.service.now)
    }

    private static func app(_ pair: NodesTests.Pair) throws -> Case {
      #expect(try entry(pair, "demo").app.title == "Demo")
      return Case(name: "an app") {
        try pair.a.send("PATCH", "/v1/apps/demo", #"{"title":"Other"}"#).status == 200
      } holds: {
        try entry(pair, "demo").app.title == "Other"
      }
    }

    private static func credential(_ pair: NodesTests.Pair) throws -> Case {
      #expect(try pair.a.post("/v1/apps", ["name": "second", "contract": "amba"]).status == 201)
      #expect(try entry(pair, "second").reaches(.fcm) == false)
      return Case(name: "a credential") {
        let body = JSON.minifiedText(try pair.world.credentials())
        return try pair.a.send("PUT", "/v1/apps/second/credentials", body).status == 200
      } holds: {
        try entry(pair, "second").reaches(.fcm)
      }
    }

    private static func session(_ pair: NodesTests.Pair) throws -> Case {
      let (_, browser) = try pair.a.person("ann@example.com", ["owner"])
      #expect(try pair.b.send("GET", "/v1/apps", by: browser).status == 200)
      return Case(name: "a session") {
        try pair.a.send("DELETE", "/session", by: browser).status == 204
      } holds: {
        try pair.b.send("GET", "/v1/apps", by: browser).status == 401
      }
    }

    private static func role(_ pair: NodesTests.Pair) throws -> Case {
      let (id, browser) = try pair.a.person("bob@example.com", ["owner"])
      func sees() throws -> Bool { try pair.b.send("GET", "/v1/people", by: browser).status == 200 }
      #expect(try sees())
      return Case(name: "a role") {
        try pair.a.send("PATCH", "/v1/people/\(id)", #"{"roles":["sender"]}"#).status == 200
      } holds: {
        try !sees()
      }
    }
  }

  @Test("News are enough: what one node changes holds at the other, which reads nothing again by itself")
  func newsAlone() throws {
    let pair = try NodesTests.Pair(stepped: .atPresent) { $0.database?.heartbeatMs = 3_600_000 }
    for (number, changed) in try Case.all(pair).enumerated() {
      // What was told before is heard before this, so that it is the change alone which ends what is remembered now.
      #expect(try pair.a.send("PATCH", "/v1/apps/demo", #"{"title":"T\#(number)"}"#).status == 200)
      try pair.wait("all news") { try Case.entry(pair, "demo").app.title == "T\(number)" }
      #expect(try changed.holds() == false, "\(changed.name)")
      #expect(try changed.change(), "\(changed.name)")
      try pair.wait(changed.name) { try changed.holds() }
    }
  }

  @Test("Where news are lost, what one node changes holds at the other after ten seconds") func newsLost() throws {
    let clock = SteppedClock.atPresent
    let pair = try NodesTests.Pair(stepped: clock, losesNotifications: true) { $0.database?.heartbeatMs = 3_600_000 }
    let cases = try Case.all(pair)
    for changed in cases { #expect(try changed.change(), "\(changed.name)") }
    clock.move(seconds: 9)
    for changed in cases { #expect(try changed.holds() == false, "\(changed.name)") }
    clock.move(seconds: 1)
    for changed in cases { #expect(try changed.holds(), "\(changed.name)") }
  }

  @Test("Where news are lost, a node sends with a credential that another one has saved after its next heartbeat")
  func credentialsPolled() throws {
    let pair = try NodesTests.Pair(stepped: .atPresent, losesNotifications: true) { $0.database?.heartbeatMs = 200 }
    #expect(try pair.a.post("/v1/apps", ["name": "second", "contract": "amba"]).status == 201)
    let body = JSON.minifiedText(try pair.world.credentials())
    #expect(try pair.a.send("PUT", "/v1/apps/second/credentials", body).status == 200)
    try pair.wait("the client") { try Stopped.isOpen("second", at: pair.b) }
    #expect(try pair.a.send("PUT", "/v1/apps/second/credentials", #"{"apns":null}"#).status == 200)
    try pair.wait("no client") { try !Stopped.isOpen("second", at: pair.b) }
  }

  // MARK: Which providers are sent nothing

  /// Two nodes with an app whose APNs credential was refused to one of them.
  struct Stopped {
    let pair: NodesTests.Pair
    /// The one that was refused it.
    let stopper: ServerFixture
    let other: ServerFixture

    init() throws {
      let pair = try NodesTests.Pair(stepped: .atPresent)
      self.pair = pair
      // Never another credential than this one, so that neither has one that works.
      #expect(try pair.a.post("/v1/apps", ["name": "second", "contract": "amba"]).status == 201)
      try pair.a.server.setCredentials(
        app: "second", json: JSON.minified(pair.world.credentials(keyID: "WRONGKEY00")))
      try pair.wait("both have the credential") {
        try Self.isOpen("second", at: pair.a) && Self.isOpen("second", at: pair.b)
      }
      for (type, token) in [("ios", ServerFixture.iosToken), ("android", ServerFixture.androidToken)] {
        let body: JSONValue = ["type": .string(type), "token": .string(token)]
        #expect(try pair.a.post("/v1/apps/second/devices", body).status == 201)
      }
      // A single send, so that one of them is refused it.
      _ = try Self.push(#"{"tokens":[{"type":"ios","token":"\#(ServerFixture.iosToken)"}]}"#, at: pair.a)
      try pair.wait("the stop") { try Self.stops(pair.a) == 1 }
      let isFirst = pair.a.lines.text.contains("provider stopped")
      #expect(isFirst != pair.b.lines.text.contains("provider stopped"))
      (stopper, other) = isFirst ? (pair.a, pair.b) : (pair.b, pair.a)
    }

    static func isOpen(_ name: String, at node: ServerFixture) throws -> Bool {
      let service = node.server.service
      let app = try service.apps.app(named: name, now: service.now).app.id
      return service.sending.channels(of: app, .production) != nil
    }

    static func stops(_ node: ServerFixture) throws -> Int {
      try node.send("GET", "/v1/apps/second").json["stops"]?.array?.count ?? 0
    }

    static func push(_ to: String, at node: ServerFixture) throws -> String {
      let body = #"{"to":\#(to),"message":{"title":"T","body":"B"}}"#
      let answer = try node.send("POST", "/v1/apps/second/pushes", body)
      return try #require(answer.json["id"]?.string, "\(answer.text)")
    }

    /// The sends that APNs has answered.
    var sent: Int { pair.world.emulator.counters.requests[.apns] ?? 0 }

    /// Has a node send pushes for both devices; the Android phone gets each.
    func work(_ node: ServerFixture) throws {
      let before = node.server.service.sending.statistics.accepted
      try pair.wait("it sends to Android") {
        let id = try Self.push(#"{"all":true}"#, at: node)
        try pair.wait("Android has it") {
          try node.send("GET", "/v1/apps/second/pushes/\(id)").json["counts"]?["accepted"] == 1
        }
        return node.server.service.sending.statistics.accepted > before
      }
    }
  }

  @Test("A provider that refused a credential to one node is sent nothing by the other, until one is saved at any")
  func stopped() throws {
    let test = try Stopped()
    let sent = test.sent
    try test.work(test.other)
    #expect(test.sent == sent)
    #expect(!test.other.lines.text.contains("provider stopped"))

    let body = JSON.minifiedText(try test.pair.world.credentials())
    #expect(try test.other.send("PUT", "/v1/apps/second/credentials", body).status == 200)
    // So that it is the first one that sends.
    test.other.server.stop(drainingFor: .seconds(5))
    #expect(try Stopped.stops(test.stopper) == 0)
    let id = try Stopped.push(#"{"all":true}"#, at: test.stopper)
    try test.pair.wait("both devices have it") {
      try test.stopper.send("GET", "/v1/apps/second/pushes/\(id)").json["counts"]?["accepted"] == 2
    }
  }

  @Test("A node that was cut off and is back sends nothing to a provider that is stopped") func cutOff() throws {
    let test = try Stopped()
    let (pair, sent) = (test.pair, test.sent)
    // The connections that hold the nodes' names, by which they hear each other.
    let ended = try pair.database.run(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks
      WHERE locktype = 'advisory' AND classid::bigint >= 2147483648
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """)
    #expect(ended == "2\n")
    // What each missed it has read when it knows of this app, which is the last of all.
    #expect(try pair.a.post("/v1/apps", ["name": "third", "contract": "amba"]).status == 201)
    let body = JSON.minifiedText(try pair.world.credentials())
    #expect(try pair.a.send("PUT", "/v1/apps/third/credentials", body).status == 200)
    try pair.wait("both know what they missed") {
      try Stopped.isOpen("third", at: pair.a) && Stopped.isOpen("third", at: pair.b)
    }
    for node in [pair.a, pair.b] { try test.work(node) }
    #expect(try Stopped.stops(pair.a) == 1 && test.sent == sent)
  }
}
