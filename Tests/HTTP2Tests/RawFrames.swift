import HTTP2

/// HTTP/2 frames made by hand, right or wrong (RFC 9113 section 4.1).
enum Raw {
  static let endStream: UInt8 = 0x1
  static let ack: UInt8 = 0x1
  static let endHeaders: UInt8 = 0x4
  static let padded: UInt8 = 0x8
  static let priority: UInt8 = 0x20

  static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
    Array(number(UInt32(payload.count)).dropFirst()) + [type, flags] + number(stream) + payload
  }

  static func number(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

  static func data(_ stream: UInt32, _ payload: [UInt8], flags: UInt8 = 0) -> [UInt8] {
    frame(0, flags, stream, payload)
  }

  /// HEADERS with END_HEADERS and, when asked for, END_STREAM.
  static func headers(_ stream: UInt32, _ block: [UInt8], end: Bool = true) -> [UInt8] {
    frame(1, endHeaders | (end ? endStream : 0), stream, block)
  }

  /// A whole answer: status 200, nothing else.
  static func answer(_ stream: UInt32) -> [UInt8] { headers(stream, ok) }

  static func settings(_ values: [(id: UInt16, value: UInt32)] = [], flags: UInt8 = 0, stream: UInt32 = 0) -> [UInt8] {
    frame(4, flags, stream, values.flatMap { [UInt8($0.id >> 8), UInt8($0.id & 255)] + number($0.value) })
  }

  static func goAway(last: UInt32, code: UInt32 = 0) -> [UInt8] { frame(7, 0, 0, number(last) + number(code)) }

  static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] { frame(8, 0, stream, number(increment)) }

  /// HPACK: the indexed field `:status: 200`.
  static let ok: [UInt8] = [0x88]

  /// HPACK: a literal field that is not indexed.
  static func field(_ name: String, _ value: String) -> [UInt8] { field(name, Array(value.utf8)) }

  static func field(_ name: String, _ value: [UInt8]) -> [UInt8] {
    [0x00, UInt8(name.utf8.count)] + Array(name.utf8) + length(value.count) + value
  }

  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 127 else { return [UInt8(count)] }
    var bytes: [UInt8] = [127]
    var rest = count - 127
    while rest >= 128 {
      bytes.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
