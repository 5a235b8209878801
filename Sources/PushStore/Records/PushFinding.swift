public import StoreModel

extension SQLStore {
  /// The next pushes of an app that a search names.
  public func findPushes(
    app: AppID, _ search: PushSearch, before: PushID?, limit: Int, matches: (PushDocument) -> Bool
  ) throws(StoreError) -> FoundPushes {
    let limit = Checks.page(limit)
    return try readers.read { (db) throws(StoreError) in
      var start = before?.rawValue ?? .max
      if let until = search.until { start = min(start, try db.firstPush(since: until)) }
      return try db.find(app, search, before: start, limit: limit, matches)
    }
  }

  /// What is kept of what pushes say.
  public func documents(of ids: [PushID]) throws(StoreError) -> [PushID: PushDocument] {
    try readers.read { (db) throws(StoreError) in try db.documents(of: ids) }
  }

  /// An app's scheduled pushes that are due in a stretch of time.
  public func scheduledPushes(
    app: AppID, from: Timestamp, until: Timestamp, limit: Int
  ) throws(StoreError) -> [ScheduledPush] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        ScheduledPush.select + """
          WHERE due_at >= ?1 AND due_at < ?2 AND held_at IS NULL AND app = ?3
          AND user IS NULL ORDER BY due_at LIMIT ?4
          """)
      select.bindAll(from, until, app, Checks.page(limit))
      var pushes: [ScheduledPush] = []
      while try select.step() { pushes.append(ScheduledPush(row: select)) }
      return pushes
    }
  }
}

extension Connection {
  /// The key behind the last push that was created before a time: keys rise with time, so that it is found by halving.
  fileprivate func firstPush(since time: Timestamp) throws(StoreError) -> Int64 {
    let select = try prepareOnce("SELECT id, created_at FROM pushes WHERE id <= ?1 ORDER BY id DESC LIMIT 1")
    var (low, high) = (Int64(0), try integer("SELECT coalesce(max(id), 0) FROM pushes") ?? 0)
    // Everything up to `low` was created before, everything from `high` on was not, as far as the table goes.
    high += 1
    while low + 1 < high {
      let middle = low + (high - low) / 2
      select.bind(1, middle)
      if try select.step(), select.timestamp(1) >= time {
        high = max(select.int64(0), low + 1)
      } else {
        low = middle
      }
      select.reset()
    }
    return high
  }

  fileprivate func find(
    _ app: AppID, _ search: PushSearch, before start: Int64, limit: Int, _ matches: (PushDocument) -> Bool
  ) throws(StoreError) -> FoundPushes {
    let select = try prepareOnce(search.sql)
    select.bindAll(start, PushSearch.rowsMax, app)
    if let campaign = search.campaign { select.bind(4, campaign) }
    var found = FoundPushes()
    var (rows, documents, bytes) = (0, 0, 0)
    var last: (id: PushID, at: Timestamp)?
    while try select.step() {
      let (id, at): (PushID, Timestamp) = (select.id(0), select.timestamp(4))
      // Keys rise with time: what follows is older still.
      if let from = search.from, at < from { return found }
      if found.pushes.count == limit || documents == PushSearch.documentsMax || bytes > PushSearch.bytesMax {
        found.next = last?.id
        found.lookedBackTo = last?.at
        return found
      }
      rows += 1
      last = (id, at)
      guard select.id(1) == app, search.names(select) else { continue }
      if search.readsTexts {
        let kept = try self.documents(of: [id])[id] ?? PushDocument(message: [], request: [])
        documents += 1
        bytes += kept.message.count + kept.request.count
        guard matches(kept) else { continue }
      }
      if let push = try push(id) { found.pushes.append(push) }
    }
    if rows == PushSearch.rowsMax {
      found.next = last?.id
      found.lookedBackTo = last?.at
    }
    return found
  }

  fileprivate func documents(of ids: [PushID]) throws(StoreError) -> [PushID: PushDocument] {
    var documents: [PushID: PushDocument] = [:]
    try ask(Self.document, .numbers(ids.map(\.rawValue))) { index, row in
      documents[ids[index]] = PushDocument(message: row.optionalBlob(0) ?? [], request: row.optionalBlob(1) ?? [])
    }
    return documents
  }

  private static let document = KeyedQuestion(
    """
    SELECT c.message, l.request FROM pushes p
      LEFT JOIN push_contents c ON c.push = p.id LEFT JOIN push_plans l ON l.push = p.id WHERE p.id = ?1 LIMIT 1
    """, .number)
}

extension PushSearch {
  /// The rows that are looked at, by the index that has the fewest.
  fileprivate var sql: String {
    let columns = "SELECT id, app, state, class, created_at, author FROM pushes "
    let end = " AND id < ?1 ORDER BY id DESC LIMIT ?2"
    if campaign != nil { return columns + "INDEXED BY pushes_by_name WHERE app = ?3 AND name = ?4" + end }
    if isCampaign { return columns + "INDEXED BY pushes_campaigns WHERE app = ?3 AND class = #class.campaign" + end }
    // Pushes of other apps count along, so that few pushes among many do not take long. The app is compared behind.
    return columns + "WHERE CAST(?3 AS BIGINT) IS NOT NULL" + end
  }

  fileprivate func names(_ row: borrowing Statement) -> Bool {
    if isCampaign, row.int(3) != Int(PushClass.campaign.rawValue) { return false }
    if let authors, row.author(5).map(authors.contains) != true { return false }
    guard !states.isEmpty else { return true }
    return PushState(rawValue: UInt8(truncatingIfNeeded: row.int(2))).map(states.contains) ?? false
  }
}
