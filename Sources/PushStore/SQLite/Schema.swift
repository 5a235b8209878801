internal import StoreModel

/// The database schema and its migrations.
///
/// `PRAGMA user_version` holds the number of migrations applied.
///
/// Numbers in `state` columns are the raw values of the model's enumerations. A delivery's `state` has one value more,
/// `fresh` (2): not yet leased individually. The state of a fresh row is derived from its push, so that leasing,
/// canceling or expiring a million rows writes one row:
///
///     id <  push.id + push.cursor                   in flight (leased in a range)
///     id >= push.id + push.cursor, push cancelled   cancelled
///     id >= push.id + push.cursor, push expired     expired
///     the same two, of a push with restored_at      unknown
///     id >= push.id + push.cursor, otherwise        waiting
///
/// `deliveries.id = pushes.id + index in the audience`: one integer is the whole key, which SQLite finds fastest, and
/// pushes take their numbers from `sequence`, each with room for its audience.
///
/// State and code numbers start at 2 because SQLite stores 0 and 1 in no bytes at all: a row that does not change its
/// size is overwritten in place, without splitting pages.
enum Schema {
  /// Marks the file as Postrider's ("PSTR").
  static let applicationID: Int64 = 0x5053_5452
  /// Marks a backup ("PSTB"): a server that used it as it is would send again what was sent since it was made.
  static let backupID: Int64 = 0x5053_5442

  /// Each entry moves the schema one version forward.
  ///
  /// Entries are never edited once released; new ones are appended.
  static let migrations: [String] = [
    version1,
    events,
    deliveries,
    people,
    scheduledPushes,
    templates,
    webhooks,
    retention,
    audit,
    segments,
    suppression,
    variants,
    schedules,
    audiences,
    outboxOrder,
    refusals,
    keyRotation,
    truth,
    holds,
    lanes,
    restored,
    clock,
    clockTrust,
    pushNumbers,
    identity,
    apnsIDs,
    compat,
    localDays,
    webOutcomes,
    carriedDevices,
    channels,
    activities,
    huaweiOutcomes,
    channelSeconds,
    inbox,
    shadow,
    aliases,
    unseen,
    accounts,
    authors,
    approval,
    views,
    passkeys,
    oidcLinks,
    nodes,
    shared,
    serverLayout,
    nodeClocks,
    serverRefusals,
  ]

  private static let version1 = """
    CREATE TABLE sequence(next INTEGER NOT NULL);
    INSERT INTO sequence VALUES (1);

    CREATE TABLE apps(
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, settings BLOB NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, stop_reason TEXT);

    CREATE TABLE credentials(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, provider INTEGER NOT NULL, kind TEXT NOT NULL,
      environment INTEGER NOT NULL, settings BLOB NOT NULL, sealed BLOB NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
    CREATE INDEX credentials_by_app ON credentials(app);

    CREATE TABLE api_keys(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER, name TEXT NOT NULL, scopes TEXT NOT NULL,
      prefix TEXT NOT NULL, hash BLOB NOT NULL UNIQUE, created_at INTEGER NOT NULL,
      expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER);

    CREATE TABLE devices(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT, token TEXT NOT NULL,
      kind INTEGER NOT NULL, environment INTEGER NOT NULL, user TEXT, locale TEXT, timezone TEXT, app_version TEXT,
      properties BLOB, registered_at INTEGER NOT NULL, state INTEGER NOT NULL, state_reason TEXT,
      state_at INTEGER NOT NULL);
    CREATE UNIQUE INDEX devices_by_token ON devices(app, token);
    CREATE UNIQUE INDEX devices_by_name ON devices(app, name) WHERE name IS NOT NULL;
    CREATE INDEX devices_by_user ON devices(app, user) WHERE user IS NOT NULL;
    CREATE INDEX devices_by_state ON devices(app, state);

    CREATE TABLE pushes(
      id INTEGER PRIMARY KEY, app INTEGER NOT NULL, class INTEGER NOT NULL, state INTEGER NOT NULL,
      open INTEGER NOT NULL, cursor INTEGER NOT NULL,
      targeted INTEGER NOT NULL, waiting INTEGER NOT NULL, in_flight INTEGER NOT NULL, accepted INTEGER NOT NULL,
      rejected INTEGER NOT NULL, expired INTEGER NOT NULL, cancelled INTEGER NOT NULL, unknown INTEGER NOT NULL,
      resent INTEGER NOT NULL, audience_complete INTEGER NOT NULL, unknown_policy INTEGER NOT NULL,
      created_at INTEGER NOT NULL, start_at INTEGER NOT NULL, finished_at INTEGER, expires_at INTEGER,
      throttle INTEGER, salt INTEGER NOT NULL, reserved INTEGER NOT NULL,
      audience_kinds INTEGER NOT NULL, audience_position INTEGER NOT NULL, audience_until INTEGER NOT NULL, name TEXT);
    CREATE INDEX pushes_open ON pushes(class, app, id) WHERE open = 1;
    CREATE INDEX pushes_scheduled ON pushes(start_at) WHERE state = 2;
    CREATE INDEX pushes_campaigns ON pushes(app, id) WHERE class = 2;

    CREATE TABLE push_contents(push INTEGER PRIMARY KEY, message BLOB NOT NULL, payloads BLOB NOT NULL);

    CREATE TABLE deliveries(
      id INTEGER PRIMARY KEY, device INTEGER, state INTEGER NOT NULL, attempts INTEGER NOT NULL,
      unknowns INTEGER NOT NULL, code INTEGER NOT NULL, at INTEGER NOT NULL, not_before INTEGER,
      provider_id TEXT, target TEXT);
    CREATE INDEX deliveries_due ON deliveries(not_before) WHERE state = 3;

    CREATE TABLE outcomes(
      code INTEGER PRIMARY KEY, provider INTEGER NOT NULL, status INTEGER NOT NULL, reason TEXT NOT NULL,
      UNIQUE(provider, status, reason));
    INSERT INTO outcomes VALUES (2, 0, 0, ''), (3, 1, 200, ''), (4, 2, 200, ''), (5, 1, 0, 'other'), (6, 2, 0, 'other');

    CREATE TABLE leases(
      id INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, expires_at INTEGER NOT NULL,
      remaining INTEGER NOT NULL, ranges BLOB NOT NULL);

    CREATE TABLE idempotency(
      id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, key TEXT NOT NULL, fingerprint BLOB NOT NULL,
      push INTEGER, response BLOB, created_at INTEGER NOT NULL);
    """

  /// Brings a freshly opened database to the newest version, or says why it cannot be used.
  ///
  /// `migrations` is the list to apply; tests bring a longer one.
  static func migrate(
    _ db: borrowing Connection, migrations: [String] = Schema.migrations, allowsBackup: Bool = false
  ) throws(StoreError) {
    let newest = migrations.count
    let mark = try db.integer("PRAGMA application_id") ?? 0
    let version = Int(try db.integer("PRAGMA user_version") ?? 0)
    let tables = try db.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    guard mark != backupID || allowsBackup else {
      throw StoreError(
        .conflict, "\(db.path) is a backup, and a server that started from it would send again what was sent since",
        advice: "bring it back into a new folder with postrider restore")
    }
    guard mark != unfinishedCopyID else { throw unfinished(db.path) }
    guard mark == applicationID || mark == backupID || (mark == 0 && tables == 0) else {
      throw StoreError(
        .notADatabase, "\(db.path) is a SQLite database of another program",
        advice: "point the data folder somewhere else")
    }
    guard version <= newest else {
      throw StoreError(
        .newerSchema, "\(db.path) has schema version \(version), this program knows up to \(newest)",
        advice: "run the newer version of Postrider, or restore a backup made before the upgrade")
    }
    for next in version..<newest { try apply(next, of: migrations, to: db) }
  }

  /// Each migration is one transaction together with its version number: it happens wholly or not at all.
  private static func apply(
    _ index: Int, of migrations: [String], to db: borrowing Connection
  ) throws(StoreError) {
    try db.execute("BEGIN IMMEDIATE")
    do throws(StoreError) {
      // Another process may have moved the file forward while this one waited for the lock.
      if try db.integer("PRAGMA user_version") == Int64(index) {
        try db.execute(migrations[index])
        let mark = try db.integer("PRAGMA application_id") == backupID ? backupID : applicationID
        try db.execute("PRAGMA application_id = \(mark); PRAGMA user_version = \(index + 1)")
      }
      try db.execute("COMMIT")
    } catch {
      if db.isInTransaction { try? db.execute("ROLLBACK") }
      throw error
    }
  }
}
