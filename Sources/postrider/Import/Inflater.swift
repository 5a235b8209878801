internal import CZlib

/// Decompresses gzip (RFC 1952) piece by piece, also several members in a row.
///
/// `@safe`: the object owns the stream from `init` to `deinit`; input and output are lent for one call.
@safe final class Inflater {
  /// Bytes that one step makes at most.
  private static let roomBytes = 262_144

  // zlib keeps the address of the stream, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let isReady: Bool
  private var input: [UInt8] = []
  private var used = 0
  /// Whether the bytes so far end where a member ends.
  private(set) var isComplete = false
  /// Whether a step without more input could give something.
  private var isFull = false

  init() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    isReady = unsafe czlib_inflate_init_gzip(stream) == Z_OK
  }

  deinit {
    if isReady { unsafe inflateEnd(stream) }
    unsafe stream.deallocate()
  }

  /// Whether all input is used, so that more is needed.
  var needsInput: Bool { used == input.count && !isFull }

  /// Gives it more input; only when it needs some.
  func feed(_ bytes: [UInt8]) {
    input = bytes
    used = 0
  }

  /// The next bytes, perhaps none; nil when the input is damaged.
  func next() -> [UInt8]? {
    guard isReady else { return nil }
    if isComplete, used < input.count {
      guard unsafe inflateReset(stream) == Z_OK else { return nil }
      isComplete = false
    }
    var status = Z_OK
    let output = unsafe [UInt8](unsafeUninitializedCapacity: Self.roomBytes) { buffer, count in
      unsafe input.withUnsafeMutableBufferPointer { source in
        unsafe stream.pointee.next_in = unsafe source.baseAddress.map { unsafe $0 + used }
        unsafe stream.pointee.avail_in = UInt32(source.count - used)
        unsafe stream.pointee.next_out = buffer.baseAddress
        unsafe stream.pointee.avail_out = UInt32(buffer.count)
        status = unsafe inflate(stream, Z_NO_FLUSH)
        used = unsafe source.count - Int(stream.pointee.avail_in)
      }
      count = unsafe buffer.count - Int(stream.pointee.avail_out)
      isFull = unsafe stream.pointee.avail_out == 0
    }
    isComplete = status == Z_STREAM_END
    if isComplete { isFull = false }
    // No progress was possible: there was nothing left to do.
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR ? output : nil
  }
}
