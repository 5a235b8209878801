internal import CNGHTTP2
internal import Glibc

/// The memory of one nghttp2 session: freed blocks are kept by size and given out again, so that streams in steady
/// state cost no call of the system's allocator.
///
/// A session is confined to one loop, so nothing is locked. Each block has a header of 16 bytes that names its size:
///
///     [size class | padding to 16] [the session's bytes …]
final class SessionMemory {
  /// Block sizes are powers of two from 32 to 4096 bytes; larger blocks go back to the system.
  private static let smallest = 5
  private static let largest = 12
  private static let large = UInt8.max
  private static let header = 16

  private let free: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The table that nghttp2 is given; it copies it.
  var table: nghttp2_mem

  init() {
    let classes = SessionMemory.largest - SessionMemory.smallest + 1
    free = .allocate(capacity: classes)
    free.initialize(repeating: nil, count: classes)
    table = nghttp2_mem(
      mem_user_data: free,
      malloc: { size, lists in SessionMemory.allocate(size, lists) },
      free: { block, lists in SessionMemory.release(block, lists) },
      calloc: { count, size, lists in
        let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
        guard !overflow, let block = SessionMemory.allocate(bytes, lists) else { return nil }
        memset(block, 0, bytes)
        return block
      },
      realloc: { block, size, lists in SessionMemory.resize(block, size, lists) })
  }

  /// The session must have been deleted before.
  deinit {
    for index in 0...(SessionMemory.largest - SessionMemory.smallest) {
      while let block = free[index] {
        free[index] = block.load(as: UnsafeMutableRawPointer?.self)
        Glibc.free(block - SessionMemory.header)
      }
    }
    free.deallocate()
  }

  private typealias Lists = UnsafeMutablePointer<UnsafeMutableRawPointer?>

  private static func sizeClass(_ size: Int) -> Int {
    size <= 1 << smallest ? 0 : Int.bitWidth - (size - 1).leadingZeroBitCount - smallest
  }

  private static func allocate(_ size: Int, _ data: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard size <= 1 << largest, let lists = data?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self) else {
      return system(size, large)
    }
    let index = sizeClass(size)
    guard let block = lists[index] else { return system(1 << (index + smallest), UInt8(index)) }
    lists[index] = block.load(as: UnsafeMutableRawPointer?.self)
    return block
  }

  private static func system(_ size: Int, _ mark: UInt8) -> UnsafeMutableRawPointer? {
    guard let block = malloc(size + header) else { return nil }
    block.storeBytes(of: mark, as: UInt8.self)
    return block + header
  }

  private static func release(_ block: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) {
    guard let block else { return }
    let mark = (block - header).load(as: UInt8.self)
    guard mark != large, let lists = data?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self) else {
      return Glibc.free(block - header)
    }
    block.storeBytes(of: lists[Int(mark)], as: UnsafeMutableRawPointer?.self)
    lists[Int(mark)] = block
  }

  private static func resize(_ block: UnsafeMutableRawPointer?, _ size: Int, _ data: UnsafeMutableRawPointer?)
    -> UnsafeMutableRawPointer?
  {
    guard let block else { return allocate(size, data) }
    let mark = (block - header).load(as: UInt8.self)
    if mark == large {
      guard let moved = realloc(block - header, size + header) else { return nil }
      return moved + header
    }
    let held = 1 << (Int(mark) + smallest)
    if size <= held { return block }
    guard let moved = allocate(size, data) else { return nil }
    memcpy(moved, block, held)
    release(block, data)
    return moved
  }
}
