internal import Basics

/// The members of an object in their order.
///
/// Names are compared by their UTF-8 bytes, as RFC 8259 section 8.3 advises, and not by canonical equivalence.
/// Small objects are scanned; from ``scannedMax`` members on, a table of names answers look-ups in constant time.
public struct JSONObject: Sendable {
  /// A name with its value.
  public typealias Element = (key: String, value: JSONValue)

  @usableFromInline var members: [Element]
  /// Where each name is; nil for objects that are small enough to scan.
  @usableFromInline var names: JSONNameTable?

  /// The most members that are scanned; larger objects have a table of their names.
  public static let scannedMax = 32

  /// An object without members.
  @inlinable public init() {
    members = []
    names = nil
  }

  /// An object with these members in this order; when a name is repeated, the last value wins and takes the position of
  /// the first.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    self.init()
    for (key, value) in members { self[key] = value }
  }

  /// The names in their order.
  public var keys: [String] { members.map { $0.key } }

  /// The value of a member.
  ///
  /// Setting replaces the value in its position, or appends a new member; setting nil removes it.
  ///
  /// - Complexity: O(1) to read and to set, O(*n*) to remove, in the number of members.
  public subscript(key: String) -> JSONValue? {
    @inline(never) get { index(of: key).map { members[$0].value } }
    @inline(never) set {
      guard let newValue else {
        removeValue(forKey: key)
        return
      }
      if let index = index(of: key) { members[index].value = newValue } else { append(key, newValue) }
    }
  }

  /// Changes the object that a member holds where it is, without a copy; nothing happens when there is no such member or it
  /// holds something else.
  public mutating func changeObject(_ key: String, _ change: (inout JSONObject) -> Void) {
    guard let index = index(of: key), case .object(var object) = members[index].value else { return }
    members[index].value = .null
    change(&object)
    members[index].value = .object(object)
  }

  /// Adds a member at the end without looking whether the name is there already; a repeated name would be written
  /// twice, so use it only for names known to be new.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inlinable
  #endif
  public mutating func append(_ key: String, _ value: JSONValue) {
    members.append((key, value))
    if members.count > JSONObject.scannedMax { indexNewest() }
  }

  /// Adds the newest member to the table of names, which begins with the first member that is too many to scan.
  @inline(never) @usableFromInline
  mutating func indexNewest() {
    if names == nil { names = JSONNameTable(members) } else { names?.insert(members.count - 1, members) }
  }

  /// Removes a member and returns its value; nil when there was none.
  ///
  /// - Complexity: O(*n*) in the number of members; ``removeAll(where:)`` removes many in one pass.
  @discardableResult @inline(never)
  public mutating func removeValue(forKey key: String) -> JSONValue? {
    guard let index = index(of: key) else { return nil }
    let value = members.remove(at: index).value
    indexAgain()
    return value
  }

  /// Removes the members for which `isRemoved` is true; the others keep their order.
  public mutating func removeAll(where isRemoved: (Element) -> Bool) {
    members.removeAll(where: isRemoved)
    indexAgain()
  }

  private mutating func indexAgain() {
    guard names != nil else { return }
    names = members.count > JSONObject.scannedMax ? JSONNameTable(members) : nil
  }

  /// Makes room for `count` members.
  public mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

  /// The index of the member with this name.
  @inline(never)
  public func index(of key: String) -> Int? {
    if let names { return names.find(key, members) }
    // By index: a closure would get a copy of each member.
    return unsafe members.withUnsafeBufferPointer { members in
      var index = members.count
      while index > 0 {
        index -= 1
        if unsafe members[index].key.hasSameBytes(as: key) { return index }
      }
      return Optional.none
    }
  }

  /// Whether both have the same names with equivalent values, in whatever order.
  public func isEquivalent(to other: JSONObject) -> Bool {
    guard count == other.count else { return false }
    let mine = sortedByName()
    let theirs = other.sortedByName()
    return mine.indices.allSatisfy {
      mine[$0].key.hasSameBytes(as: theirs[$0].key) && mine[$0].value.isEquivalent(to: theirs[$0].value)
    }
  }

  private func sortedByName() -> [Element] {
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}

extension JSONObject: RandomAccessCollection {
  /// 0.
  @inlinable public var startIndex: Int { 0 }
  /// The number of members.
  @inlinable public var endIndex: Int { members.count }
  /// The member at an index.
  @inlinable public subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: Hashable {
  /// Whether both have the same names and values in the same order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    return left.members.indices.allSatisfy {
      left.members[$0].key.hasSameBytes(as: right.members[$0].key) && left.members[$0].value == right.members[$0].value
    }
  }

  /// Feeds names and values in their order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for (key, value) in members {
      key.hashBytes(into: &hasher)
      hasher.combine(value)
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with these members in this order; the last value of a repeated name wins.
  @inline(never)
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init()
    reserveCapacity(elements.count)
    for (key, value) in elements { self[key] = value }
  }
}

extension String {
  func hashBytes(into hasher: inout Hasher) {
    for byte in utf8 { hasher.combine(byte) }
    hasher.combine(UInt8(0xFF))
  }
}
