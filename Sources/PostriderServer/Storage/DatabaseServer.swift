internal import PushStore

/// A PostgreSQL database that keeps what the data folder's own would.
public struct DatabaseServer: Sendable {
  /// The URL, without a password.
  public var url: String
  /// The password; nil when the server asks for none, or libpq finds it.
  public var password: String?

  /// Creates a value from its parts.
  public init(url: String, password: String? = nil) {
    self.url = url
    self.password = password
  }
}

extension PostriderServerConfiguration {
  /// Opens the store: the database server's when there is one, else the data folder's.
  func openStore(in folder: DataFolder) throws(PostriderServerError) -> SQLiteStore {
    let store: SQLiteStore
    do throws(StoreError) {
      if let database {
        let options = try PostgresOptions(url: database.url, password: database.password)
        return try SQLiteStore(postgres: options, signInIssuer: oidc?.issuer)
      }
      store = try SQLiteStore(path: folder.databasePath, options: SQLiteStore.Options(signInIssuer: oidc?.issuer))
    } catch { throw PostriderServerError(error, isAboutNetwork: error.code == .unavailable) }
    do throws(DataFolderError) { try folder.noteDatabase() } catch {
      store.close()
      throw PostriderServerError(error)
    }
    return store
  }
}
