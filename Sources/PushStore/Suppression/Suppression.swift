internal import StoreModel
internal import TimeZones

/// What sending needs to know of a device beside its address.
struct DeviceFacts {
  let device: Int64
  let owner: Int64?
  let flags: DeviceFlags
  /// Greater than the number of every list that was made before it changed hands last; 0 when it never did.
  let movedNumber: Int64
  let timezone: String?

  init(device: Int64, owner: Int64?, flags: DeviceFlags, movedNumber: Int64, timezone: String?) {
    self.device = device
    self.owner = owner
    self.flags = flags
    self.movedNumber = movedNumber
    self.timezone = timezone
  }

  /// Nothing that could keep a push from a device, whatever the app's rules.
  var isPlain: Bool { flags.isEmpty && movedNumber == 0 }

  /// Reads `device, owner, flags, moved_number, timezone` of a row; the time zone only on request.
  init(_ row: borrowing Statement, device: Int32, first: Int32, readsZone: Bool) {
    self.device = row.int64(device)
    owner = row.isNull(first) ? nil : row.int64(first)
    flags = DeviceFlags(rawValue: row.int64(first + 1))
    movedNumber = row.int64(first + 2)
    timezone = readsZone ? row.optionalText(first + 3) : nil
  }
}

/// What becomes of a delivery whose device could be sent to.
enum SuppressionVerdict {
  case send
  case refuse(String)
  case hold(until: Timestamp)
}

/// The rules of one lease: read once for each app, with one time for all.
struct Suppression {
  private let now: Timestamp
  private var rules: [AppID: SuppressionRules] = [:]
  private var quietUntil: [String: Timestamp?] = [:]

  init(now: Timestamp) { self.now = now }

  mutating func rules(of app: AppID, _ db: borrowing Connection) throws(StoreError) -> SuppressionRules {
    if let known = rules[app] { return known }
    let read = try db.suppressionRules(app)
    rules[app] = read
    return read
  }

  /// Whether a push may go to a device now; a first try that may counts against the user's cap.
  mutating func verdict(
    _ facts: DeviceFacts, _ push: LeasableRow, isFirst: Bool, _ context: borrowing WriterContext
  ) throws(StoreError) -> SuppressionVerdict {
    if push.isListed, push.listedNumber < facts.movedNumber { return .refuse(LocalReason.deviceMoved) }
    if try refuses(facts, push.category, context.db) { return .refuse(LocalReason.optedOut) }
    guard !push.isUrgent else { return .send }
    let rules = try rules(of: push.app, context.db)
    if let quiet = rules.quietHours, let until = quietEnd(quiet, facts.timezone) {
      // What becomes worthless before then expires at its own time.
      return .hold(until: min(until, push.expiresAt ?? until))
    }
    if isFirst, let cap = rules.frequencyCap {
      let subject = facts.owner ?? -facts.device
      guard try context.count(push.id, against: cap, of: subject, now) else { return .refuse(LocalReason.frequencyCap) }
    }
    return .send
  }

  private func refuses(
    _ facts: DeviceFacts, _ category: String?, _ db: borrowing Connection
  ) throws(StoreError) -> Bool {
    guard facts.flags.isDisjoint(with: [.optedOut, .userOptedOut]) else { return true }
    guard let category else { return false }
    if facts.flags.contains(.categories) {
      let select = try db.prepare(
        """
        SELECT 1 FROM device_attributes a CROSS JOIN attribute_keys k ON k.id = a.key
        WHERE a.device = ?1 AND k.name = 'opt_out_categories' AND a.value = ?2
        """)
      select.bindAll(facts.device, category)
      if try select.step() { return true }
    }
    guard facts.flags.contains(.userCategories) else { return false }
    let select = try db.prepare(
      """
      SELECT 1 FROM user_attributes a CROSS JOIN attribute_keys k ON k.id = a.key
      WHERE a.user = ?1 AND k.name = 'opt_out_categories' AND a.value = ?2
      """)
    select.bindAll(facts.owner, category)
    return try select.step()
  }

  /// When the quiet hours of a zone end; nil outside of them.
  private mutating func quietEnd(_ quiet: QuietHours, _ timezone: String?) -> Timestamp? {
    let key = timezone ?? ""
    if let known = quietUntil[key] { return known }
    let found = quiet.end(at: now, timezone: timezone)
    quietUntil[key] = .some(found)
    return found
  }
}

extension QuietHours {
  /// When they end in a time zone, or nil outside of them; an unknown zone is treated as `zone`.
  func end(at now: Timestamp, timezone: String?) -> Timestamp? {
    let database = ZoneDatabase.system
    let rules = timezone.flatMap { try? database.zone($0) } ?? (try? database.zone(zone)) ?? .utc
    let clock = rules.clock(at: now.seconds)
    let minute = clock.hour * 60 + clock.minute
    let isOn = from < to ? minute >= from && minute < to : minute >= from || minute < to
    guard isOn else { return nil }
    let midnight = clock.secondsOfClock - Int64(clock.hour * 3_600 + clock.minute * 60 + clock.second)
    let day = from > to && minute >= from ? midnight + 86_400 : midnight
    let moment = rules.moment(of: CivilTime(secondsOfClock: day + Int64(to) * 60)).seconds
    // A clock that is put back could show the end again; it is never in the past.
    return max(Timestamp(seconds: moment), now.adding(seconds: 60))
  }
}

extension WriterContext {
  /// Counts a push against a cap; false when the cap is reached.
  ///
  /// A push counts once for a user, however many devices receive it.
  func count(_ push: PushID, against cap: FrequencyCap, of subject: Int64, _ now: Timestamp) throws(StoreError) -> Bool
  {
    var recent: [(push: Int64, at: Int64)] = []
    do {
      let select = try db.prepare("SELECT recent FROM frequency WHERE subject = ?1")
      select.bind(1, Optional(subject))
      if try select.step() { recent = Self.decode(select.blob(0)) }
    }
    if recent.contains(where: { $0.push == push.rawValue }) { return true }
    // What is dated after now by more than the time that counts was written by a clock that was ahead.
    recent.removeAll { $0.at <= now.milliseconds - cap.windowMs || $0.at > now.milliseconds + cap.windowMs }
    guard recent.count < cap.pushes else { return false }
    recent.append((push.rawValue, now.milliseconds))
    let save = try db.prepare(
      """
      INSERT INTO frequency(subject, recent) VALUES (?1, ?2)
      ON CONFLICT(subject) DO UPDATE SET recent = excluded.recent
      """)
    save.bindAll(subject, recent.flatMap { Self.bytes($0.push) + Self.bytes($0.at) })
    try save.run()
    return true
  }

  private static func bytes(_ number: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> Int64($0 * 8)) }
  }

  private static func decode(_ bytes: [UInt8]) -> [(push: Int64, at: Int64)] {
    func number(_ start: Int) -> Int64 {
      (0..<8).reduce(0) { $0 | Int64(bytes[start + $1]) << Int64($1 * 8) }
    }
    return stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).map { (number($0), number($0 + 8)) }
  }
}
