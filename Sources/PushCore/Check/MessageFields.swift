internal import PushContracts
internal import PushPayload

/// Leads from the paths in the requests back to the fields of the message that were written there.
struct MessageFields: Sendable {
  private struct WrittenField {
    let steps: [FieldPath.Step]
    let field: String
    let takesMembers: Bool
  }

  private let writtenFields: PerPlatform<[WrittenField]>

  /// Reads the table of a contract backwards.
  init(_ table: MappingTable) {
    let rows = table.rows.filter { $0.source == .message }
    writtenFields = PerPlatform(
      ios: rows.flatMap { row in row.apns.map { MessageFields.written($0, row.field) } },
      android: rows.flatMap { row in row.fcm.map { MessageFields.written($0, row.field) } })
  }

  /// The field of the message at a path of a request; for a path that is not the message's own, the path
  /// in what `render` writes.
  func field(of path: FieldPath, _ platform: Platform) -> FieldPath {
    let writtenFields = writtenFields[platform]
    let exact = writtenFields.first { !$0.takesMembers && path.steps.starts(with: $0.steps) }
    let isHeader = platform.traits.hasHeaders && path.steps.first == .member("headers")
    // Nobody else has either.
    let isAPS = isHeader || path.steps.first == .member("aps")
    let taking = isAPS ? nil : writtenFields.first { $0.takesMembers && path.steps.starts(with: $0.steps) }
    if let written = exact ?? taking, path.steps.count > written.steps.count || !written.takesMembers {
      return FieldPath(FieldPath(parsing: written.field).steps + path.steps.dropFirst(written.steps.count))
    }
    let request = FieldPath(members: platform.traits.request)
    return (platform.traits.hasHeaders && !isHeader ? request.member("payload") : request).appending(path)
  }

  private static func written(_ written: MappingSlot, _ field: String) -> WrittenField {
    if written.isHeader {
      return WrittenField(steps: [.member("headers"), .member(written.path)], field: field, takesMembers: false)
    }
    let steps = FieldPath(parsing: written.path).steps
    guard steps.last == .member("*") else { return WrittenField(steps: steps, field: field, takesMembers: false) }
    return WrittenField(steps: Array(steps.dropLast()), field: field, takesMembers: true)
  }
}
