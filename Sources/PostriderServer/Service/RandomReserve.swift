internal import Signing
internal import Synchronization

/// Unpredictable numbers, made many at a time: the standard library's generator calls the kernel for each.
struct RandomReserve: RandomNumberGenerator, Sendable {
  /// Shared by all requests.
  static let shared = RandomReserve()

  private final class Box: Sendable {
    let numbers = Mutex<[UInt64]>([])
  }

  /// Numbers taken at a time: 4 KiB.
  private static let batch = 512

  private let box = Box()

  func next() -> UInt64 {
    box.numbers.withLock { numbers in
      if let number = numbers.popLast() { return number }
      let bytes = SecureRandom.bytes(Self.batch * MemoryLayout<UInt64>.size)
      numbers = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt64.self)) }
      return numbers.removeLast()
    }
  }
}
