import APNs
import Delivery
import GatewayPool
import HTTP2
import ProviderEmulator
import PushStore
import StoreModel
import Synchronization
import TLS
import TestSupport
import Testing

/// What has not left yet when a device changes hands, opts out or goes, or when its push is paused, does not leave any more.
@Suite(.timeLimit(.minutes(5))) struct RecallTests {
  /// What happens while deliveries wait.
  enum Change: String, Sendable, CaseIterable {
    case moved, movedByUpdate, signedOut, optedOut, userOptedOut, categoryOptedOut, newToken, removed, retired, erased
    case paused, cancelled

    /// Why the deliveries end; nil for those that do not end by it.
    var reason: String? {
      switch self {
      case .moved, .movedByUpdate, .signedOut: "device-moved"
      case .optedOut, .userOptedOut, .categoryOptedOut: "suppressed-opt-out"
      case .removed: "device-removed"
      case .retired: "device-retired"
      // The push was for this user alone.
      case .erased, .newToken, .paused, .cancelled: nil
      }
    }

    /// The user whose devices it concerns.
    var user: String { "ann-\(rawValue)" }

    /// The tokens of the devices.
    var tokens: [String] {
      let index = Change.allCases.firstIndex(of: self) ?? 0
      return (0..<12).map { number in
        let digits = String(index * 16 + number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
      }
    }

    /// The tokens that they have after `newToken`.
    var newTokens: [String] { tokens.map { "ff" + $0.dropFirst(2) } }

    func make(_ f: DeliveryFixture, _ devices: [DeviceID], _ push: PushID) async throws {
      var change = DeviceChange()
      var userChange = UserChange()
      switch self {
      case .moved:
        let new = tokens.map { DeviceRegistration(app: f.app, token: $0, kind: .ios, user: "bob") }
        _ = try f.store.registerDevices(new, now: f.clock.now)
      case .movedByUpdate: change.user = .set("bob")
      case .signedOut: change.user = .set(nil)
      case .optedOut: change.optOut = OptOutChange(everything: true)
      case .userOptedOut: userChange.optOut = OptOutChange(everything: true)
      case .categoryOptedOut: change.optOut = OptOutChange(categories: ["news"])
      case .newToken:
        let new = newTokens.enumerated().map { number, token in
          DeviceRegistration(app: f.app, token: token, kind: .ios, name: "\(user)-\(number)", user: user)
        }
        _ = try f.store.registerDevices(new, now: f.clock.now)
      case .removed: _ = try f.store.removeDevices(devices)
      case .retired:
        for device in devices { try f.store.setDeviceState(device, .retired, reason: "test", now: f.clock.now) }
      case .erased:
        _ = try await f.store.eraseUser(app: f.app, named: user, redaction: Unread(), audit: nil, now: f.clock.now)
      case .paused: try f.store.pausePush(push)
      case .cancelled: try f.store.cancelPush(push, now: f.clock.now)
      }
      if change != DeviceChange() {
        for device in devices { try f.store.updateDevice(device, change, now: f.clock.now) }
      }
      if userChange != UserChange() {
        _ = try f.store.updateUser(app: f.app, named: user, userChange, now: f.clock.now)
      }
      if self == .paused || self == .cancelled { f.engine?.recheck(push) }
    }
  }

  private struct Unread: UserRedaction {
    let pseudonym = "erased"
    func request(_ bytes: [UInt8], without user: UserIdentity) -> RedactedDocument? { nil }
    func values(_ bytes: [UInt8], without user: UserIdentity) -> RedactedDocument? { nil }
    func segment(_ bytes: [UInt8], without user: UserIdentity) -> [UInt8]? { nil }
    func keyDigest(_ key: String) -> String { key }
  }

  /// A user's devices and a push to them.
  private func begin(_ f: DeliveryFixture, _ change: Change) throws -> (devices: [DeviceID], push: PushID) {
    let new = change.tokens.enumerated().map { number, token in
      DeviceRegistration(app: f.app, token: token, kind: .ios, name: "\(change.user)-\(number)", user: change.user)
    }
    let devices = try f.store.registerDevices(new, now: f.clock.now.adding(seconds: -60)).map(\.id)
    let payload = RenderedPayload(
      kinds: [.ios],
      headers: [
        .init("apns-push-type", "alert"), .init("apns-priority", "10"), .init("apns-topic", "com.example.app"),
      ],
      body: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
    var push = NewPush(
      app: f.app, pushClass: .transactional, audience: .users([change.user]), payloads: [payload], salt: 99)
    push.category = "news"
    let id = try f.store.createPush(push, now: f.clock.now).id
    f.engine?.wake()
    return (devices, id)
  }

  /// Lets time pass too: a sender without room is asked again after a while.
  private func untilFinished(_ f: DeliveryFixture, _ push: PushID) throws {
    try f.until("the end", seconds: 60) {
      f.advance(seconds: 1)
      return try f.store.push(push)?.finishedAt != nil
    }
  }

  /// What is there in the end.
  private func check(_ f: DeliveryFixture, _ change: Change, _ push: PushID, sent: () -> [String]) throws {
    switch change {
    case .paused:
      try f.until("the return") { try f.counts(push).waiting == change.tokens.count }
      #expect(sent().isEmpty)
      try f.store.resumePush(push, now: f.clock.now)
      f.engine?.wake()
      try untilFinished(f, push)
      #expect(sent().sorted() == change.tokens)
    case .newToken:
      try untilFinished(f, push)
      #expect(sent().sorted() == change.newTokens)
    default:
      try untilFinished(f, push)
      #expect(sent().isEmpty, "\(sent())")
      let rows = try f.store.deliveries(of: push, state: nil, after: nil, limit: 100)
      if let reason = change.reason {
        #expect(rows.allSatisfy { $0.state == .rejected && $0.reason == reason }, "\(rows.map(\.reason))")
      } else {
        #expect(rows.allSatisfy { $0.state == .cancelled })
      }
    }
    try f.checkLedger()
  }

  @Test("What waits for room in a sender is taken back", arguments: Change.allCases)
  func inTheLane(change: Change) async throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    sender.setRoom(0)
    try f.start(sender)
    let (devices, push) = try begin(f, change)
    try f.until("the queue") { f.engine?.statistics.queued == change.tokens.count }
    try await change.make(f, devices, push)
    try f.until("an empty queue") { f.engine?.statistics.queued == 0 || change == .newToken }
    sender.setRoom(.max)
    try check(f, change, push) { sender.sent.map(\.token) }
  }

  @Test("What a sender holds without a connection is taken back") func withoutConnection() async throws {
    let f = try DeliveryFixture()
    let emulator = try ProviderEmulator()
    defer { emulator.stop() }
    let threads = try GatewayThreads(count: 1)
    defer { threads.shutdown() }
    // The first connection is taken, and nothing is said on it.
    var silence = ConnectionFault(opening: .silence)
    silence.times = 1
    emulator.add(silence)
    let keys = emulator.credentials
    let key = try APNs.APNsSigningKey(p8: Array(keys.signingKeyPEM.utf8), keyID: keys.keyID, teamID: keys.teamID)
    var configuration = APNsClientConfiguration(
      gateway: .custom(
        host: "127.0.0.1", port: emulator.ports.apns, trust: TLSTrust.pem(Array(emulator.authorityPEM.utf8))),
      credential: .token(key))
    configuration.limits.connectTimeout = .seconds(2)
    configuration.limits.backoffBase = .milliseconds(5)
    try f.start(APNsSender(try APNsClient(configuration, threads: threads)))
    let waiting = try Change.allCases.map { (change: $0, begun: try begin(f, $0)) }
    try f.until("the hand-over") { f.engine?.statistics.onWire == waiting.count * 12 }
    for one in waiting { try await one.change.make(f, one.begun.devices, one.begun.push) }
    for one in waiting {
      try check(f, one.change, one.begun.push) {
        (one.change.tokens + one.change.newTokens).filter {
          emulator.device(.apns, $0)?.receivedPushes.isEmpty == false
        }
      }
    }
  }

  @Test("A registration that changes nothing takes nothing back") func sameAgain() async throws {
    let f = try DeliveryFixture()
    let recalls = Shared(Mutex<[LeaseRecall]>([]))
    f.store.observeRecalls { recall in recalls.value.withLock { $0.append(recall) } }
    let change = Change.moved
    let (devices, push) = try begin(f, change)
    let new = change.tokens.enumerated().map { number, token in
      DeviceRegistration(
        app: f.app, token: token, kind: .ios, name: "\(change.user)-\(number)", user: change.user, locale: "de")
    }
    _ = try f.store.registerDevices(new, now: f.clock.now)
    let none = recalls.value.withLock { $0 }
    #expect(none.isEmpty)
    try await change.make(f, devices, push)
    let all = recalls.value.withLock { $0 }
    #expect(all.map(\.devices) == [Set(devices)])
  }
}
