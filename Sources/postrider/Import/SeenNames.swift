/// The vendor's ids that were read before, each with its address: a device has one address, so that of two rows with one id and
/// different addresses only the later is kept.
///
/// Of each, a number is stored and not the text: a million rows take about 40 MB.
struct SeenNames {
  /// More are not compared, so that memory has a bound.
  static let namesMax = 10_000_000

  private var addresses: [Int: Int] = [:]

  /// Whether an earlier row has the name with another address; the row's own is the one to compare with from now on.
  mutating func isTaken(_ name: String, by address: String) -> Bool {
    let (name, address) = (name.hashValue, address.hashValue)
    if let known = addresses[name] {
      addresses[name] = address
      return known != address
    }
    if addresses.count < Self.namesMax { addresses[name] = address }
    return false
  }
}
