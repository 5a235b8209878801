extension JSONKey {
  /// A key whose name is known only when the program runs, such as one that comes from a table.
  ///
  /// The name is copied into memory that is never freed, so make such keys once and keep them. Returns nil when the
  /// name would need an escape.
  public init?(keeping name: String) {
    let bytes = Array(name.utf8)
    for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5C { return nil }
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
    unsafe copy.initialize(from: bytes, count: bytes.count)
    unsafe self.init(start: UnsafePointer(copy), count: bytes.count)
  }
}
