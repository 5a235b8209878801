internal import Ledger
internal import PostgresEngine
internal import StoreModel

/// Fresh deliveries as the rows of a COPY, which costs the server little more than half of an INSERT.
struct CopiedDeliveries {
  private var rows: [UInt8] = []
  private(set) var devices: [Int64] = []
  /// A row with zeros for its key and its device.
  private let row: [UInt8]

  private static let target = "deliveries(id, device, state, attempts, unknowns, code, at)"
  /// Where in a row these are, behind the number of fields and each behind its length.
  private static let (idOffset, deviceOffset) = (6, 18)

  /// The widths are those of the columns (see ``PostgresSchema/layout``).
  init(_ now: Timestamp) {
    var row: [UInt8] = []
    func add(_ number: some FixedWidthInteger) {
      unsafe withUnsafeBytes(of: number.bigEndian) { unsafe row.append(contentsOf: $0) }
    }
    func field<Number: FixedWidthInteger>(_ number: Number) {
      add(Int32(Number.bitWidth / 8))
      add(number)
    }
    add(Int16(7))
    field(Int64(0))
    field(Int64(0))
    field(Int16(RowState.fresh))
    field(Int16(0))
    field(Int16(0))
    field(Int32(OutcomeCode.none))
    field(now.milliseconds)
    self.row = row
  }

  /// Adds a row.
  mutating func append(_ id: Int64, _ device: Int64) {
    devices.append(device)
    let start = rows.count
    rows += row
    for byte in 0..<8 {
      rows[start + Self.idOffset + byte] = UInt8(truncatingIfNeeded: id >> Int64(56 - byte * 8))
      rows[start + Self.deviceOffset + byte] = UInt8(truncatingIfNeeded: device >> Int64(56 - byte * 8))
    }
  }

  func write(to db: borrowing Connection) throws(StoreError) {
    guard !rows.isEmpty else { return }
    try db.postgres?.copy(rows, to: Self.target)
  }
}
