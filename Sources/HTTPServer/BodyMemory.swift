import Synchronization

/// The memory that the bodies of all requests share.
final class BodyMemory: Sendable {
  private let limit: Int
  private let used = Atomic<Int>(0)

  init(limit: Int) { self.limit = limit }

  var usedBytes: Int { used.load(ordering: .relaxed) }

  /// Takes `count` bytes for a body that has `held` already; false when there are not so many.
  func take(_ count: Int, held: Int) -> Bool {
    let isSmall = held + count <= HTTPLimits.smallBodyBytes
    let bound = isSmall ? limit : limit - limit / 4
    guard used.add(count, ordering: .relaxed).newValue <= bound else {
      used.subtract(count, ordering: .relaxed)
      return false
    }
    return true
  }

  func giveBack(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// A share of the memory for bodies, released with the last reference to the body.
final class BodyShare: Sendable {
  private let memory: BodyMemory
  private let count: Int

  init(_ count: Int, of memory: BodyMemory) {
    self.memory = memory
    self.count = count
  }

  deinit { memory.giveBack(count) }
}

/// A body that grows with what arrives, whatever length was announced.
struct BufferedBody {
  private(set) var bytes: [UInt8] = []
  /// Bytes taken from the shared memory.
  private(set) var held = 0

  /// Appends a piece; false when the shared memory does not have room for it.
  mutating func append(_ piece: UnsafeRawBufferPointer, upTo limit: Int, from memory: BodyMemory) -> Bool {
    let count = bytes.count + piece.count
    if count > held {
      let wanted = bytes.isEmpty ? count : max(count, min(limit, 2 * held))
      guard memory.take(wanted - held, held: held) else { return false }
      held = wanted
      bytes.reserveCapacity(wanted)
    }
    unsafe bytes.append(contentsOf: piece)
    return true
  }

  /// The body and its part of the shared memory.
  mutating func take(from memory: BodyMemory) -> (bytes: [UInt8], share: BodyShare?) {
    defer { (bytes, held) = ([], 0) }
    return (bytes, held > 0 ? BodyShare(held, of: memory) : nil)
  }

  mutating func release(to memory: BodyMemory) {
    bytes = []
    if held > 0 { memory.giveBack(held) }
    held = 0
  }
}
