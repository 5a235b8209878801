import APNs
import Delivery
import GatewayPool
import HTTP2
import ProviderEmulator
import PushStore
import Synchronization
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

    func make(_ f: DeliveryFixture, _ devices: [DeviceID], _ tokens: [String], _ push: PushID) throws {
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
        let new = tokens.enumerated().map { number, token in
          DeviceRegistration(
            app: f.app, token: "ff" + token.dropFirst(2), kind: .ios, name: "n\(number)", user: "ann")
        }
        _ = try f.store.registerDevices(new, now: f.clock.now)
      case .removed: _ = try f.store.removeDevices(devices)
      case .retired:
        for device in devices { try f.store.setDeviceState(device, .retired, reason: "test", now: f.clock.now) }
      case .erased:
        _ = try f.store.eraseUser(app: f.app, named: "ann", redaction: Unread(), audit: nil, now: f.clock.now)
      case .paused: try f.store.pausePush(push)
      case .cancelled: try f.store.cancelPush(push, now: f.clock.now)
      }
      if change != DeviceChange() {
        for device in devices { try f.store.updateDevice(device, change, now: f.clock.now) }
      }
      if userChange != UserChange() {
        _ = try f.store.updateUser(app: f.app, named: "ann", userChange, now: f.clock.now)
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

  private static let tokens = (0..<12).map { number in
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  /// Ann's devices and a push to them.
  private func begin(_ f: DeliveryFixture) throws -> (devices: [DeviceID], push: PushID) {
    let new = Self.tokens.enumerated().map { number, token in
      DeviceRegistration(app: f.app, token: token, kind: .ios, name: "n\(number)", user: "ann")
    }
    let devices = try f.store.registerDevices(new, now: f.clock.now.adding(seconds: -60)).map(\.id)
    let payload = RenderedPayload(
      kinds: [.ios],
      headers: [
        .init("apns-push-type", "alert"), .init("apns-priority", "10"), .init("apns-topic", "com.example.app"),
      ],
      body: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
    var push = NewPush(
      app: f.app, pushClass: .transactional, audience: .users(["ann"]), payloads: [payload], salt: 99)
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
      try f.until("the return") { try f.counts(push).waiting == Self.tokens.count }
      #expect(sent().isEmpty)
      try f.store.resumePush(push, now: f.clock.now)
      f.engine?.wake()
      try untilFinished(f, push)
      #expect(sent().sorted() == Self.tokens)
    case .newToken:
      try untilFinished(f, push)
      #expect(sent().sorted() == Self.tokens.map { "ff" + $0.dropFirst(2) })
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
  func inTheLane(change: Change) throws {
    let f = try DeliveryFixture()
    let sender = ScriptedSender()
    sender.setRoom(0)
    try f.start(sender)
    let (devices, push) = try begin(f)
    try f.until("the queue") { f.engine?.statistics.queued == Self.tokens.count }
    try change.make(f, devices, Self.tokens, push)
    try f.until("an empty queue") { f.engine?.statistics.queued == 0 || change == .newToken }
    sender.setRoom(.max)
    try check(f, change, push) { sender.sent.map(\.token) }
  }

  @Test("What a sender holds without a connection is taken back", arguments: Change.allCases)
  func withoutConnection(change: Change) throws {
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
    let (devices, push) = try begin(f)
    try f.until("the hand-over") { f.engine?.statistics.onWire == Self.tokens.count }
    try change.make(f, devices, Self.tokens, push)
    let all = Self.tokens + Self.tokens.map { "ff" + $0.dropFirst(2) }
    try check(f, change, push) {
      all.filter { emulator.device(.apns, $0)?.receivedPushes.isEmpty == false }
    }
  }

  @Test("A registration that changes nothing takes nothing back") func sameAgain() throws {
    let f = try DeliveryFixture()
    let recalls = Shared(Mutex<[LeaseRecall]>([]))
    f.store.observeRecalls { recall in recalls.value.withLock { $0.append(recall) } }
    let (devices, push) = try begin(f)
    let new = Self.tokens.enumerated().map { number, token in
      DeviceRegistration(app: f.app, token: token, kind: .ios, name: "n\(number)", user: "ann", locale: "de")
    }
    _ = try f.store.registerDevices(new, now: f.clock.now)
    let none = recalls.value.withLock { $0 }
    #expect(none.isEmpty)
    try Change.moved.make(f, devices, Self.tokens, push)
    let all = recalls.value.withLock { $0 }
    #expect(all.map(\.devices) == [Set(devices)])
  }
}
