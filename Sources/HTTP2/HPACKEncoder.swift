internal import CNGHTTP2
internal import Glibc

/// Compresses request headers (RFC 7541), made for many requests that differ in their path and a few values.
///
/// nghttp2's own encoder looks every field up again for every request and spends a third of a sender's time on Huffman
/// coding of device tokens, which saves 20 bytes of 1200. Here the constant fields of a template are looked up once:
/// while the dynamic table does not change, they are one copy of ready bytes. Literals are not Huffman-coded, which is
/// cheaper for the server, too.
///
/// Invariants:
/// 1. `entries` is the peer's dynamic table: what is encoded must reach the wire, and in the order of the calls.
/// 2. `size` is the sum of the entries' sizes and at most `limit`.
final class HPACKEncoder {
  private struct Entry {
    let block: HeaderBlock
    let field: Int
    let size: Int
  }

  /// The size of the dynamic table that is used at most, in bytes; also the peer's default.
  static let defaultLimit = 4096
  private static let entryOverhead = 32
  private static let staticCount = 61

  /// Oldest first.
  private var entries: [Entry] = []
  private var size = 0
  private var limit = HPACKEncoder.defaultLimit
  /// The smallest and the last limit that the peer has announced since the last request, if any.
  private var announced: (smallest: Int, last: Int)?
  private var cache = Cache()

  /// The ready bytes of one template's constant fields.
  private struct Cache {
    var block: HeaderBlock?
    var bytes: [UInt8] = []
    /// Where `:path` goes.
    var split = 0
  }

  /// The peer's SETTINGS_HEADER_TABLE_SIZE; holds from the next request on.
  func announce(limit: UInt32) {
    let limit = min(Int(limit), HPACKEncoder.defaultLimit)
    announced = (min(announced?.smallest ?? limit, limit), limit)
  }

  /// The most bytes that a request's fields can take.
  static func bound(_ block: HeaderBlock, path: Int, values: Int) -> Int {
    block.byteCount + path + values + 16 * (block.count + 2)
  }

  /// Writes a request's fields.
  /// - Parameters:
  ///   - out: room for at least `bound` bytes.
  ///   - lengths: the lengths of the variable values, one for each, `BatchStorage.absent` for those left out; the
  ///     bytes follow one another from `values`.
  /// - Returns: the end of what was written.
  func encode(
    _ block: HeaderBlock, path: UnsafeBufferPointer<UInt8>, values: UnsafePointer<UInt8>, lengths: ArraySlice<Int32>,
    to out: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var out = unsafe announced == nil ? out : writeLimit(out)
    let ready = prepare(block)
    unsafe ready.bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe out.update(from: start, count: ready.split)
      unsafe out += ready.split
      unsafe out = unsafe HPACKEncoder.write(0x00, 4, 4, out)
      unsafe out = unsafe HPACKEncoder.write(path.baseAddress, path.count, out)
      unsafe out.update(from: start + ready.split, count: bytes.count - ready.split)
      unsafe out += bytes.count - ready.split
    }
    var value = unsafe values
    for (number, length) in lengths.enumerated() where length != BatchStorage.absent {
      unsafe out = unsafe writeVariable(block, block.firstVariable + number, value, Int(length), out)
      unsafe value += Int(length)
    }
    return unsafe out
  }

  /// A literal that is never indexed: values that differ would only push the useful entries out.
  private func writeVariable(
    _ block: HeaderBlock, _ index: Int, _ value: UnsafePointer<UInt8>, _ length: Int,
    _ out: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let name = block.staticNames[index]
    var out = unsafe HPACKEncoder.write(0x10, 4, name, out)
    if name == 0 { unsafe out = unsafe HPACKEncoder.write(block.fields[index].name, block.fields[index].namelen, out) }
    return unsafe HPACKEncoder.write(value, length, out)
  }

  // MARK: Constant fields

  private func prepare(_ block: HeaderBlock) -> Cache {
    if cache.block === block { return cache }
    var ready = Cache(block: block)
    var inserted = false
    for index in 0..<block.firstVariable {
      if index == block.pathIndex {
        ready.split = ready.bytes.count
      } else {
        inserted = append(block, index, to: &ready.bytes) || inserted
      }
    }
    if block.pathIndex == nil { ready.split = ready.bytes.count }
    // With insertions in it the block is good for this request only; the next one refers to what was inserted.
    cache = inserted ? Cache() : ready
    return ready
  }

  /// Adds one constant field; whether it was inserted into the table.
  private func append(_ block: HeaderBlock, _ index: Int, to bytes: inout [UInt8]) -> Bool {
    let whole = block.staticFields[index]
    if whole != 0 {
      HPACKEncoder.append(0x80, 7, whole, to: &bytes)
      return false
    }
    if let entry = find(block, index) {
      HPACKEncoder.append(0x80, 7, HPACKEncoder.staticCount + entries.count - entry, to: &bytes)
      return false
    }
    let field = unsafe block.fields[index]
    let entrySize = unsafe field.namelen + field.valuelen + HPACKEncoder.entryOverhead
    // An entry that would push most others out costs more than it saves.
    let inserts = block.isIndexed(index) && entrySize <= limit * 3 / 4
    let name = block.staticNames[index]
    let plain: UInt8 = block.isIndexed(index) ? 0x00 : 0x10
    HPACKEncoder.append(inserts ? 0x40 : plain, inserts ? 6 : 4, name, to: &bytes)
    if name == 0 { unsafe HPACKEncoder.append(field.name, field.namelen, to: &bytes) }
    unsafe HPACKEncoder.append(field.value, field.valuelen, to: &bytes)
    if inserts { insert(Entry(block: block, field: index, size: entrySize)) }
    return inserts
  }

  /// The index of a field in the table, the newest one when there are several.
  private func find(_ block: HeaderBlock, _ index: Int) -> Int? {
    let field = unsafe block.fields[index]
    return entries.lastIndex { entry in
      let other = unsafe entry.block.fields[entry.field]
      return unsafe other.namelen == field.namelen && other.valuelen == field.valuelen
        && memcmp(other.name, field.name, field.namelen) == 0 && memcmp(other.value, field.value, field.valuelen) == 0
    }
  }

  private func insert(_ entry: Entry) {
    evict(to: limit - entry.size)
    entries.append(entry)
    size += entry.size
    cache = Cache()
  }

  private func evict(to target: Int) {
    var count = 0
    while size > target, count < entries.count {
      size -= entries[count].size
      count += 1
    }
    if count > 0 {
      entries.removeFirst(count)
      cache = Cache()
    }
  }

  /// Writes the dynamic table size update that acknowledges the peer's new limit (RFC 7541 section 4.2): the smallest
  /// in between, then the last.
  private func writeLimit(_ out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    guard let (smallest, last) = announced else { return unsafe out }
    announced = nil
    guard smallest != limit || last != limit else { return unsafe out }
    var out = unsafe out
    if smallest < last { unsafe out = unsafe HPACKEncoder.write(0x20, 5, smallest, out) }
    unsafe out = unsafe HPACKEncoder.write(0x20, 5, last, out)
    evict(to: smallest)
    limit = last
    return unsafe out
  }

  // MARK: Integers and strings (RFC 7541 section 5)

  private static func write(_ mark: UInt8, _ bits: Int, _ number: Int, _ out: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>
  {
    let most = (1 << bits) - 1
    guard number >= most else {
      unsafe out[0] = mark | UInt8(number)
      return unsafe out + 1
    }
    unsafe out[0] = mark | UInt8(most)
    var next = unsafe out + 1
    var rest = number - most
    while rest >= 128 {
      unsafe next[0] = UInt8(rest & 127 | 128)
      unsafe next += 1
      rest >>= 7
    }
    unsafe next[0] = UInt8(rest)
    return unsafe next + 1
  }

  private static func write(_ bytes: UnsafePointer<UInt8>?, _ count: Int, _ out: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>
  {
    let start = unsafe write(0x00, 7, count, out)
    if let bytes = unsafe bytes { unsafe start.update(from: bytes, count: count) }
    return unsafe start + count
  }

  private static func append(_ mark: UInt8, _ bits: Int, _ number: Int, to bytes: inout [UInt8]) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { buffer in
      guard let start = buffer.baseAddress else { return }
      let end = unsafe write(mark, bits, number, start)
      unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: end - start))
    }
  }

  private static func append(_ text: UnsafePointer<UInt8>?, _ count: Int, to bytes: inout [UInt8]) {
    append(0x00, 7, count, to: &bytes)
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text, count: count))
  }
}
