public import WireJSON

extension FieldPath {
  /// The path of a value in a document, found from its offset in the source; nothing is recorded while a document is
  /// checked, so a message without findings pays nothing for paths.
  public init(of node: JSONNode, in document: JSONDocument) {
    self.init()
    let target = document.sourceRange(of: node)
    var current = document.root
    while document.sourceRange(of: current) != target {
      guard let next = FieldPath.step(from: current, towards: target, in: document) else { return }
      steps.append(next.step)
      current = next.node
    }
  }

  /// The path of a value in its document, for whoever needs the paths of many.
  public init(of node: JSONNode, in document: JSONDocument, _ ancestry: JSONAncestry) {
    self.init(
      ancestry.steps(to: node, in: document).map { step in
        switch step {
        case .member(let name): .member(document.string(name) ?? "")
        case .element(let index): .element(index)
        }
      })
  }

  /// The path of an RFC 6901 pointer; the document distinguishes members from elements.
  public init(pointer: String, in document: JSONDocument) {
    self.init()
    var current: JSONNode? = document.root
    for token in pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      let name = FieldPath.unescaped(Array(token))
      if let array = current, document.kind(array) == .array, let index = Int(name) {
        steps.append(.element(index))
        current = FieldPath.element(index, of: array, in: document)
      } else {
        steps.append(.member(name))
        current = current.flatMap { document.member(of: $0, name) }
      }
    }
  }

  private static func element(_ index: Int, of array: JSONNode, in document: JSONDocument) -> JSONNode? {
    var position = 0
    for element in document.elements(of: array) {
      if position == index { return element }
      position += 1
    }
    return nil
  }

  private static func unescaped(_ token: [UInt8]) -> String {
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in token {
      if isEscaped {
        bytes.append(byte == UInt8(ascii: "1") ? UInt8(ascii: "/") : UInt8(ascii: "~"))
        isEscaped = false
      } else if byte == UInt8(ascii: "~") {
        isEscaped = true
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func step(
    from node: JSONNode, towards target: Range<Int>, in document: JSONDocument
  ) -> (step: Step, node: JSONNode)? {
    for (name, value) in document.members(of: node) where contains(document.sourceRange(of: value), target) {
      return (.member(document.string(name) ?? ""), value)
    }
    var index = 0
    for element in document.elements(of: node) {
      if contains(document.sourceRange(of: element), target) { return (.element(index), element) }
      index += 1
    }
    return nil
  }

  private static func contains(_ range: Range<Int>, _ target: Range<Int>) -> Bool {
    range.lowerBound <= target.lowerBound && target.upperBound <= range.upperBound
  }
}
