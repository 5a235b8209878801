import Glibc
import TestSupport
import Testing

@Suite("Test support")
struct TestSupportTests {
  @Test("the same seed gives the same numbers")
  func seededRandomRepeats() {
    var first = SeededRandom(seed: 7)
    var second = SeededRandom(seed: 7)
    #expect((0..<100).map { _ in first.next() } == (0..<100).map { _ in second.next() })
  }

  @Test("a temporary folder goes away with its content")
  func temporaryFolderIsRemoved() throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let path = try #require(folder?.path)
    try Files.write([1, 2, 3], to: "\(path)/a")
    #expect(try Files.read("\(path)/a") == [1, 2, 3])
    #expect(try Files.list(path) == ["a"])
    folder = nil
    #expect(access(path, F_OK) != 0)
  }

  @Test("a missing file names its path and the reason")
  func missingFile() {
    #expect { try Files.read("/nonexistent/x") } throws: {
      "\($0)" == "cannot open /nonexistent/x: No such file or directory"
    }
  }
}
