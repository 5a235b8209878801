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
