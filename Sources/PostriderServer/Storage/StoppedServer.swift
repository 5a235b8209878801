internal import Glibc
internal import PostgresEngine
internal import PushStore
internal import StoreModel

/// Where a server keeps its rows, for commands that work without it.
public enum StoreLocation: Sendable {
  /// A data folder.
  case folder(String)
  /// A database server, and the folder with the sealing key.
  case server(DatabaseServer, keyFolder: String)

  /// The folder that has the sealing key, when it is not given otherwise.
  var folder: String {
    switch self {
    case .folder(let path), .server(_, keyFolder: let path): path
    }
  }
}

extension DatabaseServer {
  /// How the store reaches it.
  func options() throws(PostriderServerError) -> PostgresOptions {
    do { return try PostgresOptions(url: url, password: password) } catch { throw PostriderServerError(store: error) }
  }

  /// Opens the database as it is, beside its servers.
  func openBesideServers() throws(PostriderServerError) -> SQLStore {
    let options = try options()
    do { return try SQLStore(postgres: options, migrates: false) } catch { throw PostriderServerError(store: error) }
  }
}

extension PostriderServerError {
  /// Why a store cannot be used: a server that does not answer is the network's.
  init(store error: StoreError) { self.init(error, isAboutNetwork: error.code == .unavailable) }
}

/// What is done without a server: in its data folder while it is stopped, or in its database, where others may work.
enum StoppedServer {
  /// Opens the store for a moment; a data folder is locked so long.
  ///
  /// - Throws: ``PostriderServerError`` when there is no database, or a server uses the folder.
  static func withStore<Value>(
    of location: StoreLocation, _ work: (SQLStore) throws(StoreError) -> Value
  ) throws(PostriderServerError) -> Value {
    switch location {
    case .folder(let path): return try withFolder(path, work)
    case .server(let server, keyFolder: _):
      let store = try server.openBesideServers()
      defer { store.close() }
      do { return try work(store) } catch { throw PostriderServerError(store: error) }
    }
  }

  private static func withFolder<Value>(
    _ dataFolder: String, _ work: (SQLStore) throws(StoreError) -> Value
  ) throws(PostriderServerError) -> Value {
    let path = "\(dataFolder)/\(DataFolder.databaseName)"
    guard unsafe access(path, F_OK) == 0 else {
      throw PostriderServerError(
        DataFolderError(
          description: "there is no database \(path); name a data folder, or with --store the database server"))
    }
    let folder: DataFolder
    do throws(DataFolderError) { folder = try DataFolder(dataFolder, sealingKey: nil) } catch {
      throw PostriderServerError(error)
    }
    defer { folder.release() }
    do throws(StoreError) {
      let store = try SQLStore(path: folder.databasePath)
      defer { store.close() }
      return try work(store)
    } catch { throw PostriderServerError(error) }
  }
}
