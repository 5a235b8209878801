/// Immutable bytes at a fixed address, so that C libraries may keep pointers into them.
///
/// `@unchecked Sendable`: the memory is written in `init` only, read afterwards, and freed in `deinit`.
final class StableBytes: @unchecked Sendable {
  let start: UnsafeMutablePointer<UInt8>
  let count: Int

  init(_ bytes: [UInt8]) {
    count = bytes.count
    start = .allocate(capacity: max(1, bytes.count))
    bytes.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { start.update(from: base, count: source.count) }
    }
  }

  deinit { start.deallocate() }
}
