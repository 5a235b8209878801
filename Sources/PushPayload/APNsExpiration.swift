/// The value of the `apns-expiration` header: until when APNs keeps the notification for an unreachable device.
public struct APNsExpiration: Sendable, Hashable {
  /// Seconds since 1970-01-01 UTC; 0 means one attempt and no storage.
  public let epochSeconds: Int64

  /// Stores and retries until this instant.
  ///
  /// - Parameter epochSeconds: seconds since 1970-01-01 UTC, not negative; 0 means one attempt.
  public init(epochSeconds: Int64) { self.epochSeconds = epochSeconds }

  /// One attempt; nothing is stored.
  public static let once = APNsExpiration(epochSeconds: 0)

  /// The header's text.
  public var text: String { "\(epochSeconds)" }

  /// Reads the header's text: decimal digits, nothing else.
  public init?(text: String) {
    guard let value = DecimalText.integer(text) else { return nil }
    self.init(epochSeconds: value)
  }

  /// Reads the header's bytes: decimal digits without a leading zero, as ``text`` writes them.
  public init?(header value: Span<UInt8>) {
    guard let seconds = DecimalText.canonical(value) else { return nil }
    self.init(epochSeconds: seconds)
  }
}

enum DecimalText {
  /// A non-negative decimal integer that fits 64 bits; nil for signs, spaces, an empty text or overflow.
  static func integer(_ text: String) -> Int64? {
    var value: Int64 = 0
    for byte in text.utf8 {
      guard let next = appending(byte, to: value) else { return nil }
      value = next
    }
    return text.isEmpty ? nil : value
  }

  /// The same without a leading zero, so that one number has one spelling.
  static func canonical(_ text: Span<UInt8>) -> Int64? {
    guard !text.isEmpty, text.count == 1 || text[0] != 0x30 else { return nil }
    var value: Int64 = 0
    for index in text.indices {
      guard let next = appending(text[index], to: value) else { return nil }
      value = next
    }
    return value
  }

  private static func appending(_ byte: UInt8, to value: Int64) -> Int64? {
    guard byte >= 0x30, byte <= 0x39 else { return nil }
    let (product, tooBig) = value.multipliedReportingOverflow(by: 10)
    let (sum, tooBigStill) = product.addingReportingOverflow(Int64(byte - 0x30))
    return tooBig || tooBigStill ? nil : sum
  }
}
