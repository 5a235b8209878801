internal import Glibc
internal import Synchronization

/// The time zones of this machine: Debian's package `tzdata` keeps them, each in a file under its name.
///
/// A zone is read once and kept, so an update of the package is seen after the next start.
public final class ZoneDatabase: Sendable {
  /// Where the files are.
  public let folder: String
  private let zones = Mutex<[String: ZoneRules]>([:])

  /// The largest file that is read; the largest in tzdata has a few KiB.
  public static let fileBytesMax = 65_536
  /// The longest name that is looked up.
  public static let nameBytesMax = 64

  /// The machine's own database.
  public static let system = ZoneDatabase(folder: "/usr/share/zoneinfo")

  /// Takes the folder; nothing is read yet.
  public init(folder: String) { self.folder = folder }

  /// The rules of a zone.
  ///
  /// - Throws: `TimeZoneError` when there is no zone of that name, or no database.
  public func zone(_ name: String) throws(TimeZoneError) -> ZoneRules {
    if let known = zones.withLock({ $0[name] }) { return known }
    guard Self.isName(name) else { throw unknown(name) }
    let bytes = try read(name)
    let rules = try ZoneRules(name: name, tzif: bytes)
    // Only names of existing files are cached, so their number is bounded.
    zones.withLock { $0[name] = rules }
    return rules
  }

  /// Whether it could be a name: `Europe/Vienna`, `Etc/GMT+5`; never a path outside the folder.
  private static func isName(_ name: String) -> Bool {
    guard (1...nameBytesMax).contains(name.utf8.count) else { return false }
    return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      guard let first = part.utf8.first, (first | 0x20) >= 0x61, (first | 0x20) <= 0x7A else { return false }
      return part.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"): true
        default: false
        }
      }
    }
  }

  private func read(_ name: String) throws(TimeZoneError) -> [UInt8] {
    let path = "\(folder)/\(name)"
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? unknown(name) : unreadable(path, errno) }
    defer { close(descriptor) }
    var info = stat()
    guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { throw unknown(name) }
    var bytes = [UInt8](repeating: 0, count: Self.fileBytesMax)
    var count = 0
    while count < bytes.count {
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe buffer[count...]
        return unsafe Glibc.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      }
      if read < 0 && errno == EINTR { continue }
      guard read >= 0 else { throw unreadable(path, errno) }
      if read == 0 { break }
      count += read
    }
    guard bytes.starts(with: [0x54, 0x5A, 0x69, 0x66]) else { throw unknown(name) }
    return Array(bytes[..<count])
  }

  private func unknown(_ name: String) -> TimeZoneError {
    guard unsafe access(folder, R_OK) == 0 else {
      return TimeZoneError("there is no time zone database at \(folder); install Debian's package tzdata")
    }
    return TimeZoneError(
      "there is no time zone \"\(name.prefix(40))\"; give a name of the IANA database, such as \"Europe/Vienna\"")
  }

  private func unreadable(_ path: String, _ code: Int32) -> TimeZoneError {
    TimeZoneError(unsafe "cannot read \(path): \(String(cString: strerror(code)))")
  }
}
