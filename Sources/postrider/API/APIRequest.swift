internal import Basics
import WireJSON

/// A row and what was typed, as a request.
struct APIRequest {
  let path: String
  let query: [(name: String, value: String)]
  /// The body; nil when there is none.
  let body: JSONValue?

  init(_ row: APIRow, _ arguments: Arguments, app: APISettings.Setting?) throws(Exit) {
    path = try APIRequest.path(row, arguments, app)
    var query: [(name: String, value: String)] = []
    for field in row.fields {
      guard case .query(let name) = field.location, let value = arguments.value(field.option.name) else { continue }
      query.append((name, value))
    }
    self.query = query
    body = ["GET", "DELETE"].contains(row.method) ? nil : try APIRequest.body(row, arguments)
  }

  /// The path with a query.
  func target(_ more: [(name: String, value: String)] = []) -> String {
    let pairs = (query + more).map { "\($0.name)=\(PercentEncoding.encode($0.value))" }
    return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
  }

  private static func path(
    _ row: APIRow, _ arguments: Arguments, _ app: APISettings.Setting?
  ) throws(Exit) -> String {
    var pattern = row.path
    if let inApp = row.pathInApp, arguments.value("--app") != nil { pattern = inApp }
    var path = ""
    for part in pattern.split(separator: "/") {
      let name = String(part.dropFirst().dropLast())
      if !part.hasPrefix("{") {
        path += "/\(part)"
      } else if let number = row.pathOperands.firstIndex(of: name) {
        path += "/\(try segment(arguments.operands[number], name))"
      } else if let app {
        path += "/\(try segment(app.value, name))"
      } else {
        throw .usage("which app? give --app NAME, set POSTRIDER_APP, or save one with: postrider config set app NAME")
      }
    }
    return path
  }

  /// A text as one part of a path; what a server would take for another path is refused.
  private static func segment(_ text: String, _ name: String) throws(Exit) -> String {
    guard !text.isEmpty, text != ".", text != ".." else {
      throw .usage("\(name.uppercased()) is empty or no name: “\(text)”")
    }
    return PercentEncoding.encode(text)
  }

  // MARK: The body

  private static func body(_ row: APIRow, _ arguments: Arguments) throws(Exit) -> JSONValue? {
    var object = JSONObject()
    var rest = arguments.operands.dropFirst(row.pathOperands.count)
    let named = row.operands.compactMap { name in rest.popFirst().map { (name, $0) } }
    if case .file(let member, _) = row.body, let file = rest.first {
      let json = if let read = row.readsFile { try read(file) } else { try Input.reportingJSON(file).value }
      if let member {
        object[member] = json
      } else {
        guard let whole = json.object else { throw .unreadable("\(file): expected a JSON object, found \(json.kind)") }
        for (name, value) in whole where row.keptMembers?.contains(name) ?? true { object.append(name, value) }
      }
    }
    for (member, value) in row.fixed { object[member] = value }
    for (name, value) in named { object[name] = .string(value) }
    try refuseContradictions(row, arguments)
    for field in row.fields {
      guard case .member(let path) = field.location, arguments.has(field.option.name) else { continue }
      let names = path.split(separator: ".").map(String.init)
      var value = try value(field, arguments)
      // Pairs join those that the file has.
      if case .pairs = field.kind, let there = Cell.member(path, of: .object(object))?.object {
        var merged = there
        for (name, member) in value.object ?? [:] { merged[name] = member }
        value = .object(merged)
      }
      set(names[...], value, in: &object)
    }
    if let element = row.element { return [element: [.object(object)]] }
    return .object(object)
  }

  /// An option that removes a member does not go with one that sets it, or a part of it.
  private static func refuseContradictions(_ row: APIRow, _ arguments: Arguments) throws(Exit) {
    let given = row.fields.filter { arguments.has($0.option.name) }
    for removal in given where removal.kind == .clears {
      guard case .member(let path) = removal.location else { continue }
      for other in given where other.kind != .clears {
        guard case .member(let member) = other.location, member == path || member.hasPrefix(path + ".") else {
          continue
        }
        throw .usage("\(removal.option.name) and \(other.option.name) contradict each other; give one of them")
      }
    }
  }

  private static func set(_ names: ArraySlice<String>, _ value: JSONValue, in object: inout JSONObject) {
    guard let name = names.first else { return }
    guard names.count > 1 else { return object[name] = value }
    var inner = object[name]?.object ?? [:]
    set(names.dropFirst(), value, in: &inner)
    object[name] = .object(inner)
  }

  private static func value(_ field: APIField, _ arguments: Arguments) throws(Exit) -> JSONValue {
    let name = field.option.name
    let text = arguments.value(name) ?? ""
    switch field.kind {
    case .text: return .string(text)
    case .textOrNull: return text.isEmpty ? .null : .string(text)
    case .yes: return true
    case .clears: return .null
    case .empty: return [:]
    case .bool: return .bool(text == "true")
    case .list: return .array(arguments.all(name).map { .string($0) })
    case .file: return try Input.reportingJSON(text).value
    case .textFile: return .string(String(decoding: try Terminal.read(text), as: UTF8.self))
    case .integer:
      guard let number = Int(text) else { throw .usage("\(name) takes a whole number, not “\(text)”") }
      return .number(JSONNumber(number))
    case .pairs:
      var object = JSONObject()
      for pair in arguments.all(name) {
        let (member, value) = try self.pair(pair, name)
        object[member] = value
      }
      return .object(object)
    }
  }

  /// `NAME=TEXT` or `NAME:=JSON`.
  private static func pair(_ text: String, _ option: String) throws(Exit) -> (String, JSONValue) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0] != ":" else {
      throw .usage("\(option) takes NAME=TEXT or NAME:=JSON, not “\(text)”")
    }
    guard parts[0].hasSuffix(":") else { return (String(parts[0]), .string(String(parts[1]))) }
    do throws(JSONError) { return (String(parts[0].dropLast()), try JSON.parse(String(parts[1]))) } catch {
      throw .usage("\(option) \(text): what follows := is not JSON: \(error)")
    }
  }
}
