import Glibc
import System
import TestSupport
import Testing

@testable import postrider

/// The file with what was sent to within the hour.
@Suite("mcp: the account of the hour") struct MCPAccountTests {
  private let folder: TemporaryFolder
  private let account: MCPAccount

  init() throws {
    folder = try TemporaryFolder()
    account = MCPAccount(path: "\(folder.path)/a/b/mcp-sends")
  }

  @Test("devices are taken, replaced, settled and given back under a name")
  func takes() throws {
    #expect(try account.used(now: 0) == 0)
    #expect(try account.take(6, max: 10, as: "a", now: 0) == nil)
    #expect(try account.take(5, max: 10, as: "b", now: 1) == 4)
    #expect(try account.take(7, max: 10, as: "a", now: 2) == nil, "its own devices are its own")
    #expect(try account.used(now: 3) == 7)
    try account.settle("a", count: 9, now: 3)
    try account.settle("nobody", count: 9, now: 3)
    #expect(try account.used(now: 3) == 9)
    try account.settle("a", count: 0, now: 3)
    #expect(try account.used(now: 3) == 0 && account.take(10, max: 10, as: "b", now: 3) == nil)
    #expect(try account.take(Int.max, max: Int.max, as: "c", now: 3) != nil)
  }

  @Test("the window slides by the second, and a later clock is believed only for what is new")
  func window() throws {
    #expect(try account.take(1, max: 10, as: "a", now: 1_000) == nil)
    #expect(try account.used(now: 1_000 + MCPAccount.windowSeconds - 1) == 1)
    #expect(try account.used(now: 1_000 + MCPAccount.windowSeconds) == 0)
    #expect(try account.used(now: 0) == 1)
  }

  @Test("the file is its owner's, and one that others can write, or that is no file, is refused")
  func file() throws {
    _ = try account.used(now: 0)
    var info = stat()
    #expect(stat(account.path, &info) == 0 && info.st_mode & 0o777 == 0o600)
    #expect(stat("\(folder.path)/a/b", &info) == 0 && info.st_mode & 0o777 == 0o700)
    #expect(chmod(account.path, 0o622) == 0)
    #expect(throws: Exit.self) { try account.used(now: 0) }
    #expect(unlink(account.path) == 0 && symlink("/dev/null", account.path) == 0)
    #expect(throws: Exit.self) { try account.used(now: 0) }
    #expect(unlink(account.path) == 0 && mkdir(account.path, 0o700) == 0)
    #expect(throws: Exit.self) { try account.used(now: 0) }
  }

  @Test(
    "what is not ours stops sending", arguments: ["x", "1 2", "1 -1 a", "1 2 a b", "9223372036854775808 1 a", "\u{0}"])
  func foreign(line: String) throws {
    _ = try account.used(now: 0)
    try Files.write(Array("5 1 a\n\(line)\n".utf8), to: account.path)
    #expect(throws: Exit.self) { try account.take(1, max: 10, as: "b", now: 6) }
  }

  @Test("many sessions at once take no more than there is")
  func together() throws {
    let account = account
    let threads = try (0..<8).map { thread in
      try SystemThread.start("take") {
        for index in 0..<10 { _ = try? account.take(1, max: 25, as: "\(thread)-\(index)", now: 100) }
      }
    }
    for thread in threads { thread.join() }
    #expect(try account.used(now: 100) == 25)
  }

  @Test("the largest sums do not overflow")
  func overflow() throws {
    _ = try account.used(now: 0)
    try Files.write(Array("5 \(Int.max) a\n5 \(Int.max) b\n".utf8), to: account.path)
    #expect(try account.used(now: 6) == Int.max)
    #expect(try account.take(1, max: 10, as: "c", now: 6) == 0)
  }
}
