internal import PushContracts
internal import PushPayload

/// Leads from the paths in the requests back to the fields of the message that were written there.
struct MessageFields: Sendable {
  private struct Place {
    let steps: [FieldPath.Step]
    let field: String
    let takesMembers: Bool
  }

  private let places: PerPlatform<[Place]>

  /// Reads the table of a contract backwards.
  init(_ table: MappingTable) {
    let rows = table.rows.filter { $0.source == .message }
    places = PerPlatform(
      ios: rows.flatMap { row in row.apns.map { MessageFields.place($0, row.field) } },
      android: rows.flatMap { row in row.fcm.map { MessageFields.place($0, row.field) } })
  }

  /// The field of the message at a path of a request; for a path that is not the message's own, the path
  /// in what `render` writes.
  func field(of path: FieldPath, _ platform: Platform) -> FieldPath {
    let places = places[platform]
    let exact = places.first { !$0.takesMembers && path.steps.starts(with: $0.steps) }
    let isHeader = platform.traits.hasHeaders && path.steps.first == .member("headers")
    // Nobody else has either.
    let isAPS = isHeader || path.steps.first == .member("aps")
    let taking = isAPS ? nil : places.first { $0.takesMembers && path.steps.starts(with: $0.steps) }
    if let place = exact ?? taking, path.steps.count > place.steps.count || !place.takesMembers {
      return FieldPath(FieldPath(parsing: place.field).steps + path.steps.dropFirst(place.steps.count))
    }
    let request = FieldPath(members: platform.traits.request)
    return (platform.traits.hasHeaders && !isHeader ? request.member("payload") : request).appending(path)
  }

  private static func place(_ place: MappingPlace, _ field: String) -> Place {
    if place.isHeader {
      return Place(steps: [.member("headers"), .member(place.path)], field: field, takesMembers: false)
    }
    let steps = FieldPath(parsing: place.path).steps
    guard steps.last == .member("*") else { return Place(steps: steps, field: field, takesMembers: false) }
    return Place(steps: Array(steps.dropLast()), field: field, takesMembers: true)
  }
}
