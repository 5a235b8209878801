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
      return try db.members(ids)
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
  fileprivate func members(_ ids: [DeviceID]) throws(StoreError) -> [AudienceMember] {
    var found: [(owner: Int64?, member: AudienceMember)] = []
    found.reserveCapacity(ids.count)
    try ask(AudienceMember.question, .numbers(ids.map(\.rawValue))) { index, row in
      found.append((row.isNull(1) ? nil : row.int64(1), AudienceMember(ids[index], row)))
    }
    let owners = Array(Set(found.compactMap(\.owner)))
    let ofOwners = [Int64: AttributeSet](
      uniqueKeysWithValues: zip(owners, try attributes(of: owners, .user)))
    let ofDevices = try attributes(of: found.compactMap(\.member.recipient.device?.rawValue), .device)
    return zip(found, ofDevices).map { one, device in
      let owner = one.owner.flatMap { ofOwners[$0] }?.properties ?? []
      return one.member.with(owner + device.properties)
    }
  }
}

extension AudienceMember {
  fileprivate static let question = KeyedQuestion(
    "SELECT user, owner, locale, timezone, app_version, kind, token FROM devices WHERE id = ?1 LIMIT 1", .number)

  fileprivate init(_ id: DeviceID, _ row: borrowing Statement) {
    let recipient = DeliveryRecipient(
      delivery: DeliveryID(rawValue: 0), device: id, user: row.optionalText(0), locale: row.optionalText(2),
      timezone: row.optionalText(3), appVersion: row.optionalText(4), properties: [])
    self.init(
      recipient: recipient, kind: DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .ios,
      token: row.text(6))
  }

  fileprivate func with(_ properties: [Property]) -> AudienceMember {
    var member = self
    member.recipient.properties = properties
    return member
  }
}
