/// Immutable bytes at a fixed address, so that C libraries may keep pointers into them.
///
/// `@unchecked Sendable`: the memory is written in `init`, or by its maker before it is shared, read afterwards, and freed in `deinit`.
///
/// `@safe`: the memory lives exactly as long as the object, which whoever keeps the address keeps too.
@safe package final class StableBytes: @unchecked Sendable {
  package let start: UnsafeMutablePointer<UInt8>
  package let count: Int

  package init(_ bytes: [UInt8]) {
    count = bytes.count
    unsafe start = .allocate(capacity: max(1, bytes.count))
    unsafe bytes.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { unsafe start.update(from: base, count: source.count) }
    }
  }

  /// Room for bytes that the maker fills in before anyone else sees them.
  package init(count: Int) {
    self.count = count
    unsafe start = .allocate(capacity: max(1, count))
    unsafe start.initialize(repeating: 0, count: count)
  }

  deinit { unsafe start.deallocate() }
}
