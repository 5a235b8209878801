public import StoreModel

extension SQLStore {
  /// How many pushes an app has.
  public func countPushes(app: AppID) throws(StoreError) -> Int {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce("SELECT count(*) FROM pushes WHERE app = ?1")
      select.bind(1, app)
      return try select.step() ? select.int(0) : 0
    }
  }

  /// A page of an app's pushes.
  public func pushes(app: AppID, offset: Int, limit: Int) throws(StoreError) -> [Push] {
    let before: PushID? = try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce("SELECT id FROM pushes WHERE app = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2")
      select.bindAll(app, offset)
      return try select.step() ? PushID(rawValue: select.int64(0) + 1) : nil
    }
    guard let before else { return [] }
    return try pushes(app: app, campaignsOnly: false, before: before, limit: limit)
  }

  /// The newest push of a campaign.
  public func push(app: AppID, named name: String) throws(StoreError) -> Push? {
    let id: PushID? = try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce("SELECT max(id) FROM pushes WHERE app = ?1 AND name = ?2")
      select.bindAll(app, name)
      return try select.step() && select.int64(0) > 0 ? select.id(0) : nil
    }
    guard let id else { return nil }
    return try push(id)
  }

  /// A page of an app's devices.
  public func devices(app: AppID, offset: Int, limit: Int) throws(StoreError) -> [Device] {
    let after: DeviceID? = try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce("SELECT id FROM devices WHERE app = ?1 ORDER BY id LIMIT 1 OFFSET ?2")
      select.bindAll(app, offset)
      return try select.step() ? DeviceID(rawValue: select.int64(0) - 1) : nil
    }
    guard let after else { return [] }
    return try devices(app: app, filter: DeviceFilter(), after: after, limit: limit)
  }

  /// How many devices of these users take messages.
  public func countSubscribed(app: AppID, users: Set<String>, atMost: Int) throws(StoreError) -> Int {
    try readers.read { (db) throws(StoreError) in
      // 2 is `DeviceState.active`, 1 `DeviceFlags.optedOut`; 3 and 21 are the kinds of Live Activities. The plus keeps SQLite
      // from reading all active devices of the app.
      let select = try db.prepare(
        """
        SELECT count(*) FROM devices WHERE app = ?1 AND user = ?2 AND +state = #device.active AND flags & 1 = 0 AND kind NOT IN (#kind.iosLiveActivity, #kind.iosLiveActivityStart)
        """)
      var count = 0
      for user in users where count < atMost {
        select.bindAll(app, user)
        if try select.step() { count += select.int(0) }
        select.reset()
      }
      return count
    }
  }

  /// How many deliveries of a push ended with each provider in each state.
  public func countByProvider(push: PushID) throws(StoreError) -> [Provider: [DeliveryState: Int]] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT o.provider, d.state, v.kind, count(*) FROM pushes p
          JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted JOIN outcomes o ON o.code = d.code
          LEFT JOIN devices v ON o.provider = 0 AND v.id = d.device
          WHERE p.id = ?1 AND (o.provider <> 0 OR d.state >= ?2) GROUP BY 1, 2, 3
        """)
      select.bindAll(push, Int(DeliveryState.accepted.rawValue))
      var counts: [Provider: [DeliveryState: Int]] = [:]
      while try select.step() {
        // An outcome of ours, such as an opt-out, is the provider's of the device.
        let own = DeviceKind(rawValue: UInt8(truncatingIfNeeded: select.int(2)))?.provider
        guard let provider = Provider(rawValue: UInt8(truncatingIfNeeded: select.int(0))) ?? own,
          let state = DeliveryState(rawValue: UInt8(truncatingIfNeeded: select.int(1)))
        else { continue }
        counts[provider, default: [:]][state, default: 0] += select.int(3)
      }
      return counts
    }
  }
}
