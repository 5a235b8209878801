/// Bytes that wait to be written: appended at the end, taken from the front, in one block of memory that is kept.
///
/// Confined to the loop of its owner.
final class ByteQueue {
  private var block: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var first = 0
  private var end = 0

  init(capacity: Int) {
    self.capacity = capacity
    block = .allocate(capacity: capacity)
  }

  deinit { block.deallocate() }

  var count: Int { end - first }
  var isEmpty: Bool { end == first }
  var start: UnsafeMutablePointer<UInt8> { block + first }
  /// How many bytes can be appended without moving anything.
  var room: Int { capacity - end }

  func append(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    if count > room { makeRoom(count) }
    (block + end).update(from: bytes, count: count)
    end += count
  }

  func dropFirst(_ count: Int) {
    first += count
    if first == end { removeAll() }
  }

  func removeAll() {
    first = 0
    end = 0
  }

  private func makeRoom(_ needed: Int) {
    let count = self.count
    if count + needed > capacity {
      capacity = max(capacity * 2, count + needed)
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
      larger.update(from: start, count: count)
      block.deallocate()
      block = larger
    } else {
      block.update(from: start, count: count)
    }
    first = 0
    end = count
  }
}
