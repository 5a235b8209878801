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
/// A name is looked up by its first eight bytes and its length, and compared in full only with the key found there.
public struct JSONKeyTable: Sendable {
  /// The keys in their order.
  public let keys: [JSONKey]
  @usableFromInline let heads: [UInt64]
  /// Indexes in `keys`, or `empty`; a power of two of them, so that probing ends at an empty one.
  @usableFromInline let slots: [UInt16]
  @usableFromInline let shift: UInt64

  @usableFromInline static var empty: UInt16 { @inline(__always) @inlinable get { .max } }

  /// A table of at most 4096 different keys; traps when a key is repeated.
  public init(_ keys: [JSONKey]) {
    precondition(keys.count <= 4096, "a key table holds at most 4096 keys")
    self.keys = keys
    heads = keys.map { JSONKeyTable.head($0) }
    var bits = 3
    while 1 << bits < keys.count * 4 { bits += 1 }
    shift = UInt64(64 - bits)
    var slots = [UInt16](repeating: JSONKeyTable.empty, count: 1 << bits)
    for (index, key) in keys.enumerated() {
      var slot = JSONKeyTable.slot(heads[index], key.count, shift)
      while slots[slot] != JSONKeyTable.empty {
        precondition(keys[Int(slots[slot])] != key, "a key stands twice in the table")
        slot = (slot + 1) & (slots.count - 1)
      }
      slots[slot] = UInt16(index)
    }
    self.slots = slots
  }

  /// The first eight bytes of a key, the first one lowest, zeros where it is shorter.
  private static func head(_ key: JSONKey) -> UInt64 {
    key.utf8.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  @inline(__always) @inlinable
  static func slot(_ head: UInt64, _ count: Int, _ shift: UInt64) -> Int {
    // The golden ratio spreads the bits upwards, where they are taken from.
    Int(truncatingIfNeeded: ((head ^ UInt64(truncatingIfNeeded: count) << 56) &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }

  /// The index of the key with these bytes, of which eight can always be read.
  @inline(__always) @inlinable
  func index(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    let word = EightBytes.load(text)
    let head = count >= 8 ? word : word & ((1 << (UInt64(truncatingIfNeeded: count) &* 8)) &- 1)
    return index(head, count) { BytesEqual.isEqual(text, $0.utf8) }
  }

  /// The index of the key of so many bytes with these first ones, if the rest is the same, too.
  @inline(__always) @inlinable
  func index(_ head: UInt64, _ count: Int, _ isSame: (JSONKey) -> Bool) -> Int? {
    var slot = JSONKeyTable.slot(head, count, shift)
    while slots[slot] != JSONKeyTable.empty {
      let index = Int(slots[slot])
      if heads[index] == head, keys[index].count == count, isSame(keys[index]) { return index }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return nil
  }
}

extension JSONDocument {
  /// The index in `table` of a member's name (or another string); nil when it is none of the keys.
  @inlinable
  public func index(of name: JSONNode, in table: JSONKeyTable) -> Int? {
    let token = token(name)
    guard token.kind == .string else { return nil }
    // Sound: zeros enough for eight bytes lie behind the source.
    return token.isMarked ? indexOfEscaped(name, in: table) : table.index(source + token.offset, token.extent)
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
      var place = min(text.count, 8)
      while place > 0 {
        place &-= 1
        head = head << 8 | UInt64(text[place])
      }
      return index(head, text.count) { key in
        // The first bytes are the same, and the count is.
        var place = 8
        while place < text.count, text[place] == key.utf8[place] { place &+= 1 }
        return place >= text.count
      }
    }
  }
}
