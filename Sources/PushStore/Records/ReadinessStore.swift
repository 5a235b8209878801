internal import Glibc
internal import SQLiteEngine
public import StoreModel
internal import Synchronization

extension SQLStore {
  /// Free bytes below which larger commits fail although one row may still fit into space that the log has already.
  private static let freeBytesMin: UInt64 = 1 << 20

  /// Looks for the file and for room beside it, and proves that it takes a write.
  public func checkReadiness(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    do throws(StoreError) {
      try file?.check()
      if let trouble = fleet.nodeStatus.trouble { throw trouble }
      if let damage = damage.withLock({ $0 }) { throw damage }
      try checkRoom()
    } catch { return completion(.failure(error)) }
    writeProof.check(
      { ended in
        write(
          { (context) throws(StoreError) in
            // Another value each time: SQLite writes no page that stays as it is.
            try context.db.prepare("UPDATE readiness SET probes = probes + 1").run()
          }, completion: ended)
      }, completion)
  }

  /// The same, for callers that may wait.
  public func checkReadiness() throws(StoreError) {
    try wait {
      checkReadiness(completion: $0)
      writer.step(urgentOnly: true)
    }
  }

  private func checkRoom() throws(StoreError) {
    guard server == nil else { return }
    var volume = statvfs()
    guard unsafe statvfs(path, &volume) == 0 else { return }
    let free = UInt64(volume.f_bavail) * UInt64(volume.f_frsize)
    guard free < Self.freeBytesMin else { return }
    throw StoreError(
      .diskFull, "the disk of \(path) has \(free) bytes left",
      advice: "free space on the volume, at least \(Self.freeBytesMin) bytes; nothing that was acknowledged is lost")
  }
}
