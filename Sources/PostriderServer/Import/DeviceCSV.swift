internal import Basics
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Devices as CSV (RFC 4180): a header names the columns, an empty cell is absent.
///
/// `properties.NAME` is one property: `true`, `false`, numbers and timestamps are recognized by their form;
/// `properties.NAME:string` reads everything as text. Tags and categories are separated by semicolons; a semicolon or
/// backslash that is part of a tag is escaped with a backslash.
struct DeviceCSV: Sendable {
  /// Columns of a file.
  static let columnsMax = 200

  private enum Column: Sendable {
    case text(String)
    case list(String)
    case flag(String)
    case property(String, isText: Bool)
    /// All properties as one JSON object, as an export writes them.
    case properties
    /// Shown by an export, not read.
    case ignored
  }

  private static let texts = [
    "type", "token", "environment", "name", "user", "locale", "timezone", "app_version",
  ]
  /// A browser's subscription, for files that do not have it as one token.
  private static let subscription = ["endpoint", "p256dh", "auth", "application_server_key"]
  /// What an export says beside that.
  private static let history = ["state", "state_reason", "state_at", "created_at", "registered_at"]
  private static let lists = ["tags", "opt_out_categories"]

  private let columns: [Column]

  /// Reads the header; nil, with the reason in the report, when a column is not known.
  init?(header: ArraySlice<UInt8>, into report: inout Report) {
    var bytes = header
    // A mark at the beginning that spreadsheets write.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    guard let names = Self.cells(bytes), names.count <= Self.columnsMax else {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "",
        message: "the header is not CSV in UTF-8 of at most \(Self.columnsMax) columns")
      return nil
    }
    var columns: [Column] = []
    for name in names {
      guard let column = Self.column(name) else {
        let known = (Self.texts + Self.subscription + Self.lists + ["opt_out"]).joined(separator: ", ")
        report.add(
          rule: Schema.Rule.unknownField, severity: .error, field: String(name.prefix(80)),
          message: "is not a column; known: \(known), properties.NAME and properties.NAME:string")
        return nil
      }
      columns.append(column)
    }
    if let twice = names.indices.first(where: { names[..<$0].contains(names[$0]) }) {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: String(names[twice].prefix(80)),
        message: "is a column twice; leave one of them out")
      return nil
    }
    for required in ["type", "token"]
    where !names.contains(required) && !(required == "token" && names.contains("endpoint")) {
      report.add(
        rule: Schema.Rule.missing, severity: .error, field: required, message: "is a column that the file must have")
      return nil
    }
    self.columns = columns
  }

  private static func column(_ name: String) -> Column? {
    if texts.contains(name) || subscription.contains(name) || history.contains(name) { return .text(name) }
    if lists.contains(name) { return .list(name) }
    if name == "opt_out" { return .flag(name) }
    if name == "id" { return .ignored }
    if name == "properties" { return .properties }
    guard name.hasPrefix("properties.") else { return nil }
    let property = name.dropFirst("properties.".count)
    if property.hasSuffix(":string") { return .property(String(property.dropLast(":string".count)), isText: true) }
    return property.isEmpty ? nil : .property(String(property), isText: false)
  }

  /// A record as the object that registering a device takes; nil, with the reason in the report, when it is not one.
  func object(_ record: ArraySlice<UInt8>, into report: inout Report) -> JSONValue? {
    guard let cells = Self.cells(record) else {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "",
        message:
          "is not CSV in UTF-8: a quoted cell does not end, text follows its end, or a letter is written in another"
          + " encoding; double quotes inside a quoted cell, and save the file as UTF-8")
      return nil
    }
    guard cells.count == columns.count else {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "",
        message: "expected \(columns.count) cells as in the header, found \(cells.count)")
      return nil
    }
    var object = JSONObject()
    var properties = JSONObject()
    for (column, cell) in zip(columns, cells) where !cell.isEmpty {
      switch column {
      case .text(let name): object[name] = .string(cell)
      case .list(let name): object[name] = .array(Self.members(cell).map { .string($0) })
      case .flag(let name): object[name] = cell == "true" ? true : cell == "false" ? false : .string(cell)
      case .property(let name, let isText): properties[name] = isText ? .string(cell) : Self.typed(cell)
      case .properties:
        // What is no JSON is refused as what it is: text where an object belongs.
        let parsed = (try? JSON.parse(cell)) ?? .string(cell)
        guard let whole = parsed.object else { return .object(["properties": parsed]) }
        for (name, value) in whole { properties[name] = value }
      case .ignored: break
      }
    }
    if !properties.isEmpty { object["properties"] = .object(properties) }
    return .object(object)
  }

  /// A cell as the value it looks like.
  private static func typed(_ cell: String) -> JSONValue {
    if cell == "true" { return true }
    if cell == "false" { return false }
    return JSONNumber(text: cell).map { .number($0) } ?? .string(cell)
  }

  /// The cells of a record; nil when quotes do not match, or when it is not UTF-8: what is repaired could be another user's.
  static func cells(_ record: ArraySlice<UInt8>) -> [String]? {
    var cells = CSVCells()
    guard cells.read(record) else { return nil }
    let texts = (0..<cells.count).compactMap { String(validating: cells[$0], as: UTF8.self) }
    return texts.count == cells.count ? texts : nil
  }

  // MARK: - Writing

  /// The columns of an export; all properties share one column as JSON, since each device has its own.
  static let exported =
    ["id"] + texts + ["tags", "opt_out", "opt_out_categories", "properties"] + history

  /// A device as a record.
  static func record(_ device: JSONValue) -> [UInt8] {
    let cells = exported.map { name -> String in
      switch device[name] {
      case .string(let text): quoted(text)
      case .bool(let bool): bool ? "true" : "false"
      case .array(let values): quoted(values.compactMap(\.string).map(escaped).joined(separator: ";"))
      case .object(let object): quoted(JSON.minifiedText(.object(object)))
      default: ""
      }
    }
    return Array((cells.joined(separator: ",") + "\r\n").utf8)
  }

  /// The members of a list; empty ones are none.
  static func members(_ cell: String) -> [String] {
    var members: [String.UnicodeScalarView] = [.init()]
    var isEscaped = false
    for scalar in cell.unicodeScalars {
      if isEscaped {
        // A backslash before anything else is a letter like others.
        if scalar != ";" && scalar != "\\" { members[members.count - 1].append("\\") }
        members[members.count - 1].append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == ";" {
        members.append(.init())
      } else {
        members[members.count - 1].append(scalar)
      }
    }
    if isEscaped { members[members.count - 1].append("\\") }
    return members.filter { !$0.isEmpty }.map { String($0) }
  }

  private static func escaped(_ member: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in member.unicodeScalars {
      if scalar == ";" || scalar == "\\" { text.append("\\") }
      text.append(scalar)
    }
    return String(text)
  }

  static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    var result = "\""
    for character in text.unicodeScalars {
      if character == "\"" { result += "\"" }
      result.unicodeScalars.append(character)
    }
    return result + "\""
  }
}
