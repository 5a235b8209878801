public import StoreModel

extension SQLStore {
  /// Saves a channel that Apple has made.
  public func createChannel(_ channel: NewChannel, now: Timestamp) throws(StoreError) -> Channel {
    try Checks.text(channel.channelID, "channel")
    try Checks.text(channel.bundleID, "bundle")
    if let name = channel.name { try Checks.text(name, "name") }
    return try write { (context) throws(StoreError) in
      guard try context.appExists(channel.app) else { throw Checks.missing("app", channel.app) }
      let known = try context.db.prepare(
        """
        SELECT coalesce(name = ?5, 1 = 0) FROM channels WHERE app = ?1 AND environment = ?2
        AND (bundle = ?3 AND channel = ?4 OR name = ?5) LIMIT 1
        """)
      known.bindAll(
        channel.app, Int(channel.environment.rawValue), channel.bundleID, channel.channelID, channel.name)
      if try known.step() {
        throw known.bool(0)
          ? StoreError(.conflict, "a channel has this name already", advice: "choose another one")
          : StoreError(.conflict, "the channel is known already", advice: "list the channels")
      }
      let insert = try context.db.prepare(
        """
        INSERT INTO channels(app, environment, bundle, channel, storage, name, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id
        """)
      insert.bindAll(
        channel.app, Int(channel.environment.rawValue), channel.bundleID, channel.channelID,
        Int(channel.storage.rawValue), channel.name, now)
      guard try insert.step() else { throw StoreError(.bug, "no channel was inserted", advice: "report this") }
      return Channel(
        id: insert.id(0), app: channel.app, environment: channel.environment, bundleID: channel.bundleID,
        channelID: channel.channelID, storage: channel.storage, name: channel.name, createdAt: now)
    }
  }

  /// The channel with a key, or nil.
  public func channel(_ id: ChannelID) throws(StoreError) -> Channel? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(Channel.select + "WHERE id = ?1")
      select.bind(1, id)
      return try select.step() ? Channel(row: select) : nil
    }
  }

  /// A page of an app's channels, by key.
  public func channels(app: AppID, after: ChannelID?, limit: Int) throws(StoreError) -> [Channel] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(Channel.select + "WHERE app = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
      select.bindAll(app, after?.rawValue ?? 0, Checks.page(limit))
      var page: [Channel] = []
      while try select.step() { page.append(Channel(row: select)) }
      return page
    }
  }

  /// Whether an app has a channel with this name in this environment.
  public func hasChannel(
    app: AppID, environment: DeviceEnvironment, named name: String
  ) throws(StoreError) -> Bool {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce("SELECT 1 FROM channels WHERE app = ?1 AND environment = ?2 AND name = ?3")
      select.bindAll(app, Int(environment.rawValue), name)
      return try select.step()
    }
  }

  /// Forgets a channel; its pushes stay.
  public func deleteChannel(_ id: ChannelID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let delete = try context.db.prepare("DELETE FROM channels WHERE id = ?1")
      delete.bind(1, id)
      try delete.run()
      if context.db.changes == 0 { throw Checks.missing("channel", id) }
      try context.db.forgetLivePushes(of: .channel(id))
    }
  }

  /// A channel that is sent to more than once in a second gets ahead of the clock by no more than this: devices ignore what
  /// is far in the future, and accept content of the same second.
  static let secondsAheadMax: Int64 = 60

  /// The second that a broadcast is sent as.
  public func takeSecond(
    of channel: ChannelID, given: Int64?, now: Timestamp
  ) throws(StoreError) -> BroadcastSecond {
    try write { (context) throws(StoreError) in
      let select = try context.db.prepareOnce("SELECT last_second FROM channels WHERE id = ?1")
      select.bind(1, channel)
      guard try select.step() else { throw Checks.missing("channel", channel) }
      let last = select.int64(0)
      let latest = now.adding(seconds: Self.secondsAheadMax).seconds
      let second = given ?? min(max(last + 1, now.seconds), max(latest, last))
      let update = try context.db.prepare("UPDATE channels SET last_second = max(last_second, ?2) WHERE id = ?1")
      update.bindAll(channel, min(second, max(latest, last)))
      try update.run()
      return BroadcastSecond(second: second, isOlder: second < last)
    }
  }

  /// A page of what was sent to a channel or an activity, newest first.
  public func livePushes(
    of owner: LivePush.Owner, before: PushID?, limit: Int
  ) throws(StoreError) -> [OwnedPush] {
    try readers.read { (db) throws(StoreError) in
      let (kind, key) = owner.columns
      var found: [(push: PushID, event: LiveEvent)] = []
      let select = try db.prepareOnce(
        "SELECT push, event FROM live_pushes WHERE kind = ?1 AND owner = ?2 AND push < ?3 ORDER BY push DESC LIMIT ?4")
      select.bindAll(kind, key, before?.rawValue ?? .max, Checks.page(limit))
      while try select.step() {
        guard let event = LiveEvent(rawValue: UInt8(truncatingIfNeeded: select.int(1))) else { continue }
        found.append((select.id(0), event))
      }
      var page: [OwnedPush] = []
      for (id, event) in found {
        if let push = try db.push(id) { page.append(OwnedPush(push: push, event: event)) }
      }
      return page
    }
  }
}

extension Connection {
  /// Notes what a push belongs to, and makes the activity that it starts.
  func insert(_ live: LivePush, push: PushID, app: AppID, _ now: Timestamp) throws(StoreError) {
    let owner: LivePush.Owner
    switch live.subject {
    case .starting(let new):
      let id = try insert(new, app: app, now)
      try note(live, of: id, now)
      owner = .activity(id)
    case .owned(.activity(let id)):
      try note(live, of: id, now)
      owner = .activity(id)
    case .owned(let known): owner = known
    }
    let (kind, key) = owner.columns
    let insert = try prepare("INSERT INTO live_pushes(kind, owner, push, event) VALUES (?1, ?2, ?3, ?4)")
    insert.bindAll(kind, key, push, Int(live.event.rawValue))
    try insert.run()
  }

  /// Forgets what was sent to something that is gone.
  func forgetLivePushes(of owner: LivePush.Owner) throws(StoreError) {
    let (kind, key) = owner.columns
    let delete = try prepare("DELETE FROM live_pushes WHERE kind = ?1 AND owner = ?2")
    delete.bindAll(kind, key)
    try delete.run()
  }

  /// Forgets what was sent to an app's channels and activities, and the activities' addresses.
  func forgetLivePushes(app: AppID) throws(StoreError) {
    for sql: StaticString in [
      "DELETE FROM live_pushes WHERE kind = 2 AND owner IN (SELECT id FROM channels WHERE app = ?1)",
      "DELETE FROM live_pushes WHERE kind = 3 AND owner IN (SELECT id FROM activities WHERE app = ?1)",
      "DELETE FROM activity_devices WHERE activity IN (SELECT id FROM activities WHERE app = ?1)",
    ] {
      let delete = try prepare(sql)
      delete.bind(1, app)
      try delete.run()
    }
  }
}

extension Channel {
  fileprivate static let select =
    "SELECT id, app, environment, bundle, channel, storage, name, created_at FROM channels "

  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), app: row.id(1),
      environment: DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(2))) ?? .production,
      bundleID: row.text(3), channelID: row.text(4),
      // What this version does not know is treated as what can do less.
      storage: ChannelStorage(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .none, name: row.optionalText(6),
      createdAt: row.timestamp(7))
  }
}
