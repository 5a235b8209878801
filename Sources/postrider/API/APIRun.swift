import WireJSON

/// One run of a command over the API.
struct APIRun {
  static let json = Option(name: "--json", help: "Prints the server's answer as one JSON document, refusals too.")
  static let idempotencyKey = Option(
    name: "--idempotency-key", value: "KEY", help: "Doing it again with the same key does it once.")
  static let pageOptions = [
    Option(name: "--limit", value: "N", help: "The most rows, 1 to 1000000; 100 unless given."),
    Option(name: "--cursor", value: "CURSOR", help: "Continues where a list ended."),
  ]
  /// Rows of a page.
  private static let pageMax = 1_000

  let row: APIRow
  let arguments: Arguments
  let client: APIClient
  let request: APIRequest
  private let words: CommandWords

  private var isJSON: Bool { arguments.has("--json") }

  init(_ row: APIRow, _ arguments: Arguments) throws(Exit) {
    self.row = row
    let settings = try APISettings(arguments)
    // What is wrong with the words is said before anything that a server needs.
    let request = try APIRequest(row, arguments, app: settings[.app])
    words = CommandWords(row, arguments)
    client = try APIClient(settings, printsJSON: arguments.has("--json"), words: words)
    let resolved = try PersonEmails.resolved(row, arguments, client)
    self.arguments = resolved ?? arguments
    self.request =
      if let resolved { try APIRequest(row, resolved, app: settings[.app]) } else { request }
  }

  func run() throws(Exit) -> ExitStatus {
    if case .upload = row.body { return try DeviceUpload(self).run() }
    switch row.shows {
    case .list(let member, let columns): try list(member, columns)
    case .details: return try details()
    case .done(let text):
      _ = try call()
      if isJSON { Terminal.print("{}\n") } else if Terminal.isInteractive { Terminal.print("\(text)\n") }
    case .file: try APIDownload(self).run()
    case .watch: return try PushWatch(self, path: request.path).run()
    }
    return .fine
  }

  private func call() throws(Exit) -> APIClient.Answer {
    let key = arguments.value("--idempotency-key").map { [(name: "Idempotency-Key", value: $0)] } ?? []
    return try client.call(row.method, request.target(), body: request.body, headers: key)
  }

  // MARK: One thing

  private func details() throws(Exit) -> ExitStatus {
    let answer = try call().json()
    warn(answer)
    if row.isWatchable, arguments.has("--watch") {
      guard let id = answer["id"]?.string else { throw .failure("the answer names no push") }
      return try PushWatch(self, path: APIRun.pushes(request.path) + id).run()
    }
    show(linked(answer))
    return .fine
  }

  /// For people, the answer with the link that its secret makes.
  private func linked(_ answer: JSONValue) -> JSONValue {
    guard !isJSON, let link = row.link, var object = answer.object, let secret = object[link.member]?.string else {
      return answer
    }
    object["link"] = .string(client.settings.url + link.path + secret)
    return .object(object)
  }

  /// `/v1/apps/demo/pushes/` of any path of an app.
  private static func pushes(_ path: String) -> String {
    "/" + path.split(separator: "/").prefix(3).joined(separator: "/") + "/pushes/"
  }

  /// Prints one thing.
  func show(_ value: JSONValue) {
    if isJSON {
      Terminal.print(JSON.minified(value) + [UInt8(ascii: "\n")])
    } else {
      Terminal.print(Details(value).text(width: Terminal.width))
    }
  }

  /// Says what the answer's report warns of.
  private func warn(_ answer: JSONValue) {
    for line in ReportLines.all(answer["report"], in: words) { Terminal.complain("\(row.name): \(Cell.inert(line))") }
  }

  // MARK: Lists

  private func list(_ member: String, _ columns: [String]) throws(Exit) {
    let (whole, next) = row.isPaged ? try pages(member) : (try call().json(), nil)
    if isJSON { return Terminal.print(JSON.minified(whole) + [UInt8(ascii: "\n")]) }
    let values = whole[member]?.array ?? []
    if values.isEmpty, Terminal.isInteractive {
      Terminal.status("There are none.\n")
    } else {
      Terminal.print(Table(columns, of: values).text(width: Terminal.width))
    }
    if let next { Terminal.status("There are more: --limit N shows more at once, --cursor \(next) continues.\n") }
  }

  /// Pages in one document, up to the limit; and the cursor behind them.
  private func pages(_ member: String) throws(Exit) -> (JSONValue, String?) {
    let limit = try arguments.integer("--limit", in: 1...1_000_000, default: 100)
    var rows: [JSONValue] = []
    var cursor = arguments.value("--cursor")
    repeat {
      let size = row.keeps == nil ? min(APIRun.pageMax, limit - rows.count) : APIRun.pageMax
      let paging = [(name: "limit", value: "\(size)")] + (cursor.map { [(name: "cursor", value: $0)] } ?? [])
      let page = try client.call("GET", request.target(paging)).json()
      guard let found = page[member]?.array else { throw .failure("the answer has no list \(member)") }
      rows += row.keeps.map { keeps in found.filter { $0[keeps] != nil } } ?? found
      cursor = page["next"]?.string
    } while rows.count < limit && cursor != nil
    if rows.count > limit {
      // Pages of which rows were left out may end beyond the limit; a push's id is the cursor behind it.
      rows.removeLast(rows.count - limit)
      cursor = rows.last?["id"]?.string
    }
    var whole: JSONObject = [member: .array(rows)]
    if let cursor { whole["next"] = .string(cursor) }
    return (.object(whole), cursor)
  }
}
