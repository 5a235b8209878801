public import PushPayload
public import WireJSON

/// A location in a text that was checked.
public struct SourceLocation: Sendable, Hashable {
  /// Bytes from the start, from 0.
  public let offset: Int
  /// The line, from 1.
  public let line: Int
  /// The column, from 1, counted in Unicode scalars.
  public let column: Int

  init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The location of a byte in a text.
  public init(offset: Int, in bytes: [UInt8]) {
    let end = min(offset, bytes.count)
    // Loops that are done many bytes at a time.
    var (line, column) = (1, 1)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      for index in 0..<end { unsafe line &+= bytes[index] == 0x0A ? 1 : 0 }
      var start = line == 1 ? 0 : end
      while start > 0, unsafe bytes[start - 1] != 0x0A { start -= 1 }
      for index in start..<end { unsafe column &+= bytes[index] & 0xC0 != 0x80 ? 1 : 0 }
    }
    self.offset = end
    self.line = line
    self.column = column
  }

  /// The location of the fault in a text that is not JSON; the start of one that is too large, which was not read.
  public init(of failure: JSONError, in bytes: [UInt8]) {
    self.init(offset: failure.isTooLarge ? 0 : failure.offset, in: bytes)
  }
}

extension SourceLocation {
  /// The location of a path in a document; for a member that is missing, the object that should have it.
  ///
  /// - Parameters:
  ///   - field: a path as findings have it.
  ///   - document: the document that was read from `bytes`.
  ///   - bytes: the text.
  public init(of field: String, in document: JSONDocument, text bytes: [UInt8]) {
    #if !_pointerBitWidth(_32)
      if let node = SourceLocation.value(at: field, in: document) {
        self.init(offset: document.sourceRange(of: node).lowerBound, in: bytes)
        return
      }
    #endif
    var node = document.root
    for step in FieldPath(parsing: field).steps {
      guard let next = SourceLocation.child(step, of: node, in: document) else { break }
      node = next
    }
    self.init(offset: document.sourceRange(of: node).lowerBound, in: bytes)
  }

  #if !_pointerBitWidth(_32)
    /// The value at a path of usual names and indices, read where it is; nil where one is not there as it is written, and for
    /// any other path.
    private static func value(at field: String, in document: JSONDocument) -> JSONNode? {
      guard FieldPath.isUsual(field) else { return nil }
      var field = field
      return field.withUTF8 { bytes in
        var node: JSONNode? = document.root
        var start = 0
        while start < bytes.count, let container = node {
          var end = start
          while end < bytes.count, unsafe bytes[end] != UInt8(ascii: "."), unsafe bytes[end] != UInt8(ascii: "[") {
            end += 1
          }
          if unsafe bytes[end - 1] == UInt8(ascii: "]") {
            let index = unsafe bytes[start..<(end - 1)].reduce(0) { $0 * 10 + Int($1 - 0x30) }
            node = child(.element(index), of: container, in: document)
          } else {
            node = unsafe document.member(of: container, utf8: UnsafeBufferPointer(rebasing: bytes[start..<end]))
          }
          start = end + 1
        }
        return node
      }
    }
  #endif

  static func child(_ step: FieldPath.Step, of node: JSONNode, in document: JSONDocument) -> JSONNode? {
    switch step {
    case .member(let name): document.member(of: node, name) ?? caseless(name, of: node, in: document)
    case .element(let index): document.elements(of: node).dropFirst(index).first { _ in true }
    }
  }

  /// Header names are written in lower case by findings and in any case by people.
  private static func caseless(_ name: String, of node: JSONNode, in document: JSONDocument) -> JSONNode? {
    let count = name.utf8.count
    return document.members(of: node).first { member in
      // Letters of ASCII have as many bytes in either case, and few names have as many as this one.
      let isLong = unsafe document.withSource(of: member.name) { source in
        unsafe source.count == count + 2 || source.contains { $0 >= 0x80 || $0 == 0x5C }
      }
      return isLong && document.string(member.name)?.lowercased() == name
    }?.value
  }
}

extension PushChecker {
  /// Where a finding of the last check is in the text that was checked.
  ///
  /// For a member that is missing it is the object that should have it; for a text that is no JSON, the fault.
  public func location(of finding: Finding, in bytes: [UInt8]) -> SourceLocation {
    if let failure { return SourceLocation(of: failure, in: bytes) }
    return SourceLocation(of: finding.field, in: document, text: bytes)
  }

  /// Where findings of the last check are in the text that was checked, as ``location(of:in:)`` has it for each.
  ///
  /// - Complexity: O(*n*) in the bytes of the text and the number of findings.
  public func locations(of findings: [Finding], in bytes: [UInt8]) -> [SourceLocation] {
    if let failure {
      return [SourceLocation](repeating: SourceLocation(of: failure, in: bytes), count: findings.count)
    }
    guard findings.count > 1 else { return findings.map { location(of: $0, in: bytes) } }
    var locations = SourceLocations(document, text: bytes)
    return findings.map { locations.location(of: $0.field) }
  }
}
