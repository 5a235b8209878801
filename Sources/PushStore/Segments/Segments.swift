public import StoreModel

extension SQLStore {
  /// Saves a segment under a new name.
  public func createSegment(
    app: AppID, name: String, title: String, definition: [UInt8], now: Timestamp
  ) throws(StoreError) -> Segment {
    try Checks.text(name, "name", max: StoreLimits.tagBytesMax)
    try Self.check(title, definition)
    return try write { (context) throws(StoreError) in
      guard try context.db.app(app) != nil else { throw Checks.missing("app", app) }
      guard try context.db.segment(app, named: name) == nil else {
        throw StoreError(.conflict, "a segment named \(name) exists", advice: "choose another name, or change that one")
      }
      guard try context.db.segments(app).count < SegmentLimits.segmentsMax else {
        throw StoreError(
          .invalid, "the app has \(SegmentLimits.segmentsMax) segments already", advice: "delete some first")
      }
      let insert = try context.db.prepare(
        """
        INSERT INTO segments(app, name, title, definition, created_at, updated_at, author)
        VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
        """)
      insert.bindAll(app, name, title, definition, now, context.author?.stored)
      try insert.run()
      return Segment(
        id: SegmentID(rawValue: try context.db.lastInsertedRowID()), app: app, name: name, title: title,
        definition: definition, createdAt: now, updatedAt: now, author: context.author)
    }
  }

  /// An app's segments, by name.
  public func segments(app: AppID) throws(StoreError) -> [Segment] {
    try readers.read { (db) throws(StoreError) in try db.segments(app) }
  }

  /// The segment with a name, or nil.
  public func segment(app: AppID, named name: String) throws(StoreError) -> Segment? {
    try readers.read { (db) throws(StoreError) in try db.segment(app, named: name) }
  }

  /// Changes a segment; nil keeps what there is.
  public func updateSegment(
    _ id: SegmentID, title: String?, definition: [UInt8]?, now: Timestamp
  ) throws(StoreError) -> Segment {
    try Self.check(title ?? "", definition ?? [])
    return try write { (context) throws(StoreError) in
      let update = try context.db.prepare(
        """
        UPDATE segments SET title = coalesce(?2, title), definition = coalesce(?3, definition), updated_at = ?4
        WHERE id = ?1
        """)
      update.bindAll(id, title, definition, now)
      try update.run()
      let select = try context.db.prepareOnce(Segment.select + "WHERE id = ?1")
      select.bind(1, id)
      guard try select.step() else { throw Checks.missing("segment", id) }
      return Segment(row: select)
    }
  }

  /// Forgets a segment.
  public func deleteSegment(_ id: SegmentID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let delete = try context.db.prepare("DELETE FROM segments WHERE id = ?1")
      delete.bind(1, id)
      try delete.run()
      if context.db.changes == 0 { throw Checks.missing("segment", id) }
    }
  }

  private static func check(_ title: String, _ definition: [UInt8]) throws(StoreError) {
    try Checks.text(title, "title", min: 0)
    guard definition.count > SegmentLimits.definitionBytesMax else { return }
    throw StoreError(
      .invalid, "filter: \(definition.count) bytes, at most \(SegmentLimits.definitionBytesMax) are stored",
      advice: "split the segment")
  }
}

extension SegmentFilter {
  /// The limits, also for filters that were put together in code.
  func check() throws(StoreError) {
    if depth > SegmentLimits.depthMax {
      throw StoreError(
        .invalid, "segment: \(depth) groups deep, at most \(SegmentLimits.depthMax) are read", advice: "flatten it")
    }
    if conditions > SegmentLimits.conditionsMax {
      throw StoreError(
        .invalid, "segment: \(conditions) conditions, at most \(SegmentLimits.conditionsMax) are read",
        advice: "split it, or mark the devices with a tag")
    }
  }
}

extension Connection {
  func segments(_ app: AppID) throws(StoreError) -> [Segment] {
    let select = try prepareOnce(Segment.select + "WHERE app = ?1 ORDER BY name")
    select.bind(1, app)
    var segments: [Segment] = []
    while try select.step() { segments.append(Segment(row: select)) }
    return segments
  }

  func segment(_ app: AppID, named name: String) throws(StoreError) -> Segment? {
    let select = try prepareOnce(Segment.select + "WHERE app = ?1 AND name = ?2")
    select.bindAll(app, name)
    return try select.step() ? Segment(row: select) : nil
  }
}

extension Segment {
  fileprivate static let select =
    "SELECT id, app, name, title, definition, created_at, updated_at, author FROM segments "

  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), app: row.id(1), name: row.text(2), title: row.text(3), definition: row.blob(4),
      createdAt: row.timestamp(5), updatedAt: row.timestamp(6), author: row.author(7))
  }
}
