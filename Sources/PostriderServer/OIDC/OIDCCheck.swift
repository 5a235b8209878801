public import HTTP2
internal import StoreModel

/// What a look at an identity provider has found.
public struct OIDCCheck: Sendable, Hashable {
  /// What is wrong, with what to do; nil when all that can be seen without signing in is well.
  public let fault: String?
  /// The keys that can verify ID tokens.
  public let keys: Int
  /// The `Date` field of the provider's answer.
  public let date: String?

  /// Reads the provider's document and keys as `serve` does; the wait is bounded.
  public static func run(_ setting: OIDCSetting, proxy: HTTP2Proxy?) -> OIDCCheck {
    guard let client = OIDCClient(setting, proxy: proxy) else {
      return OIDCCheck(fault: "a thread for the requests cannot be had", keys: 0, date: nil)
    }
    defer { client.stop() }
    let clock = WallClock.system
    let found = try? Service.wait { () async throws(Problem) in
      do throws(OIDCFault) {
        let date = try await client.documentDate()
        let keys = try await client.keys(now: Timestamp(milliseconds: clock.nowMs())).keys.count
        return OIDCCheck(fault: keys > 0 ? nil : "the provider lists no key for RS256 or ES256", keys: keys, date: date)
      } catch { return OIDCCheck(fault: error.detail, keys: 0, date: nil) }
    }
    return found ?? OIDCCheck(fault: "the look was broken off", keys: 0, date: nil)
  }
}
