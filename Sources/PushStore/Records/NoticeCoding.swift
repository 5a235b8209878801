internal import StoreModel

/// The encoding of queued notices: kind, delivery, time, length of the text, text; little-endian.
enum NoticeCoding {
  static func append(_ notice: Notice, to bytes: inout [UInt8]) {
    bytes.append(notice.kind.rawValue)
    for number in [notice.delivery.rawValue, notice.at.milliseconds] {
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
    }
    let text = Array(notice.text.utf8.prefix(255))
    bytes.append(UInt8(text.count))
    bytes += text
  }

  /// What cannot be read is left out.
  static func decode(_ bytes: [UInt8]) -> [Notice] {
    var notices: [Notice] = []
    var offset = 0
    func number(_ start: Int) -> Int64 {
      (0..<8).reduce(0) { $0 | Int64(bytes[start + $1]) << Int64($1 * 8) }
    }
    while offset + 18 <= bytes.count {
      let length = Int(bytes[offset + 17])
      guard offset + 18 + length <= bytes.count else { break }
      if let kind = NoticeKind(rawValue: bytes[offset]) {
        notices.append(
          Notice(
            kind, delivery: DeliveryID(rawValue: number(offset + 1)), at: Timestamp(milliseconds: number(offset + 9)),
            text: String(decoding: bytes[offset + 18..<offset + 18 + length], as: UTF8.self)))
      }
      offset += 18 + length
    }
    return notices
  }
}
