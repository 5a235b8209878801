internal import PushPayload
public import WireJSON

/// The locations of many findings in one text: lines and large containers are looked through once.
public struct SourceLocations {
  private let document: JSONDocument
  private let lines: LineTable
  /// The members of large objects by name, and by lower-case name.
  private var objects: [JSONNode: (names: [[UInt8]: JSONNode], caseless: [[UInt8]: JSONNode])] = [:]
  /// The elements of large arrays.
  private var arrays: [JSONNode: [JSONNode]] = [:]

  /// The most members or elements that are looked through for each finding.
  private static let scannedMax = 32

  /// The locations in a text.
  ///
  /// - Parameters:
  ///   - document: the document that was read from `bytes`.
  ///   - bytes: the text.
  public init(_ document: JSONDocument, text bytes: [UInt8]) {
    self.document = document
    lines = LineTable(bytes)
  }

  /// The location of a path; for a member that is missing, the object that should have it.
  public mutating func location(of field: String) -> SourceLocation {
    var node = document.root
    for step in FieldPath(parsing: field).steps {
      guard let next = child(step, of: node) else { break }
      node = next
    }
    return lines.location(of: document.sourceRange(of: node).lowerBound)
  }

  private mutating func child(_ step: FieldPath.Step, of node: JSONNode) -> JSONNode? {
    guard document.count(node) > Self.scannedMax else { return SourceLocation.child(step, of: node, in: document) }
    switch step {
    case .element(let index):
      let elements = elements(of: node)
      return elements.indices.contains(index) ? elements[index] : nil
    case .member(let name):
      let members = members(of: node)
      return members.names[Array(name.utf8)] ?? members.caseless[Array(name.utf8)]
    }
  }

  private mutating func elements(of node: JSONNode) -> [JSONNode] {
    if let known = arrays[node] { return known }
    let elements = Array(document.elements(of: node))
    arrays[node] = elements
    return elements
  }

  private mutating func members(
    of node: JSONNode
  ) -> (names: [[UInt8]: JSONNode], caseless: [[UInt8]: JSONNode]) {
    if let known = objects[node] { return known }
    var members: (names: [[UInt8]: JSONNode], caseless: [[UInt8]: JSONNode]) = ([:], [:])
    for (name, value) in document.members(of: node) {
      let text = document.string(name) ?? ""
      members.names[Array(text.utf8)] = value
      let lower = Array(text.lowercased().utf8)
      if members.caseless[lower] == nil { members.caseless[lower] = value }
    }
    objects[node] = members
    return members
  }
}

/// Lines and columns of any byte of a text in about constant time.
struct LineTable {
  private let bytes: [UInt8]
  /// Where each line begins.
  private var starts = [0]
  /// How many scalars begin before each block.
  private var scalars: [Int] = []

  private static let blockBytes = 512

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var count = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.blockBytes == 0 { scalars.append(count) }
      if byte & 0xC0 != 0x80 { count += 1 }
      if byte == 0x0A { starts.append(offset + 1) }
    }
    if bytes.count % Self.blockBytes == 0 { scalars.append(count) }
  }

  /// The location of a byte.
  func location(of offset: Int) -> SourceLocation {
    let offset = min(max(offset, 0), bytes.count)
    var low = 0
    var high = starts.count
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return SourceLocation(
      offset: offset, line: low + 1, column: scalars(before: offset) - scalars(before: starts[low]) + 1)
  }

  private func scalars(before offset: Int) -> Int {
    let block = offset / Self.blockBytes
    return bytes[(block * Self.blockBytes)..<offset].reduce(scalars[block]) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
  }
}
