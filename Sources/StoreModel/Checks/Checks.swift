/// The limits on what callers hand in, with messages that say what and where.
package enum Checks {
  package static func text(
    _ value: String, _ field: String, min: Int = 1, max: Int = StoreLimits.textBytesMax
  ) throws(StoreError) {
    let count = value.utf8.count
    guard count < min || count > max else { return }
    throw StoreError(.invalid, "\(field): \(count) bytes, allowed are \(min) to \(max)", advice: "change \(field)")
  }

  package static func optional(_ value: String?, _ field: String) throws(StoreError) {
    if let value { try text(value, field, min: 0) }
  }

  package static func blob(_ value: [UInt8]?, _ field: String) throws(StoreError) {
    guard let value, value.count > StoreLimits.blobBytesMax else { return }
    throw StoreError(
      .invalid, "\(field): \(value.count) bytes, at most \(StoreLimits.blobBytesMax) are stored", advice: "send less")
  }

  package static func page(_ limit: Int) -> Int { min(max(limit, 1), StoreLimits.pageMax) }

  package static func missing(_ what: String, _ id: some CustomStringConvertible) -> StoreError {
    StoreError(.notFound, "no \(what) \(id)", advice: "check the id; it may have been deleted")
  }
}
