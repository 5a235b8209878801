internal import CNGHTTP2

extension UnsafeMutableRawPointer {
  /// The object behind nghttp2's user data, without counting a reference.
  ///
  /// Sound because the object owns the session: nghttp2 calls back only while the object uses the session.
  func withObject<T: AnyObject, R>(_ type: T.Type, _ body: (T) -> R) -> R {
    unsafe Unmanaged<T>.fromOpaque(self)._withUnsafeGuaranteedRef(body)
  }
}

/// Settings in nghttp2's form.
extension HTTP2Settings {
  var entries: [nghttp2_settings_entry] {
    let rows: [(nghttp2_settings_id, UInt32?)] = [
      (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, headerTableSize),
      (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, maxConcurrentStreams),
      (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, initialWindowSize),
      (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, maxFrameSize),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, maxHeaderListSize),
    ]
    return rows.compactMap { id, value in
      value.map { nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: $0) }
    }
  }

  /// Takes over the values of a SETTINGS frame.
  mutating func apply(_ frame: nghttp2_settings) {
    for index in unsafe 0..<frame.niv {
      let entry = unsafe frame.iv[index]
      switch nghttp2_settings_id(rawValue: UInt32(bitPattern: entry.settings_id)) {
      case NGHTTP2_SETTINGS_HEADER_TABLE_SIZE: headerTableSize = entry.value
      case NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS: maxConcurrentStreams = entry.value
      case NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE: initialWindowSize = entry.value
      case NGHTTP2_SETTINGS_MAX_FRAME_SIZE: maxFrameSize = entry.value
      case NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE: maxHeaderListSize = entry.value
      default: break
      }
    }
  }
}

/// Whether an error number of nghttp2 means that the peer sends too much of something.
func isFlood(_ number: Int32) -> Bool {
  number == NGHTTP2_ERR_FLOODED.rawValue || number == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue
}

/// nghttp2's words for one of its error numbers.
func sessionErrorText(_ number: Int32) -> String { unsafe String(cString: nghttp2_strerror(number)) }

enum SessionCallbacks {
  /// Makes invalid bytes in a header field a stream error (RFC 9113 section 8.2.1); nghttp2 would omit the field.
  static func refuseInvalidFields(_ table: OpaquePointer?) {
    unsafe nghttp2_session_callbacks_set_on_invalid_header_callback(table) { _, _, _, _, _, _, _, _ in
      NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
  }
}

/// Takes part in the writing of a session's frames.
protocol FrameAuthor: AnyObject {
  /// Writes a HEADERS frame that replaces nghttp2's; `out` has room for a frame of full size.
  /// - Returns: how many bytes were written, or `nil` when the frame cannot be encoded.
  func writeHeaders(_ frame: UnsafePointer<UInt8>, to out: UnsafeMutablePointer<UInt8>) -> Int?

  /// A GOAWAY frame is being written.
  func wroteGoAway(_ frame: UnsafeBufferPointer<UInt8>)
}

/// Gathers frames into large plain blocks and hands them to the channel: fewer and fuller TLS records.
///
/// `@safe`: a frame is begun only while `hasRoom`, and two of the largest fit behind that; the block lives as long as the
/// object.
@safe final class FrameWriter {
  private let block: UnsafeMutablePointer<UInt8>
  private var count = 0

  private static let headersType = UInt8(NGHTTP2_HEADERS.rawValue)
  private static let goAwayType = UInt8(NGHTTP2_GOAWAY.rawValue)
  /// Four full TLS records.
  private static let target = 65_536
  /// The largest frame that is written in one piece, with its header.
  private static let frameBytes = 16_384 + 9
  /// While more ciphertext than this is queued for the socket, no frames are written.
  static let waitingLimit = 262_144

  init() { unsafe block = .allocate(capacity: FrameWriter.target + 2 * FrameWriter.frameBytes) }

  deinit { unsafe block.deallocate() }

  /// Whether a frame of full size still fits.
  var hasRoom: Bool { count < FrameWriter.target }

  func append(_ bytes: UnsafePointer<UInt8>, _ size: Int) {
    unsafe (block + count).update(from: bytes, count: size)
    count += size
  }

  /// Writes all frames that the session has ready, as far as the channel takes them; `false` when the session failed.
  ///
  /// - Parameter always: one block is written even when the channel is full, so that a last GOAWAY goes out.
  func write(
    _ session: OpaquePointer, to channel: SecureChannel, frames: (any FrameAuthor)? = nil, always: Bool = false
  ) -> Bool {
    var failed = false
    var isOwed = always
    while !failed, isOwed || channel.waiting < FrameWriter.waitingLimit {
      isOwed = false
      while hasRoom {
        var bytes: UnsafePointer<UInt8>?
        let size = unsafe nghttp2_session_mem_send(session, &bytes)
        guard size > 0, let bytes = unsafe bytes else {
          failed = size < 0
          break
        }
        // nghttp2 gives one frame per call; byte 3 is its type.
        if let frames, size >= 9, unsafe bytes[3] == FrameWriter.headersType {
          guard let written = unsafe frames.writeHeaders(bytes, to: block + count) else { return false }
          count += written
        } else {
          unsafe append(bytes, size)
          if let frames, size >= 9, unsafe bytes[3] == FrameWriter.goAwayType {
            unsafe frames.wroteGoAway(UnsafeBufferPointer(start: bytes, count: size))
          }
        }
      }
      if count == 0 { break }
      unsafe channel.write(block, count)
      count = 0
      channel.flush()
    }
    return !failed
  }
}
