/// A member name known when the program is written, ready for writing and comparing without any allocation.
///
/// It holds no reference, so tables of keys are cheap to copy. Made from a literal: `let title: JSONKey = "title"`.
/// The name may not need escapes: no quote, no backslash, no control character.
///
/// `@safe`: the bytes are a literal's or allocated once, and never freed.
@safe public struct JSONKey: ExpressibleByStringLiteral {
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let count: Int

  /// A key over bytes that need no escapes and outlive the program.
  init(start: UnsafePointer<UInt8>, count: Int) {
    unsafe self.start = unsafe start
    self.count = count
  }

  /// A key with this name; traps when the name would need an escape.
  public init(_ name: StaticString) {
    precondition(name.hasPointerRepresentation, "a JSON key needs a string literal")
    unsafe start = unsafe name.utf8Start
    count = name.utf8CodeUnitCount
    for index in 0..<count {
      let byte = unsafe start[index]
      precondition(byte >= 0x20 && byte != 0x22 && byte != 0x5C, "a JSON key may not need escapes")
    }
  }

  /// A key with this name; traps when the name would need an escape.
  public init(stringLiteral name: StaticString) { self.init(name) }

  /// The UTF-8 bytes of the name.
  @inlinable public var utf8: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: start, count: count) }

  /// The name.
  public var name: String { unsafe String(decoding: utf8, as: UTF8.self) }
}

// Safe: `start` points into the constant data of the program or to a copy that is never written again and never freed
// (`init(keeping:)`), so it outlives every thread.
extension JSONKey: @unchecked Sendable {}

extension JSONKey: Hashable, CustomStringConvertible {
  /// Whether both have the same name.
  public static func == (left: JSONKey, right: JSONKey) -> Bool { unsafe left.utf8.elementsEqual(right.utf8) }

  /// Feeds the name.
  public func hash(into hasher: inout Hasher) {
    // The formatter would join `unsafe` and the name.
    // swift-format-ignore
    for unsafe byte in unsafe utf8 { hasher.combine(byte) }
  }

  /// The name.
  public var description: String { name }
}
