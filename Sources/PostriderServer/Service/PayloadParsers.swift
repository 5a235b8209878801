internal import PushContracts
internal import Synchronization

/// Parsers of payloads, for requests on several threads: they are kept and used again, with their memory.
final class PayloadParsers: Sendable {
  /// Idle parsers in the pool.
  private static let idleMax = 8

  /// A parser in the pool.
  fileprivate final class Pooled {
    var parser = PayloadParser()
  }

  private let idle = Mutex<[Pooled]>([])

  /// The answer to a request to `/v1/parse`, where nothing needs to be said of it; nil for any other.
  func answer(_ body: [UInt8]) -> [UInt8]? {
    let pooled = idle.withLock { $0.popLast() } ?? Pooled()
    defer { idle.withLock { if $0.count < PayloadParsers.idleMax { $0.append(pooled) } } }
    return pooled.parser.answer(request: body, limits: RequestBody.limits)
  }
}

// Safe: a pooled parser is either in the pool, or with the one thread that took it out under the lock.
extension PayloadParsers.Pooled: @unchecked Sendable {}
