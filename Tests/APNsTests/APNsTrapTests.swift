import GatewayPool
import GatewayTestSupport
import HTTP2
import PushPayload
import Synchronization
import Testing

@testable import APNs

/// The traps that other senders fall into, each against a real server on loopback.
@Suite(.timeLimit(.minutes(1))) struct APNsTrapTests {
  private static let echo: ScriptedServer.Answer = { request, _, _ in
    let id = request.header("apns-id").map { String(decoding: $0, as: UTF8.self) } ?? ""
    request.respond(status: 200, headers: [HTTP2Header("apns-id", id)])
  }

  private static func refuse(_ request: HTTP2ServerRequest, _ status: Int, _ reason: String) {
    request.respond(
      status: status, headers: [HTTP2Header("content-type", "application/json")],
      body: Array("{\"reason\":\"\(reason)\"}".utf8))
  }

  @Test func aSendCarriesWhatAppleDescribes() async throws {
    let server = try ScriptedServer(answer: Self.echo)
    let harness = try APNsHarness(port: server.port)
    let id = try #require(APNsID("eabeae54-14a8-11e5-b60b-1697f925ec7b"))
    let request = APNsRequest(
      headers: APNsHeaders(
        pushType: .alert, priority: .immediate, topic: "com.example.app", collapseID: "c-1",
        expiration: APNsExpiration(epochSeconds: 1_800_000_000), id: id), payload: Array(#"{"aps":{}}"#.utf8))
    let outcome = try await harness.client.send(request, to: "00fc13adff785122b4ad28809a3420982341241421348097878e")
    #expect(outcome == .accepted(APNsAcceptance(id: id)))
    let seen = try #require(server.log.requests.first)
    #expect(seen.path == "/3/device/00fc13adff785122b4ad28809a3420982341241421348097878e")
    #expect(seen.body == #"{"aps":{}}"#)
    var headers = seen.headers
    #expect(headers.removeValue(forKey: "authorization")?.hasPrefix("bearer ey") == true)
    headers["content-length"] = nil
    #expect(
      headers == [
        "apns-push-type": "alert", "apns-priority": "10", "apns-topic": "com.example.app", "apns-collapse-id": "c-1",
        "apns-expiration": "1800000000", "apns-id": "eabeae54-14a8-11e5-b60b-1697f925ec7b",
      ])
  }

  @Test func trap1AServerThatNeverAnswersEndsEverySendWithinTheDeadline() async throws {
    let server = try ScriptedServer(answer: { _, _, _ in })
    let harness = try APNsHarness(port: server.port) {
      $0.limits.streamsBeforeFirstAcceptance = nil
      $0.timing.requestTimeout = .milliseconds(300)
    }
    #expect(tally(try await harness.outcomes(50)) == ["request_timeout unknown": 50])
  }

  @Test func trap1AConnectionThatFallsSilentEndsEverySendAndIsReplaced() async throws {
    let server = try ScriptedServer { request, _, connection in
      if connection == 0 { request.connection.fallSilent() } else { request.respond(status: 200) }
    }
    let harness = try APNsHarness(port: server.port) {
      $0.limits.streamsBeforeFirstAcceptance = nil
      $0.limits.busySilence = .milliseconds(200)
      $0.limits.pingTimeout = .milliseconds(200)
    }
    #expect(tally(try await harness.outcomes(20)) == ["silence unknown": 20])
    #expect(try await harness.client.send(harness.template.request, to: "00").short == "accepted")
    #expect(server.log.connections.count == 2)
  }

  @Test func trap1AConnectionThatIsResetEndsEverySend() async throws {
    let server = try ScriptedServer { request, number, connection in
      if connection == 0, number == 9 { request.connection.closeAbruptly() }
      if connection > 0 { request.respond(status: 200) }
    }
    let harness = try APNsHarness(port: server.port) { $0.limits.streamsBeforeFirstAcceptance = nil }
    let outcomes = tally(try await harness.outcomes(10))
    #expect(outcomes == ["connection_lost unknown": 10])
  }

  @Test func trap2GoAwayBeforeSettingsIsRetriedOnAnotherConnection() async throws {
    let server = try ScriptedServer(
      answer: Self.echo,
      behavior: { number in
        var behavior = HTTP2ConnectionBehavior()
        if number == 0 { behavior.opening = .goAway(code: .noError, debugData: []) }
        return behavior
      })
    let harness = try APNsHarness(port: server.port)
    #expect(tally(try await harness.outcomes(30)) == ["accepted": 30])
    #expect(server.log.connections.count == 2)
  }

  @Test func trap2GoAwayBeforeSettingsForEverIsANamedOutcomeWithoutAStorm() async throws {
    let server = try ScriptedServer(behavior: { _ in
      var behavior = HTTP2ConnectionBehavior()
      behavior.opening = .goAway(code: .enhanceYourCalm, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
      return behavior
    })
    let harness = try APNsHarness(port: server.port) { $0.limits.backoffBase = .milliseconds(10) }
    let outcomes = try await harness.outcomes(30)
    #expect(tally(outcomes) == ["go_away not_processed": 30])
    guard case .failed(let failure) = outcomes[0] else { return }
    #expect(failure.detail.contains("ENHANCE_YOUR_CALM"))
    #expect(failure.detail.contains("Shutdown"))
    #expect(server.log.connections.count == 5)
  }

  @Test func trap2GoAwayResendsOnlyWhatWasNotProcessedAndOnlyOnce() async throws {
    // The first connection takes ten streams, answers none of them yet, and says that only five were processed.
    let held = Mutex<[HTTP2Responder]>([])
    let server = try ScriptedServer { request, number, connection in
      if connection > 0 { return request.respond(status: 200) }
      let responders = held.withLock { held in
        held.append(request.responder)
        return held
      }
      if responders.count == 10 {
        request.connection.goAway(lastStreamID: 9)
        for responder in responders.prefix(5) { responder.respond(status: 200) }
      }
      _ = number
    }
    let harness = try APNsHarness(port: server.port) {
      $0.limits.streamsBeforeFirstAcceptance = nil
      $0.limits.connectionsMax = 1
    }
    #expect(tally(try await harness.outcomes(10)) == ["accepted": 10])
    let log = server.log
    #expect(log.requests.count == 15)
    for number in 0..<10 {
      let path = "/3/device/\(APNsHarness.token(number))"
      let seen = log.requests.filter { $0.path == path }
      #expect(seen.count == (number < 5 ? 1 : 2), "\(path)")
      #expect(Set(seen.map { $0.headers["apns-id"] }).count == 1, "the resend keeps its apns-id")
    }
  }

  @Test func trap2ASecondRefusalIsTheOutcome() async throws {
    let server = try ScriptedServer { request, _, _ in request.reset(.refusedStream) }
    let harness = try APNsHarness(port: server.port) { $0.limits.streamsBeforeFirstAcceptance = nil }
    #expect(tally(try await harness.outcomes(4)) == ["refused_stream not_processed": 4])
    #expect(server.log.requests.count == 8, "each was sent twice, not more")
  }

  @Test func trap2AResetThatIsNoRefusalIsNotResent() async throws {
    let server = try ScriptedServer { request, _, _ in request.reset(.internalError) }
    let harness = try APNsHarness(port: server.port) { $0.limits.streamsBeforeFirstAcceptance = nil }
    #expect(tally(try await harness.outcomes(4)) == ["stream_reset unknown": 4])
    #expect(server.log.requests.count == 4)
  }

  @Test func trap3OneStreamUntilTheFirstAcceptedTokenThenMany() async throws {
    let open = Mutex((now: 0, max: 0, maxBeforeFirst: 0, answered: 0))
    let server = try ScriptedServer { request, _, _ in
      open.withLock {
        $0.now += 1
        $0.max = max($0.max, $0.now)
        if $0.answered == 0 { $0.maxBeforeFirst = max($0.maxBeforeFirst, $0.now) }
      }
      let responder = request.responder
      request.connection.loop.schedule(after: .milliseconds(20)) {
        open.withLock {
          $0.now -= 1
          $0.answered += 1
        }
        responder.respond(status: 200)
      }
    }
    let harness = try APNsHarness(port: server.port)
    #expect(tally(try await harness.outcomes(200)) == ["accepted": 200])
    let seen = open.withLock { $0 }
    #expect(seen.maxBeforeFirst == 1)
    #expect(seen.max > 50)
    #expect(server.log.connections.count == 1)
  }

  @Test func trap3AStreamLimitThatIsLoweredIsFollowed() async throws {
    let open = Mutex((now: 0, maxAfter: 0, answered: 0))
    let server = try ScriptedServer(streams: 100) { request, number, _ in
      if number == 100 { request.connection.update(HTTP2Settings(maxConcurrentStreams: 3)) }
      open.withLock {
        $0.now += 1
        // Streams that were on their way when the limit fell are still allowed: the SETTINGS had not been seen.
        if number > 220 { $0.maxAfter = max($0.maxAfter, $0.now) }
      }
      let responder = request.responder
      request.connection.loop.schedule(after: .milliseconds(2)) {
        open.withLock { $0.now -= 1 }
        responder.respond(status: 200)
      }
    }
    let harness = try APNsHarness(port: server.port) {
      $0.limits.streamsBeforeFirstAcceptance = nil
      $0.limits.connectionsMax = 1
    }
    #expect(tally(try await harness.outcomes(400)) == ["accepted": 400])
    #expect(open.withLock { $0.maxAfter } <= 3)
  }

  @Test func trap4AFullQueueRefusesTheWholeBatch() async throws {
    let server = try ScriptedServer(answer: { _, _, _ in })
    let harness = try APNsHarness(port: server.port) {
      $0.queueCapacity = 100
      $0.timing.requestTimeout = .milliseconds(500)
      $0.timing.queueTimeout = .milliseconds(500)
    }
    try harness.submit(60)
    #expect(throws: QueueFull.self) { try harness.submit(41, first: 60) }
    do {
      try harness.submit(41, first: 60)
    } catch {
      #expect(
        error.description
          == "the send queue has room for 40 of 41 sends (capacity 100); nothing was taken: wait for outcomes and "
          + "submit again, or submit a smaller batch")
    }
    try harness.submit(40, first: 60)
    let results = await harness.collector.wait(for: 100)
    #expect(results.count == 100)
    #expect(Set(results.map(\.tag)) == Set(0..<100))
    #expect(harness.client.unfinished == 0)
    #expect(throws: Never.self) { try harness.submit(100) }
  }

  @Test func trap6OneRefusedMemberLeavesTheRestAlone() async throws {
    let server = try ScriptedServer { request, _, _ in
      if request.path.last == UInt8(ascii: "7") {
        Self.refuse(request, 400, "BadDeviceToken")
      } else {
        request.respond(status: 200)
      }
    }
    let harness = try APNsHarness(port: server.port)
    let outcomes = try await harness.outcomes(100)
    #expect(tally(outcomes) == ["accepted": 90, "400 BadDeviceToken": 10])
    for (number, outcome) in outcomes.enumerated() {
      #expect((outcome.short == "accepted") == (number % 10 != 7))
    }
    #expect(server.log.requests.count == 100, "none was repeated")
  }

  @Test func trap7ARefusalOfTheProviderSaysNothingAboutTheDevice() async throws {
    let server = try ScriptedServer { request, _, _ in Self.refuse(request, 403, "InvalidProviderToken") }
    let harness = try APNsHarness(port: server.port)
    for outcome in try await harness.outcomes(10) {
      guard case .rejected(let rejection) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(rejection.consequence == .configuration)
    }
    #expect(server.log.requests.count == 10)
  }

  @Test func trap8OneTokenForAllSendsAndANewOneAfterExpiredProviderToken() async throws {
    let first = Mutex<String?>(nil)
    let server = try ScriptedServer { request, number, _ in
      let token = request.header("authorization").map { String(decoding: $0, as: UTF8.self) } ?? ""
      let old = first.withLock { first in
        if number == 0 { first = token }
        return first
      }
      if number >= 100, token == old {
        Self.refuse(request, 403, "ExpiredProviderToken")
      } else {
        request.respond(status: 200)
      }
    }
    let wall = Mutex(Int64(1_800_000_000))
    let harness = try APNsHarness(port: server.port) {
      $0.clock.wall = { wall.withLock { $0 } }
    }
    #expect(tally(try await harness.outcomes(100)) == ["accepted": 100])
    wall.withLock { $0 += 60 }
    try harness.submit(100, first: 100)
    let results = await harness.collector.wait(for: 200)
    #expect(tally(results.map(\.outcome)) == ["accepted": 200])
    let tokens = server.log.requests.map { $0.headers["authorization"] ?? "" }
    #expect(Set(tokens).count == 2)
    #expect(Set(tokens.prefix(100)).count == 1)
  }

  @Test func trap8ATokenThatIsAlwaysExpiredEndsAfterOneMint() async throws {
    let server = try ScriptedServer { request, _, _ in Self.refuse(request, 403, "ExpiredProviderToken") }
    let harness = try APNsHarness(port: server.port)
    #expect(tally(try await harness.outcomes(10)) == ["403 ExpiredProviderToken": 10])
    #expect(server.log.requests.count <= 20)
  }

  @Test func trap10AnExpiredSendIsNeverSent() async throws {
    let server = try ScriptedServer(answer: Self.echo)
    let harness = try APNsHarness(port: server.port) { $0.clock.wall = { 1_800_000_000 } }
    try harness.submit(5, notAfter: 1_800_000_000)
    try harness.submit(5, first: 5, notAfter: 1_800_000_001)
    let outcomes = APNsHarness.byTag(await harness.collector.wait(for: 10), 10)
    #expect(tally(outcomes) == ["expired not_processed": 5, "accepted": 5])
    #expect(server.log.requests.count == 5)
  }

  @Test func trap10NothingIsAddedToTheHeadersOfAPush() async throws {
    let server = try ScriptedServer(answer: Self.echo)
    let harness = try APNsHarness(port: server.port)
    let request = APNsRequest(
      headers: APNsHeaders(pushType: .background, priority: .powerAware, topic: "com.example.app"),
      payload: Array(#"{"aps":{"content-available":1}}"#.utf8))
    _ = try await harness.client.send(request, to: "00")
    let headers = try #require(server.log.requests.first?.headers)
    #expect(headers["apns-expiration"] == nil)
    #expect(headers["apns-push-type"] == "background")
    #expect(headers["apns-priority"] == "5")
  }
}
