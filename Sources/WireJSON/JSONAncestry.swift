/// How to reach each value of a document from its root, worked out for all of them in one pass.
///
/// Finding one value from the root takes as long as the document is; whoever needs many asks this instead.
public struct JSONAncestry: Sendable {
  /// One step down: into an object by its member, or into an array by position.
  public enum Step: Sendable, Hashable {
    /// The node of the member's name.
    case member(name: JSONNode)
    /// The position, from 0.
    case element(Int)
  }

  /// By tape index: the container around a value, -1 for the root.
  private var parents: [Int32]
  /// By tape index: the position in an array, or the tape index of the member's name.
  private var positions: [Int32]

  /// Reads the structure of a document.
  ///
  /// - Complexity: O(*n*) in the number of values.
  public init(_ document: JSONDocument) {
    parents = [Int32](repeating: -1, count: document.used)
    positions = parents
    var index = 0
    while index < document.used {
      let token = unsafe Token(word: document.words[index])
      if token.isContainer { addChildren(of: index, token, document) }
      index += token.isContainer ? 2 : 1
    }
  }

  private mutating func addChildren(of container: Int, _ token: Token, _ document: JSONDocument) {
    let isObject = token.kind == .object
    var index = container + 2
    var position = 0
    while index < token.extent {
      // A name is found where its object is.
      if isObject { set(index, Int32(truncatingIfNeeded: container), index) }
      let child = isObject ? index + 1 : index
      set(child, Int32(truncatingIfNeeded: container), isObject ? index : position)
      position += 1
      index = document.next(child)
    }
  }

  private mutating func set(_ index: Int, _ parent: Int32, _ position: Int) {
    parents[index] = parent
    positions[index] = Int32(truncatingIfNeeded: position)
  }

  /// The steps from the root to a value; for the name of a member those to its object.
  public func steps(to node: JSONNode, in document: JSONDocument) -> [Step] {
    var steps: [Step] = []
    var index = node.index
    if isName(index, document) { index = Int(parents[index]) }
    while index > 0, parents[index] >= 0 {
      let parent = Int(parents[index])
      let position = Int(positions[index])
      let isObject = unsafe Token(word: document.words[parent]).kind == .object
      steps.append(isObject ? .member(name: JSONNode(index: position)) : .element(position))
      index = parent
    }
    return steps.reversed()
  }

  /// A name's position is its own index.
  private func isName(_ index: Int, _ document: JSONDocument) -> Bool {
    guard index > 0, parents[index] >= 0, positions[index] == index else { return false }
    return unsafe Token(word: document.words[Int(parents[index])]).kind == .object
  }
}
