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

@Suite("Subprocess")
struct SubprocessTests {
  @Test("output, errors and status come back; input arrives")
  func runsToItsEnd() throws {
    let result = try Subprocess.run("/bin/sh", ["-c", "cat; echo err >&2; exit 3"], input: Array("in".utf8))
    #expect(result.outputText == "in")
    #expect(result.errorText == "err\n")
    #expect(result.status == 3)
  }

  @Test("a program that never ends is killed when its time is up")
  func isBounded() {
    #expect(throws: Subprocess.Failure.self) { try Subprocess.run("/bin/sleep", ["60"], seconds: 0.05) }
  }

  @Test("a signal shows in the status")
  func signalShows() throws {
    let child = try Subprocess("/bin/sh", ["-c", "echo ready; exec sleep 60"])
    try child.waitFor("ready")
    child.signal(SIGKILL)
    #expect(try child.finish().status == 128 + SIGKILL)
  }
}
