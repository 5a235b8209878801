package import HTTP2

/// The texts of many sends, in one block of memory: what each of them puts into the gaps of a body that is laid out once.
///
/// A row is one send's: a text for each gap, in the order of the gaps, as it appears in the body.
public struct SendTexts: Sendable {
  /// How many texts a row has.
  public let perRow: Int
  private var bytes: [UInt8] = []
  /// Where each text ends in `bytes`; it begins where the one before it ends.
  private var ends: [Int] = []

  /// No rows yet.
  ///
  /// - Parameters:
  ///   - perRow: how many texts a row has.
  ///   - rows: for how many rows room is made.
  public init(perRow: Int, rows: Int = 0) {
    self.perRow = perRow
    ends.reserveCapacity(perRow * rows)
  }

  /// How many rows are complete.
  public var count: Int { perRow == 0 ? 0 : ends.count / perRow }

  /// The bytes of all rows together.
  public var bytesCount: Int { bytes.count }

  /// Adds the next text of the row that is being written.
  public mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    unsafe bytes.append(contentsOf: text)
    ends.append(bytes.count)
  }

  /// Adds the next text of the row that is being written.
  public mutating func append(_ text: [UInt8]) { unsafe text.withUnsafeBufferPointer { unsafe append($0) } }

  /// Drops what lies behind the first `rows` rows.
  public mutating func truncate(to rows: Int) {
    guard ends.count > rows * perRow else { return }
    ends.removeSubrange((rows * perRow)...)
    bytes.removeSubrange((ends.last ?? 0)...)
  }

  /// The texts of a row.
  public func texts(of row: Int) -> [[UInt8]] {
    (0..<perRow).map { gap in
      let (start, end) = bounds(row, gap)
      return Array(bytes[start..<end])
    }
  }

  private func bounds(_ row: Int, _ gap: Int) -> (start: Int, end: Int) {
    let index = row * perRow + gap
    return (index == 0 ? 0 : ends[index - 1], ends[index])
  }

  fileprivate func write(_ row: Int, _ gap: Int, to wire: inout HTTP2RequestBatch) {
    let (start, end) = bounds(row, gap)
    let all = bytes
    wire.body(all.span.extracting(start..<end))
  }
}

/// Bytes that are laid out once, with gaps that each send fills with texts of its own.
public struct GappedBytes: Sendable {
  /// What every send has, without the texts.
  public let bytes: [UInt8]
  /// Where the gaps are in `bytes`, in rising order.
  public let gaps: [Int]

  /// Lays bytes out.
  public init(_ bytes: [UInt8], gaps: [Int]) {
    precondition(zip(gaps, gaps.dropFirst()).allSatisfy { $0 <= $1 }, "the gaps are not in rising order")
    precondition((gaps.first ?? 0) >= 0 && (gaps.last ?? 0) <= bytes.count, "a gap lies outside of the bytes")
    self.bytes = bytes
    self.gaps = gaps
  }

  /// The bytes with the texts of a row from its text number `first` on.
  package func filled(_ texts: SendTexts, row: Int, first: Int = 0) -> [UInt8] {
    let fills = texts.texts(of: row).dropFirst(first)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + fills.reduce(0) { $0 + $1.count })
    var start = 0
    for (gap, text) in zip(gaps, fills) {
      result.append(contentsOf: bytes[start..<gap])
      result.append(contentsOf: text)
      start = gap
    }
    result.append(contentsOf: bytes[start...])
    return result
  }

  /// Adds the bytes to the body of a request, with the texts of a row from its text number `first` on.
  package func write(_ texts: SendTexts, row: Int, first: Int = 0, to wire: inout HTTP2RequestBatch) {
    let all = bytes
    var start = 0
    for (number, gap) in gaps.enumerated() {
      if gap > start { wire.body(all.span.extracting(start..<gap)) }
      texts.write(row, first + number, to: &wire)
      start = gap
    }
    wire.body(all.span.extracting(start..<all.count))
  }
}
