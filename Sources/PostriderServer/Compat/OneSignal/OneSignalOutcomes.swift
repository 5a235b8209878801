internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// The outcome of an app's notifications, by the names of OneSignal's own outcomes.
enum OneSignalOutcomes {
  static let routes: [Route] = [
    OneSignalRoutes.route(
      .get, "/apps/{app_id}/outcomes", "GetOutcomes", "Counts what devices reported about notifications.",
      query: [
        Route.Query(name: "outcome_names", schema: .string("Names, with commas between them.", max: 500)),
        Route.Query(name: "outcome_names[]", schema: .string("The same, one or several.", max: 500)),
        Route.Query(
          name: "outcome_time_range", schema: .choice(ranges.map(\.name), "How far back; an hour by default.")),
        Route.Query(name: "outcome_platforms", schema: .string("Not here.", max: 100)),
        Route.Query(name: "outcome_attribution", schema: .choice(["total", "direct"], "All are direct.")),
      ], pace: .long, show)
  ]

  private static let ranges: [(name: String, stretches: Int64, stepMs: Int64)] = [
    ("1h", 60, 60_000), ("1d", 24, 3_600_000), ("1mo", 30, 86_400_000),
  ]
  private static let metrics: [(name: String, metric: SeriesMetric)] = [
    ("os__click", .opened), ("os__confirmed_delivery", .received),
  ]

  @Sendable private static func show(_ c: CompatCall) throws(Problem) -> Reply {
    guard c.query["outcome_platforms"] == nil else {
      throw OneSignalErrors.refusal("outcome_platforms", "the numbers are those of all platforms; leave it out")
    }
    let asked = c.query.pairs.filter { $0.name.hasPrefix("outcome_names") }
      .flatMap { $0.value.split(separator: ",").map { $0.filter { $0 != " " } } }
    guard !asked.isEmpty else { throw OneSignalErrors.refusal("outcome_names", "is required") }
    var wanted: [(name: String, metric: SeriesMetric)] = []
    for text in asked {
      guard let found = metrics.first(where: { text == $0.name + ".count" }) else {
        let known = metrics.map { $0.name + ".count" }.joined(separator: ", ")
        throw OneSignalErrors.refusal("outcome_names", "there are \(known), found \"\(text.prefix(40))\"")
      }
      if !wanted.contains(where: { $0.metric == found.metric }) { wanted.append(found) }
    }
    let range = ranges.first { $0.name == c.query["outcome_time_range"] } ?? ranges[0]
    let from = c.now.adding(milliseconds: -range.stretches * range.stepMs)
    let points = try c.ask { store throws(StoreError) in
      try store.series(
        of: .app(c.app), from: from, until: c.now.adding(milliseconds: range.stepMs), stepMs: range.stepMs,
        limit: Int(range.stretches) + 2)
    }
    return Reply(
      200,
      [
        "outcomes": .array(
          wanted.map { name, metric in
            let sum = points.reduce(0) { $0 + ($1.counts[metric] ?? 0) }
            return ["id": .string(name), "value": OneSignalRoutes.number(sum), "aggregation": "count"]
          })
      ])
  }
}
