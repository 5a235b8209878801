/// A position among the members of an object or the elements of an array, to walk them without keeping the document.
///
/// `JSONDocument.members(of:)` hands out a sequence that holds the document; a cursor is two numbers, so that a walk counts no
/// reference.
public struct JSONCursor: Sendable {
  @usableFromInline var position: Int
  @usableFromInline let end: Int

  @inlinable
  init(position: Int, end: Int) {
    self.position = position
    self.end = end
  }
}

extension JSONDocument {
  /// A cursor before the first member or element; of a scalar one that is at its end.
  @inlinable
  public func cursor(_ node: JSONNode) -> JSONCursor {
    let token = token(node)
    return JSONCursor(position: node.index &+ 2, end: token.isContainer ? token.extent : 0)
  }

  /// The next member of an object, repeated names included; nil after the last.
  @inlinable
  public func nextMember(_ cursor: inout JSONCursor) -> (name: JSONNode, value: JSONNode)? {
    guard cursor.position < cursor.end else { return nil }
    let name = cursor.position
    cursor.position = next(name &+ 1)
    return (JSONNode(index: name), JSONNode(index: name &+ 1))
  }

  /// The next element of an array; nil after the last.
  @inlinable
  public func nextElement(_ cursor: inout JSONCursor) -> JSONNode? {
    guard cursor.position < cursor.end else { return nil }
    let index = cursor.position
    cursor.position = next(index)
    return JSONNode(index: index)
  }

  /// Whether a string begins with these bytes, which may need no escape; false for other kinds.
  ///
  /// Nil for a string that has an escape, of which that is not known without decoding it.
  @inlinable
  public func begins(_ node: JSONNode, with text: StaticString) -> Bool? {
    let token = token(node)
    guard token.kind == .string else { return false }
    guard !token.isMarked else { return nil }
    let wanted = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return unsafe token.extent >= wanted.count && BytesEqual.isEqual(source + token.offset, wanted)
  }

  /// Whether a value is the string of no characters.
  @inlinable
  public func isEmptyString(_ node: JSONNode) -> Bool {
    let token = token(node)
    return token.kind == .string && token.extent == 0
  }

  /// Whether a value has exactly this JSON text.
  @inlinable
  public func isWritten(_ node: JSONNode, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let range = sourceRange(of: node)
    return unsafe range.count == text.count && BytesEqual.isEqual(source + range.lowerBound, text)
  }

  /// Whether a value is an array or object.
  @inlinable
  public func isContainer(_ node: JSONNode) -> Bool { token(node).isContainer }
}
