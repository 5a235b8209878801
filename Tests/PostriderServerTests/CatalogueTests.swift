import PostriderServer
import Testing
import WireJSON

/// The dashboard's texts in other languages: every one that a script shows is translated, none is left over, and what is filled in
/// is filled in once.
@Suite(.timeLimit(.minutes(1))) struct CatalogueTests {
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  /// The files with texts: scripts of the dashboard alone, not the core's module.
  static let scripts = DashboardTests.files.filter { $0.hasSuffix(".js") }

  func section(_ name: String) throws -> [String: String] {
    let catalog = try fixture.send("GET", "/dashboard/de.json", key: .some(nil))
    #expect(catalog.status == 200)
    #expect(catalog.headers["content-type"] == "application/json; charset=utf-8")
    let members = try #require(catalog.json[name]?.object)
    return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.string ?? "") })
  }

  @Test func everyTextIsTranslatedAndNoneIsLeftOver() throws {
    var used: [String: String] = [:]
    for path in Self.scripts {
      var scanner = ScriptScanner(try fixture.send("GET", path, key: .some(nil)).text)
      for text in try scanner.texts() { used[text] = path }
    }
    #expect(used.count > 1_200, "the scanner finds the texts")
    let texts = try section("texts")
    for (text, path) in used where texts[text] == nil { Issue.record("\(path): “\(text)” is not in de.json") }
    for text in texts.keys where used[text] == nil { Issue.record("de.json: “\(text)” is used nowhere") }
    for (text, german) in texts {
      #expect(placeholders(text) == placeholders(german), "\(text)")
      #expect(!german.isEmpty && (text.first == " ") == (german.first == " "), "\(text)")
      #expect((text.last == " ") == (german.last == " "), "\(text)")
    }
  }

  /// `{0}` and `{1}`, each as often as it is there.
  func placeholders(_ text: String) -> [Character] {
    text.indices.filter { text[$0...].first == "{" && text[$0...].dropFirst(2).first == "}" }
      .map { text[text.index(after: $0)] }.sorted()
  }

  /// The names of fields and emoji are rows of tables, which the scripts hold as one text each.
  @Test func everyNameOfATableIsTranslated() throws {
    let words = try fixture.send("GET", "/dashboard/fieldwords.js", key: .some(nil)).text
    let rows = words.split(separator: "\n").compactMap { line -> String? in
      let parts = line.replacing("`,", with: "").split(separator: " ", maxSplits: 2)
      let groups = ["text", "media", "actions", "behavior", "data"]
      guard parts.count == 3, groups.contains(where: { parts[1] == $0 || parts[1] == "\($0)*" }) else { return nil }
      return String(parts[2])
    }
    #expect(rows.count > 150)
    #expect(try Set(section("fields").keys) == Set(rows))
    let emoji = try fixture.send("GET", "/dashboard/emoji.js", key: .some(nil)).text
    let table = emoji.split(separator: "`").first { $0.contains("😀") } ?? ""
    let names = table.split { $0 == "|" || $0 == "\n" }.compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(names.count > 150)
    #expect(try Set(section("emoji").keys) == Set(names))
  }

  /// What the API calls a state, a role or a member is translated by its name: each of these is one.
  @Test func everyValueIsOneOfTheAPI() throws {
    let document = try fixture.send("GET", "/openapi.json").text
    // The segments that every app has, by their titles.
    _ = try fixture.makeDemo()
    let segments = try #require(try fixture.send("GET", "/v1/apps/demo/segments").json["segments"]?.array)
    let titles = Set(segments.filter { $0["system"] == true }.compactMap { $0["title"]?.string })
    #expect(titles.count == 6)
    // Kinds of alerts, and what made a record when nobody did: stable names that the document has no list of.
    let others = [
      "gateway-unreachable", "retirement-halted", "credential-doubted", "credential-unusable", "store-trouble",
      "credential-missing", "provider-stopped", "held-after-restore", "server",
    ]
    for value in try section("values").keys where !others.contains(value) {
      #expect(document.contains("\"\(value)\"") || titles.contains(value), "\(value)")
    }
    #expect(try titles.isSubset(of: section("values").keys))
  }

  /// What the audit log names: every operation that changes something, what the command line does while the server is stopped, and
  /// what happens by the way.
  @Test func everyActIsTranslated() throws {
    let paths = try #require(try fixture.send("GET", "/openapi.json").json["paths"]?.object)
    var changes: Set<String> = ["addOwner", "recoverKey", "linkOIDC", "forgetUnseenDevices"]
    for (_, path) in paths {
      for (method, operation) in path.object ?? [:] where method != "get" {
        if let name = operation["operationId"]?.string { changes.insert(name) }
      }
    }
    #expect(changes.count > 90)
    let acts = try Set(section("acts").keys)
    #expect(acts.subtracting(changes) == [], "names that are no operation")
    #expect(changes.subtracting(acts) == [], "operations without a name")
  }

  @Test func findsTextsWhereverTheyAre() throws {
    let script = """
      // t`a comment`
      const one = /[`"]/.test(x) ? t`It’s ${name ? t`here` : `${left}`} and \\`there\\`` : "t`no`";
      const about = 'don`t', at`path`;
      """
    var scanner = ScriptScanner(script)
    #expect(try scanner.texts() == ["here", "It’s {0} and `there`"])
  }
}

/// Finds the texts of a script that are looked up in a catalog: the templates tagged with `t`.
private struct ScriptScanner {
  struct Unfinished: Error {}

  private let script: [Character]
  private var index = 0
  private var found: [String] = []

  init(_ text: String) { script = Array(text) }

  mutating func texts() throws -> [String] {
    try code(until: nil)
    return found
  }

  private func at(_ offset: Int) -> Character? {
    script.indices.contains(index + offset) ? script[index + offset] : nil
  }

  /// Reads statements up to a closing brace of their own depth, or the end.
  private mutating func code(until end: Character?) throws {
    var depth = 0
    var before: Character?
    while let character = at(0) {
      if character == end, depth == 0 { return }
      switch character {
      case "\"", "'": try quoted(character)
      case "`": try template(isText: at(-1) == "t" && !isName(at(-2)))
      case "/" where at(1) == "/": while let next = at(0), next != "\n" { index += 1 }
      case "/" where at(1) == "*": repeat { index += 1 } while !(at(0) == "/" && at(-1) == "*")
      case "/" where before.map({ "(,=:[!&|?{};\n>".contains($0) }) ?? true: try pattern()
      case "{": depth += 1
      case "}": depth -= 1
      default: break
      }
      if character != " " { before = character }
      index += 1
    }
    if end != nil { throw Unfinished() }
  }

  private func isName(_ character: Character?) -> Bool {
    character.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" || $0 == "." } ?? false
  }

  private mutating func quoted(_ mark: Character) throws {
    repeat { index += at(0) == "\\" ? 2 : 1 } while at(0) != nil && at(0) != mark
    if at(0) == nil { throw Unfinished() }
  }

  private mutating func pattern() throws {
    var isClass = false
    repeat {
      index += at(0) == "\\" ? 2 : 1
      if at(0) == "[" { isClass = true } else if at(0) == "]" { isClass = false }
    } while at(0) != nil && (at(0) != "/" || isClass)
    if at(0) == nil { throw Unfinished() }
  }

  private mutating func template(isText: Bool) throws {
    var text = ""
    var placeholders = 0
    index += 1
    while let character = at(0), character != "`" {
      if character == "$", at(1) == "{" {
        text += "{\(placeholders)}"
        placeholders += 1
        index += 2
        try code(until: "}")
      } else if character == "\\" {
        index += 1
        text.append(at(0) == "n" ? "\n" : at(0) ?? "\\")
      } else {
        text.append(character)
      }
      index += 1
    }
    if at(0) == nil { throw Unfinished() }
    if isText { found.append(text) }
  }
}
