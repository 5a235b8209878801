import GatewayPool
import HTTP2
import ProviderEmulator
import PushPayload
import TLS
import Testing

@testable import APNs

/// The channel client against the emulator of this project, which keeps Apple's rules.
@Suite("Channels and broadcasts", .timeLimit(.minutes(5))) struct APNsChannelClientTests {
  static let app = "com.example.app"
  static let payload = Array(#"{"aps":{"event":"update","timestamp":1770000000,"content-state":{"home":1}}}"#.utf8)

  private final class Setup: Sendable {
    let emulator: ProviderEmulator
    let threads: GatewayThreads
    let client: APNsChannelClient

    init(_ scenario: Scenario = Scenario(), team: String? = nil) throws {
      var configuration = EmulatorConfiguration()
      configuration.scenario = scenario
      emulator = try ProviderEmulator(configuration)
      let credentials = emulator.credentials
      let key = try APNs::APNsSigningKey(
        p8: Array(credentials.signingKeyPEM.utf8), keyID: credentials.keyID, teamID: team ?? credentials.teamID)
      threads = try GatewayThreads()
      client = try APNsChannelClient(
        APNsChannelClientConfiguration(
          gateway: .custom(
            host: "127.0.0.1", port: emulator.ports.apns, trust: .pem(Array(emulator.authorityPEM.utf8))),
          credential: .token(key)), threads: threads)
    }

    deinit {
      threads.shutdown()
      emulator.stop()
    }

    func ask(_ operation: APNsChannelRequest.Operation) async throws -> APNsChannelOutcome {
      try await client.send(#require(APNsChannelRequest(bundleID: app, operation)))
    }

    /// Makes a channel and gives its id.
    func channel(_ policy: APNsChannelStoragePolicy = .mostRecent) async throws -> String {
      guard case .accepted(let acceptance) = try await ask(.create(policy)) else { return "" }
      return try #require(acceptance.channelID)
    }

    func broadcast(on channel: String, expiration: APNsExpiration = .once) throws -> APNsBroadcast {
      let headers = APNsHeaders(
        pushType: .liveactivity, priority: .immediate, expiration: expiration, channelID: channel,
        requestID: APNsID(high: 0x4000, low: 7))
      return try #require(APNsBroadcast(bundleID: app, request: APNsRequest(headers: headers, payload: payload)))
    }
  }

  @Test("a channel is made, read, listed and deleted")
  func management() async throws {
    let setup = try Setup()
    let kept = try await setup.channel(.mostRecent)
    let unkept = try await setup.channel(.nothing)
    guard case .accepted(let read) = try await setup.ask(.read(channelID: unkept)),
      case .accepted(let list) = try await setup.ask(.list),
      case .accepted(let deletion) = try await setup.ask(.delete(channelID: kept))
    else {
      Issue.record("a request was not accepted")
      return
    }
    #expect(read.status == 200)
    #expect(read.requestID != nil)
    #expect(read.channel?.storagePolicy == .nothing)
    #expect(read.channel?.pushType == "LiveActivity")
    #expect(list.channelIDs == [kept, unkept])
    #expect(deletion.status == 204)
    #expect(setup.emulator.channels.map(\.id) == [unkept])
    #expect(try await setup.ask(.read(channelID: kept)).short == "400 ChannelNotRegistered")
  }

  @Test("a broadcast arrives on its channel, byte for byte, with the request's id")
  func broadcast() async throws {
    let setup = try Setup()
    let channel = try await setup.channel()
    let outcome = try await setup.client.send(setup.broadcast(on: channel))
    guard case .accepted(let acceptance) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(acceptance.status == 200)
    #expect(acceptance.requestID == APNsID(high: 0x4000, low: 7))
    #expect(setup.emulator.channels.map { $0.broadcasts.map(\.payload) } == [[Self.payload]])
  }

  @Test("refusals are rejections with their reason")
  func refusals() async throws {
    let setup = try Setup()
    let unkept = try await setup.channel(.nothing)
    let later = APNsExpiration(epochSeconds: 2_000_000_000)
    #expect(
      try await setup.client.send(setup.broadcast(on: unkept, expiration: later)).short == "400 BadExpirationDate")
    #expect(try await setup.client.send(setup.broadcast(on: "AAAA")).short == "400 ChannelNotRegistered")
    let stranger = try Setup(team: "OTHERTEAM1")
    #expect(try await stranger.ask(.list).short == "403 InvalidProviderToken")
  }

  @Test("an expired provider token is made anew once, and the request goes out once more")
  func tokenRenewal() async throws {
    let setup = try Setup()
    _ = try await setup.channel()
    setup.emulator.advanceClock(byMs: 3_650_000)
    let outcome = try await setup.ask(.list).short
    #expect(outcome == "403 ExpiredProviderToken" || outcome == "200")
    #expect(setup.emulator.counters.requests[.apns] == 3, "one more try, and no loop")
  }

  @Test("GOAWAY above the request sends it again, once; silence ends by the deadline")
  func transport() async throws {
    var scenario = Scenario()
    var leave = FaultRule(name: "leave", effect: .goAway(GoAwayEffect(processed: false)))
    leave.times = 1
    scenario.rules = [leave]
    let setup = try Setup(scenario)
    #expect(try await setup.channel() != "")
    #expect(setup.emulator.channels.count == 1)
  }

  @Test("the list of ten thousand channels fits")
  func longList() async throws {
    let setup = try Setup()
    for _ in 0..<20 {
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<500 { group.addTask { try await setup.channel() } }
        for try await id in group { #expect(id != "") }
      }
    }
    guard case .accepted(let list) = try await setup.ask(.list) else {
      Issue.record("the list was refused")
      return
    }
    #expect(Set(list.channelIDs ?? []).count == APNsChannelRequest.channelsMax)
    #expect(try await setup.ask(.create(.nothing)).short == "400 CannotCreateChannelConfig")
  }
}

extension APNsChannelOutcome {
  /// Status, and status and reason of a rejection, or the failure's cause.
  fileprivate var short: String {
    switch self {
    case .accepted(let acceptance): "\(acceptance.status)"
    case .rejected(let rejection): "\(rejection.status) \(rejection.reason)"
    case .failed(let failure): "\(failure)"
    }
  }
}
