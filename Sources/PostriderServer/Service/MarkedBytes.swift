internal import Delivery
internal import StoreModel
internal import WireJSON

/// What was written of a message with marks, cut at them.
struct MarkedBytes {
  /// Where a mark was.
  struct Cut {
    /// In `body`.
    let offset: Int
    /// Which placeholder it represents.
    let number: Int
    /// How often a text there is escaped.
    let depth: Int
  }

  /// The bytes without the marks.
  private(set) var body: [UInt8] = []
  /// In rising order.
  private(set) var cuts: [Cut] = []

  /// Cuts bytes at their marks; nil when writing has changed one.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, _ message: MarkedMessage) {
    body.reserveCapacity(bytes.count)
    var (start, index) = (0, 0)
    while index < bytes.count {
      guard unsafe bytes[index] == MarkedMessage.open[0], unsafe bytes[index...].starts(with: MarkedMessage.open) else {
        index += 1
        continue
      }
      unsafe body.append(contentsOf: bytes[start..<index])
      guard let (number, depth, end) = unsafe MarkedBytes.mark(bytes, at: index), number < message.placeholders.count
      else {
        return nil
      }
      cuts.append(Cut(offset: body.count, number: number, depth: depth))
      (start, index) = (end, end)
    }
    unsafe body.append(contentsOf: bytes[start...])
  }

  private static func mark(
    _ body: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> (number: Int, depth: Int, end: Int)? {
    var index = start + MarkedMessage.open.count
    var number = 0
    let digits = index
    while index < body.count, unsafe (0x30...0x39).contains(body[index]), index - digits < 6 {
      number = unsafe number * 10 + Int(body[index] - 0x30)
      index += 1
    }
    guard index > digits else { return nil }
    var backslashes = 0
    while index < body.count, unsafe body[index] == UInt8(ascii: "\\") {
      (index, backslashes) = (index + 1, backslashes + 1)
    }
    // Each time a text is escaped, the quotation mark's n backslashes become 2n + 1.
    guard let depth = [1: 1, 3: 2, 7: 3][backslashes], index < body.count, unsafe body[index] == UInt8(ascii: "\""),
      unsafe body[(index + 1)...].starts(with: MarkedMessage.close)
    else { return nil }
    return (number, depth, index + 1 + MarkedMessage.close.count)
  }

  /// The bytes with a text instead of each mark, escaped as those of recipients are.
  func filled(_ text: (_ number: Int) -> String) -> [UInt8] {
    var escaper = TextEscaper()
    var bytes: [UInt8] = []
    var start = 0
    for cut in cuts {
      bytes += body[start..<cut.offset]
      var text = text(cut.number)
      text.withUTF8 { _ = unsafe escaper.escape($0, depth: cut.depth) { unsafe bytes += $0 } }
      start = cut.offset
    }
    bytes += body[start...]
    return bytes
  }
}

extension MarkedMessage {
  /// A payload with the offsets of the recipients' values, of which `cuts` says where they are in it, if its beginning has
  /// `shift` bytes more.
  func templated(
    _ payload: RenderedPayload, _ cuts: [MarkedBytes.Cut], shift: Int = 0, needs: NeededTexts
  ) -> RenderedPayload {
    var payload = payload
    payload.placeholders = cuts.map { cut in
      let found = placeholders[cut.number]
      return RenderedPayload.Placeholder(
        offset: cut.offset + shift, name: found.name, fallback: found.fallback, depth: cut.depth,
        template: found.template, need: needs.need(of: cut.number, for: payload.kinds))
    }
    return payload
  }
}
