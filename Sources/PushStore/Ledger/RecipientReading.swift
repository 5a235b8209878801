internal import StoreModel

extension RecipientRow {
  /// Takes the text of a column, unless it is null.
  mutating func set(_ slot: Int, _ row: borrowing Statement, _ column: Int32) {
    let start = bytes.count
    guard row.append(column, to: &bytes) else { return }
    setRange(slot, from: start)
  }
}
