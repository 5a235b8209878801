/// A list of keys with constant-time lookup of a name's index, for readers that walk the members of an object once.
///
/// ```swift
/// let keys = JSONKeyTable(["title", "body", "sound"])
/// for (name, value) in document.members(of: alert) {
///   switch document.index(of: name, in: keys) {
///   case 0: title = document.string(value)
///   …
/// ```
///
/// A name is looked up by its first eight bytes and its length, and compared in full only with the key found there. The
/// table holds no reference, so copies are cheap; its memory is never freed, so make such tables once and keep them.
///
/// `@safe`: `mask` keeps every index within the cells.
@safe public struct JSONKeyTable {
  /// A slot for a key.
  ///
  /// `@safe`: `start` is the memory of a key, which is never freed.
  @usableFromInline
  @safe struct Cell {
    /// The first eight bytes of the key.
    @usableFromInline let head: UInt64
    @usableFromInline let start: UnsafePointer<UInt8>?
    /// The length of the key; -1 for no key.
    @usableFromInline let count: Int32
    @usableFromInline let index: Int32
  }

  /// A power of two of them, of which some are empty, so that probing ends.
  @usableFromInline let cells: UnsafePointer<Cell>
  @usableFromInline let mask: Int
  @usableFromInline let shift: UInt64
  private let start: UnsafePointer<JSONKey>
  private let count: Int

  /// The keys in their order.
  public var keys: [JSONKey] { unsafe Array(UnsafeBufferPointer(start: start, count: count)) }

  /// A table of at most 4096 different keys; traps when a key is repeated.
  public init(_ keys: [JSONKey]) {
    precondition(keys.count <= 4096, "a key table holds at most 4096 keys")
    var bits = 3
    while 1 << bits < keys.count * 4 { bits += 1 }
    shift = UInt64(64 - bits)
    mask = 1 << bits - 1
    count = keys.count
    let copies = UnsafeMutablePointer<JSONKey>.allocate(capacity: max(keys.count, 1))
    let cells = UnsafeMutablePointer<Cell>.allocate(capacity: 1 << bits)
    unsafe cells.initialize(repeating: Cell(head: 0, start: nil, count: -1, index: 0), count: 1 << bits)
    for (index, key) in keys.enumerated() {
      unsafe (copies + index).initialize(to: key)
      let head = JSONKeyTable.head(key)
      var slot = JSONKeyTable.slot(head, key.count, shift)
      while unsafe cells[slot].count >= 0 {
        unsafe precondition(keys[Int(cells[slot].index)] != key, "a key occurs twice in the table")
        slot = (slot + 1) & mask
      }
      unsafe cells[slot] = unsafe Cell(head: head, start: key.start, count: Int32(key.count), index: Int32(index))
    }
    unsafe self.cells = unsafe UnsafePointer(cells)
    unsafe start = unsafe UnsafePointer(copies)
  }

  /// The first eight bytes of a key, the first one lowest, zeros where it is shorter.
  private static func head(_ key: JSONKey) -> UInt64 {
    unsafe key.utf8.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  @inline(__always) @inlinable
  static func slot(_ head: UInt64, _ count: Int, _ shift: UInt64) -> Int {
    // The golden ratio spreads the bits upwards, where they are taken from.
    Int(truncatingIfNeeded: ((head ^ UInt64(truncatingIfNeeded: count) << 56) &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }

  /// The index of the key with these bytes, of which eight can always be read.
  @inline(__always) @inlinable
  func index(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    let word = unsafe EightBytes.load(text)
    let head = count >= 8 ? word : word & ((1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1)
    return unsafe index(head, count) { unsafe BytesEqual.isTailEqual(text, $0, count) }
  }

  /// The index of the key of so many bytes with these first ones, if the rest of it is the same, too.
  @inline(__always) @inlinable
  func index(_ head: UInt64, _ count: Int, _ isTailSame: (UnsafePointer<UInt8>) -> Bool) -> Int? {
    var slot = JSONKeyTable.slot(head, count, shift)
    while true {
      let cell = unsafe cells[slot]
      guard cell.count >= 0, let start = unsafe cell.start else { return nil }
      if cell.head == head, Int(cell.count) == count, unsafe count <= 8 || isTailSame(start) { return Int(cell.index) }
      slot = (slot &+ 1) & mask
    }
  }
}

// Safe: the memory is written before the table is there and never again, and never freed.
extension JSONKeyTable: @unchecked Sendable {}

extension JSONDocument {
  /// The index in `table` of a member's name (or another string); nil when it is none of the keys.
  @inlinable
  public func index(of name: JSONNode, in table: JSONKeyTable) -> Int? {
    let token = token(name)
    guard token.kind == .string else { return nil }
    // Sound: zeros enough for eight bytes lie behind the source.
    return unsafe token.isMarked ? indexOfEscaped(name, in: table) : table.index(source + token.offset, token.extent)
  }

  /// The same, always in place: for the names that every payload has.
  @inline(__always) @inlinable
  package func quickIndex(of name: JSONNode, in table: JSONKeyTable) -> Int? {
    let token = token(name)
    guard token.kind == .string else { return nil }
    return unsafe token.isMarked ? indexOfEscaped(name, in: table) : table.index(source + token.offset, token.extent)
  }

  @inline(never) @usableFromInline
  func indexOfEscaped(_ name: JSONNode, in table: JSONKeyTable) -> Int? {
    table.keys.firstIndex { isString(name, $0) }
  }
}

extension JSONKeyTable {
  /// The index of the key with this name; nil when it is none of the keys.
  public func index(of name: String) -> Int? {
    var name = name
    return name.withUTF8 { text in
      var head: UInt64 = 0
      var position = min(text.count, 8)
      while position > 0 {
        position &-= 1
        head = unsafe head << 8 | UInt64(text[position])
      }
      return unsafe index(head, text.count) { key in
        unsafe text.baseAddress.map { unsafe BytesEqual.isTailEqual($0, key, text.count) } ?? true
      }
    }
  }
}
