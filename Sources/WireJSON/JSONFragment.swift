/// JSON text known once and written often, in memory from which whole registers are read: a name with its quotes and colon,
/// or a member that is always the same.
///
/// Its memory is never freed, so make fragments once and keep them.
///
/// `@safe`: `count` is that of the memory, which has a register's width behind it.
@safe package struct JSONFragment {
  let start: UnsafePointer<UInt8>
  let count: Int

  /// A fragment of these bytes.
  package init(_ text: [UInt8]) {
    count = text.count
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: count + TapeMemory.padding)
    unsafe copy.initialize(repeating: 0, count: count + TapeMemory.padding)
    unsafe copy.update(from: text, count: count)
    unsafe start = unsafe UnsafePointer(copy)
  }

  /// The name of a member.
  package init(_ name: JSONKey) {
    var writer = JSONWriter()
    writer.key(name)
    unsafe self.init(writer.withBytes { unsafe Array($0) })
  }
}

// Safe: the memory is written before the fragment is there and never again, and never freed.
extension JSONFragment: @unchecked Sendable {}

extension JSONWriter {
  /// Writes a fragment as it is: what follows it is up to the caller.
  package mutating func fragment(_ fragment: JSONFragment) {
    reserve(fragment.count)
    unsafe copyRead(fragment.start, fragment.count, to: base + used)
    used &+= fragment.count
  }
}
