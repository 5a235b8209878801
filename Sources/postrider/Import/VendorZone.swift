internal import TimeZones

/// Time zones of vendors' files.
enum VendorZone {
  /// Zones for offsets, in minutes, that are no whole hours: one that has the offset all year, or half of it.
  private static let byMinutes = [
    -570: "Pacific/Marquesas", -210: "America/St_Johns", -150: "America/St_Johns", 210: "Asia/Tehran",
    270: "Asia/Kabul", 330: "Asia/Kolkata", 345: "Asia/Kathmandu", 390: "Asia/Yangon", 525: "Australia/Eucla",
    570: "Australia/Darwin", 630: "Australia/Adelaide", 765: "Pacific/Chatham", 825: "Pacific/Chatham",
  ]

  /// A zone with an offset of so many seconds east of UTC; nil when no zone has it.
  static func name(offset text: String) -> String? {
    guard let seconds = Int(text), seconds % 60 == 0 else { return nil }
    guard seconds % 3_600 == 0 else { return byMinutes[seconds / 60] }
    let hours = seconds / 3_600
    guard (-12...14).contains(hours) else { return nil }
    // POSIX counts westward.
    return hours == 0 ? "Etc/UTC" : "Etc/GMT\(hours > 0 ? "-\(hours)" : "+\(-hours)")"
  }

  /// Whether the machine's database has a zone of this name.
  static func isKnown(_ name: String) -> Bool { (try? ZoneDatabase.system.zone(name)) != nil }
}
