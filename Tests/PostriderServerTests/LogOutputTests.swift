import Glibc
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

@Suite("Log: a reader that stops", .timeLimit(.minutes(1))) struct LogOutputTests {
  private func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    return (ends[0], ends[1])
  }

  /// Everything that is in the pipe.
  private func drain(_ descriptor: Int32) -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { return String(decoding: all, as: UTF8.self) }
      all += buffer[..<count]
    }
  }

  @Test("Lines are lost, counted, and none is mixed with another") func stopped() throws {
    let (read, write) = try makePipe()
    defer {
      close(read)
      close(write)
    }
    let output = LogOutput(descriptor: write, clock: .system)
    let log = Log(level: .info, clock: .system) { output.write($0) }
    let lines = 20_000
    // Some are longer than a pipe takes at once.
    for line in 0..<lines {
      log(
        .info, "request",
        ["line": .int(line), "text": .text(String(repeating: "x", count: line % 500 == 7 ? 9_000 : 20))])
    }
    let before = drain(read)
    log(.info, "request", ["line": .int(lines)])
    let after = drain(read)
    let (written, counts) = try numbers(before + after)
    let lost = counts.reduce(0, +)
    #expect(written == written.sorted() && written.last == lines)
    #expect(lost > 0 && written.count + lost == lines + 1)
    #expect(after.contains("\"event\":\"log lines lost\",\"count\":\(lost)}"))
    // Nothing is lost any more.
    log(.info, "request", ["line": .int(lines + 1)])
    #expect(try numbers(drain(read)).written == [lines + 1])
  }

  /// The numbers of the lines, and of those that were lost; a line that was cut off is neither.
  private func numbers(_ text: String) throws -> (written: [Int], lost: [Int]) {
    var (written, lost): ([Int], [Int]) = ([], [])
    for line in text.split(separator: "\n") {
      guard let object = try? JSON.parse(String(line)) else { continue }
      if let number = object["line"]?.int { written.append(number) }
      if let count = object["count"]?.int { lost.append(count) }
    }
    return (written, lost)
  }

  @Test("Nobody reads any more, or there is no log") func closed() throws {
    signal(SIGPIPE, SIG_IGN)
    let (read, write) = try makePipe()
    close(read)
    for descriptor in [write, -1] {
      let output = LogOutput(descriptor: descriptor, clock: .system)
      for _ in 0..<10 { output.write(Array("line\n".utf8)) }
    }
    close(write)
  }
}
