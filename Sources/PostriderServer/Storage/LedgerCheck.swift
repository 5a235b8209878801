internal import Glibc
public import PushStore
internal import Signing

/// Reads a data folder whole, whether its server runs or not.
public enum LedgerCheck {
  /// What was found.
  public struct Result: Sendable, Hashable {
    /// What reading the database found.
    public let examination: Examination
    /// Everything that is wrong with pages and ledger, in sentences.
    public let faults: [String]
    /// Credentials and webhook secrets that the sealing key does not open; nil when there is no key to try.
    public let unopened: [String]?
    /// Whether nothing was found.
    public var isSound: Bool { faults.isEmpty && unopened?.isEmpty != false }
  }

  /// Reads every page, recounts the ledger, and tries the sealing key.
  ///
  /// - Parameters:
  ///   - dataFolder: the data folder, or a backup.
  ///   - sealingKey: the key as 64 hex digits; nil uses the folder's key file, when there is one.
  /// - Throws: ``PostriderServerError`` when there is no database, or it cannot be opened.
  public static func run(_ dataFolder: String, sealingKey: String?) throws(PostriderServerError) -> Result {
    let path = "\(dataFolder)/\(DataFolder.databaseName)"
    guard access(path, F_OK) == 0 else {
      throw PostriderServerError(
        DataFolderError(description: "there is no database \(path); name a data folder or a backup"))
    }
    let key: [UInt8]?
    do throws(DataFolderError) { key = try DataFolder.key(in: dataFolder, given: sealingKey) } catch {
      throw PostriderServerError(error)
    }
    do throws(StoreError) {
      let store = try SQLiteStore(path: path, options: SQLiteStore.Options(exclusive: false, allowsBackup: true))
      defer { store.close() }
      let found = try store.examine()
      // What is damaged need not be readable.
      let unopened = found.pageFaults.isEmpty ? try self.unopened(store, key) : nil
      return Result(examination: found, faults: found.faults, unopened: unopened)
    } catch {
      guard error.code == .corrupted || error.code == .notADatabase else { throw PostriderServerError(error) }
      return Result(examination: Examination(), faults: [error.message], unopened: nil)
    }
  }

  private static func unopened(_ store: SQLiteStore, _ key: [UInt8]?) throws(StoreError) -> [String]? {
    guard let key, let vault = try? Vault(key: key) else { return nil }
    return try SealCheck(store, vault).unopened
  }
}
