internal import Basics
import WireJSON

/// What is wrong with one row; the others are read.
struct RowProblem: Error {
  let message: String

  static let encoding = RowProblem(
    message: "is not UTF-8; save the file as UTF-8 (iconv -f ISO-8859-1 -t UTF-8), or names will be wrong")
}

/// Reads the records of a file as rows of a vendor's table.
struct RowReader {
  private let vendor: ImportVendor
  let form: ImportVendor.Form
  private(set) var header: ImportHeader
  /// CSV and dumps: what the cells are; nil before the header.
  private var slots: [ImportHeader.Slot]?
  private var cells = CSVCells()
  private var dump: DumpTable?

  init(_ vendor: ImportVendor, form: ImportVendor.Form) {
    self.vendor = vendor
    self.form = form
    header = ImportHeader(vendor)
    if case .copy(let table) = form { dump = DumpTable(table: table) }
    if form == .lines, let name = vendor.column(.token).map({ vendor.columns[$0].name }) {
      slots = [header.slot(name)]
    }
  }

  /// Whether the columns are known, so that the file is one that can be imported.
  var isReady: Bool { form == .ndjson || slots != nil }

  /// Whether a dump may end here: after the end of the table.
  var isComplete: Bool { dump?.isInside != true }

  /// Reads a record; nil when it is no row.
  /// - Throws: `Exit` when the file is no file of the vendor's, inside of the result when only the row is wrong.
  mutating func read(_ record: ArraySlice<UInt8>, line: Int) throws(Exit) -> Result<VendorRow, RowProblem>? {
    switch form {
    case .csv:
      guard slots != nil else {
        try readHeader(record)
        return nil
      }
      guard cells.read(record) else {
        return .failure(
          RowProblem(
            message: "is not CSV: a quoted cell does not end, or text follows its end; double quotes inside it"))
      }
      // Not through self, which would be copied for it.
      let cells = cells
      return row(line, cells.count) { cells[$0] }
    case .copy:
      guard let event = try dump?.read(record) else { return nil }
      switch event {
      case .columns(let names): try setColumns(names)
      case .row(let values): return row(line, values.count) { values[$0]?[...] }
      }
      return nil
    case .lines:
      return token(record, line)
    case .ndjson: return object(record, line)
    }
  }

  // MARK: - Headers

  private mutating func readHeader(_ record: ArraySlice<UInt8>) throws(Exit) {
    guard cells.read(record) else { throw .unreadable("the header is not CSV; its quotes do not match") }
    let names = (0..<cells.count).map { String(decoding: cells[$0], as: UTF8.self).trimmed }
    if names.count == 1, let separator = [";", "\t"].first(where: { names[0].contains($0) }) {
      let word = separator == ";" ? "semicolons" : "tabs"
      throw .unreadable("the cells are separated by \(word); save the file with commas between them")
    }
    try setColumns(names)
  }

  private mutating func setColumns(_ names: [String]) throws(Exit) {
    var slots: [ImportHeader.Slot] = []
    var columns: Set<Int> = []
    for name in names {
      let slot = header.slot(name)
      if case .column(let index) = slot, !columns.insert(index).inserted {
        throw .unreadable("the column \(vendor.columns[index].name) is duplicated; leave one of them out")
      }
      slots.append(slot)
    }
    if let column = header.missing.first {
      let names = names.prefix(12).map { Cell.inert(String($0.prefix(40))) }.joined(separator: ", ")
      throw .unreadable(
        "there is no column \(column.name), so this is no export of \(vendor.title); found: \(names)")
    }
    self.slots = slots
  }

  // MARK: - Rows

  private func row(
    _ line: Int, _ count: Int, _ cell: (Int) -> ArraySlice<UInt8>?
  ) -> Result<VendorRow, RowProblem> {
    guard let slots, slots.count == count else {
      return .failure(RowProblem(message: "has \(count) cells, the header \(slots?.count ?? 0)"))
    }
    var row = VendorRow(line: line, columns: vendor.columns.count)
    for (index, slot) in slots.enumerated() {
      guard let bytes = cell(index), !bytes.isEmpty else { continue }
      switch slot {
      case .nowhere: break
      case .column(let column) where vendor.columns[column].target == .unused: break
      case .column(let column):
        guard let text = String(validating: bytes, as: UTF8.self) else { return .failure(.encoding) }
        row.texts[column] = text
      case .member(let name):
        guard let text = String(validating: bytes, as: UTF8.self) else { return .failure(.encoding) }
        row.members.append(VendorRow.Member(name: name, value: .string(text)))
      }
    }
    return .success(row)
  }

  private func token(_ record: ArraySlice<UInt8>, _ line: Int) -> Result<VendorRow, RowProblem>? {
    guard let text = String(validating: record, as: UTF8.self)?.trimmed else { return .failure(.encoding) }
    if text.isEmpty { return nil }
    guard !text.contains(where: { ",;\t".contains($0) }) else {
      return .failure(RowProblem(message: "expected a token alone; a file with several cells in a line needs a header"))
    }
    var row = VendorRow(line: line, columns: vendor.columns.count)
    if let column = vendor.column(.token) { row.texts[column] = text }
    return .success(row)
  }

  private mutating func object(_ record: ArraySlice<UInt8>, _ line: Int) -> Result<VendorRow, RowProblem>? {
    guard record.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return nil }
    do throws(JSONError) {
      let value = try JSON.parse(Array(record))
      guard let object = value.object else {
        return .failure(RowProblem(message: "expected a JSON object, found \(value.kind)"))
      }
      var row = VendorRow(line: line, columns: vendor.columns.count)
      if let column = add(object, at: "", to: &row) {
        return .failure(RowProblem(message: "has two values for \(column.name); leave one of them out"))
      }
      return .success(row)
    } catch {
      return .failure(RowProblem(message: "is not JSON: \(error)"))
    }
  }

  /// Adds the members of an object; those of objects in it have paths such as `User.UserId`.
  /// - Returns: a column with two values, under two of its names.
  private mutating func add(_ object: JSONObject, at path: String, to row: inout VendorRow) -> ImportColumn? {
    for (key, value) in object {
      let path = path.isEmpty ? key : "\(path).\(key)"
      if header.isFamily(path) {
        addFamily(path, value, to: &row)
      } else if let inner = value.object, Self.seconds(inner) == nil {
        if let column = add(inner, at: path, to: &row) { return column }
      } else if case .column(let column) = header.slot(path), let text = Self.text(value), !text.isEmpty {
        if let known = row.texts[column], known != text { return vendor.columns[column] }
        row.texts[column] = text
      }
    }
    return nil
  }

  private func addFamily(_ path: String, _ value: JSONValue, to row: inout VendorRow) {
    guard let members = value.object else {
      // No name, so it is counted as left out.
      row.members.append(VendorRow.Member(name: FamilyName(family: path, member: ""), value: value))
      return
    }
    for (name, member) in members {
      let name = FamilyName(family: path, member: name)
      row.members += (member.array ?? [member]).map { VendorRow.Member(name: name, value: $0) }
    }
  }

  private static func text(_ value: JSONValue) -> String? {
    value.string ?? value.number?.text ?? value.bool.map { $0 ? "true" : "false" } ?? value.object.flatMap(seconds)
  }

  /// The seconds of a time of Firestore's, as its libraries write one as JSON.
  private static func seconds(_ object: JSONObject) -> String? {
    guard object.count == 2 else { return nil }
    for (seconds, rest) in [("_seconds", "_nanoseconds"), ("seconds", "nanoseconds")] where object[rest]?.number != nil
    {
      if let number = object[seconds]?.number { return number.text }
    }
    return nil
  }
}

extension String {
  /// The text without blanks around it.
  fileprivate var trimmed: String { self[...].trimmed }
}
