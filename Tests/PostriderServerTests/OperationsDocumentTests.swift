import Glibc
import TestSupport
import Testing

@testable import PostriderServer

/// What the pages for operators say is so.
@Suite struct OperationsDocumentTests {
  static func page(_ name: String) throws -> String {
    String(decoding: try Files.read("\(Files.packageRoot)/\(name)"), as: UTF8.self)
  }

  /// `RECORD_SNAPSHOTS=1 swift test --filter OperationsDocumentTests` writes the table anew.
  @Test("The table of limits is made from the constants") func limits() throws {
    let (begin, end) = ("<!-- limits -->\n", "\n<!-- end of limits -->")
    let text = try Self.page("docs/operations.md")
    let start = try #require(text.firstRange(of: begin)).upperBound
    let stop = try #require(text.firstRange(of: end)).lowerBound
    if Files.environment("RECORD_SNAPSHOTS") != nil {
      let whole = text[..<start] + LimitTable.markdown + text[stop...]
      try Files.write(Array(String(whole).utf8), to: "\(Files.packageRoot)/docs/operations.md")
    }
    let found = try Self.page("docs/operations.md").contains(begin + LimitTable.markdown + end)
    #expect(found, "docs/operations.md has another table than LimitTable; write it anew")
  }

  @Test("What the pages link to is there", arguments: ["docs/operations.md", "docs/security.md", "docs/api.md"])
  func links(name: String) throws {
    let text = try Self.page(name)
    for match in text.matches(of: /\]\((?<target>[^):#]+)[^)]*\)/) {
      let path = "\(Files.packageRoot)/docs/\(match.output.target)"
      #expect(access(path, F_OK) == 0, "\(name) links to \(match.output.target)")
    }
  }

  @Test("Page and container name the same libraries") func libraries() throws {
    let container = try Self.page("packaging/Containerfile")
    let installed = try #require(container.firstMatch(of: /--no-install-recommends \\\n +(?<list>[^\n\\]+) \\/))
    var names = installed.output.list.split(separator: " ").map(String.init)
    // The health check's own tool.
    names.removeAll { $0 == "curl" }
    #expect(try Self.page("docs/operations.md").contains("`\(names.joined(separator: " "))`"), "\(names)")
  }

  @Test("The unit is well-formed, and as closed as the page says") func unit() throws {
    guard (try? Subprocess.run("systemd-analyze", ["--version"], seconds: 30).status) == 0 else { return }
    let folder = try TemporaryFolder()
    let path = folder.path + "/postrider.service"
    // The program is not installed here; any other represents it.
    let text = try Self.page("packaging/postrider.service").replacing("/usr/local/bin/postrider", with: "/bin/true")
    try Files.write(Array(text.utf8), to: path)
    let verified = try Subprocess.run("systemd-analyze", ["verify", path], seconds: 60)
    #expect(verified.status == 0 && verified.errorText.isEmpty, "\(verified.errorText)")
    let security = try Subprocess.run(
      "systemd-analyze", ["security", "--offline=true", "--no-pager", path], seconds: 60)
    let words = String(decoding: security.output, as: UTF8.self)
    let level = words.firstMatch(of: /exposure level for postrider.service: (?<level>[0-9.]+)/)?.output.level
    #expect(Double(level ?? "10").map { $0 <= 1.5 } == true, "\(words.suffix(200))")
  }
}

/// `docs/security.md` names a test for each answer, and each of them is there.
@Suite struct SecurityDocumentTests {
  /// The sources of all tests, by file, as C strings: comparing characters of a `String` takes minutes.
  static let sources = Result { () throws -> [String: [CChar]] in
    var sources: [String: [CChar]] = [:]
    let root = Files.packageRoot + "/Tests"
    for folder in try Files.list(root) {
      for file in (try? Files.list("\(root)/\(folder)")) ?? [] where file.hasSuffix(".swift") || file.hasSuffix(".py") {
        sources["\(folder)/\(file)"] = try Files.read("\(root)/\(folder)/\(file)").map { CChar(bitPattern: $0) } + [0]
      }
    }
    return sources
  }

  private static func holds(_ text: [CChar], _ words: String) -> Bool { strstr(text, words) != nil }

  /// Whether a test of a suite is there; an empty name asks for the suite alone.
  static func exists(_ suite: String, _ test: String) throws -> Bool {
    try sources.get().contains { file, text in
      if suite.hasSuffix(".py") { return file.hasSuffix("/" + suite) && holds(text, "def \(test)(") }
      let kinds = ["struct", "class", "extension"]
      guard kinds.contains(where: { holds(text, "\($0) \(suite) ") || holds(text, "\($0) \(suite):") }) else {
        return false
      }
      return test.isEmpty || holds(text, "func \(test)(")
    }
  }

  @Test("Each answer names a test, and every test it names is there") func namesTests() throws {
    let text = try OperationsDocumentTests.page("docs/security.md")
    var rows = 0
    for line in text.split(separator: "\n") where line.hasPrefix("| ") && !line.hasPrefix("| threat") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count == 5, !line.hasPrefix("| ---") else { continue }
      rows += 1
      var suite = ""
      var tests = 0
      for match in cells[3].matches(of: /`(?<name>[^`]+)`/) {
        let name = String(match.output.name)
        let test: String
        if let index = name.firstRange(of: "::") {
          (suite, test) = (String(name[..<index.lowerBound]), String(name[index.upperBound...]))
        } else if let dot = name.firstIndex(of: ".") {
          if dot != name.startIndex { suite = String(name[..<dot]) }
          test = String(name[name.index(after: dot)...])
        } else {
          (suite, test) = (name, "")
        }
        #expect(try Self.exists(suite, test), "\(suite) has no test \(test)")
        tests += 1
      }
      #expect(tests > 0, "no test for: \(cells[1])")
    }
    #expect(rows > 30)
  }

  @Test("The page's check finds what is not there") func findsWhatIsMissing() throws {
    #expect(try Self.exists("SecurityDocumentTests", "namesTests"))
    #expect(try !Self.exists("SecurityDocumentTests", "noSuchTest"))
    #expect(try !Self.exists("NoSuchTests", ""))
    #expect(try !Self.exists("test_dashboard.py", "test_no_such_thing"))
  }
}
