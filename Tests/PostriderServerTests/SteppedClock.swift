import Glibc
import PostriderServer
import Synchronization
import TestSupport
import Testing
import WireJSON

/// A time of day that stands still until it is moved, also backwards.
final class SteppedClock: Sendable {
  private let ms: Atomic<Int64>

  /// 2026-11-20T12:00:00Z unless told otherwise.
  init(seconds: Int64 = 1_795_176_000) { ms = Atomic(seconds * 1_000) }

  /// Stands at what time it is now.
  static var atPresent: SteppedClock { SteppedClock(seconds: WallClock.system.nowMs() / 1_000) }

  var clock: WallClock { WallClock { [self] in ms.load(ordering: .sequentiallyConsistent) } }

  func move(seconds: Int64) { ms.add(seconds * 1_000, ordering: .sequentiallyConsistent) }
}

extension ServerFixture {
  /// Asks until the answer is as wanted; the last answer when it does not become so.
  func poll(_ path: String, until isDone: (JSONValue) -> Bool) throws -> JSONValue {
    var answer: JSONValue = .null
    for _ in 0..<1_000 {
      answer = try send("GET", path).json
      if isDone(answer) { return answer }
      usleep(20_000)
    }
    return answer
  }

  func pushes() throws -> [JSONValue] { try send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array ?? [] }
}
