public import Basics

/// The value of `apns-id` and `apns-request-id`: a UUID, 16 bytes, no heap.
///
/// The canonical text is 32 lower-case hexadecimal digits in groups of 8-4-4-4-12 (Apple, “Sending notification
/// requests to APNs”).
public struct APNsID: Sendable, Hashable {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Length of the canonical text in bytes.
  public static let textLength = 36

  /// Makes an id from its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes a version 4 UUID from 16 random bytes, setting the version and variant bits.
  @inlinable
  public init(randomHigh high: UInt64, randomLow low: UInt64) {
    self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// Makes a version 4 UUID from a generator.
  @inlinable
  public init<Generator: RandomNumberGenerator>(using generator: inout Generator) {
    self.init(randomHigh: generator.next(), randomLow: generator.next())
  }

  /// Reads the canonical lower-case form and nothing else.
  public init?(_ text: String) { self.init(text, upperCaseAllowed: false) }

  /// Reads the 8-4-4-4-12 form with digits in either case, for ids that other systems made.
  public init?(anyCase text: String) { self.init(text, upperCaseAllowed: true) }

  /// Reads the canonical form of a header's bytes.
  public init?(header value: Span<UInt8>) { self.init(value, upperCaseAllowed: false) }

  /// Reads the 8-4-4-4-12 form of a header's bytes with digits in either case.
  public init?(anyCaseHeader value: Span<UInt8>) { self.init(value, upperCaseAllowed: true) }

  private init?(_ value: Span<UInt8>, upperCaseAllowed: Bool) {
    guard value.count == APNsID.textLength else { return nil }
    var reader = Reader(upperCaseAllowed: upperCaseAllowed)
    for index in value.indices {
      guard reader.take(value[index]) else { return nil }
    }
    self.init(high: reader.high, low: reader.low)
  }

  init?(_ text: String, upperCaseAllowed: Bool) {
    guard text.utf8.count == APNsID.textLength else { return nil }
    var reader = Reader(upperCaseAllowed: upperCaseAllowed)
    for byte in text.utf8 {
      guard reader.take(byte) else { return nil }
    }
    self.init(high: reader.high, low: reader.low)
  }

  /// Reads the 36 bytes of a text one by one.
  private struct Reader {
    let upperCaseAllowed: Bool
    var high: UInt64 = 0
    var low: UInt64 = 0
    private var position = 0

    init(upperCaseAllowed: Bool) { self.upperCaseAllowed = upperCaseAllowed }

    /// False when the byte is not what its position needs.
    mutating func take(_ byte: UInt8) -> Bool {
      defer { position += 1 }
      if position == 8 || position == 13 || position == 18 || position == 23 { return byte == UInt8(ascii: "-") }
      guard let digit = Hex.value(byte), upperCaseAllowed || byte >= 0x61 || byte < 0x41 else { return false }
      // Position 18 is the dash between the halves, so digits before it fill the high half.
      if position < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      return true
    }
  }

  /// Appends the canonical text to a buffer; allocates only if the buffer must grow.
  @inlinable
  public func write(to bytes: inout [UInt8]) {
    Hex.write(high >> 32, digits: 8, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Hex.write(high >> 16, digits: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Hex.write(high, digits: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Hex.write(low >> 48, digits: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Hex.write(low, digits: 12, to: &bytes)
  }

  /// The canonical text.
  public var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(APNsID.textLength)
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension APNsID: CustomStringConvertible {
  /// The canonical text.
  public var description: String { text }
}
