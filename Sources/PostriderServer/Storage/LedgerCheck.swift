internal import Glibc
internal import PushStore
internal import Signing
public import StoreModel

/// Reads a store whole, whether its server runs or not.
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
  ///   - location: the data folder, or a backup, or a database server, which looks after its pages itself.
  ///   - sealingKey: the key as 64 hex digits; nil uses the folder's key file, when there is one.
  /// - Throws: ``PostriderServerError`` when there is no database, or it cannot be opened.
  public static func run(_ location: StoreLocation, sealingKey: String?) throws(PostriderServerError) -> Result {
    let key: [UInt8]?
    switch location {
    case .server(let server, keyFolder: let folder):
      key = try self.key(in: folder, given: sealingKey)
      let store = try server.openBesideServers()
      defer { store.close() }
      do { return try examine(store, key) } catch { throw PostriderServerError(store: error) }
    case .folder(let folder):
      let path = "\(folder)/\(DataFolder.databaseName)"
      guard unsafe access(path, F_OK) == 0 else {
        throw PostriderServerError(
          DataFolderError(
            description:
              "there is no database \(path); name a data folder or a backup, or with --store the database server"
          ))
      }
      key = try self.key(in: folder, given: sealingKey)
      do throws(StoreError) {
        let store = try SQLStore(path: path, options: SQLStore.Options(exclusive: false, allowsBackup: true))
        defer { store.close() }
        return try examine(store, key)
      } catch {
        guard error.code == .corrupted || error.code == .notADatabase else { throw PostriderServerError(error) }
        return Result(examination: Examination(), faults: [error.message], unopened: nil)
      }
    }
  }

  /// The key that was given, or that of the folder.
  static func key(in folder: String, given: String?) throws(PostriderServerError) -> [UInt8]? {
    do throws(DataFolderError) { return try DataFolder.key(in: folder, given: given) } catch {
      throw PostriderServerError(error)
    }
  }

  private static func examine(_ store: SQLStore, _ key: [UInt8]?) throws(StoreError) -> Result {
    let found = try store.examine()
    // What is damaged need not be readable.
    let unopened = found.pageFaults.isEmpty ? try self.unopened(store, key) : nil
    return Result(examination: found, faults: found.faults, unopened: unopened)
  }

  /// What a key does not open; nil without one.
  static func unopened(_ store: SQLStore, _ key: [UInt8]?) throws(StoreError) -> [String]? {
    guard let key, let vault = try? Vault(key: key) else { return nil }
    return try SealCheck(store, vault).unopened
  }
}
