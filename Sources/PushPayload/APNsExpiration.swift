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
}

enum DecimalText {
  /// A non-negative decimal integer that fits 64 bits; nil for signs, spaces, an empty text or overflow.
  static func integer(_ text: String) -> Int64? {
    var value: Int64 = 0
    var count = 0
    for byte in text.utf8 {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (product, tooBig) = value.multipliedReportingOverflow(by: 10)
      let (sum, tooBigStill) = product.addingReportingOverflow(Int64(byte - 0x30))
      if tooBig || tooBigStill { return nil }
      value = sum
      count += 1
    }
    return count > 0 ? value : nil
  }
}
