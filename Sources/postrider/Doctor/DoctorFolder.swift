import Glibc
import PostriderServer

/// The data folder: rights, room on the disk, ledger and sealed secrets.
struct DoctorFolder {
  let path: String
  let readsLedger: Bool
  /// Whether the rows are in the folder; else a database server has them, and the folder only the key.
  let keepsDatabase: Bool

  /// Below this the next import or campaign may not fit.
  private static let warningBytes = 2 << 30
  /// Below this SQLite's log may not fit.
  private static let errorBytes = 256 << 20

  var findings: [DoctorFinding] {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else {
      let why = Terminal.lastError()
      guard errno == ENOENT else {
        return [.error("data", "cannot look at \(path): \(why)", remedy: "Run this as the server's user.")]
      }
      return [.skipped("data", "\(path) is not there yet; the first start of serve makes it"), room(of: parent)]
    }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      return [.error("data", "\(path) is not a folder", remedy: "Name the server's data folder with --data.")]
    }
    let rights = rights(info)
    return [rights, room(of: path)] + (rights.verdict == .ok && keepsDatabase ? [ledger] : [])
  }

  private var parent: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func rights(_ info: stat) -> DoctorFinding {
    guard info.st_mode & 0o077 == 0 else {
      return .error("data", "\(path) is open to other users; serve does not start", remedy: "chmod 700 \(path)")
    }
    guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else {
      return .error("data", "\(path): \(Terminal.lastError())", remedy: "Run this as the server's user.")
    }
    return .ok("data", "\(path) is its owner's alone")
  }

  private func room(of folder: String) -> DoctorFinding {
    var disk = statvfs()
    guard unsafe statvfs(folder, &disk) == 0 else {
      return .skipped("disk", "cannot look at the disk of \(folder): \(Terminal.lastError())")
    }
    let free = Int(disk.f_bavail) * Int(disk.f_frsize)
    let text = "\(free >> 20) MiB free where \(path) is"
    let remedy = "Make room, or shorten how long deliveries are kept (postrider retention set)."
    if disk.f_flag & UInt(ST_RDONLY) != 0 {
      return .error("disk", "the file system of \(path) is read-only", remedy: "Mount it for writing.")
    }
    if disk.f_files > 0 && disk.f_favail == 0 { return .error("disk", "no inode is free", remedy: remedy) }
    if free < DoctorFolder.errorBytes { return .error("disk", text, remedy: remedy) }
    return free < DoctorFolder.warningBytes ? .warning("disk", text, remedy: remedy) : .ok("disk", text)
  }

  private var ledger: DoctorFinding { DoctorLedger.finding(.folder(path), readsLedger: readsLedger) }
}
