internal import PushPayload
internal import StoreModel
internal import WireJSON

/// The part of `to` that names devices by what is known of them: everyone, a segment or a filter, without the segments that
/// are left out.
enum AudienceFields {
  /// The segments that do not get a push.
  static let excluded = "exclude_segments"
  static let excludedMax = 20

  static let exclusion = Schema.Property.optional(
    excluded,
    .array(
      of: .string("A segment's name.", max: 100), min: 1, max: excludedMax,
      "Segments whose devices do not get it; with all, segment or filter."))

  private static let rule = "push-audience"
  private static let path = FieldPath().member("to")

  /// The ways of naming the audience that segments can be excluded from.
  private static let reduced = ["all", "segment", "filter"]

  /// The devices that one of the ways names, without those that are left out; nil for everyone.
  ///
  /// What is wrong goes into the report.
  static func filter(
    _ name: String, _ to: JSONValue?, app: App, _ store: any Store, into report: inout Report
  ) throws(Problem) -> SegmentFilter? {
    let value = to?[name] ?? .null
    var filter: SegmentFilter?
    switch name {
    case "filter": filter = SegmentLanguage.read(value, at: path.member(name), into: &report) ?? .or([])
    case "segment": filter = try segment(value.string ?? "", path.member(name), app, store, &report)
    default: break
    }
    guard let names = to?[excluded]?.array, !names.isEmpty else { return filter }
    guard reduced.contains(name) else {
      report.add(
        rule: rule, severity: .error, field: path.member(excluded),
        message: "goes with \"all\", \"segment\" and \"filter\" only; leave the recipients out of \"\(name)\" instead")
      return filter
    }
    var left: [SegmentFilter] = []
    for (index, name) in names.enumerated() {
      left.append(try segment(name.string ?? "", path.member(excluded).element(index), app, store, &report))
    }
    let whole = SegmentFilter.and((filter.map { [$0] } ?? []) + [.none(left)])
    if whole.conditions > SegmentLimits.conditionsMax || whole.depth > SegmentLimits.depthMax {
      report.add(
        rule: rule, severity: .error, field: path.member(excluded),
        message: "together with the rest of the audience the segments have \(whole.conditions) conditions, "
          + "\(whole.depth) levels deep; at most \(SegmentLimits.conditionsMax) and \(SegmentLimits.depthMax) can be"
          + " compared: mark the devices with a tag, and exclude a segment of that tag")
    }
    return whole
  }

  /// A segment by its name; nobody when the app has none of that name.
  private static func segment(
    _ name: String, _ field: FieldPath, _ app: App, _ store: any Store, _ report: inout Report
  ) throws(Problem) -> SegmentFilter {
    if let filter = try SegmentRoutes.filter(named: name, of: app.id, store) { return filter }
    report.add(
      rule: rule, severity: .error, field: field,
      message: "the app has no segment \"\(name.prefix(100))\"; GET /v1/apps/\(app.name)/segments lists them")
    return .or([])
  }
}
