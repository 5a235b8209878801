/// Apple's calls that the client makes, which tests replace.
package protocol PhoneCalls: PhoneDetails {
  /// Sends a request without following redirects; nil when there is no answer.
  func send(_ request: PostriderRequest, _ done: @escaping @Sendable (PostriderAnswer?) -> Void)
  /// Runs `work` later, on any thread.
  func after(milliseconds: Int64, _ work: @escaping @Sendable () -> Void)
  /// Asks the person whether notifications may be shown.
  func askPermission(_ done: @escaping @Sendable (Bool) -> Void)
  /// The number on the app's icon.
  func setBadge(_ badge: Int)
  /// Keeps the folder out of backups: restored on another phone, the name would make two phones one device.
  func excludeFromBackup(_ folder: String)
}

/// The surroundings of a phone: its clock and randomness are the system's.
struct PhoneSurroundings: Surroundings {
  let phone: any PhoneCalls

  var now: Int64 { AppFiles.now() }
  var random: Int { Int.random(in: 0..<1000) }
  var locale: String? { phone.locale }
  var timezone: String? { phone.timezone }
  var appVersion: String? { phone.appVersion }

  /// A random UUID, of version 4.
  var newName: String {
    let high = UInt64.random(in: 0...UInt64.max) & 0xffff_ffff_ffff_0fff | 0x4000
    let low = UInt64.random(in: 0...UInt64.max) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    let digits = Array(padded(high, 16, radix: 16) + padded(low, 16, radix: 16))
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
    return parts.joined(separator: "-")
  }

  func log(_ line: String) { phone.log(line) }
}
