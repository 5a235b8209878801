internal import Glibc
public import PushStore

/// Copies of a data folder: made while the server runs, brought back into a new folder.
public enum Backup {
  /// What a copy holds.
  public struct Summary: Sendable, Hashable {
    /// What is in the database.
    public let content: CopySummary
    /// True when the sealing key is in the backup; without it, credentials have to be entered again.
    public let hasKey: Bool
    /// Pushes that were not over and are held now.
    public let held: Int
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
    try newFolder(target)
    do throws(PostriderServerError) {
      let content = try copy(dataFolder, target)
      if includingKey { try copyKey(dataFolder, target) }
      return Summary(content: content, hasKey: includingKey, held: 0)
    } catch {
      discard(target)
      throw error
    }
  }

  /// Brings a backup back as a new data folder.
  ///
  /// What the backup says is waiting may have been sent after it was made, so every push that is not over is held;
  /// resume those that shall go on.
  ///
  /// - Parameters:
  ///   - backup: the folder that ``make(of:in:includingKey:)`` made.
  ///   - dataFolder: the folder to make.
  ///   - isHolding: whether pushes that are not over are held; false lets them go on at the server's next start.
  public static func restore(
    _ backup: String, as dataFolder: String, isHolding: Bool = true
  ) throws(PostriderServerError) -> Summary {
    try newFolder(dataFolder)
    do throws(PostriderServerError) {
      let content = try copy(backup, dataFolder)
      let hasKey = access("\(backup)/\(DataFolder.keyName)", F_OK) == 0
      if hasKey { try copyKey(backup, dataFolder) }
      return Summary(content: content, hasKey: hasKey, held: isHolding ? try hold(dataFolder) : 0)
    } catch {
      discard(dataFolder)
      throw error
    }
  }

  private static func copy(_ source: String, _ target: String) throws(PostriderServerError) -> CopySummary {
    do throws(StoreError) {
      return try SQLiteStore.copy(
        "\(source)/\(DataFolder.databaseName)", to: "\(target)/\(DataFolder.databaseName)")
    } catch { throw PostriderServerError(error) }
  }

  private static func hold(_ dataFolder: String) throws(PostriderServerError) -> Int {
    do throws(StoreError) {
      let store = try SQLiteStore(path: "\(dataFolder)/\(DataFolder.databaseName)")
      defer { store.close() }
      return try store.holdEverything()
    } catch { throw PostriderServerError(error) }
  }

  private static func copyKey(_ source: String, _ target: String) throws(PostriderServerError) {
    do throws(DataFolderError) {
      try DataFolder.writeKey(
        try DataFolder.readKey("\(source)/\(DataFolder.keyName)"), to: "\(target)/\(DataFolder.keyName)")
    } catch { throw PostriderServerError(error) }
  }

  private static func newFolder(_ path: String) throws(PostriderServerError) {
    guard mkdir(path, 0o700) == 0 else {
      let reason = errno == EEXIST ? "it exists already; name a new folder" : String(cString: strerror(errno))
      throw PostriderServerError(DataFolderError(description: "cannot make the folder \(path): \(reason)"))
    }
  }

  /// Removes what was begun; the folder holds nothing but these.
  private static func discard(_ folder: String) {
    for name in [DataFolder.databaseName, DataFolder.databaseName + ".lock", DataFolder.keyName] {
      unlink("\(folder)/\(name)")
    }
    rmdir(folder)
  }
}
