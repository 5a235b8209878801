/// The limits on what is known of devices and users.
package enum AttributeChecks {
  package static func properties(_ changes: [PropertyChange], _ field: String = "properties") throws(StoreError) {
    guard changes.count <= StoreLimits.attributesMax else { throw tooMany(changes.count, field) }
    for change in changes {
      try Checks.text(change.name, "name in \(field)", max: StoreLimits.attributeNameBytesMax)
      switch change.value {
      case .text(let text):
        try Checks.text(text, "\(field).\(change.name)", min: 0, max: StoreLimits.attributeTextBytesMax)
      case .real(let number) where !number.isFinite:
        throw StoreError(.invalid, "\(field).\(change.name): not a finite number", advice: "send a finite number")
      default: break
      }
    }
  }

  package static func tags(_ tags: [String], _ field: String) throws(StoreError) {
    guard tags.count <= StoreLimits.tagsMax else {
      throw StoreError(
        .invalid, "\(field): \(tags.count), at most \(StoreLimits.tagsMax) are stored", advice: "send fewer")
    }
    for tag in tags { try Checks.text(tag, field, max: StoreLimits.tagBytesMax) }
  }

  package static func tooMany(_ count: Int, _ field: String) -> StoreError {
    StoreError(
      .invalid, "\(field): \(count), at most \(StoreLimits.attributesMax) are stored", advice: "take some away first")
  }
}
