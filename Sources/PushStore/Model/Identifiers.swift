/// The key of one record in the store; `Record` distinguishes the kinds of records at compile time.
public struct RowID<Record>: RawRepresentable, Hashable, Comparable, CustomStringConvertible {
  /// The number.
  ///
  /// Numbers of deleted records are not used again for pushes and deliveries.
  public let rawValue: Int64

  /// Wraps a number.
  @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }

  /// The number in decimal.
  public var description: String { String(rawValue) }

  /// Reads a decimal number, as `description` writes it.
  public init?(_ text: String) {
    guard let number = Int64(text), number > 0, String(number) == text else { return nil }
    rawValue = number
  }

  /// Orders by number, which is the order of creation.
  @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension RowID: Sendable {}

/// The key of an app.
public typealias AppID = RowID<App>
/// The key of a credential.
public typealias CredentialID = RowID<Credential>
/// The key of an API key's record (never the key itself).
public typealias APIKeyID = RowID<APIKey>
/// The key of a device.
public typealias DeviceID = RowID<Device>
/// The key of a push.
///
/// A push owns a range of delivery numbers that begins at its own number.
public typealias PushID = RowID<Push>
/// The key of one delivery: one push to one device.
///
/// It is its push's number plus its index in the audience.
public typealias DeliveryID = RowID<DeliveryRecord>
/// The key of a lease.
public typealias LeaseID = RowID<Lease>

extension RowID where Record == DeliveryRecord {
  /// The `apns-id` this delivery is sent with, each time it is sent: a canonical version-8 UUID (RFC 9562) that holds the
  /// push's salt and the delivery's number, so that nothing has to be stored per delivery.
  public func apnsID(salt: UInt64) -> String {
    let (high, low) = apnsIDBits(salt: salt)
    return String(unsafeUninitializedCapacity: 36) { buffer in
      var place = 0
      for nibble in 0..<32 {
        if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
          buffer[place] = UInt8(ascii: "-")
          place += 1
        }
        let half = nibble < 16 ? high >> UInt64(60 - nibble * 4) : low >> UInt64(60 - (nibble - 16) * 4)
        let digit = UInt8(truncatingIfNeeded: half & 0xf)
        buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        place += 1
      }
      return 36
    }
  }

  /// The two halves of the `apns-id`, the first half first.
  @inlinable public func apnsIDBits(salt: UInt64) -> (high: UInt64, low: UInt64) {
    let high = (salt & ~0xf000) | 0x8000
    let low = (UInt64(bitPattern: rawValue) & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000
    return (high, low)
  }
}
