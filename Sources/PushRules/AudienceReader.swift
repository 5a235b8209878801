internal import WireJSON

/// One recipient of an audience file.
public struct AudienceRow: Sendable {
  enum Content: Sendable {
    case fields(names: [String], values: [String])
    case object(JSONDocument)
  }

  /// The row, from 1; in CSV the header row is not counted.
  public let number: Int
  let content: Content

  /// The members that name a recipient, the first one that is there counts.
  static let recipientNames = ["recipient", "user_id", "user", "external_id", "id", "token", "email"]

  /// Who it is: the value of `recipient`, `user_id`, `user`, `external_id`, `id`, `token` or `email`, else of the first
  /// column, else the row's number.
  public var recipient: String {
    for name in AudienceRow.recipientNames {
      if let value = value(name) { return value }
    }
    if case .fields(_, let values) = content, let first = values.first { return first }
    return "row \(number)"
  }

  /// The value of a column or member; a dot leads into an object.
  ///
  /// Numbers and other JSON values have their JSON text.
  public func value(_ name: String) -> String? {
    switch content {
    case .fields(let names, let values):
      guard let index = names.firstIndex(of: name), index < values.count else { return nil }
      return values[index]
    case .object(let document): return AudienceRow.value(name, in: document)
    }
  }

  /// The value of a member as it is; nil in CSV, which has texts only.
  func json(_ name: String) -> JSONValue? {
    guard case .object(let document) = content else { return nil }
    return AudienceRow.node(name, in: document).map { document.value($0) }
  }

  private static func node(_ name: String, in document: JSONDocument) -> JSONNode? {
    var node = document.member(of: document.root, name)
    if node == nil {
      node = document.root
      for part in name.split(separator: ".") { node = node.flatMap { document.member(of: $0, String(part)) } }
    }
    guard let node, node != document.root, !document.isNull(node) else { return nil }
    return node
  }

  private static func value(_ name: String, in document: JSONDocument) -> String? {
    guard let node = node(name, in: document) else { return nil }
    return unsafe document.string(node) ?? document.withSource(of: node) { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

/// Why an audience file cannot be read.
public struct AudienceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// What was expected, what was found, what to do.
  public let description: String

  init(line: Int, _ problem: String) {
    self.line = line
    self.description = "line \(line): \(problem)"
  }
}

/// Reads an audience piece by piece, so that a file of any length needs no more memory than its longest row.
///
/// CSV is RFC 4180 with a header row, UTF-8, lines that end in LF or CRLF. NDJSON is one JSON object on each line.
public struct AudienceReader: Sendable {
  /// The form of the file.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// Comma-separated values with a header row.
    case csv
    /// One JSON object on each line.
    case ndjson
  }

  /// The longest row, in bytes.
  public static let rowBytesMax = 1 << 20

  private let format: Format
  private var csv = CSVRecord()
  private var names: [String]?
  private var pending: [UInt8] = []
  private var document = JSONDocument()
  private var line = 1
  private var rows = 0

  /// Begins a file.
  public init(_ format: Format) { self.format = format }

  /// Reads the next piece of the file.
  /// - Throws: ``AudienceError`` with the line; the reader is of no use after it.
  public mutating func feed(
    _ bytes: some Sequence<UInt8>, _ row: (AudienceRow) -> Void
  ) throws(AudienceError) {
    for byte in bytes {
      switch format {
      case .ndjson: try feedLine(byte, row)
      case .csv: if csv.read(byte) { try endRecord(row) }
      }
      if byte == 0x0A { line += 1 }
      if pending.count > AudienceReader.rowBytesMax || csv.size > AudienceReader.rowBytesMax {
        throw AudienceError(
          line: line, "expected a row of at most \(AudienceReader.rowBytesMax) bytes, found a longer one")
      }
    }
  }

  /// Reads the last row, which may lack its line end.
  public mutating func finish(_ row: (AudienceRow) -> Void) throws(AudienceError) {
    switch format {
    case .ndjson: try endLine(row)
    case .csv:
      if csv.isQuoted { throw AudienceError(line: line, "expected a closing quote, found the end of the file") }
      if csv.end() { try endRecord(row) }
    }
  }

  private mutating func feedLine(_ byte: UInt8, _ row: (AudienceRow) -> Void) throws(AudienceError) {
    if byte == 0x0A { try endLine(row) } else { pending.append(byte) }
  }

  private mutating func endLine(_ row: (AudienceRow) -> Void) throws(AudienceError) {
    defer { pending.removeAll(keepingCapacity: true) }
    if pending.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
    do throws(JSONError) { try document.parse(pending) } catch {
      throw AudienceError(line: line, "expected a JSON object; \(error.description)")
    }
    guard document.kind(document.root) == .object else {
      throw AudienceError(line: line, "expected a JSON object, found another value")
    }
    rows += 1
    row(AudienceRow(number: rows, content: .object(document)))
  }

  private mutating func endRecord(_ row: (AudienceRow) -> Void) throws(AudienceError) {
    defer { csv.clear() }
    if csv.isBlank { return }
    guard let fields = csv.fields else { throw AudienceError(line: line, "expected UTF-8, found other bytes") }
    guard let names else {
      self.names = fields
      return
    }
    guard fields.count <= names.count else {
      throw AudienceError(line: line, "expected \(names.count) fields as in the header, found \(fields.count)")
    }
    rows += 1
    row(AudienceRow(number: rows, content: .fields(names: names, values: fields)))
  }
}
