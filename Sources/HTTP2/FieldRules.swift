internal import Glibc

/// What header values and paths may contain (RFC 9113 section 8.2.1).
enum FieldRules {
  /// Visible characters only: what a `:path` may have.
  static func isPath(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    guard count > 0, unsafe bytes[0] == UInt8(ascii: "/") else { return false }
    for index in 0..<count where unsafe bytes[index] <= 0x20 || bytes[index] >= 0x7F { return false }
    return true
  }

  /// No control characters but tab, no white space at either end.
  static func isValue(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    guard count > 0 else { return true }
    guard unsafe bytes[0] > 0x20, unsafe bytes[count - 1] > 0x20 else { return false }
    for index in 0..<count where unsafe bytes[index] < 0x20 && bytes[index] != 0x09 || bytes[index] == 0x7F {
      return false
    }
    return true
  }

  static func equal(_ bytes: UnsafePointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe memcmp(bytes, other.baseAddress ?? bytes, other.count) == 0
  }
}
