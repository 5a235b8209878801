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

  init?(_ text: String, upperCaseAllowed: Bool) { self.init(Array(text.utf8).span, upperCaseAllowed: upperCaseAllowed) }

  private init?(_ value: Span<UInt8>, upperCaseAllowed: Bool) {
    let dash = UInt8(ascii: "-")
    guard value.count == APNsID.textLength, value[8] == dash, value[13] == dash, value[18] == dash, value[23] == dash
    else { return nil }
    let groups = (
      APNsID.four(value, 0) << 32 | APNsID.four(value, 4), APNsID.four(value, 9) << 32 | APNsID.four(value, 14),
      APNsID.four(value, 19) << 32 | APNsID.four(value, 24), APNsID.four(value, 28) << 32 | APNsID.four(value, 32)
    )
    guard let first = APNsID.number(groups.0, upperCaseAllowed), let second = APNsID.number(groups.1, upperCaseAllowed),
      let third = APNsID.number(groups.2, upperCaseAllowed), let last = APNsID.number(groups.3, upperCaseAllowed)
    else { return nil }
    self.init(high: first << 32 | second, low: third << 32 | last)
  }

  /// Four bytes as a number, the first one highest.
  @inline(__always)
  private static func four(_ value: Span<UInt8>, _ start: Int) -> UInt64 {
    UInt64(value[start]) << 24 | UInt64(value[start + 1]) << 16 | UInt64(value[start + 2]) << 8
      | UInt64(value[start + 3])
  }

  /// The number of eight hexadecimal digits that are the bytes of a word, all at once; nil when one of them is none.
  @inline(__always)
  private static func number(_ text: UInt64, _ upperCaseAllowed: Bool) -> UInt64? {
    let each: UInt64 = 0x0101_0101_0101_0101
    // Letters have the bit 0x40, small ones also 0x20.
    let letters = text >> 6 & each
    guard upperCaseAllowed || letters & ~(text >> 5) == 0 else { return nil }
    let digits = (text & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
    guard digits & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return nil }
    // What the digits are written as must be what was read, in lower case.
    let isLetter = (digits &+ each &* 6) >> 4 & each
    guard digits &+ each &* 0x30 &+ isLetter &* 39 == text | letters << 5 else { return nil }
    var packed = (digits | digits >> 4) & 0x00FF_00FF_00FF_00FF
    packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
    return (packed | packed >> 16) & 0xFFFF_FFFF
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
