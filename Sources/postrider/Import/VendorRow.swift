import WireJSON

/// A row of a vendor's file, column by column of the vendor's table.
struct VendorRow: Sendable {
  /// The line it begins on, from 1.
  let line: Int
  /// The texts of the columns; nil where the row has none.
  var texts: [String?]
  /// The members of families of columns.
  var members: [Member] = []

  /// One value of a property.
  struct Member: Sendable {
    let name: FamilyName
    let value: JSONValue
  }

  init(line: Int, columns: Int) {
    self.line = line
    texts = Array(repeating: nil, count: columns)
  }
}

/// A column of a family: `Attributes.plan`.
struct FamilyName: Sendable, Hashable {
  let family: String
  let member: String
}

/// The columns that a file has, found in a vendor's table.
struct ImportHeader: Sendable {
  /// Where the value of a cell or member goes.
  enum Slot: Sendable {
    case column(Int)
    /// A member of a family.
    case member(FamilyName)
    case nowhere
  }

  /// Unknown columns that are listed.
  static let unknownMax = 100
  /// Characters of a name that are stored.
  private static let nameMax = 100

  private let vendor: ImportVendor
  private let exact: [String: Int]
  private let families: [String]
  private var slots: [String: Slot] = [:]
  /// Columns of the table that the file has.
  private(set) var found: Set<Int> = []
  /// Columns of the file that the table does not have, in their order.
  private(set) var unknown: [String] = []

  init(_ vendor: ImportVendor) {
    self.vendor = vendor
    var exact: [String: Int] = [:]
    for (index, column) in vendor.columns.enumerated() where column.target != .family {
      for name in column.names { exact[name.lowercased()] = index }
    }
    self.exact = exact
    families = vendor.columns.filter { $0.target == .family }.flatMap(\.names)
  }

  /// Where a column goes; names are compared without regard to case.
  mutating func slot(_ name: String) -> Slot {
    if let known = slots[name] { return known }
    let slot = find(name)
    if case .column(let index) = slot { found.insert(index) }
    if case .nowhere = slot, unknown.count < Self.unknownMax {
      let shown = String(name.prefix(Self.nameMax))
      if !unknown.contains(shown) { unknown.append(shown) }
    }
    // The names of an NDJSON file could be long, and without end.
    if slots.count < 10 * Self.unknownMax, name.utf8.count <= Self.nameMax { slots[name] = slot }
    return slot
  }

  private func find(_ name: String) -> Slot {
    if let index = exact[name.lowercased()] { return .column(index) }
    for family in families where name.hasPrefix(family + ".") && name.utf8.count > family.utf8.count + 1 {
      return .member(FamilyName(family: family, member: String(name.dropFirst(family.count + 1))))
    }
    return .nowhere
  }

  /// Whether a path is a family, so that its members are not looked into.
  func isFamily(_ path: String) -> Bool { families.contains(path) }

  /// Columns without which no row can be imported, and that the file does not have.
  var missing: [ImportColumn] {
    vendor.columns.enumerated().filter { $0.element.isRequired && !found.contains($0.offset) }.map(\.element)
  }

  /// Columns without which something is lost.
  var missed: [ImportColumn] {
    vendor.columns.enumerated().filter { $0.element.whenMissing != nil && !found.contains($0.offset) }.map(\.element)
  }

  /// Columns that the file has and that are known not to be imported.
  var unused: [String] {
    found.sorted().filter { vendor.columns[$0].target == .unused }.map { vendor.columns[$0].name }
  }
}
