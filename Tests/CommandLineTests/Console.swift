import Glibc
import TestSupport
import Testing
import WireJSON

/// A person at a shell: a config folder of their own, and what they have exported.
struct Console {
  let folder: TemporaryFolder
  var environment: [String: String]

  /// Without a server: nothing is configured.
  init() throws {
    folder = try TemporaryFolder()
    environment = ["XDG_CONFIG_HOME": folder.path, "HOME": folder.path]
    for name in ["URL", "KEY", "APP", "CA"] { environment["POSTRIDER_\(name)"] = "" }
  }

  /// With a server's address, first key and demo app exported.
  init(_ server: DemoServer) throws {
    try self.init()
    environment["POSTRIDER_URL"] = server.api
    environment["POSTRIDER_KEY"] = server.key
    environment["POSTRIDER_APP"] = "demo"
  }

  var configPath: String { "\(folder.path)/postrider/config" }

  /// Runs a command, its words separated by blanks.
  func run(_ line: String, _ more: String..., input: String = "") throws -> Subprocess.Result {
    try Subprocess.run(
      Postrider.path, line.split(separator: " ").map(String.init) + more, input: Array(input.utf8),
      environment: environment, seconds: 120)
  }

  /// What a command prints, with moments and digits that differ from run to run made alike.
  func text(_ line: String, _ more: String..., input: String = "") throws -> String {
    let result = try Subprocess.run(
      Postrider.path, line.split(separator: " ").map(String.init) + more, input: Array(input.utf8),
      environment: environment, seconds: 120)
    #expect(result.status == 0, "\(line): \(result.errorText)")
    return Console.settled(result.outputText)
  }

  /// What a command prints with `--json`.
  func json(_ line: String, _ more: String..., input: String = "") throws -> JSONValue {
    let words = line.split(separator: " ").map(String.init) + more + ["--json"]
    let result = try Subprocess.run(
      Postrider.path, words, input: Array(input.utf8), environment: environment, seconds: 120)
    #expect(result.status == 0, "\(line): \(result.errorText)")
    return try JSON.parse(result.output)
  }

  /// Moments become `TIME`, names of requests `REQUEST`.
  static func settled(_ text: String) -> String {
    text.replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/#, with: "TIME")
      .replacing(#/request [0-9a-f]{16}/#, with: "request REQUEST")
  }
}
