/// Bytes that wait to be written: appended at the end, taken from the front, in one block of memory that is kept.
///
/// Confined to the loop of its owner.
///
/// `@safe`: `first` and `end` stay within the capacity; the block lives as long as the object, and is lent for one
/// call.
@safe final class ByteQueue {
  private var block: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var first = 0
  private var end = 0

  init(capacity: Int) {
    self.capacity = capacity
    unsafe block = .allocate(capacity: capacity)
  }

  deinit { unsafe block.deallocate() }

  var count: Int { end - first }
  var isEmpty: Bool { end == first }
  var start: UnsafeMutablePointer<UInt8> { unsafe block + first }
  /// How many bytes can be appended without moving anything.
  var room: Int { capacity - end }

  func append(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    if count > room { makeRoom(count) }
    unsafe (block + end).update(from: bytes, count: count)
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
      unsafe larger.update(from: start, count: count)
      unsafe block.deallocate()
      unsafe block = unsafe larger
    } else {
      unsafe block.update(from: start, count: count)
    }
    first = 0
    end = count
  }
}
