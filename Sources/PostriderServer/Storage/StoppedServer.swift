internal import Glibc
internal import PushStore

/// What is done in the data folder of a server that is not running.
enum StoppedServer {
  /// Opens the store of a data folder for a moment, with the folder locked.
  ///
  /// - Throws: ``PostriderServerError`` when there is no database, or a server uses the folder.
  static func withStore<Value>(
    of dataFolder: String, _ work: (SQLiteStore) throws(StoreError) -> Value
  ) throws(PostriderServerError) -> Value {
    let path = "\(dataFolder)/\(DataFolder.databaseName)"
    guard access(path, F_OK) == 0 else {
      throw PostriderServerError(DataFolderError(description: "there is no database \(path); name a data folder"))
    }
    let folder: DataFolder
    do throws(DataFolderError) { folder = try DataFolder(dataFolder, sealingKey: nil) } catch {
      throw PostriderServerError(error)
    }
    defer { folder.release() }
    do throws(StoreError) {
      let store = try SQLiteStore(path: folder.databasePath)
      defer { store.close() }
      return try work(store)
    } catch { throw PostriderServerError(error) }
  }
}
