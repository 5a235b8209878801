public import Basics

extension JSONDocument {
  /// The number of elements of an array or of members of an object, repeated names included; 0 for other kinds.
  @inlinable
  public func count(_ node: JSONNode) -> Int {
    unsafe token(node).isContainer ? Int(words[node.index &+ 1] & Token.mask) : 0
  }

  /// The value of a member, found without any allocation; nil when there is none or the node is no object.
  ///
  /// Of a repeated name the last one counts.
  ///
  /// - Complexity: O(*n*) in the number of members.
  @inlinable
  public func member(of node: JSONNode, _ name: StaticString) -> JSONNode? {
    unsafe member(of: node, utf8: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// The value of a member, found without any allocation.
  @_disfavoredOverload
  @inlinable
  public func member(of node: JSONNode, _ name: JSONKey) -> JSONNode? { unsafe member(of: node, utf8: name.utf8) }

  /// The value of a member, found without any allocation.
  @_disfavoredOverload
  @inlinable
  public func member(of node: JSONNode, _ name: String) -> JSONNode? {
    var name = name
    return name.withUTF8 { unsafe member(of: node, utf8: $0) }
  }

  /// The value of a member whose name has these UTF-8 bytes.
  @inlinable
  public func member(of node: JSONNode, utf8 name: UnsafeBufferPointer<UInt8>) -> JSONNode? {
    let object = token(node)
    guard object.kind == .object, name.count <= Token.mask else { return nil }
    let wanted = Token(.string, offset: 0, extent: name.count).shape
    var position = node.index &+ 2
    var found: JSONNode?
    while position < object.extent {
      let token = unsafe Token(word: words[position])
      if token.shape == wanted {
        if unsafe BytesEqual.isEqual(source + token.offset, name) { found = JSONNode(index: position &+ 1) }
      } else if token.isMarked, unsafe StringText.isEqual(token, source, name) {
        found = JSONNode(index: position &+ 1)
      }
      position = next(position &+ 1)
    }
    return found
  }

  /// The text of the member `name` when it is a string; nil otherwise.
  @inlinable
  public func string(of node: JSONNode, _ name: StaticString) -> String? {
    guard let value = member(of: node, name) else { return nil }
    return string(value)
  }

  /// The value of the member `name` when it is an integer that fits; nil otherwise.
  @inlinable
  public func int(of node: JSONNode, _ name: StaticString) -> WholeNumber? {
    guard let value = member(of: node, name) else { return nil }
    return int(value)
  }

  /// The value of the member `name` when it is a boolean; nil otherwise.
  @inlinable
  public func bool(of node: JSONNode, _ name: StaticString) -> Bool? {
    guard let value = member(of: node, name) else { return nil }
    return bool(value)
  }

  /// The tape index behind a value.
  @inline(__always) @inlinable
  func next(_ index: Int) -> Int {
    let token = unsafe Token(word: words[index])
    return token.isContainer ? token.extent : index &+ 1
  }

  /// The members of an object in their order, repeated names included; nothing for other kinds.
  @inlinable
  public func members(of node: JSONNode) -> JSONMembers {
    let token = token(node)
    return JSONMembers(document: self, position: node.index &+ 2, end: token.kind == .object ? token.extent : 0)
  }

  /// The elements of an array in their order; nothing for other kinds.
  @inlinable
  public func elements(of node: JSONNode) -> JSONElements {
    let token = token(node)
    return JSONElements(document: self, position: node.index &+ 2, end: token.kind == .array ? token.extent : 0)
  }
}

/// The members of an object: nodes of names and values.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  @usableFromInline let document: JSONDocument
  @usableFromInline var position: Int
  @usableFromInline let end: Int

  @inlinable
  init(document: JSONDocument, position: Int, end: Int) {
    self.document = document
    self.position = position
    self.end = end
  }

  /// The next member.
  @inlinable
  public mutating func next() -> (name: JSONNode, value: JSONNode)? {
    guard position < end else { return nil }
    let name = position
    position = document.next(name &+ 1)
    return (JSONNode(index: name), JSONNode(index: name &+ 1))
  }
}

/// The elements of an array.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  @usableFromInline let document: JSONDocument
  @usableFromInline var position: Int
  @usableFromInline let end: Int

  @inlinable
  init(document: JSONDocument, position: Int, end: Int) {
    self.document = document
    self.position = position
    self.end = end
  }

  /// The next element.
  @inlinable
  public mutating func next() -> JSONNode? {
    guard position < end else { return nil }
    let index = position
    position = document.next(index)
    return JSONNode(index: index)
  }
}
