internal import CNGHTTP2

extension UnsafeMutableRawPointer {
  /// The object behind nghttp2's user data, without counting a reference.
  ///
  /// Sound because the object owns the session: nghttp2 calls back only while the object uses the session.
  func withObject<T: AnyObject, R>(_ type: T.Type, _ body: (T) -> R) -> R {
    Unmanaged<T>.fromOpaque(self)._withUnsafeGuaranteedRef(body)
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
    for index in 0..<frame.niv {
      let entry = frame.iv[index]
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

/// nghttp2's words for one of its error numbers.
func sessionErrorText(_ number: Int32) -> String { String(cString: nghttp2_strerror(number)) }

/// Writes the HEADERS frames of a session in place of nghttp2.
protocol HeadersWriter: AnyObject {
  /// Writes the frame that stands for nghttp2's own one; `out` has room for a frame of full size.
  /// - Returns: how many bytes were written, or `nil` when the frame cannot be made.
  func writeHeaders(_ frame: UnsafePointer<UInt8>, to out: UnsafeMutablePointer<UInt8>) -> Int?
}

/// Gathers frames into large plain blocks and hands them to the channel: fewer and fuller TLS records.
final class FrameWriter {
  private let block: UnsafeMutablePointer<UInt8>
  private var count = 0

  private static let headersType = UInt8(NGHTTP2_HEADERS.rawValue)
  /// Four full TLS records.
  private static let target = 65_536
  /// The largest frame that is written in one piece, with its header.
  private static let frameBytes = 16_384 + 9
  /// While more ciphertext than this waits for the socket, no frames are made.
  static let waitingLimit = 262_144

  init() { block = .allocate(capacity: FrameWriter.target + 2 * FrameWriter.frameBytes) }

  deinit { block.deallocate() }

  /// Whether a frame of full size still fits.
  var hasRoom: Bool { count < FrameWriter.target }

  func append(_ bytes: UnsafePointer<UInt8>, _ size: Int) {
    (block + count).update(from: bytes, count: size)
    count += size
  }

  /// Writes all frames that the session has ready, as far as the channel takes them; `false` when the session failed.
  func write(_ session: OpaquePointer, to channel: SecureChannel, headers: (any HeadersWriter)? = nil) -> Bool {
    var failed = false
    while !failed, channel.waiting < FrameWriter.waitingLimit {
      while hasRoom {
        var bytes: UnsafePointer<UInt8>?
        let size = nghttp2_session_mem_send(session, &bytes)
        guard size > 0, let bytes else {
          failed = size < 0
          break
        }
        // nghttp2 gives one frame per call; byte 3 is its type.
        if let headers, size >= 9, bytes[3] == FrameWriter.headersType {
          guard let written = headers.writeHeaders(bytes, to: block + count) else { return false }
          count += written
        } else {
          append(bytes, size)
        }
      }
      if count == 0 { break }
      channel.write(block, count)
      count = 0
      channel.flush()
    }
    return !failed
  }
}
