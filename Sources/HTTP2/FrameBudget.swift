/// Counts the frames that a peer sends and reports a flood: more frames than the work of the connection explains.
///
/// PING, SETTINGS, PRIORITY, ALTSVC, WINDOW_UPDATE, unknown types, empty DATA and HEADERS cost a peer nothing to send.
/// RFC 9113 section 10.5 asks an endpoint to watch for them. nghttp2 skips some of these frames without a callback, so
/// this reads the frame headers itself.
///
/// Each frame costs one unit of a budget, except DATA with at least ``dataBytesMin`` bytes. Finished exchanges and time
/// refill the budget up to ``burst``.
package struct FrameBudget: Sendable {
  /// How many frames may come before any work is done.
  package static let burst = 10_000
  /// What each finished request adds.
  package static let perRequest = 64
  /// What each second adds.
  package static let perSecond = 100
  /// A DATA frame with this many bytes carries data and costs nothing, in bytes.
  package static let dataBytesMin = 1024

  private static let headerBytes = 9
  private static let second: Int64 = 1_000_000_000
  /// Frame types by number (RFC 9113 section 6, RFC 7838, RFC 8336, RFC 9218); the last row is any other.
  private static let names = [
    "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
    "CONTINUATION", "ALTSVC", "unknown", "ORIGIN", "unknown", "unknown", "unknown", "PRIORITY_UPDATE", "unknown",
  ]

  private var left = FrameBudget.burst
  private var refilledAt: Int64
  /// Bytes of the preface or of a payload that are still to come.
  private var skip: Int
  /// The bytes of a frame header that was cut by the end of a read, in the low bytes.
  private var partial: UInt64 = 0
  private var partialBytes = 0
  private var counts: [Int]

  /// Starts with a full budget.
  ///
  /// - Parameters:
  ///   - preface: how many bytes come before the first frame: 24 from a client, none from a server.
  ///   - now: the monotonic clock, in nanoseconds.
  package init(preface: Int = 0, now: Int64) {
    skip = preface
    refilledAt = now
    counts = Array(repeating: 0, count: Self.names.count)
  }

  /// A request was finished.
  package mutating func earn() {
    left = min(left + Self.perRequest, Self.burst)
  }

  /// Reads bytes as they come off the wire; the name of a flood when the budget is used up.
  package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, at now: Int64) -> String? {
    refill(now)
    var index = 0
    while index < bytes.count {
      if skip > 0 {
        let step = min(skip, bytes.count - index)
        skip -= step
        index += step
      } else if partialBytes == 0, bytes.count - index >= Self.headerBytes {
        let length = unsafe Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
        index += Self.headerBytes
        unsafe charge(type: bytes[index - 6], length: length)
      } else {
        unsafe materialize(bytes[index])
        index += 1
      }
    }
    return left < 0 ? flood : nil
  }

  /// Takes one byte of a frame header that came in pieces: three of length, one of type, five that do not matter here.
  private mutating func materialize(_ byte: UInt8) {
    if partialBytes < 4 { partial = partial << 8 | UInt64(byte) }
    partialBytes += 1
    guard partialBytes == Self.headerBytes else { return }
    let (type, length) = (UInt8(truncatingIfNeeded: partial), Int(partial >> 8))
    partial = 0
    partialBytes = 0
    charge(type: type, length: length)
  }

  private mutating func charge(type: UInt8, length: Int) {
    skip = length
    if type == 0, length >= Self.dataBytesMin { return }
    left -= 1
    counts[min(Int(type), Self.names.count - 1)] &+= 1
  }

  private mutating func refill(_ now: Int64) {
    let elapsed = now - refilledAt
    guard elapsed >= Self.second else { return }
    refilledAt = now
    let earned = min(elapsed / Self.second, Int64(Self.burst)) * Int64(Self.perSecond)
    left = min(left + Int(earned), Self.burst)
  }

  private var flood: String {
    let most = counts.indices.max { counts[$0] < counts[$1] } ?? 0
    return "ENHANCE_YOUR_CALM: a flood of frames that carry nothing, most of them \(Self.names[most])"
  }
}
