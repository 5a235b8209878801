import TestSupport
import Testing
import WireJSON

@testable import postrider

/// Every row of the table against the server's own description of itself.
@Suite("The table of commands over the API", .serialized)
struct APITableTests {
  /// The OpenAPI document, with references followed.
  struct Description {
    let document: JSONValue

    func resolved(_ value: JSONValue?) -> JSONValue? {
      // What may be null is the first of two.
      if let choices = value?["anyOf"]?.array { return resolved(choices.first) }
      guard let reference = value?["$ref"]?.string else { return value }
      return Cell.member(reference.dropFirst(2).split(separator: "/").joined(separator: "."), of: document)
    }

    /// The schema of the member at a path; nil when there is none; free-form objects have every member.
    func member(_ path: String, of schema: JSONValue?) -> JSONValue? {
      var schema = resolved(schema)
      for name in path.split(separator: ".") {
        guard let properties = schema?["properties"] else { return schema?["type"] == "object" ? .null : nil }
        schema = resolved(properties[String(name)])
      }
      return schema
    }

    func operation(_ method: String, _ path: String) -> JSONValue? {
      document["paths"]?[path]?[method.lowercased()]
    }
  }

  static func description() throws -> Description {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    return Description(document: try JSON.parse(try server.get("/openapi.json")))
  }

  @Test("each row asks for what the server has")
  func rowsAreTheServers() throws {
    let description = try Self.description()
    let rows = APITable.subjects.flatMap(\.rows)
    #expect(rows.count > 60)
    for row in rows {
      for path in [row.path, row.pathInApp].compactMap({ $0 }) {
        let operation = try #require(description.operation(row.method, path), "\(row.name): \(row.method) \(path)")
        let parameters = (operation["parameters"]?.array ?? []).compactMap { description.resolved($0)?["name"]?.string }
        let whole = operation["requestBody"]?["content"]?["application/json"]?["schema"]
        let body = row.element.map { description.member($0, of: whole)?["items"] } ?? whole
        for field in row.fields {
          switch field.location {
          case .query(let name): #expect(parameters.contains(name), "\(row.name) \(field.option.name)")
          case .member(let path):
            #expect(description.member(path, of: body) != nil, "\(row.name) \(field.option.name): \(path)")
          }
        }
        for name in row.operands + row.fixed.map(\.member) {
          #expect(description.member(name, of: body) != nil, "\(row.name) \(name)")
        }
        if case .file(let member?, _) = row.body { #expect(description.member(member, of: body) != nil, "\(row.name)") }
        try Self.checkAnswer(row, operation, description)
        Self.checkWhole(row, parameters, body: body, description)
      }
    }
  }

  /// Whether everything that the operation takes can be typed, or stands in a file.
  private static func checkWhole(_ row: APIRow, _ parameters: [String], body: JSONValue?, _ description: Description) {
    var typed = row.pathOperands + row.operands + row.fixed.map(\.member) + ["app", "limit", "cursor", "format"]
    for field in row.fields {
      switch field.location {
      case .query(let name): typed.append(name)
      case .member(let path): typed.append(String(path.prefix { $0 != "." }))
      }
    }
    for name in parameters { #expect(typed.contains(name) || name.contains("-"), "\(row.name): no option for \(name)") }
    guard case .members = row.body else { return }
    // Reports have members for each of their kinds; each command has those of its own.
    let others = row.element == nil ? [] : ["action"]
    for (name, _) in description.resolved(body)?["properties"]?.object ?? [:] where !others.contains(name) {
      #expect(typed.contains(name), "\(row.name): no option for \(name)")
    }
  }

  private static func checkAnswer(_ row: APIRow, _ operation: JSONValue, _ description: Description) throws {
    let answers = operation["responses"]?.object ?? [:]
    let success = answers.first { $0.key.hasPrefix("2") }
    switch row.shows {
    case .list(let member, let columns):
      let whole = success?.value["content"]?["application/json"]?["schema"]
      let list = try #require(description.member(member, of: whole), "\(row.name): \(member)")
      for column in columns {
        #expect(description.member(column, of: description.resolved(list["items"])) != nil, "\(row.name): \(column)")
      }
    case .done: #expect(answers["204"] != nil, "\(row.name)")
    case .file:
      #expect(
        success?.value["content"]?["text/csv"] != nil || success?.value["content"]?["text/csv; charset=utf-8"] != nil,
        "\(row.name)")
    case .details, .watch: #expect(success?.value["content"]?["application/json"] != nil, "\(row.name)")
    }
  }

  @Test("the manual has every command")
  func documented() throws {
    let manual = String(decoding: try Files.read("\(Files.packageRoot)/docs/cli.md"), as: UTF8.self)
    for subject in APITable.subjects {
      let line = manual.split(separator: "\n").first { $0.hasPrefix("| `\(subject.name)` | ") }
      let words = subject.commands.map { "`\($0.name.split(separator: " ").last ?? "")`" }.joined(separator: ", ")
      #expect(line ?? "nothing" == "| `\(subject.name)` | \(words) |")
    }
  }

  @Test("names and options are unique, and every operation for people has a command")
  func complete() throws {
    let description = try Self.description()
    let rows = APITable.subjects.flatMap(\.rows)
    #expect(Set(rows.map(\.name)).count == rows.count)
    for command in APICommand.groups.flatMap(\.subcommands) {
      let names = command.options.map(\.name)
      #expect(Set(names).count == names.count, "\(command.name): \(names)")
    }
    let asked = Set(
      rows.flatMap { row in [row.path, row.pathInApp].compactMap { $0 }.map { "\(row.method) \($0)" } })
    var missing: [String] = []
    for (path, item) in description.document["paths"]?.object ?? [:] {
      for (method, _) in item.object ?? [:] {
        let operation = "\(method.uppercased()) \(path)"
        if !asked.contains(operation) { missing.append(operation) }
      }
    }
    #expect(missing.sorted() == Self.commandless.keys.sorted())
    let manual = String(decoding: try Files.read("\(Files.packageRoot)/docs/cli.md"), as: UTF8.self)
    for (operation, reason) in Self.commandless {
      #expect(manual.contains("| `\(operation)` | \(reason) |"), "| `\(operation)` | \(reason) |")
    }
  }

  /// The operations without a row, and why; the manual has the same words.
  private static let commandless = [
    "POST /session": "a browser's; a command has its key",
    "GET /session": "a browser's; a command has its key",
    "DELETE /session": "a browser's; a command has its key",
    "POST /session/invitation": "a browser's; a command has its key",
    "POST /session/join": "a browser's; a command has its key",
    "PUT /session/password": "a browser's; a command has its key",
    "POST /session/passkey/options": "a browser's; a command has its key",
    "POST /session/passkey": "a browser's; a command has its key",
    "POST /session/passkeys/options": "a browser's; passkeys are made there",
    "POST /session/passkeys": "a browser's; passkeys are made there",
    "GET /session/passkeys": "a browser's; of the person who is signed in",
    "PATCH /session/passkeys/{passkey}": "a browser's; of the person who is signed in",
    "DELETE /session/passkeys/{passkey}": "a browser's; of the person who is signed in",
    "GET /session/all": "a browser's; `sessions list` lists everybody's",
    "GET /session/oidc": "a browser's; a command has its key",
    "POST /session/oidc": "a browser's; a command has its key",
    "POST /session/oidc/finish": "a browser's; a command has its key",
    "DELETE /session/oidc": "a browser's; a command has its key",
    "DELETE /session/all": "a browser's; `sessions end` ends one",
    "DELETE /session/all/{session}": "a browser's; `sessions end` ends one",
    "GET /healthz": "for the machine that watches the process; `curl`",
    "GET /readyz": "for the machine that watches the process; `curl`",
    "GET /metrics": "Prometheus' text, for Prometheus; `apps overview` is for people",
    "GET /openapi.json": "a document for programs; `curl`",
    "GET /v1/apps/{app}/pushes/{push}/progress": "what `push watch` and `--watch` listen to",
    "POST /v1/apps/{app}/credentials": "the same as PUT, which `apps set-credentials` asks",
    "GET /v1/contracts": "`postrider contracts`, without a server",
    "GET /v1/contracts/{contract}": "`postrider contracts show`, without a server",
    "POST /v1/render": "`postrider render`, without a server",
    "POST /v1/parse": "`postrider parse`, without a server",
    "POST /v1/check": "`postrider check`, without a server",
    "POST /v1/preview": "`postrider preview`, without a server",
    "POST /v1/explain": "`postrider explain`, without a server",
  ]
}
