internal import Basics

/// An index of the names of a large object: a hash table with open addressing over the positions of its members.
///
/// Hashes are seeded for each process, so that an attacker cannot prepare names that collide. Of a repeated name the
/// last position is used.
@usableFromInline
struct JSONNameTable: Sendable {
  /// Position + 1 of a member, 0 for a free slot; a power of two, at most half full.
  private var slots: [UInt32]
  private var used = 0

  /// The table of all members.
  init(_ members: [JSONObject.Element]) {
    slots = []
    fill(members, count: members.count)
  }

  /// Adds the member at `position`, the last of `members`.
  mutating func insert(_ position: Int, _ members: [JSONObject.Element]) {
    if (used + 1) * 2 > slots.count { fill(members, count: position) }
    set(position, members)
  }

  /// The position of the last member with this name.
  func find(_ name: String, _ members: [JSONObject.Element]) -> Int? {
    let position = Int(slots[slot(of: name, members)]) - 1
    return position < 0 ? nil : position
  }

  private mutating func fill(_ members: [JSONObject.Element], count: Int) {
    var size = 128
    while size < (count + 1) * 4 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    used = 0
    for position in 0..<count { set(position, members) }
  }

  private mutating func set(_ position: Int, _ members: [JSONObject.Element]) {
    let slot = slot(of: members[position].key, members)
    if slots[slot] == 0 { used += 1 }
    slots[slot] = UInt32(truncatingIfNeeded: position + 1)
  }

  /// The slot that has this name, or the free one where it belongs.
  private func slot(of name: String, _ members: [JSONObject.Element]) -> Int {
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] != 0, !members[Int(slots[slot]) - 1].key.hasSameBytes(as: name) {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private static func hash(_ name: String) -> Int {
    var hasher = Hasher()
    var name = name
    name.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return hasher.finalize()
  }
}
