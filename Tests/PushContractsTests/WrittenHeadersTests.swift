import PushContracts
import Testing
import WireJSON

/// What holds for the headers of every push that any contract writes.
@Suite struct WrittenHeadersTests {
  /// Messages that ask for a single attempt themselves.
  static let once: Set<String> = [
    "native/header-apns-expiration-zero.json", "onesignal/inside-onesignal-range.json", "onesignal/write-ttl-zero.json",
  ]

  /// Trap 10 of the peers: the push type is always there, a background push has priority 5, and nothing becomes a single
  /// attempt that did not ask for one.
  @Test func trap10NoHeaderIsLeftToChance() throws {
    var count = 0
    var once: Set<String> = []
    for vector in Vector.all where vector.json["message"] != nil {
      guard let headers = vector.actual()?["apns"]?["headers"] else { continue }
      count += 1
      let type = headers["apns-push-type"]?.string
      #expect(type?.isEmpty == false, "\(vector.path)")
      if type == "background" { #expect(headers["apns-priority"]?.string == "5", "\(vector.path)") }
      if headers["apns-expiration"]?.string == "0" { once.insert(vector.path) }
    }
    #expect(count > 400)
    #expect(once == Self.once)
  }
}
