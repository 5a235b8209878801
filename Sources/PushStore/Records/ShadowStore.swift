public import StoreModel

extension SQLStore {
  /// Stores records and adds to the totals.
  public func addShadowRequests(
    _ requests: [NewShadowRequest], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    do throws(StoreError) { for request in requests { try request.check() } } catch {
      return completion(.failure(error))
    }
    write(
      { (context) throws(StoreError) in
        var apps: Set<AppID> = []
        for request in requests where try context.appExists(request.app) {
          try context.db.insert(request)
          apps.insert(request.app)
        }
        for app in apps { try context.db.trimShadow(app) }
      }, urgency: .bulk, completion: completion)
  }

  /// A page of an app's records, newest first.
  public func shadowRequests(
    app: AppID, before: ShadowRequestID?, limit: Int
  ) throws(StoreError) -> [ShadowRequest] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(ShadowRequest.select + "app = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3")
      select.bindAll(app, before?.rawValue ?? .max, Checks.page(limit))
      var page: [ShadowRequest] = []
      while try select.step() { page.append(ShadowRequest(row: select)) }
      return page
    }
  }

  /// One record of an app, or nil.
  public func shadowRequest(_ id: ShadowRequestID, app: AppID) throws(StoreError) -> ShadowRequest? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(ShadowRequest.select + "app = ?1 AND id = ?2")
      select.bindAll(app, id)
      return try select.step() ? ShadowRequest(row: select) : nil
    }
  }

  /// An app's totals.
  public func shadowTotals(app: AppID) throws(StoreError) -> [ShadowTotal] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT vendor, kind, name, count, latest FROM shadow_totals WHERE app = ?1
        ORDER BY vendor, kind, count DESC, name
        """)
      select.bind(1, app)
      var totals: [ShadowTotal] = []
      while try select.step() {
        guard let kind = ShadowTotal.Kind(rawValue: UInt8(truncatingIfNeeded: select.int(1))) else { continue }
        totals.append(
          ShadowTotal(
            vendor: select.text(0), kind: kind, name: select.text(2), count: select.int(3),
            latest: select.timestamp(4)))
      }
      return totals
    }
  }

  /// Removes an app's records and totals.
  public func clearShadow(app: AppID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      for table in ["shadow_requests", "shadow_totals"] {
        let delete = try context.db.prepareOnce("DELETE FROM \(table) WHERE app = ?1")
        delete.bind(1, app)
        try delete.run()
      }
    }
  }
}

extension NewShadowRequest {
  fileprivate func check() throws(StoreError) {
    try Checks.text(vendor, "vendor", max: 40)
    try Checks.text(operation, "operation", max: 100)
    guard detail.count <= StoreLimits.shadowDetailBytesMax else {
      throw StoreError(
        .invalid, "the detail of a shadowed request has \(detail.count) bytes",
        advice: "keep it below \(StoreLimits.shadowDetailBytesMax)")
    }
  }
}

extension Connection {
  fileprivate func insert(_ request: NewShadowRequest) throws(StoreError) {
    let insert = try prepareOnce(
      """
      INSERT INTO shadow_requests(app, vendor, operation, at, outcome, vendor_status, targeted, detail)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    insert.bindAll(request.app, request.vendor, request.operation, request.at, Int(request.outcome.rawValue))
    insert.bind(6, request.vendorStatus.map(Int64.init))
    insert.bind(7, Int64(request.targeted))
    insert.bind(8, request.detail)
    try insert.run()
    for count in request.counts { try add(count, of: request) }
  }

  /// Adds to a total; a name beyond the limit of its kind is counted with all others like it.
  private func add(_ count: ShadowCount, of request: NewShadowRequest) throws(StoreError) {
    let name = count.name.prefix(bytes: StoreLimits.shadowNameBytesMax)
    for name in [name, ShadowTotal.others] {
      let upsert = try prepareOnce(
        """
        INSERT INTO shadow_totals(app, vendor, kind, name, count, latest)
        SELECT ?1, ?2, ?3, CAST(?4 AS TEXT), ?5, ?6 WHERE ?4 = '\(ShadowTotal.others)'
          OR EXISTS (SELECT 1 FROM shadow_totals WHERE app = ?1 AND vendor = ?2 AND kind = ?3 AND name = ?4)
          OR (SELECT count(*) FROM shadow_totals WHERE app = ?1 AND vendor = ?2 AND kind = ?3)
            < \(StoreLimits.shadowNamesMax)
        ON CONFLICT(app, vendor, kind, name)
          DO UPDATE SET count = shadow_totals.count + excluded.count, latest = max(shadow_totals.latest, excluded.latest)
        """)
      upsert.bindAll(request.app, request.vendor, Int(count.kind.rawValue), name, count.count, request.at)
      try upsert.run()
      if changes > 0 { return }
    }
  }

  fileprivate func trimShadow(_ app: AppID) throws(StoreError) {
    let trim = try prepareOnce(
      """
      DELETE FROM shadow_requests WHERE app = ?1
        AND id <= (SELECT id FROM shadow_requests WHERE app = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """)
    trim.bindAll(app, StoreLimits.shadowRequestsPerAppMax)
    try trim.run()
  }
}

extension WriterContext {
  /// Records that are removed in one step of the upkeep.
  private static let purgedAtOnce = 1_000

  /// Removes records that are older than 30 days.
  func purgeShadow(now: Timestamp) throws(StoreError) {
    let delete = try db.prepareOnce(
      """
      DELETE FROM shadow_requests
      WHERE id IN (SELECT id FROM shadow_requests WHERE at <= ?1 ORDER BY at LIMIT ?2)
      """)
    delete.bindAll(now.adding(milliseconds: -StoreLimits.shadowMs), Self.purgedAtOnce)
    try delete.run()
  }
}

extension ShadowTotal {
  /// The name that further names are counted under.
  static let others = "(others)"
}

extension ShadowRequest {
  fileprivate static let select =
    "SELECT id, app, vendor, operation, at, outcome, vendor_status, targeted, detail FROM shadow_requests WHERE "

  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0),
      request: NewShadowRequest(
        app: row.id(1), vendor: row.text(2), operation: row.text(3), at: row.timestamp(4),
        outcome: ShadowOutcome(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .skipped,
        vendorStatus: row.isNull(6) ? nil : row.int(6), targeted: row.int(7), detail: row.blob(8)))
  }
}

extension String {
  /// The beginning of the text, at most so many bytes of UTF-8, cut between characters.
  fileprivate func prefix(bytes max: Int) -> String {
    guard utf8.count > max else { return self }
    var text = ""
    for character in self {
      guard text.utf8.count + character.utf8.count <= max else { break }
      text.append(character)
    }
    return text
  }
}
