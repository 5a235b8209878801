internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// The query of the list of pushes: what is looked for.
struct PushFinding {
  var search = PushSearch()
  private var needle: Needle?
  private var segment: String?

  static let query: [Route.Query] = [
    Route.Query(
      name: "query",
      schema: .string(
        "Only those with this in a text of theirs, in any language or variant, or in their campaign's or template's name; upper"
          + " and lower case are the same.", max: 200, example: "sale")),
    Route.Query(name: "campaign", schema: .string("Only those of this campaign.", max: 64)),
    Route.Query(name: "segment", schema: .string("Only those to this segment.", max: 100)),
    Route.Query(name: "state", schema: .choice(PushState.names, "Only those in this state.")),
    Route.Query(
      name: "author",
      schema: .string(
        "Only those made by people or with API keys of this name.", max: 200)),
    Route.Query(name: "kind", schema: .choice(["campaign"], "Only pushes to many, which are found fastest.")),
    Route.Query(name: "from", schema: .time("Only those created then or later.")),
    Route.Query(name: "until", schema: .time("Only those created before.")),
  ]

  /// The names of what a saved view may name.
  static let names = query.map(\.name)

  /// Reads the query; nil when nothing is looked for.
  init?(_ call: Call, _ service: Service) throws(Problem) {
    let given = call.http.query
    guard Self.names.contains(where: { given[$0] != nil }) else { return nil }
    search.campaign = given["campaign"]
    search.isCampaign = given["kind"] == "campaign"
    if let state = given["state"] { search.states = Set(PushState.allCases.filter { $0.name == state }) }
    search.from = try RecordRoutes.instant("from", call)
    search.until = try RecordRoutes.instant("until", call)
    needle = given["query"].map(Needle.init)
    segment = given["segment"]
    search.readsTexts = needle != nil || segment != nil
    if let author = given["author"] { search.authors = try Maker.named(author, service) }
  }

  func matches(_ document: PushDocument) -> Bool {
    if let needle, !PushText.holds(needle, document) { return false }
    if let segment, !PushText.isFor(segment: segment, document) { return false }
    return true
  }

  /// A page of what was found.
  ///
  /// It may hold less than there is, with a `next`, because one request looks at a bounded number.
  func page(_ call: Call, app: AppID, _ service: Service) throws(Problem) -> Reply {
    let before: PushID? = try Paging.cursor(call)
    let found = try service.ask { store throws(StoreError) in
      try store.findPushes(app: app, search, before: before, limit: Paging.limit(call), matches: matches)
    }
    var object: JSONObject = ["pushes": .array(try Self.rows(found.pushes, service))]
    if let next = found.next { object["next"] = .string(next.description) }
    if let time = found.lookedBackTo { object["looked_back_to"] = .string(TimeText.text(time)) }
    return Reply(200, .object(object))
  }

  /// Pushes with their titles.
  static func rows(_ pushes: [Push], _ service: Service) throws(Problem) -> [JSONValue] {
    let names = try AuthorText.names(pushes.map(\.author), service)
    let documents = try service.ask { store throws(StoreError) in try store.documents(of: pushes.map(\.id)) }
    var rows: [JSONValue] = []
    for push in pushes {
      var object = PushRoutes.json(push, names).object ?? [:]
      if let title = documents[push.id].flatMap(PushText.title) {
        object["title"] = .string(String(title.prefix(PushFinding.titleMax)))
      }
      rows.append(.object(object))
    }
    return rows
  }

  /// Characters of a title in lists.
  static let titleMax = 200
}

extension PushState {
  /// The names in the API, each once.
  static let names = allCases.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
}
