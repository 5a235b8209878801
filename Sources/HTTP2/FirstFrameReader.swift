/// Looks at the first frame of a server.
///
/// A GOAWAY there is a protocol error to nghttp2, yet APNs refuses connections that way, with the reason in its debug
/// data (trap 2): it is read here.
package struct FirstFrameReader {
  package enum Step {
    /// The first frame is past: use the bytes that were given.
    case passing
    /// More bytes are needed.
    case waiting
    /// The first frame is not GOAWAY: use all the bytes buffered so far.
    case settled([UInt8])
    /// The first frame is GOAWAY.
    case goAway(HTTP2GoAway)
  }

  private static let headerBytes = 9
  private static let goAwayType: UInt8 = 7
  private static let lengthLimit = 16_384

  private var held: [UInt8] = []
  private var done = false

  package init() {}

  package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Step {
    if done { return .passing }
    unsafe held.append(contentsOf: bytes)
    guard held.count >= FirstFrameReader.headerBytes else { return .waiting }
    let length = Int(held[0]) << 16 | Int(held[1]) << 8 | Int(held[2])
    guard held[3] == FirstFrameReader.goAwayType, (8...FirstFrameReader.lengthLimit).contains(length) else {
      return settle()
    }
    guard held.count >= FirstFrameReader.headerBytes + length else { return .waiting }
    done = true
    let data = held[(FirstFrameReader.headerBytes + 8)..<(FirstFrameReader.headerBytes + length)]
    return .goAway(
      HTTP2GoAway(
        lastStreamID: Int32(bitPattern: number(at: 9) & 0x7FFF_FFFF), code: HTTP2ErrorCode(rawValue: number(at: 13)),
        debugData: Array(data.prefix(HTTP2GoAway.debugDataLimit))))
  }

  private mutating func settle() -> Step {
    done = true
    defer { held = [] }
    return .settled(held)
  }

  private func number(at offset: Int) -> UInt32 {
    held[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
