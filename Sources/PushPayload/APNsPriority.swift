public import Basics

/// The value of the `apns-priority` header; an absent header means 10.
public struct APNsPriority: RawRepresentable, Sendable, Hashable {
  /// The number on the wire.
  public let rawValue: WholeNumber

  /// Creates a priority from its number; only 1, 5 and 10 are valid today.
  public init(rawValue: WholeNumber) { self.rawValue = rawValue }

  /// 10: deliver now.
  public static let immediate = APNsPriority(rawValue: 10)
  /// 5: deliver when the device's power state allows.
  public static let powerAware = APNsPriority(rawValue: 5)
  /// 1: never wake the device for this.
  public static let neverWake = APNsPriority(rawValue: 1)

  /// The priorities that Apple documents.
  static let known: [APNsPriority] = [.neverWake, .powerAware, .immediate]

  /// The header's text.
  public var text: String { "\(rawValue)" }

  /// Reads the header's text: decimal digits, nothing else.
  public init?(text: String) {
    guard let value = DecimalText.integer(text) else { return nil }
    self.init(rawValue: WholeNumber(value))
  }

  /// Reads the header's bytes: decimal digits without a leading zero, as ``text`` writes them.
  init?(header value: Span<UInt8>) {
    guard let number = DecimalText.canonical(value) else { return nil }
    self.init(rawValue: WholeNumber(number))
  }
}
