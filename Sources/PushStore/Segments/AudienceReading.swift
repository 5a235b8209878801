public import StoreModel

extension SQLStore {
  /// The active devices of a segment behind `after`, by key, with what is known of each.
  public func audience(
    _ filter: SegmentFilter, app: AppID, after: DeviceID?, limit: Int, now: Timestamp
  ) throws(StoreError) -> [AudienceMember] {
    try filter.check()
    return try readers.read { (db) throws(StoreError) in
      let range = SegmentRange(after: after?.rawValue ?? 0, until: .max)
      let ids = try db.segment(filter, app, range, limit: Checks.page(limit), now)
      var members: [AudienceMember] = []
      members.reserveCapacity(ids.count)
      for id in ids { if let member = try db.member(id) { members.append(member) } }
      return members
    }
  }

  /// The last active device of an app, by key.
  public func lastDevice(app: AppID) throws(StoreError) -> DeviceID? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        "SELECT id FROM devices INDEXED BY devices_by_state WHERE app = ?1 AND state = #device.active ORDER BY id DESC LIMIT 1"
      )
      select.bind(1, app)
      return try select.step() ? select.id(0) : nil
    }
  }
}

extension Connection {
  fileprivate func member(_ id: DeviceID) throws(StoreError) -> AudienceMember? {
    let row = try prepare(
      "SELECT user, owner, locale, timezone, app_version, kind, token FROM devices WHERE id = ?1")
    row.bind(1, id)
    guard try row.step() else { return nil }
    var properties: [Property] = []
    if !row.isNull(1) { properties += try attributes(of: row.int64(1), .user).properties }
    properties += try attributes(of: id.rawValue, .device).properties
    let recipient = DeliveryRecipient(
      delivery: DeliveryID(rawValue: 0), device: id, user: row.optionalText(0), locale: row.optionalText(2),
      timezone: row.optionalText(3), appVersion: row.optionalText(4), properties: properties)
    return AudienceMember(
      recipient: recipient, kind: DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .ios,
      token: row.text(6))
  }
}
