import HTTPServer
import PushStore
import Signing
import StoreModel
import TestSupport
import Testing

@testable import PostriderServer

/// What bounds attempts to sign in cannot be pushed aside, and one network leaves room for others.
@Suite(.timeLimit(.minutes(3))) struct SignInLimitTests {
  static let now = Timestamp(seconds: 1_800_000_000)

  @Test("Attempts for invented accounts do not push out the count of another one, at whatever node they come")
  func floods() async throws {
    let folder = try TemporaryFolder()
    let store = try SQLStore(path: folder.path + "/postrider.sqlite")
    defer { store.close() }
    let nodes = (0..<2).map { _ in SignInLimit(store: store, subjectsMax: 100) }
    let victim = SignInLimit.Subjects(own: [SHA256.digest("account:ann@example.com")])
    for one in 0..<SignInLimit.failuresMax { try await nodes[one % 2].begin(victim, now: Self.now) }
    for node in nodes { await #expect(throws: Problem.self) { try await node.begin(victim, now: Self.now) } }
    for one in 0..<300 {
      try await nodes[one % 2].begin(SignInLimit.Subjects(own: [SHA256.digest("account:\(one)")]), now: Self.now)
    }
    await #expect(throws: Problem.self) { try await nodes[1].begin(victim, now: Self.now) }
    try await nodes[0].begin(victim, now: Self.now.adding(milliseconds: SignInLimit.windowMs))
  }

  @Test("What has not failed is not counted, and a clock that was ahead locks nobody out") func takenBack() async throws
  {
    let folder = try TemporaryFolder()
    let store = try SQLStore(path: folder.path + "/postrider.sqlite")
    defer { store.close() }
    let limit = SignInLimit(store: store)
    let subjects = SignInLimit.Subjects(own: [[1]])
    for _ in 0..<3 * SignInLimit.failuresMax {
      try await limit.begin(subjects, now: Self.now)
      limit.succeeded(subjects)
    }
    let ahead = Self.now.adding(seconds: 86_400)
    for _ in 0..<SignInLimit.failuresMax { try await limit.begin(subjects, now: ahead) }
    await #expect(throws: Problem.self) { try await limit.begin(subjects, now: ahead) }
    try await limit.begin(subjects, now: Self.now)
  }

  @Test("Attempts from all over a /48 are bounded, and one network of it cannot lock out the others")
  func sites() async throws {
    let folder = try TemporaryFolder()
    let store = try SQLStore(path: folder.path + "/postrider.sqlite")
    defer { store.close() }
    let limit = SignInLimit(store: store)
    func peer(_ site: UInt8, _ network: Int) -> HTTPPeer {
      let start: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 0, site, UInt8(network >> 8), UInt8(network & 0xff)]
      return HTTPPeer(address: start + [0, 0, 0, 0, 0, 0, 0, 1])
    }
    /// How many attempts of a network are counted.
    func attempts(_ peer: HTTPPeer, _ tries: Int) async -> Int {
      var counted = 0
      for _ in 0..<tries {
        guard (try? await limit.begin(SignInLimit.subjects(peer), now: Self.now)) != nil else { continue }
        counted += 1
      }
      return counted
    }
    // One network may go on for as long as it wants: it takes a tenth of what its /48 has.
    #expect(await attempts(peer(1, 0), 3 * SignInLimit.siteFailuresMax) == SignInLimit.failuresMax)
    #expect(await attempts(peer(1, 1), 1) == 1)
    var all = SignInLimit.failuresMax + 1
    for network in 2..<1_000 { all += await attempts(peer(1, network), 1) }
    #expect(all == SignInLimit.siteFailuresMax)
    #expect(await attempts(peer(2, 0), 1) == 1)
    // Who has signed in is not counted.
    let other = SignInLimit.subjects(peer(3, 0))
    for _ in 0..<2 * SignInLimit.siteFailuresMax {
      try await limit.begin(other, now: Self.now)
      limit.succeeded(other)
    }
  }

  @Test("One network's passwords leave room for those of others, and hold it no longer than they take")
  func networks() async throws {
    let desk = PasswordDesk(cost: PasswordHash.Cost(logN: 5, r: 8, p: 1))
    let password = "a password of ann's"
    let stored = try await desk.hash(password)
    for _ in 0..<PasswordDesk.waitingPerNetworkMax { try desk.enter([1]) }
    let refusal = await #expect(throws: Problem.self) { try await desk.verify(password, stored, from: [1]) }
    #expect(refusal?.kind == .busy && refusal?.headers.contains { $0.name == "Retry-After" } == true)
    #expect(try await desk.verify(password, stored, from: [2]))
    desk.leave([1])
    // Each of them makes room again when it is done.
    for _ in 0..<2 { #expect(try await desk.verify(password, stored, from: [1])) }
    #expect(try await desk.verify("another password", stored, from: [1]) == false)
  }
}
