public import StoreModel

extension SQLStore {
  /// The activity with the caller's own id, or nil.
  public func activity(app: AppID, named name: String) throws(StoreError) -> Activity? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(Activity.select + "WHERE app = ?1 AND name = ?2")
      select.bindAll(app, name)
      return try select.step() ? Activity(row: select) : nil
    }
  }

  /// A page of an app's activities, newest first.
  public func activities(
    app: AppID, user: String?, before: ActivityID?, limit: Int
  ) throws(StoreError) -> [Activity] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        Activity.select + "WHERE app = ?1 AND (user = ?2 OR ?2 IS NULL) AND id < ?3 ORDER BY id DESC LIMIT ?4")
      select.bindAll(app, user, before?.rawValue ?? .max, Checks.page(limit))
      var page: [Activity] = []
      while try select.step() { page.append(Activity(row: select)) }
      return page
    }
  }

  /// How many activities listen to a channel.
  public func activities(listeningTo channel: ChannelID, since: Timestamp, limit: Int) throws(StoreError) -> Int {
    try readers.read { (db) throws(StoreError) in
      let last = try db.prepareOnce(
        """
        SELECT coalesce(max(l.push), 0) FROM live_pushes l JOIN pushes p ON p.id = l.push
        WHERE l.kind = 2 AND l.owner = ?1 AND l.event = ?2 AND p.accepted + p.unknown > 0
        """)
      last.bindAll(channel, Int(LiveEvent.end.rawValue))
      guard try last.step() else { return 0 }
      // The first push of an activity is its start, which nobody listens after when no phone got it.
      let select = try db.prepareOnce(
        """
        SELECT count(*) FROM (SELECT 1 FROM activities a WHERE created_at > ?2 AND channel = ?1 AND ended_at IS NULL
          AND EXISTS (SELECT 1 FROM pushes p WHERE p.id > ?3 AND p.waiting + p.in_flight + p.accepted + p.unknown > 0
            AND p.id = (SELECT min(push) FROM live_pushes WHERE kind = 3 AND owner = a.id)) LIMIT ?4) AS listening
        """)
      select.bindAll(channel, since, last.int64(0), limit)
      return try select.step() ? select.int(0) : 0
    }
  }

  /// The addresses of an activity's own.
  public func devices(of activity: ActivityID) throws(StoreError) -> [Device] {
    var ids: [DeviceID] = []
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare("SELECT device FROM activity_devices WHERE activity = ?1 ORDER BY device")
      select.bind(1, activity)
      while try select.step() { ids.append(select.id(0)) }
    }
    var devices: [Device] = []
    for id in ids { if let device = try device(id) { devices.append(device) } }
    return devices
  }

  /// Makes a registered device an address of an activity's.
  public func addDevice(_ device: DeviceID, to activity: ActivityID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      guard try context.db.activity(activity) != nil else { throw Checks.missing("activity", activity) }
      let count = try context.db.prepare(
        "SELECT count(*) FROM activity_devices WHERE activity = ?1 AND device <> ?2")
      count.bindAll(activity, device)
      guard try count.step(), count.int(0) < StoreLimits.devicesPerActivityMax else {
        throw StoreError(
          .conflict, "the activity has \(StoreLimits.devicesPerActivityMax) tokens already",
          advice: "give each phone's activity an id of its own")
      }
      let insert = try context.db.prepare(
        "INSERT INTO activity_devices(activity, device) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
      insert.bindAll(activity, device)
      try insert.run()
    }
  }

  /// Counts a send against the activity's budget.
  public func takeTurn(
    of id: ActivityID, urgent: Bool, now: Timestamp
  ) throws(StoreError) -> LiveTurn {
    try write { (context) throws(StoreError) in
      guard let activity = try context.db.activity(id) else { throw Checks.missing("activity", id) }
      guard activity.endedAt == nil else { throw Activity.hasEnded }
      let left = activity.budget.left(at: now)
      let isUrgent = urgent && left > 0
      let hour = now.milliseconds / LiveBudget.hourMs
      let used = activity.budget.perHour - left + (isUrgent ? 1 : 0)
      let update = try context.db.prepare(
        """
        UPDATE activities SET budget_hour = ?2, budget_used = ?3, last_second = min(max(last_second + 1, ?4), max(last_second, ?5))
        WHERE id = ?1
        RETURNING last_second
        """)
      update.bindAll(id, hour, used, now.seconds, now.adding(seconds: Self.secondsAheadMax).seconds)
      guard try update.step() else { throw Checks.missing("activity", id) }
      return LiveTurn(isUrgent: isUrgent, second: update.int64(0), left: left - (isUrgent ? 1 : 0))
    }
  }

  /// Forgets an activity and its addresses; its pushes stay.
  public func deleteActivity(_ id: ActivityID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      guard try context.db.activity(id) != nil else { throw Checks.missing("activity", id) }
      try context.forgetDevices(of: id)
      try context.db.forgetActivity(id)
    }
  }
}

extension WriterContext {
  /// Days that an activity is kept: it is over after half a day (Apple: eight hours, and four on the lock screen).
  private static let keptDays: Int64 = 30
  /// Hours after which the addresses of an activity are dead.
  private static let addressHours: Int64 = 24
  /// Activities that are looked at in one step.
  private static let purgedAtOnce = 500

  /// Forgets what is left of activities that were over long ago.
  mutating func purgeActivities(now: Timestamp) throws(StoreError) {
    let dead = now.adding(milliseconds: -Self.addressHours * 3_600_000)
    for id in try db.activities(
      "SELECT id FROM activities a WHERE created_at < ?1 AND EXISTS (SELECT 1 FROM activity_devices WHERE activity = a.id)"
        + " ORDER BY created_at LIMIT ?2", dead, Self.purgedAtOnce)
    {
      try forgetDevices(of: id)
    }
    let old = now.adding(milliseconds: -Self.keptDays * 86_400_000)
    for id in try db.activities(
      "SELECT id FROM activities WHERE created_at < ?1 ORDER BY created_at LIMIT ?2", old, Self.purgedAtOnce)
    {
      try db.forgetActivity(id)
    }
  }

  /// Forgets the addresses of an activity's own.
  fileprivate mutating func forgetDevices(of id: ActivityID) throws(StoreError) {
    for device in try db.devices(of: id) { try forgetDevice(device) }
    let delete = try db.prepare("DELETE FROM activity_devices WHERE activity = ?1")
    delete.bind(1, id)
    try delete.run()
  }
}

extension Connection {
  /// The activity with a key, or nil.
  func activity(_ id: ActivityID) throws(StoreError) -> Activity? {
    let select = try prepareOnce(Activity.select + "WHERE id = ?1")
    select.bind(1, id)
    return try select.step() ? Activity(row: select) : nil
  }

  fileprivate func activities(_ sql: String, _ before: Timestamp, _ limit: Int) throws(StoreError) -> [ActivityID] {
    let select = try prepareOnce(sql)
    select.bindAll(before, limit)
    var ids: [ActivityID] = []
    while try select.step() { ids.append(select.id(0)) }
    return ids
  }

  fileprivate func devices(of id: ActivityID) throws(StoreError) -> [DeviceID] {
    let select = try prepare("SELECT device FROM activity_devices WHERE activity = ?1")
    select.bind(1, id)
    var ids: [DeviceID] = []
    while try select.step() { ids.append(select.id(0)) }
    return ids
  }

  fileprivate func forgetActivity(_ id: ActivityID) throws(StoreError) {
    let delete = try prepare("DELETE FROM activities WHERE id = ?1")
    delete.bind(1, id)
    try delete.run()
    try forgetLivePushes(of: .activity(id))
  }

  /// Saves an activity whose start is being created.
  func insert(_ new: NewActivity, app: AppID, _ now: Timestamp) throws(StoreError) -> ActivityID {
    try Checks.text(new.name, "id")
    try Checks.text(new.attributesType, "attributes type")
    let insert = try prepare(
      """
      INSERT INTO activities(app, name, user, bundle, attributes_type, channel, urgent_per_hour, budget_hour, budget_used,
        last_second, created_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT(app, name) DO NOTHING RETURNING id
      """)
    insert.bindAll(app, new.name, new.user, new.bundleID, new.attributesType)
    insert.bind(6, new.channel?.rawValue)
    insert.bind(7, Int64(new.urgentPerHour))
    insert.bind(8, now.milliseconds / LiveBudget.hourMs)
    insert.bind(9, Int64(new.startsUrgently ? 1 : 0))
    insert.bind(10, now.seconds)
    insert.bind(11, now)
    guard try insert.step() else {
      throw StoreError(.conflict, "an activity has this id already", advice: "choose another one, or update that one")
    }
    return insert.id(0)
  }

  /// Notes what a send of an activity says of it.
  func note(_ live: LivePush, of id: ActivityID, _ now: Timestamp) throws(StoreError) {
    guard let activity = try activity(id) else { throw Checks.missing("activity", id) }
    guard activity.endedAt == nil else { throw Activity.hasEnded }
    let update = try prepare(
      """
      UPDATE activities SET stale_at = ?2, dismissal_at = ?3, ended_at = ?4 WHERE id = ?1
      """)
    update.bindAll(id, live.staleAt, live.dismissalAt, live.event == .end ? now : nil)
    try update.run()
  }
}

extension Activity {
  fileprivate static let hasEnded = StoreError(
    .conflict, "the activity has ended", advice: "start another one under an id of its own")

  fileprivate static let select = """
    SELECT id, app, name, user, bundle, attributes_type, channel, urgent_per_hour, budget_hour, budget_used, stale_at,
      dismissal_at, created_at, ended_at FROM activities 
    """

  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), app: row.id(1), name: row.text(2), user: row.optionalText(3), bundleID: row.text(4),
      attributesType: row.text(5), channel: row.isNull(6) ? nil : row.id(6),
      budget: LiveBudget(perHour: row.int(7), hour: row.int64(8), used: row.int(9)),
      staleAt: row.optionalTimestamp(10), dismissalAt: row.optionalTimestamp(11), createdAt: row.timestamp(12),
      endedAt: row.optionalTimestamp(13))
  }
}
