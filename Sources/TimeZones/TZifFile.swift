/// The parts of a TZif file (RFC 9636) that a clock needs.
struct TZifFile {
  var changes: [ZoneRules.Change] = []
  var first = 0
  var footer: PosixZone?
  var countsLeapSeconds = false

  /// Reads a file; nil when it is cut short, or its numbers do not fit together.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard let header = Header(&reader) else { return nil }
    if header.version == 0 {
      guard read(header, &reader, timeBytes: 4) else { return nil }
      return
    }
    // Files of version 2 and later begin with a block of version 1 that old readers understand.
    guard reader.skip(header.size(timeBytes: 4)), let whole = Header(&reader),
      read(whole, &reader, timeBytes: 8), let text = reader.footer()
    else { return nil }
    if text.isEmpty { return }
    guard let rule = PosixZone(text) else { return nil }
    footer = rule
  }

  private mutating func read(_ header: Header, _ reader: inout Reader, timeBytes: Int) -> Bool {
    guard header.types > 0, reader.has(header.size(timeBytes: timeBytes)) else { return false }
    var times: [Int64] = []
    for _ in 0..<header.times { times.append(timeBytes == 8 ? reader.int64() : Int64(reader.int32())) }
    var kinds: [Int] = []
    for _ in 0..<header.times { kinds.append(Int(reader.byte())) }
    var offsets: [Int] = []
    for _ in 0..<header.types {
      offsets.append(Int(reader.int32()))
      _ = reader.skip(2)
    }
    countsLeapSeconds = header.leaps > 0
    _ = reader.skip(header.characters + header.leaps * (timeBytes + 4) + header.standards + header.universals)
    first = offsets[0]
    var offset = first
    for (index, (time, kind)) in zip(times, kinds).enumerated() {
      guard kind < offsets.count, abs(offsets[kind]) <= 26 * 3_600, index == 0 || time > times[index - 1] else {
        return false
      }
      // Names and daylight flags change too; only the offset matters to a clock.
      if offsets[kind] != offset { changes.append(ZoneRules.Change(at: time, offset: offsets[kind])) }
      offset = offsets[kind]
    }
    // The rule of the footer holds from the last listed change on, also when that one changed only a name.
    if let last = times.last, changes.last.map({ $0.at < last }) ?? true {
      changes.append(ZoneRules.Change(at: last, offset: offset))
    }
    return true
  }

  private struct Header {
    let version: UInt8
    let universals, standards, leaps, times, types, characters: Int

    init?(_ reader: inout Reader) {
      guard reader.has(44), reader.int32() == 0x545A_6966 else { return nil }
      version = reader.byte()
      _ = reader.skip(15)
      universals = Int(reader.int32())
      standards = Int(reader.int32())
      leaps = Int(reader.int32())
      times = Int(reader.int32())
      types = Int(reader.int32())
      characters = Int(reader.int32())
      for count in [universals, standards, leaps, times, types, characters] where count < 0 || count > 65_536 {
        return nil
      }
    }

    func size(timeBytes: Int) -> Int {
      times * (timeBytes + 1) + types * 6 + characters + leaps * (timeBytes + 4) + standards + universals
    }
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    func has(_ count: Int) -> Bool { count <= bytes.count - position }

    mutating func skip(_ count: Int) -> Bool {
      guard has(count) else { return false }
      position += count
      return true
    }

    mutating func byte() -> UInt8 {
      defer { position += 1 }
      return bytes[position]
    }

    mutating func int32() -> Int32 {
      var value: UInt32 = 0
      for _ in 0..<4 { value = value << 8 | UInt32(byte()) }
      return Int32(bitPattern: value)
    }

    mutating func int64() -> Int64 {
      let high = Int64(int32())
      return high << 32 | Int64(UInt32(bitPattern: int32()))
    }

    /// The text between two line feeds at the end.
    mutating func footer() -> [UInt8]? {
      guard has(2), byte() == 0x0A, let end = bytes[position...].firstIndex(of: 0x0A) else { return nil }
      return Array(bytes[position..<end])
    }
  }
}
