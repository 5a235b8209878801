package import PushPayload

extension Adobe {
  /// True for an address that the library on a platform can download a picture from.
  ///
  /// Whether there is a picture at the address is not known here. Android's library takes what `java.net.URL` accepts, white
  /// space around it included, and its network service downloads `https` alone, in lower case; iOS downloads nothing from an
  /// address without a scheme and a host.
  /// Source: Adobe, `PushTemplateImageUtils.cacheImages`, `UrlUtils.isValidUrl` and `NetworkService` for Android,
  /// `ImageDownloader` of the content extension for iOS.
  package static func isLoadable(_ address: String?, on platform: Platform) -> Bool {
    guard let address, !address.isEmpty else { return false }
    switch platform {
    case .android: return hasHost(address.utf8.drop { $0 <= 0x20 }, after: "https://", ignoringCase: false)
    case .ios:
      return hasHost(address.utf8[...], after: "https://", ignoringCase: true)
        || hasHost(address.utf8[...], after: "http://", ignoringCase: true)
    }
  }

  /// Why an address is no picture, as the beginning of a sentence.
  static func pictureFault(_ address: String?, on platform: Platform) -> String {
    guard let address, !address.isEmpty else { return "img is empty" }
    return "img is no \(platform == .android ? "https" : "web") address: \(quoted(address))"
  }

  /// True for a host of at least one character, without white space, behind the scheme.
  private static func hasHost(_ bytes: Substring.UTF8View, after scheme: StaticString, ignoringCase: Bool) -> Bool {
    var rest = bytes
    let isScheme = scheme.withUTF8Buffer { name in
      for byte in name {
        guard let next = rest.popFirst() else { return false }
        let isUpper = ignoringCase && (0x41...0x5A).contains(next)
        guard (isUpper ? next | 0x20 : next) == byte else { return false }
      }
      return true
    }
    guard isScheme else { return false }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
    guard let first = host.first, first != UInt8(ascii: ":") else { return false }
    return !host.contains { $0 <= 0x20 }
  }
}
