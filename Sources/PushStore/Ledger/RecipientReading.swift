/// What personal pushes are filled with.
public protocol RecipientStore: Sendable {
  /// Who is behind some deliveries, in the order of the keys; those that are not there are left out.
  ///
  /// - Parameter properties: whether to read the properties of device and user too.
  func recipients(_ ids: [DeliveryID], properties: Bool) throws(StoreError) -> [DeliveryRecipient]
}

/// Who is behind a delivery.
public struct DeliveryRecipient: Sendable, Hashable {
  /// The delivery.
  public let delivery: DeliveryID
  /// The device, or nil for an address that is not registered.
  public let device: DeviceID?
  /// The user of the device.
  public let user: String?
  /// The device's language.
  public let locale: String?
  /// The device's time zone.
  public let timezone: String?
  /// The version of the app on it.
  public let appVersion: String?
  /// The user's properties, then the device's.
  public let properties: [Property]

  /// Creates a value from its parts.
  public init(
    delivery: DeliveryID, device: DeviceID?, user: String?, locale: String?, timezone: String?, appVersion: String?,
    properties: [Property]
  ) {
    self.delivery = delivery
    self.device = device
    self.user = user
    self.locale = locale
    self.timezone = timezone
    self.appVersion = appVersion
    self.properties = properties
  }
}

extension SQLiteStore {
  /// Who is behind some deliveries.
  public func recipients(_ ids: [DeliveryID], properties: Bool) throws(StoreError) -> [DeliveryRecipient] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        """
        SELECT d.id, v.id, v.user, v.owner, v.locale, v.timezone, v.app_version FROM deliveries d
        LEFT JOIN devices v ON v.id = d.device WHERE d.id = ?1
        """)
      var recipients: [DeliveryRecipient] = []
      recipients.reserveCapacity(ids.count)
      for id in ids {
        select.bind(1, id)
        if try select.step() { recipients.append(try db.recipient(select, properties)) }
        select.reset()
      }
      return recipients
    }
  }
}

extension Connection {
  fileprivate func recipient(_ row: borrowing Statement, _ withProperties: Bool) throws(StoreError) -> DeliveryRecipient
  {
    var properties: [Property] = []
    if withProperties {
      if !row.isNull(3) { properties += try attributes(of: row.int64(3), .user).properties }
      if !row.isNull(1) { properties += try attributes(of: row.int64(1), .device).properties }
    }
    return DeliveryRecipient(
      delivery: row.id(0), device: row.optionalID(1), user: row.optionalText(2), locale: row.optionalText(4),
      timezone: row.optionalText(5), appVersion: row.optionalText(6), properties: properties)
  }
}
