import PushStore
import Signing
import TestSupport
import Testing

@testable import PostriderServer

/// What bounds attempts to sign in cannot be pushed aside, and one network leaves room for others.
@Suite(.timeLimit(.minutes(3))) struct SignInLimitTests {
  static let now = Timestamp(seconds: 1_800_000_000)

  @Test("Attempts for invented accounts do not push out the count of another one") func floods() throws {
    let limit = SignInLimit()
    let victim = [SHA256.digest("account:ann@example.com")]
    for _ in 0..<SignInLimit.failuresMax { try limit.begin(victim, now: Self.now) }
    #expect(throws: Problem.self) { try limit.begin(victim, now: Self.now) }
    for one in 0..<30_000 { try limit.begin([SHA256.digest("account:\(one)")], now: Self.now) }
    #expect(throws: Problem.self) { try limit.begin(victim, now: Self.now) }
    try limit.begin(victim, now: Self.now.adding(milliseconds: SignInLimit.windowMs))
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
