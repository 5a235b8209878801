internal import Basics

/// Reads a chunked body as it arrives (RFC 9112 section 7.1): bytes in, pieces of the body out.
///
/// Stricter than the grammar, as a proxy in front may read otherwise: no space around a size.
package struct ChunkDecoder: Sendable {
  /// What was found.
  package enum Step: Sendable, Hashable {
    /// A piece of the body, as a range of the input.
    case piece(Range<Int>)
    /// More input is needed.
    case more
    /// The body and its trailer are complete.
    case end
  }

  private enum State: Sendable, Hashable {
    case size(digits: Int)
    case sizeExtension
    case sizeLF
    case data
    case dataCR, dataLF
    case trailerStart, trailerName, trailerValue, trailerLF
    case lastLF
    case end
  }

  /// Bytes of extensions and trailers, which are read and dropped, in one body.
  static let droppedBytesMax = 16 * 1024
  /// Hex digits of a size: 2⁶⁰ bytes, so that no sum overflows.
  private static let sizeDigitsMax = 15

  private var state = State.size(digits: 0)
  private var remaining = 0
  private var dropped = 0

  package init() {}

  /// Goes on at `index`, and moves it behind what was read.
  package mutating func next(_ input: Span<UInt8>, _ index: inout Int) throws(HTTPFault) -> Step {
    while state != .end {
      guard index < input.count else { return .more }
      if state == .data {
        let count = min(remaining, input.count - index)
        let piece = index..<index + count
        index += count
        remaining -= count
        if remaining == 0 { state = .dataCR }
        return .piece(piece)
      }
      try read(input[index])
      index += 1
    }
    return .end
  }

  private mutating func read(_ byte: UInt8) throws(HTTPFault) {
    switch state {
    case .size(let digits): try readSize(byte, digits)
    case .sizeExtension: try dropLine(byte, then: .sizeLF)
    case .sizeLF: try expect(byte, ASCII.lf, then: remaining == 0 ? .trailerStart : .data)
    case .dataCR: try expect(byte, ASCII.cr, then: .dataLF)
    case .dataLF: try expect(byte, ASCII.lf, then: .size(digits: 0))
    case .trailerStart: try readTrailerStart(byte)
    case .trailerName: try readTrailerName(byte)
    case .trailerValue: try dropLine(byte, then: .trailerLF)
    case .trailerLF: try expect(byte, ASCII.lf, then: .trailerStart)
    case .lastLF: try expect(byte, ASCII.lf, then: .end)
    case .data, .end: break
    }
  }

  private mutating func readSize(_ byte: UInt8, _ digits: Int) throws(HTTPFault) {
    if let value = Hex.value(byte) {
      guard digits < Self.sizeDigitsMax else { throw .badChunk }
      remaining = (digits == 0 ? 0 : remaining) << 4 | Int(value)
      state = .size(digits: digits + 1)
      return
    }
    guard digits > 0 else { throw .badChunk }
    switch byte {
    case ASCII.cr: state = .sizeLF
    case UInt8(ascii: ";"): state = .sizeExtension
    default: throw .badChunk
    }
  }

  private mutating func readTrailerStart(_ byte: UInt8) throws(HTTPFault) {
    if byte == ASCII.cr { return state = .lastLF }
    guard ASCII.isToken(byte) else { throw .badChunk }
    state = .trailerName
    try drop()
  }

  private mutating func readTrailerName(_ byte: UInt8) throws(HTTPFault) {
    if byte == UInt8(ascii: ":") { state = .trailerValue } else if !ASCII.isToken(byte) { throw .badChunk }
    try drop()
  }

  private mutating func dropLine(_ byte: UInt8, then next: State) throws(HTTPFault) {
    if byte == ASCII.cr { return state = next }
    guard ASCII.isFieldByte(byte) else { throw .badChunk }
    try drop()
  }

  private mutating func drop() throws(HTTPFault) {
    dropped += 1
    guard dropped <= Self.droppedBytesMax else { throw .headTooLong(limit: Self.droppedBytesMax) }
  }

  private mutating func expect(_ byte: UInt8, _ wanted: UInt8, then next: State) throws(HTTPFault) {
    guard byte == wanted else { throw .badChunk }
    state = next
  }
}
