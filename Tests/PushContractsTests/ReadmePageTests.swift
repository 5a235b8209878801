import TestSupport
import Testing

@Suite struct ReadmePageTests {
  @Test("README shows the example that the tests compile")
  func readmeShowsTheExample() throws {
    let readme = String(decoding: try Files.read(Files.packageRoot + "/README.md"), as: UTF8.self)
    let path = Files.packageRoot + "/Tests/PushContractsTests/ReadmeExample.swift"
    let lines = String(decoding: try Files.read(path), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex(of: "// README: begin"))
    let end = try #require(lines.firstIndex(of: "// README: end"))
    let example = lines[(begin + 1)..<end].joined(separator: "\n")
    #expect(example.count > 500)
    #expect(readme.contains(example))
  }
}
