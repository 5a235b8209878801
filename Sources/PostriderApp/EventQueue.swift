/// Events on disk, one file each, so that app and extension, which share the folder, never write the same file.
struct EventQueue {
  static let countMax = 500
  static let ageMaxMs: Int64 = 28 * 86_400_000
  private static let end = ".json"
  private static let temporary = ".tmp"

  private let folder: String
  private let drops: String
  /// Tells processes apart that write in the same millisecond.
  private let writer = padded(UInt64.random(in: 0...UInt64.max), 16, radix: 16)
  private var sequence: UInt64 = 0

  init(folder: String) {
    self.folder = "\(folder)/events"
    drops = "\(folder)/dropped"
  }

  /// Stores an event; it is on disk when this returns true.
  mutating func add(_ event: AppJSON, at now: Int64) -> Bool {
    AppFiles.makeFolder(folder)
    let name = "\(folder)/\(padded(max(now, 0), 13))-\(padded(sequence, 9))-\(writer)"
    sequence += 1
    guard AppFiles.write(event.text, to: name + Self.end, by: name + Self.temporary) else { return false }
    let names = names()
    for name in names.prefix(max(0, names.count - Self.countMax)) { drop(name) }
    return true
  }

  /// The events by time, the oldest first.
  func names() -> [String] { AppFiles.names(in: folder).filter { $0.hasSuffix(Self.end) } }

  /// Drops what is too old, and what a process that was killed began to write.
  func dropOld(_ now: Int64) {
    for name in AppFiles.names(in: folder) {
      let isTemporary = name.hasSuffix(Self.temporary)
      let (age, overflow) = now.subtractingReportingOverflow(Self.time(name))
      guard !overflow, age > (isTemporary ? Lane.dayMs : Self.ageMaxMs) else { continue }
      if isTemporary { remove(name) } else if name.hasSuffix(Self.end) { drop(name) }
    }
  }

  /// The event; nil when the file has no JSON.
  func read(_ name: String) -> AppJSON? { AppFiles.read("\(folder)/\(name)").flatMap(AppJSON.parse) }

  /// How often the server did not know the event's notification, and when it is sent again.
  ///
  /// Both are in the file's name, as in `…~2~1795219212000.json`, so that they outlive the process.
  static func attempts(_ name: String) -> (made: Int, next: Int64) {
    let parts = name.dropLast(end.count).split(separator: "~")
    return parts.count == 3 ? (max(0, Int(parts[1]) ?? Int.max), Int64(parts[2]) ?? 0) : (0, 0)
  }

  func postpone(_ name: String, attempts: Int, until: Int64) -> Bool {
    let stem = name.dropLast(Self.end.count).prefix { $0 != "~" }
    return AppFiles.move("\(folder)/\(name)", to: "\(folder)/\(stem)~\(attempts)~\(until)\(Self.end)")
  }

  func remove(_ name: String) { AppFiles.remove("\(folder)/\(name)") }

  func removeAll() { for name in names() { remove(name) } }

  /// Removes an event that was never delivered, and counts it.
  func drop(_ name: String) {
    if AppFiles.remove("\(folder)/\(name)") { AppFiles.appendByte(to: drops) }
  }

  var dropped: Int { AppFiles.size(drops) }

  private static func time(_ name: String) -> Int64 { Int64(name.prefix { $0 != "-" }) ?? 0 }
}

func padded(_ number: some BinaryInteger, _ width: Int, radix: Int = 10) -> String {
  let digits = String(number, radix: radix)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
