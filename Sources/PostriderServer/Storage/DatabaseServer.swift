internal import Glibc
internal import PostgresEngine
internal import PushStore
internal import StoreModel

/// A PostgreSQL database that keeps what the data folder's own would.
public struct DatabaseServer: Sendable {
  /// The URL, without a password.
  public var url: String
  /// The password; nil when the server asks for none, or libpq finds it.
  public var password: String?
  /// The name of this server among those on the database; nil for the machine's.
  public var node: String?
  /// What this machine's clock may differ from the database's, in milliseconds; tests have clocks of their own.
  package var clockSkewMaxMs: Int64 = 1_000
  /// How often this server shows that it lives and looks for changed credentials, in milliseconds; tests go without.
  package var heartbeatMs: Int64?
  /// How long the database may work on one statement; tests do not wait as long.
  package var statementSeconds = 30
  /// Called with each statement that was prepared; tests keep what a version asks.
  package var onPrepare: (@Sendable (_ sql: String, _ types: [UInt32]) -> Void)?

  /// Creates a value from its parts.
  public init(url: String, password: String? = nil, node: String? = nil) {
    self.url = url
    self.password = password
    self.node = node
  }

  /// The machine's name.
  static var machine: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "node" }
    let text = unsafe name.withUnsafeBufferPointer { unsafe $0.baseAddress.map { unsafe String(cString: $0) } ?? "" }
    return text.isEmpty ? "node" : text
  }
}

extension PostriderServerConfiguration {
  /// Opens the store: the database server's when there is one, else the data folder's.
  func openStore(in folder: DataFolder) throws(PostriderServerError) -> SQLStore {
    if let database { return try openStore(at: database) }
    let store: SQLStore
    do throws(StoreError) {
      store = try SQLStore(path: folder.databasePath, options: SQLStore.Options(signInIssuer: oidc?.issuer))
    } catch { throw PostriderServerError(error) }
    do throws(DataFolderError) { try folder.noteDatabase() } catch {
      store.close()
      throw PostriderServerError(error)
    }
    return store
  }

  /// Opens a database and takes part among the servers that use it.
  private func openStore(at database: DatabaseServer) throws(PostriderServerError) -> SQLStore {
    do throws(StoreError) {
      var options = try PostgresOptions(
        url: database.url, password: database.password, statementSeconds: database.statementSeconds)
      options.onPrepare = database.onPrepare
      let store = try SQLStore(postgres: options, signInIssuer: oidc?.issuer)
      var node = NodeIdentity(name: database.node ?? DatabaseServer.machine, version: version) { [clock] in
        Timestamp(milliseconds: clock.nowMs())
      }
      node.skewMaxMs = database.clockSkewMaxMs
      if let heartbeatMs = database.heartbeatMs { node.heartbeatMs = heartbeatMs }
      do throws(StoreError) { try store.join(node) } catch {
        store.close()
        throw error
      }
      return store
    } catch {
      // A name that another server has is no fault of the settings alone: it may be gone in a moment.
      throw PostriderServerError(error, isAboutNetwork: error.code == .unavailable || error.code == .locked)
    }
  }
}
