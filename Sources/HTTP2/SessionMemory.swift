internal import CNGHTTP2
internal import Glibc

/// The memory of one nghttp2 session: freed blocks are kept by size and given out again, so that streams in steady
/// state cost no call of the system's allocator.
///
/// A session is confined to one loop, so nothing is locked. Each block has a header of 16 bytes that names its size:
///
///     [size class | padding to 16] [the session's bytes …]
///
/// `@safe`: a block is in one list or with the session, never both; all are freed in `deinit`, after the session.
@safe final class SessionMemory {
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
    unsafe free = .allocate(capacity: classes)
    unsafe free.initialize(repeating: nil, count: classes)
    unsafe table = unsafe nghttp2_mem(
      mem_user_data: free,
      malloc: { size, lists in unsafe SessionMemory.allocate(size, lists) },
      free: { block, lists in unsafe SessionMemory.release(block, lists) },
      calloc: { count, size, lists in
        let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
        guard !overflow, let block = unsafe SessionMemory.allocate(bytes, lists) else { return nil }
        unsafe memset(block, 0, bytes)
        return unsafe block
      },
      realloc: { block, size, lists in unsafe SessionMemory.resize(block, size, lists) })
  }

  /// The session must have been deleted before.
  deinit {
    for index in 0...(SessionMemory.largest - SessionMemory.smallest) {
      while let block = unsafe free[index] {
        unsafe free[index] = unsafe block.load(as: UnsafeMutableRawPointer?.self)
        unsafe Glibc.free(block - SessionMemory.header)
      }
    }
    unsafe free.deallocate()
  }

  private typealias Lists = UnsafeMutablePointer<UnsafeMutableRawPointer?>

  private static func sizeClass(_ size: Int) -> Int {
    size <= 1 << smallest ? 0 : Int.bitWidth - (size - 1).leadingZeroBitCount - smallest
  }

  private static func allocate(_ size: Int, _ data: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard size <= 1 << largest, let lists = unsafe data?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self) else {
      return unsafe system(size, large)
    }
    let index = sizeClass(size)
    guard let block = unsafe lists[index] else { return unsafe system(1 << (index + smallest), UInt8(index)) }
    unsafe lists[index] = unsafe block.load(as: UnsafeMutableRawPointer?.self)
    return unsafe block
  }

  private static func system(_ size: Int, _ mark: UInt8) -> UnsafeMutableRawPointer? {
    guard let block = unsafe malloc(size + header) else { return nil }
    unsafe block.storeBytes(of: mark, as: UInt8.self)
    return unsafe block + header
  }

  private static func release(_ block: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) {
    guard let block = unsafe block else { return }
    let mark = unsafe (block - header).load(as: UInt8.self)
    guard mark != large, let lists = unsafe data?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self) else {
      return unsafe Glibc.free(block - header)
    }
    unsafe block.storeBytes(of: lists[Int(mark)], as: UnsafeMutableRawPointer?.self)
    unsafe lists[Int(mark)] = unsafe block
  }

  private static func resize(_ block: UnsafeMutableRawPointer?, _ size: Int, _ data: UnsafeMutableRawPointer?)
    -> UnsafeMutableRawPointer?
  {
    guard let block = unsafe block else { return unsafe allocate(size, data) }
    let mark = unsafe (block - header).load(as: UInt8.self)
    if mark == large {
      guard let moved = unsafe realloc(block - header, size + header) else { return nil }
      return unsafe moved + header
    }
    let held = 1 << (Int(mark) + smallest)
    if size <= held { return unsafe block }
    guard let moved = unsafe allocate(size, data) else { return nil }
    unsafe memcpy(moved, block, held)
    unsafe release(block, data)
    return unsafe moved
  }
}
