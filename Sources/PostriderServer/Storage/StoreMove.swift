internal import Glibc
public import PushStore
internal import StoreModel

/// Moves everything that a server keeps from its data folder into a database server, or back.
public enum StoreMove {
  /// What was copied.
  public struct Result: Sendable, Hashable {
    /// Every table with its rows and its digest.
    public let copy: StoreCopy.Summary
    /// What the sealing key does not open; nil when there is none to try.
    public let unopened: [String]?
  }

  /// Copies everything, verifies it, and tries the sealing key; what was broken off is finished.
  ///
  /// - Parameters:
  ///   - source: where it is; no server may use it.
  ///   - target: an empty target, or a copy that was not finished. A folder is made when it is not there.
  ///   - sealingKey: the key as 64 hex digits; nil uses the key file of the folder on either side.
  ///   - progress: called often.
  /// - Throws: ``PostriderServerError`` with what to do about it; the target is refused by servers then.
  public static func run(
    from source: StoreLocation, to target: StoreLocation, sealingKey: String?,
    progress: @escaping (StoreCopy.Progress) -> Void
  ) throws(PostriderServerError) -> Result {
    // Locks are let go when these are.
    let sourceHold = try hold(source, makes: false)
    let targetHold = try hold(target, makes: true)
    defer { withExtendedLifetime((sourceHold, targetHold)) {} }
    let copy: StoreCopy.Summary
    let (from, to) = (try location(source), try location(target))
    do { copy = try StoreCopy.run(from: from, to: to, progress: progress) } catch {
      throw PostriderServerError(store: error)
    }
    do throws(DataFolderError) { try targetHold?.noteDatabase() } catch { throw PostriderServerError(error) }
    return Result(copy: copy, unopened: try unopened(source, target, sealingKey))
  }

  private static func location(_ location: StoreLocation) throws(PostriderServerError) -> CopyLocation {
    switch location {
    case .folder(let path): .file("\(path)/\(DataFolder.databaseName)")
    case .server(let server, keyFolder: _): .server(try server.options())
    }
  }

  private static func hold(_ location: StoreLocation, makes: Bool) throws(PostriderServerError) -> FolderHold? {
    guard case .folder(let path) = location else { return nil }
    let database = "\(path)/\(DataFolder.databaseName)"
    guard unsafe makes || access(database, F_OK) == 0 else {
      throw PostriderServerError(DataFolderError(description: "there is no database \(database); name a data folder"))
    }
    do throws(DataFolderError) { return try FolderHold(path) } catch { throw PostriderServerError(error) }
  }

  /// The copy holds what the original does, so that either is asked; a file is the one that needs no connection.
  private static func unopened(
    _ source: StoreLocation, _ target: StoreLocation, _ sealingKey: String?
  ) throws(PostriderServerError) -> [String]? {
    for location in [target, source] {
      guard case .folder(let path) = location else { continue }
      let key = try LedgerCheck.key(in: path, given: sealingKey)
      do throws(StoreError) {
        let store = try SQLStore(
          path: "\(path)/\(DataFolder.databaseName)", options: SQLStore.Options(exclusive: false))
        defer { store.close() }
        return try LedgerCheck.unopened(store, key)
      } catch { throw PostriderServerError(store: error) }
    }
    return nil
  }
}
