public import Basics

/// Writes minified JSON into a buffer that is reused: once it has grown, nothing is allocated.
///
/// The writer inserts commas. It does not check structure: that keys are only in objects and that every container is
/// closed is up to the caller.
///
/// Each value is followed by a comma immediately, and closing a container or taking the result removes the last comma.
/// So the bytes are the only state, and going back to a mark is an assignment.
///
/// `@safe`: every write asks for room first, beyond which `slack` may be overwritten; it cannot be copied, so
/// `deinit` frees the buffer once.
@safe public struct JSONWriter: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  /// Bytes written, with the comma behind the last value.
  @usableFromInline var used = 0
  @usableFromInline var capacity: Int

  /// Bytes behind `capacity` that may be overwritten without asking.
  @usableFromInline static var slack: Int { @inline(__always) @inlinable get { 32 } }

  /// An empty buffer with room for `capacity` bytes; it grows when needed.
  public init(capacity: Int = 1024) {
    self.capacity = max(capacity, 64)
    unsafe base = .allocate(capacity: self.capacity + JSONWriter.slack)
  }

  deinit { unsafe base.deallocate() }

  /// The number of bytes of the text so far.
  @inlinable public var count: Int { endsWithComma ? used - 1 : used }

  /// Whether nothing was written.
  @inlinable public var isEmpty: Bool { used == 0 }

  /// A copy of the text so far.
  @inlinable public var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: base, count: count)) }

  /// The text so far as a string.
  public var text: String { unsafe String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }

  /// Hands out the text so far without a copy; the pointer is valid inside `body` only.
  @inlinable
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeBufferPointer(start: base, count: count))
  }

  /// Forgets the text and keeps the memory.
  @inlinable public mutating func removeAll() { used = 0 }

  @usableFromInline
  var endsWithComma: Bool { @inline(__always) @inlinable get { unsafe used > 0 && base[used &- 1] == 0x2C } }

  /// Makes sure that `count` bytes and the slack can be written.
  @inline(__always) @inlinable
  mutating func reserve(_ count: Int) {
    if capacity &- used < count { grow(count) }
  }

  @inline(never) @usableFromInline
  mutating func grow(_ count: Int) {
    let roomier = max(capacity * 2, used + count)
    let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: roomier + JSONWriter.slack)
    unsafe grown.update(from: base, count: used)
    unsafe base.deallocate()
    unsafe base = unsafe grown
    capacity = roomier
  }
}

// Safe: the buffer has exactly one owner, because the type cannot be copied, and no pointer to it leaves `withBytes`.
extension JSONWriter: @unchecked Sendable {}

// MARK: Containers

extension JSONWriter {
  /// Opens an object.
  @inlinable public mutating func beginObject() { open(0x7B) }
  /// Closes the innermost object.
  @inlinable public mutating func endObject() { close(0x7D) }
  /// Opens an array.
  @inlinable public mutating func beginArray() { open(0x5B) }
  /// Closes the innermost array.
  @inlinable public mutating func endArray() { close(0x5D) }

  /// A position in the text to go back to; valid until something before it is changed.
  public struct Mark: Sendable, Hashable {
    @usableFromInline let used: Int
    @inlinable init(used: Int) { self.used = used }
  }

  /// The current position, before a key or a value.
  @inlinable public func mark() -> Mark { Mark(used: used) }

  /// Drops everything written since `mark`.
  @inlinable public mutating func rollback(to mark: Mark) {
    precondition(mark.used <= used, "the mark lies behind the end of the text")
    used = mark.used
  }

  /// Closes the innermost object, or drops everything since `mark` (its key included) when nothing was written into
  /// it.
  @inlinable public mutating func endObject(orRollbackTo mark: Mark) {
    if unsafe used > 0 && base[used &- 1] == 0x7B { rollback(to: mark) } else { endObject() }
  }

  /// Closes the innermost array, or drops everything since `mark` (its key included) when nothing was written into it.
  @inlinable public mutating func endArray(orRollbackTo mark: Mark) {
    if unsafe used > 0 && base[used &- 1] == 0x5B { rollback(to: mark) } else { endArray() }
  }

  @inline(__always) @inlinable
  mutating func open(_ bracket: UInt8) {
    reserve(1)
    unsafe base[used] = bracket
    used &+= 1
  }

  @inline(__always) @inlinable
  mutating func close(_ bracket: UInt8) {
    reserve(2)
    let end = endsWithComma ? used &- 1 : used
    unsafe base[end] = bracket
    unsafe base[end &+ 1] = 0x2C
    used = end &+ 2
  }
}

// MARK: Scalars

extension JSONWriter {
  /// Writes `null`.
  @inlinable public mutating func null() { verbatim("null,") }

  /// Writes `true` or `false`.
  @inlinable public mutating func bool(_ value: Bool) { if value { verbatim("true,") } else { verbatim("false,") } }

  #if _pointerBitWidth(_32)
    /// Writes an integer.
    @inlinable public mutating func int(_ value: Int) { int(WholeNumber(value)) }
  #endif

  /// Writes an integer.
  @inlinable public mutating func int(_ value: WholeNumber) {
    reserve(21)
    if value < 0 {
      unsafe base[used] = 0x2D
      used &+= 1
    }
    digits(UInt64(value.magnitude))
  }

  #if !_pointerBitWidth(_32)
    /// Writes an integer as a string, such as `"60"`, or `"60s"` with a unit.
    package mutating func text(of value: WholeNumber, unit: UInt8? = nil) {
      reserve(25)
      unsafe base[used] = 0x22
      used &+= 1
      int(value)
      // Instead of the comma.
      used &-= 1
      if let unit {
        unsafe base[used] = unit
        used &+= 1
      }
      unsafe base[used] = 0x22
      unsafe base[used &+ 1] = 0x2C
      used &+= 2
    }
  #else
    package mutating func text(of value: WholeNumber, unit: UInt8? = nil) {
      string(unit == nil ? "\(value)" : "\(value)s")
    }
  #endif

  /// Writes an unsigned integer.
  @inlinable public mutating func uint(_ value: UInt64) {
    reserve(21)
    digits(value)
  }

  /// Writes a number with its own text.
  @inlinable public mutating func number(_ value: JSONNumber) { raw(value.text) }

  /// Writes a value that is JSON text already.
  ///
  /// Nothing is checked: pass only what this module wrote or read.
  @inlinable public mutating func raw(_ json: [UInt8]) { unsafe json.withUnsafeBufferPointer { unsafe raw($0) } }

  /// Writes a value that is JSON text already.
  ///
  /// Nothing is checked: pass only what this module wrote or read.
  @inlinable public mutating func raw(_ json: UnsafeBufferPointer<UInt8>) {
    reserve(json.count &+ 1)
    if let start = json.baseAddress { unsafe copy(start, json.count, to: base + used) }
    used &+= json.count
    unsafe base[used] = 0x2C
    used &+= 1
  }

  /// Writes a value that is JSON text already.
  ///
  /// Nothing is checked: pass only what this module wrote or read.
  @inlinable public mutating func raw(_ json: String) { unsafe withUTF8(of: json) { unsafe $0.raw($1) } }

  /// Writes JSON text that goes on, such as brackets and names known when the program is written, as it is: neither a comma
  /// nor a quote is added.
  package mutating func literal(_ json: StaticString) {
    reserve(json.utf8CodeUnitCount)
    unsafe copy(json.utf8Start, json.utf8CodeUnitCount, to: base + used)
    used &+= json.utf8CodeUnitCount
  }

  @inline(__always) @inlinable
  mutating func verbatim(_ text: StaticString) {
    reserve(text.utf8CodeUnitCount)
    unsafe (base + used).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    used &+= text.utf8CodeUnitCount
  }

  /// Writes decimal digits and the comma; room for 21 bytes must be there.
  @inline(__always) @inlinable
  mutating func digits(_ value: UInt64) {
    var length = 1
    var bound: UInt64 = 10
    while value >= bound {
      length &+= 1
      if length == 20 { break }
      bound &*= 10
    }
    var rest = value
    var target = unsafe base + used + length
    unsafe target.pointee = 0x2C
    repeat {
      unsafe target -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      unsafe target.pointee = 0x30 &+ UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest != 0
    used &+= length &+ 1
  }
}
