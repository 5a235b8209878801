/// The special-purpose ranges of IPv4 and IPv6.
package enum PublicAddress {
  /// Network and prefix length of what is not public.
  private static let special: [(network: UInt32, bits: UInt32)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
    (0xC000_0000, 24), (0xC000_0200, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24),
    (0xE000_0000, 4), (0xF000_0000, 4),
  ]

  /// Whether an IPv4 address, in host byte order, is public.
  package static func isPublic(v4 address: UInt32) -> Bool {
    !special.contains { (address ^ $0.network) >> (32 - $0.bits) == 0 }
  }

  /// Only 2000::/3 is handed out; within it, documentation and the tunnels that carry an IPv4 address are looked at.
  package static func isPublic(v6 bytes: [UInt8]) -> Bool {
    guard bytes.count == 16 else { return false }
    if bytes.starts(with: mapped) || bytes.starts(with: translated) { return isPublic(v4: number(bytes[12...])) }
    if bytes.starts(with: [0x20, 0x02]) { return isPublic(v4: number(bytes[2..<6])) }
    guard bytes[0] & 0xE0 == 0x20 else { return false }
    // 2001:0::/23 holds protocol assignments (Teredo among them), 2001:db8::/32 and 3fff::/20 are for documentation.
    if bytes.starts(with: [0x3F, 0xFF]) && bytes[2] < 0x10 { return false }
    return !(bytes.starts(with: [0x20, 0x01]) && bytes[2] < 0x02) && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
  }

  /// ::ffff:0:0/96, an IPv4 address.
  private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
  /// 64:ff9b::/96, an IPv4 address behind a translator.
  private static let translated: [UInt8] = [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
