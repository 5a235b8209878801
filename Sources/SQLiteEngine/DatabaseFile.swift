internal import Glibc
package import StoreModel

/// Whether the database file still exists at the path where it was opened.
///
/// The kernel lets a process write to files that were deleted or moved away, and SQLite does not check: such writes are
/// lost with the process, or there again with the file. So the path is checked before each transaction, which is refused then,
/// and after each commit, before anything is acknowledged.
package struct DatabaseFile: Sendable {
  private struct Identity: Sendable, Equatable {
    let device: dev_t
    let file: ino_t
  }

  private let path: String
  private let opened: Identity?
  private let log: Identity?

  /// Remembers the file and its write-ahead log; a connection is open, so both are there.
  package init(path: String) {
    self.path = path
    opened = Self.identity(path)
    log = Self.identity(path + "-wal")
  }

  private static func identity(_ path: String) -> Identity? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Identity(device: status.st_dev, file: status.st_ino) : nil
  }

  /// Throws `fileGone` when the file or its log was deleted, moved or replaced.
  package func check() throws(StoreError) {
    try check(path, opened)
    try check(path + "-wal", log)
  }

  /// The same after a commit: the change is in the file that was opened, wherever that is now.
  package func checkCommitted() throws(StoreError) {
    do throws(StoreError) { try check() } catch {
      throw StoreError(
        .inDoubt,
        "\(error.message); it was moved while the change was written, so that it is unknown whether it was saved",
        advice:
          "put the data folder back, or restore the last backup, restart the server, and look before you repeat it")
    }
  }

  private func check(_ path: String, _ expected: Identity?) throws(StoreError) {
    guard let expected else { return }
    let found = Self.identity(path)
    guard found != expected else { return }
    let what = found == nil ? "is gone" : "was replaced by another file"
    throw StoreError(
      .fileGone, "\(path) \(what) while the server runs",
      advice: "put the data folder back and restart the server, or restore the last backup; nothing is acknowledged")
  }
}
