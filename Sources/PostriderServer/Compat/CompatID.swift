internal import PushPayload
internal import Signing

/// Ids in the form of a UUID, as vendors' clients expect them.
enum CompatID {
  /// What an id is of; the same number of two kinds has two ids.
  enum Kind: String, Sendable { case push, device, segment, systemSegment, user, campaign, template }

  /// A UUID of version 4.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return APNsID(using: &generator).text
  }

  /// The UUID (version 8) of a record: its number, and a mark that depends on the app and the kind of record.
  static func of(_ number: Int64, _ kind: Kind, app: String) -> String {
    let digest = SHA256.digest("\(app) \(kind.rawValue) \(number)").prefix(7)
    let mark = digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let number = UInt64(bitPattern: number)
    return APNsID(
      high: (mark << 8 | number >> 56) & ~0xF000 | 0x8000, low: number & numberInLow | 0x8000_0000_0000_0000
    ).text
  }

  /// The part of the low half that has digits of the number; the highest byte of it is in the high half.
  private static let numberInLow: UInt64 = 0x00FF_FFFF_FFFF_FFFF

  /// The number of a record of this app and kind; nil for every other text.
  static func number(_ text: String, _ kind: Kind, app: String) -> Int64? {
    guard let id = APNsID(anyCase: text) else { return nil }
    let number = Int64(bitPattern: id.high << 56 | id.low & numberInLow)
    // Records count from zero; a caller can make the mark of any number.
    return number >= 0 && of(number, kind, app: app) == id.text ? number : nil
  }

  /// Whether a text has the form of a UUID.
  static func isUUID(_ text: String) -> Bool { APNsID(anyCase: text) != nil }
}
