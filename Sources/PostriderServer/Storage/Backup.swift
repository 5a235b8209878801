internal import Glibc
package import PushStore
public import StoreModel

/// Copies of a data folder: made while the server runs, brought back into a new folder.
///
/// A folder is filled under another name and renamed when it is whole, so that a process that ends in between leaves no
/// folder that looks like one.
public enum Backup {
  /// What a copy holds.
  public struct Summary: Sendable, Hashable {
    /// What is in the database.
    public let content: CopySummary
    /// True when the sealing key is in the backup; without it, credentials have to be entered again.
    public let hasKey: Bool
    /// What could go out by itself and is held now.
    public var held: HeldCounts { content.held }
  }

  /// What has been done of a copy; tests end the process in between.
  package enum Step: Sendable, Hashable {
    case folder
    case database(CopyStep)
    case key, named

    package static let all: [Step] = [.folder] + CopyStep.allCases.map(Step.database) + [.key, .named]
  }

  /// Copies the data folder of a running or a stopped server into a new folder, and checks the copy.
  ///
  /// - Parameters:
  ///   - dataFolder: the data folder.
  ///   - target: the folder to make; only its owner may read it.
  ///   - includingKey: whether the key file that opens the sealed credentials is copied too; whoever has both can push.
  /// - Throws: ``PostriderServerError`` with what to do about it; nothing is left of a copy that is not whole.
  public static func make(
    of dataFolder: String, in target: String, includingKey: Bool
  ) throws(PostriderServerError) -> Summary {
    try fill(target) { (partial) throws(PostriderServerError) in
      let content = try copy(dataFolder, partial, restoring: nil) { _ in }
      if includingKey { try copyKey(dataFolder, partial) }
      return Summary(content: content, hasKey: includingKey)
    }
  }

  /// Restores a backup into a new data folder.
  ///
  /// Waiting deliveries in the backup may have been sent after it was made, so everything that would be sent
  /// automatically is paused: pushes with waiting deliveries, scheduled pushes, schedules, webhooks. Resume what is to
  /// be sent. The deliveries of unfinished pushes end as accepted, refused by the provider, or unknown, paused or not.
  ///
  /// - Parameters:
  ///   - backup: the folder created by ``make(of:in:includingKey:)``.
  ///   - dataFolder: the folder to create.
  ///   - isHolding: false resumes everything at the server's next start.
  ///   - clock: the time of day, recorded as the start of the pause.
  public static func restore(
    _ backup: String, as dataFolder: String, isHolding: Bool = true, clock: WallClock = .system
  ) throws(PostriderServerError) -> Summary {
    try restore(backup, as: dataFolder, isHolding: isHolding, clock: clock) { _ in }
  }

  /// As above; `done` is called after each step.
  package static func restore(
    _ backup: String, as dataFolder: String, isHolding: Bool, clock: WallClock, done: (Step) -> Void
  ) throws(PostriderServerError) -> Summary {
    let restoring = Restoring(at: Timestamp(milliseconds: clock.nowMs()), isHolding: isHolding)
    let summary = try fill(dataFolder) { (partial) throws(PostriderServerError) in
      done(.folder)
      let content = try copy(backup, partial, restoring: restoring) { done(.database($0)) }
      let hasKey = unsafe access("\(backup)/\(DataFolder.keyName)", F_OK) == 0
      if hasKey { try copyKey(backup, partial) }
      do throws(DataFolderError) { try DataFolder.noteDatabase(in: partial) } catch {
        throw PostriderServerError(error)
      }
      done(.key)
      return Summary(content: content, hasKey: hasKey)
    }
    done(.named)
    return summary
  }

  // MARK: - Steps

  private static func fill(
    _ target: String, _ body: (String) throws(PostriderServerError) -> Summary
  ) throws(PostriderServerError) -> Summary {
    guard unsafe access(target, F_OK) != 0 else {
      throw failure("make the folder \(target)", "it exists already; name a new folder")
    }
    let partial = target + ".partial"
    discard(partial)
    guard unsafe mkdir(partial, 0o700) == 0 else { throw failure("make the folder \(partial)", reason()) }
    do throws(PostriderServerError) {
      let summary = try body(partial)
      try flush(partial)
      guard unsafe rename(partial, target) == 0 else { throw failure("name the folder \(target)", reason()) }
      try flush(parent(of: target))
      return summary
    } catch {
      discard(partial)
      throw error
    }
  }

  private static func copy(
    _ source: String, _ target: String, restoring: Restoring?, _ done: (CopyStep) -> Void
  ) throws(PostriderServerError) -> CopySummary {
    do throws(StoreError) {
      return try SQLStore.copy(
        "\(source)/\(DataFolder.databaseName)", to: "\(target)/\(DataFolder.databaseName)", restoring: restoring,
        done: done)
    } catch { throw PostriderServerError(error) }
  }

  private static func copyKey(_ source: String, _ target: String) throws(PostriderServerError) {
    do throws(DataFolderError) {
      try DataFolder.writeKey(
        try DataFolder.readKey("\(source)/\(DataFolder.keyName)"), to: "\(target)/\(DataFolder.keyName)")
    } catch { throw PostriderServerError(error) }
  }

  private static func flush(_ path: String) throws(PostriderServerError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open \(path)", reason()) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("flush \(path)", reason()) }
  }

  private static func parent(of path: String) -> String {
    var name = Substring(path)
    while name.count > 1, name.last == "/" { name.removeLast() }
    guard let end = name.lastIndex(of: "/") else { return "." }
    return end == name.startIndex ? "/" : String(name[..<end])
  }

  private static func reason() -> String { unsafe String(cString: strerror(errno)) }

  private static func failure(_ action: String, _ reason: String) -> PostriderServerError {
    PostriderServerError(DataFolderError(description: "cannot \(action): \(reason)"))
  }

  /// Removes what was begun; the folder holds nothing but these.
  private static func discard(_ folder: String) {
    for base in [DataFolder.databaseName, DataFolder.databaseName + ".partial"] {
      for suffix in ["", "-wal", "-shm", "-journal", ".lock"] { unsafe unlink("\(folder)/\(base)\(suffix)") }
    }
    for name in [DataFolder.keyName, DataFolder.lockName] { unsafe unlink("\(folder)/\(name)") }
    unsafe rmdir(folder)
  }
}
