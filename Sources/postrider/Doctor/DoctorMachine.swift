import CLinux
import CNGHTTP2
import COpenSSL
import CSQLite
import Glibc

/// The machine: program and libraries, clock, limits, time zones.
enum DoctorMachine {
  static var findings: [DoctorFinding] { [program, clock, files, zones] }

  private static var program: DoctorFinding {
    let libraries = unsafe [
      String(cString: OpenSSL_version(OPENSSL_VERSION)).split(separator: " ").prefix(2).joined(separator: " "),
      unsafe "nghttp2 \(String(cString: nghttp2_version(0).pointee.version_str))",
      unsafe "SQLite \(String(cString: sqlite3_libversion()))",
    ]
    var system = utsname()
    unsafe uname(&system)
    return .ok(
      "program",
      "postrider \(Version.current) with \(libraries.joined(separator: ", ")), on \(text(system.sysname)) \(text(system.release)) \(text(system.machine))"
    )
  }

  private static var clock: DoctorFinding {
    var state = timex()
    let answer = unsafe adjtimex(&state)
    guard answer >= 0 else { return .skipped("clock", "the kernel does not say whether it is synchronized") }
    guard answer == TIME_ERROR || state.status & Int32(STA_UNSYNC) != 0 else { return .ok("clock", "is synchronized") }
    return .warning(
      "clock", "the kernel knows of no time service that keeps it right",
      remedy: "Run a time service, such as systemd-timesyncd or chrony, unless the host of this machine does.")
  }

  /// Each connection of the API and each send to a gateway's connection uses a descriptor.
  private static var files: DoctorFinding {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let needed = 2_048
    guard limit.rlim_cur < needed else { return .ok("open files", "at most \(limit.rlim_cur)") }
    return .warning(
      "open files", "at most \(limit.rlim_cur), less than the \(needed) that 1024 connections of the API need",
      remedy: "Raise it (LimitNOFILE= of the unit, or ulimit -n), or start serve with a smaller --max-connections.")
  }

  private static var zones: DoctorFinding {
    let file = "/usr/share/zoneinfo/Europe/Berlin"
    guard unsafe access(file, R_OK) == 0 else {
      return .error(
        "time zones", "\(file) is not there: pushes by local time cannot be scheduled",
        remedy: "Install the time zones: apt-get install tzdata")
    }
    return .ok("time zones", "are installed")
  }

  /// The text of a C array of characters.
  private static func text<Characters>(_ characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
