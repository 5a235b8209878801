internal import Synchronization

/// Memory for requests on several threads, which is kept and used again.
final class MemoryPool<Memory: ~Copyable>: Sendable {
  /// What is in the pool.
  fileprivate final class Pooled {
    var memory: Memory

    init(_ memory: consuming Memory) { self.memory = memory }
  }

  /// The most that is idle in the pool.
  private let idleMax = 8
  private let idle = Mutex<[Pooled]>([])
  private let make: @Sendable () -> Memory

  /// A pool whose memory is made by `make`.
  init(_ make: @escaping @Sendable () -> Memory) { self.make = make }

  /// Runs `body` with memory of its own.
  func with<Answer>(_ body: (inout Memory) -> Answer) -> Answer {
    let pooled = idle.withLock { $0.popLast() } ?? Pooled(make())
    defer { idle.withLock { if $0.count < idleMax { $0.append(pooled) } } }
    return body(&pooled.memory)
  }
}

// Safe: what is pooled is either in the pool, or with the one thread that took it out under the lock.
extension MemoryPool.Pooled: @unchecked Sendable where Memory: ~Copyable {}
