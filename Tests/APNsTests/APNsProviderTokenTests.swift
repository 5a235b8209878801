import GatewayPool
import Signing
import Testing
import WireJSON

@testable import APNs

/// Straight scripts on two clocks: the monotonic one in minutes from 0, the wall clock from ``start``.
@Suite struct APNsProviderTokenTests {
  private static let start: Int64 = 1_800_000_000

  private static func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }

  /// Mints when the machine asks for it, and returns the token in use and the `iat` it was minted with, if it was.
  private static func use(
    _ machine: inout APNsProviderToken, minute: Int64, wall: Int64? = nil
  ) -> (generation: Int, minted: Int64?) {
    let now = minutes(minute)
    switch machine.need(now: now, wall: wall ?? start + minute * 60) {
    case .use(let token): return (token.generation, nil)
    case .mint(let issuedAt):
      return (machine.minted(authorization: "bearer t", issuedAt: issuedAt, now: now).generation, issuedAt)
    }
  }

  @Test func trap8OneTokenServesEverySendForFiftyMinutes() {
    var machine = APNsProviderToken()
    #expect(Self.use(&machine, minute: 0) == (1, Self.start))
    for minute in Int64(0)..<50 { #expect(Self.use(&machine, minute: minute) == (1, nil)) }
    #expect(Self.use(&machine, minute: 50) == (2, Self.start + 3000))
    #expect(Self.use(&machine, minute: 99) == (2, nil))
    #expect(Self.use(&machine, minute: 100) == (3, Self.start + 6000))
  }

  @Test func trap8AClockThatStepsBackMintsAfterTwentyMinutes() {
    var machine = APNsProviderToken()
    #expect(Self.use(&machine, minute: 0) == (1, Self.start))
    // The clock was two hours ahead and has been put right: `iat` now lies in the future.
    let behind = Self.start - 7200
    #expect(Self.use(&machine, minute: 5, wall: behind + 300) == (1, nil), "not twice in 20 minutes")
    #expect(Self.use(&machine, minute: 20, wall: behind + 1200) == (2, behind + 1200))
    #expect(Self.use(&machine, minute: 40, wall: behind + 2400) == (2, nil))
  }

  @Test func trap8AClockThatStepsAheadMintsAfterTwentyMinutes() {
    var machine = APNsProviderToken()
    #expect(Self.use(&machine, minute: 0) == (1, Self.start))
    let ahead = Self.start + 7200
    #expect(Self.use(&machine, minute: 19, wall: ahead) == (1, nil))
    #expect(Self.use(&machine, minute: 20, wall: ahead) == (2, ahead))
  }

  @Test func smallCorrectionsOfTheClockChangeNothing() {
    var machine = APNsProviderToken()
    #expect(Self.use(&machine, minute: 0) == (1, Self.start))
    #expect(Self.use(&machine, minute: 30, wall: Self.start + 1800 - 60) == (1, nil))
    #expect(Self.use(&machine, minute: 30, wall: Self.start + 1800 + 60) == (1, nil))
  }

  @Test func trap8ExpiredProviderTokenMintsOnceForAllSendsThatCarriedIt() {
    var machine = APNsProviderToken()
    #expect(Self.use(&machine, minute: 0) == (1, Self.start))
    for _ in 0..<500 { #expect(machine.expired(generation: 1, now: Self.minutes(1)) == .resend) }
    #expect(Self.use(&machine, minute: 1) == (2, Self.start + 60))
    for _ in 0..<500 { #expect(machine.expired(generation: 1, now: Self.minutes(1)) == .resend) }
    #expect(Self.use(&machine, minute: 1) == (2, nil), "late answers about the first token mint nothing")
    #expect(machine.expired(generation: 2, now: Self.minutes(2)) == .giveUp, "no loop of mints")
    #expect(Self.use(&machine, minute: 2) == (2, nil))
    #expect(machine.expired(generation: 2, now: Self.minutes(21)) == .resend)
    #expect(Self.use(&machine, minute: 21) == (3, Self.start + 1260))
  }

  @Test func trap8TooManyProviderTokenUpdatesKeepsTheOlderToken() {
    var machine = APNsProviderToken()
    #expect(Self.use(&machine, minute: 0) == (1, Self.start))
    #expect(Self.use(&machine, minute: 50) == (2, Self.start + 3000))
    for _ in 0..<100 { #expect(machine.tooManyUpdates(generation: 2, now: Self.minutes(51)) == .resend) }
    #expect(Self.use(&machine, minute: 51) == (1, nil))
    #expect(Self.use(&machine, minute: 58) == (1, nil), "the refusal holds longer than the refresh age")
    #expect(Self.use(&machine, minute: 59) == (3, Self.start + 3540), "APNs would refuse it from here on")
  }

  @Test func tooManyProviderTokenUpdatesWithoutAnOlderTokenStands() {
    var machine = APNsProviderToken()
    #expect(Self.use(&machine, minute: 0) == (1, Self.start))
    #expect(machine.tooManyUpdates(generation: 1, now: Self.minutes(1)) == .giveUp)
    #expect(Self.use(&machine, minute: 2) == (1, nil))
  }

  @Test func theTokenIsWhatAppleDescribes() throws {
    let pair = try ECPrivateKey.generate()
    let key = try APNsSigningKey(p8: Array(try pair.pem().utf8), keyID: "ABC1234567", teamID: "DEF7654321")
    let authorization = try key.authorization(issuedAt: Self.start)
    #expect(authorization.hasPrefix("bearer "))
    let token = try JWS.split(String(authorization.dropFirst("bearer ".count)))
    #expect(String(decoding: token.header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC1234567"}"#)
    #expect(String(decoding: token.claims, as: UTF8.self) == #"{"iss":"DEF7654321","iat":1800000000}"#)
    #expect(token.signature.count == 64)
    #expect(token.verify(pair.publicKey))
  }

  @Test func badKeysAreNamedWithoutShowingThem() throws {
    let pem = Array(try ECPrivateKey.generate().pem().utf8)
    func message(_ p8: [UInt8], _ keyID: String, _ teamID: String) -> String {
      do throws(APNsCredentialError) {
        _ = try APNsSigningKey(p8: p8, keyID: keyID, teamID: teamID)
        return "accepted"
      } catch {
        return error.description
      }
    }
    #expect(
      message(pem, "short", "DEF7654321")
        == "key ID: expected 10 letters and digits, found 5 bytes; it is in the file's name, AuthKey_<key ID>.p8")
    #expect(
      message(pem, "ABC1234567", "DEF\"654321")
        == "team ID: expected 10 letters and digits, found 10 bytes; it is in the membership page of the "
        + "developer site")
    #expect(message(Array("marked-secret".utf8), "ABC1234567", "DEF7654321").hasPrefix("signing key: "))
    #expect(!message(Array("marked-secret".utf8), "ABC1234567", "DEF7654321").contains("marked"))
    let rsa = Array(try RSAPrivateKey.generate().pem().utf8)
    #expect(message(rsa, "ABC1234567", "DEF7654321").hasPrefix("signing key: "))
  }
}
