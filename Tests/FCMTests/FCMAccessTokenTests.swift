import Testing

@testable import FCM

/// Straight scripts: an event goes in, the next need comes out.
@Suite struct FCMAccessTokenTests {
  private static let passing = FCMAccessToken.Failure(isRefusal: false, detail: "503")
  private static let refusal = FCMAccessToken.Failure(isRefusal: true, detail: "invalid_grant")

  private static func generation(_ need: FCMAccessToken.Need) -> Int? {
    if case .use(let token) = need { token.generation } else { nil }
  }

  @Test func oneFetchIsUnderWayAndSendsWait() {
    var machine = FCMAccessToken()
    #expect(machine.need(now: .zero) == .wait)
    #expect(machine.shouldFetch(now: .zero) == true)
    #expect(machine.shouldFetch(now: .seconds(1)) == false)
    machine.fetched("abc", lifetime: .seconds(3599), now: .seconds(2))
    guard case .use(let token) = machine.need(now: .seconds(2)) else {
      Issue.record("no token")
      return
    }
    #expect(token.authorization == "Bearer abc")
    #expect(machine.shouldFetch(now: .seconds(3000)) == false)
  }

  @Test func theSuccessorIsFetchedFiveMinutesEarlyWhileTheOldOneServes() {
    var machine = FCMAccessToken()
    #expect(machine.shouldFetch(now: .zero) == true)
    machine.fetched("a", lifetime: .seconds(3600), now: .zero)
    #expect(machine.shouldFetch(now: .seconds(3299)) == false)
    #expect(machine.shouldFetch(now: .seconds(3300)) == true)
    #expect(Self.generation(machine.need(now: .seconds(3301))) == 1)
    machine.fetched("b", lifetime: .seconds(3600), now: .seconds(3302))
    #expect(Self.generation(machine.need(now: .seconds(3302))) == 2)
  }

  @Test func anExpiredTokenIsNotUsed() {
    var machine = FCMAccessToken()
    #expect(machine.shouldFetch(now: .zero) == true)
    machine.fetched("a", lifetime: .seconds(60), now: .zero)
    #expect(Self.generation(machine.need(now: .seconds(59))) == 1)
    #expect(machine.shouldFetch(now: .seconds(29)) == false, "a short life is halved, not fetched anew all the time")
    #expect(machine.shouldFetch(now: .seconds(30)) == true)
    machine.failed(Self.passing, now: .seconds(31))
    #expect(Self.generation(machine.need(now: .seconds(31))) == 1, "the old one serves to its end")
    #expect(machine.need(now: .seconds(60)) == .wait)
  }

  @Test func passingFailuresBackOff() {
    var machine = FCMAccessToken()
    var now: Duration = .zero
    for wait in [1, 2, 4, 8, 16, 32, 60, 60] {
      #expect(machine.shouldFetch(now: now) == true)
      machine.failed(Self.passing, now: now)
      #expect(machine.need(now: now) == .wait)
      #expect(machine.nextFetch == now + .seconds(wait))
      #expect(machine.shouldFetch(now: now + .seconds(wait) - .milliseconds(1)) == false)
      now += .seconds(wait)
    }
  }

  @Test func aRefusalFailsWhatWaitsAndIsAskedAgainAfterAMinute() {
    var machine = FCMAccessToken()
    #expect(machine.shouldFetch(now: .zero) == true)
    machine.failed(Self.refusal, now: .zero)
    #expect(machine.need(now: .seconds(59)) == .refuse(Self.refusal))
    #expect(machine.shouldFetch(now: .seconds(59)) == false)
    #expect(machine.shouldFetch(now: .seconds(60)) == true)
    #expect(machine.need(now: .seconds(60)) == .wait)
    machine.fetched("a", lifetime: .seconds(3600), now: .seconds(61))
    #expect(Self.generation(machine.need(now: .seconds(61))) == 1)
  }

  @Test func aTokenThatFCMRefusesIsReplacedOnce() {
    var machine = FCMAccessToken()
    #expect(machine.shouldFetch(now: .zero) == true)
    machine.fetched("a", lifetime: .seconds(3600), now: .zero)
    for _ in 0..<100 { #expect(machine.refused(generation: 1, now: .seconds(10)) == .resend) }
    #expect(machine.need(now: .seconds(10)) == .wait)
    #expect(machine.shouldFetch(now: .seconds(10)) == true)
    machine.fetched("b", lifetime: .seconds(3600), now: .seconds(11))
    #expect(machine.refused(generation: 1, now: .seconds(12)) == .resend)
    #expect(machine.refused(generation: 2, now: .seconds(12)) == .giveUp)
    #expect(Self.generation(machine.need(now: .seconds(12))) == 2)
  }

  struct AnswerRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let body: String
    let expected: FCMTokenAnswer
  }

  @Test(arguments: [
    AnswerRow(
      testDescription: "Google's answer", status: 200,
      body: #"{"access_token":"ya29.c.x","expires_in":3599,"token_type":"Bearer"}"#,
      expected: .token("ya29.c.x", lifetime: .seconds(3599))),
    AnswerRow(
      testDescription: "no life named", status: 200, body: #"{"access_token":"t"}"#,
      expected: .token("t", lifetime: .seconds(3600))),
    AnswerRow(
      testDescription: "200 without a token", status: 200, body: "{}",
      expected: .failure(
        .init(isRefusal: false, detail: "the token endpoint answered 200 without an \"access_token\""))),
    AnswerRow(
      testDescription: "a token that would break the header", status: 200, body: #"{"access_token":"a\r\nb: c"}"#,
      expected: .failure(
        .init(isRefusal: false, detail: "the token endpoint answered 200 without an \"access_token\""))),
    AnswerRow(
      testDescription: "the clock is wrong", status: 400,
      body: #"{"error":"invalid_grant","error_description":"Invalid JWT: iat is in the future"}"#,
      expected: .failure(
        .init(
          isRefusal: true,
          detail: "the token endpoint answered 400 (invalid_grant: Invalid JWT: iat is in the future); check that "
            + "this machine's clock is right, and that the key has not been deleted or the account disabled"))),
    AnswerRow(
      testDescription: "trouble at Google", status: 503, body: "<html>",
      expected: .failure(.init(isRefusal: false, detail: "the token endpoint answered 503"))),
    AnswerRow(
      testDescription: "too many", status: 429, body: "",
      expected: .failure(.init(isRefusal: false, detail: "the token endpoint answered 429"))),
  ])
  func answers(row: AnswerRow) {
    #expect(FCMTokenAnswer(status: row.status, body: Array(row.body.utf8)) == row.expected)
  }

  /// A life beyond all clocks, or before them, is a number like any other.
  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "1e300", "0", "99999999999999999999"])
  func aLifeOfAnyLengthIsRead(expiresIn: String) {
    let body = #"{"access_token":"t","expires_in":\#(expiresIn)}"#
    guard case .token(let token, let lifetime) = FCMTokenAnswer(status: 200, body: Array(body.utf8)) else {
      Issue.record("no token")
      return
    }
    var machine = FCMAccessToken()
    machine.fetched(token, lifetime: lifetime, now: .seconds(1_000_000))
    guard case .use(let used) = machine.need(now: .seconds(1_000_001)) else {
      Issue.record("not used")
      return
    }
    #expect(used.authorization == "Bearer t" && used.refreshAt < used.expiresAt)
  }
}
