import GatewayPool
import GatewayTestSupport
import HTTP2
import PushPayload
import Synchronization
import Testing

@testable import APNs

/// A gateway that breaks HTTP/2 repeatedly: its connections' faults are no refusals.
@Suite(.timeLimit(.minutes(1))) struct APNsProtocolErrorTests {
  private static let violations: [[UInt8]] = [
    // DATA on an idle stream, a PING of one byte, an HPACK index beyond the table, an unexpected SETTINGS ACK.
    [0, 0, 1, 0, 0, 0, 0, 0x7F, 0xFF, 1],
    [0, 0, 1, 6, 0, 0, 0, 0, 0, 1],
    [0, 0, 1, 1, 5, 0, 0, 0, 1, 0xFE],
    [0, 0, 0, 4, 1, 0, 0, 0, 0],
  ]

  @Test(arguments: violations.indices)
  func whatNobodyRefusedIsSentAgainOrUnknown(violation: Int) async throws {
    let seen = Mutex<[Int: Int]>([:])
    let answered = Mutex(Set<String>())
    let server = try ScriptedServer(streams: 200) { request, _, connection in
      let count = seen.withLock { seen in
        seen[connection, default: 0] += 1
        return seen[connection, default: 0]
      }
      if connection < 6, count == 500 { return request.connection.writeRaw(Self.violations[violation]) }
      let path = String(decoding: request.path, as: UTF8.self)
      answered.withLock { _ = $0.insert(path) }
      request.respond(status: 200)
    }
    let losses = Mutex<[SendFailure]>([])
    let harness = try APNsHarness(port: server.port) {
      $0.limits.streamsBeforeFirstAcceptance = nil
      $0.limits.backoffBase = .milliseconds(5)
      $0.onConnectionLoss = { loss in losses.withLock { $0.append(loss) } }
    }
    let outcomes = try await harness.outcomes(20_000)
    let sums = tally(outcomes)
    #expect(Set(sums.keys).isSubset(of: ["accepted", "protocol_violation unknown"]), "\(sums)")
    // Whoever is accepted was answered; whoever is unknown was under way on one of the connections that broke.
    let taken = Dictionary(grouping: server.log.requests.map(\.path), by: { $0 }).mapValues(\.count)
    for (number, outcome) in outcomes.enumerated() {
      let path = "/3/device/\(APNsHarness.token(number))"
      if outcome.short == "accepted" { #expect(answered.withLock { $0.contains(path) }) }
      #expect(taken[path, default: 0] <= 1, "sent twice, though the first may have been processed")
    }
    #expect(sums["protocol_violation unknown", default: 0] <= 6 * 200)
    #expect(losses.withLock { $0.count } == 6)
    for loss in losses.withLock({ $0 }) {
      #expect(loss.cause == .protocolViolation && loss.detail.contains("_ERROR"), "\(loss.detail)")
    }
    for case .failed(let failure) in outcomes { #expect(failure.detail.contains("_ERROR"), "\(failure.detail)") }
  }

  /// What is wrong with our own request is said before anything leaves.
  @Test func aHeaderThatCannotBeWrittenIsARefusalOfOurOwn() async throws {
    let server = try ScriptedServer()
    let harness = try APNsHarness(port: server.port)
    let request = APNsRequest(
      headers: APNsHeaders(pushType: .alert, priority: .immediate, topic: "com.example\r\nevil: 1"),
      payload: harness.template.request.payload)
    guard case .failed(let failure) = try await harness.client.send(request, to: "00") else {
      Issue.record("sent")
      return
    }
    #expect(failure.cause == .invalidRequest && failure.processing == .notProcessed)
    #expect(failure.detail.contains("apns-topic"), "\(failure.detail)")
    #expect(server.log.requests.isEmpty)
  }
}
