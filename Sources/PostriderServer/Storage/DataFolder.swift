internal import Basics
internal import Glibc
internal import Signing
internal import Synchronization

/// What went wrong with the data folder: what was tried, where, why, and what to do.
public struct DataFolderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The message.
  public let description: String
}

/// The folder that holds everything the server keeps: database, sealing key, lock.
final class DataFolder: Sendable {
  let path: String
  /// Whether the folder was empty before: the first start.
  let isNew: Bool
  /// The secret that seals credentials; nil when it was not given and there is no key file.
  private let key: [UInt8]?
  private let lock: Mutex<Int32?>
  /// Whether there was no folder before.
  private let isMade: Bool
  private let keepsDatabase: Bool

  static let databaseName = "postrider.sqlite"
  static let keyName = "sealing.key"
  static let lockName = "lock"
  private static let keyBytes = 32

  var databasePath: String { "\(path)/\(DataFolder.databaseName)" }

  /// Opens the folder, making it on first use, and takes it for this process alone.
  ///
  /// - Parameters:
  ///   - sealingKey: the key as 64 hex digits, for those who keep it elsewhere; without it the folder's own key file is
  ///     used.
  ///   - keepsDatabase: whether the database is in the folder; else a server has it, and the folder must have none.
  /// - Throws: also when the folder is not new but has no database, so that a lost database is never replaced by an empty one.
  init(_ path: String, sealingKey: String?, keepsDatabase: Bool = true) throws(DataFolderError) {
    self.path = path
    self.keepsDatabase = keepsDatabase
    let isMade = try DataFolder.makeFolder(path)
    self.isMade = isMade
    let lock = try DataFolder.takeLock("\(path)/\(DataFolder.lockName)")
    self.lock = Mutex(lock)
    do throws(DataFolderError) {
      isNew = keepsDatabase ? try DataFolder.isNew(path) : try DataFolder.isWithoutDatabase(path)
      key = try DataFolder.key(in: path, given: sealingKey)
    } catch {
      // An object that was never whole is not deinitialized.
      if isMade { DataFolder.remove(path, [DataFolder.lockName]) }
      close(lock)
      throw error
    }
  }

  /// The secret that seals credentials; made on first use, when `isNothingSealed` with another one.
  func sealingKey(isNothingSealed: Bool) throws(DataFolderError) -> [UInt8] {
    if let key { return key }
    let path = "\(path)/\(DataFolder.keyName)"
    guard isNothingSealed else {
      throw DataFolderError(
        description: "the key file \(path) is missing, and the stored credentials cannot be read without it;"
          + " bring it back from a backup, or copy it from another node of the same database, or start with"
          + " POSTRIDER_SEALING_KEY set to 64 new hexadecimal digits and"
          + " --replace-sealing-key, and enter the credentials again")
    }
    return try DataFolder.makeKeyFile(path)
  }

  /// Notes in the lock that there is a database, so that a lost one is missed.
  func noteDatabase() throws(DataFolderError) {
    let isNoted = lock.withLock { descriptor in descriptor.map(DataFolder.noteDatabase) ?? true }
    guard isNoted else { throw DataFolder.failure("write the lock", "\(path)/\(DataFolder.lockName)") }
  }

  /// The same in a folder that no server has used yet.
  static func noteDatabase(in folder: String) throws(DataFolderError) {
    let path = "\(folder)/\(lockName)"
    let descriptor = try takeLock(path)
    defer { close(descriptor) }
    guard noteDatabase(descriptor) else { throw failure("write the lock", path) }
  }

  fileprivate static func noteDatabase(_ descriptor: Int32) -> Bool {
    var info = stat()
    if unsafe fstat(descriptor, &info) == 0, info.st_size > 0 { return true }
    let text = Array("\(databaseName)\n".utf8)
    return unsafe write(descriptor, text, text.count) == text.count && fsync(descriptor) == 0
  }

  deinit { release() }

  /// Lets another process have the folder.
  func release() { if let descriptor = lock.withLock({ $0.take() }) { close(descriptor) } }

  /// Removes the folder of a start that failed, if that start has made it; the store is closed.
  ///
  /// A key file stays while another database may have what it seals.
  func discard() {
    defer { release() }
    guard isMade, keepsDatabase || DataFolder.size("\(path)/\(DataFolder.keyName)") == nil else { return }
    let database = ["", "-wal", "-shm", "-journal", ".lock"].map { DataFolder.databaseName + $0 }
    DataFolder.remove(path, database + [DataFolder.keyName, DataFolder.lockName])
  }

  /// Removes files of a folder, and the folder when nothing else is in it.
  private static func remove(_ path: String, _ names: [String]) {
    for name in names { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }

  /// True when there was no folder.
  fileprivate static func makeFolder(_ path: String) throws(DataFolderError) -> Bool {
    let isMade = unsafe mkdir(path, 0o700) == 0
    if !isMade && errno != EEXIST { throw failure("create the data folder", path) }
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { throw failure("look at the data folder", path) }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      throw DataFolderError(description: "the data folder \(path) is not a folder; choose another path")
    }
    guard info.st_mode & 0o077 == 0 else {
      throw DataFolderError(
        description: "the data folder \(path) is open to other users; close it with: chmod 700 \(path)")
    }
    return isMade
  }

  fileprivate static func takeLock(_ path: String) throws(DataFolderError) -> Int32 {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("open the lock", path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw DataFolderError(
        description: "another Postrider uses this data folder (lock \(path)); stop it or choose another folder")
    }
    return descriptor
  }

  /// Whether nothing was ever kept in the folder.
  ///
  /// The lock says whether there was a database; SQLite would begin a new one beside what is left of a lost one, and overwrite
  /// its log.
  private static func isNew(_ path: String) throws(DataFolderError) -> Bool {
    let database = size("\(path)/\(databaseName)")
    guard database == nil || database == 0 else { return false }
    let rests = [databaseName + "-wal", databaseName + "-journal", keyName, lockName].filter {
      (size("\(path)/\($0)") ?? 0) > 0
    }
    guard rests.isEmpty else {
      let names = rests.joined(separator: " and ")
      throw DataFolderError(
        description: "the data folder \(path) has \(names), but its database \(databaseName) is"
          + " \(database == nil ? "missing" : "empty"); put the database back, or restore a backup into a new folder"
          + " (postrider restore); to start with an empty ledger instead, move \(names) out of the folder first")
    }
    return true
  }

  /// Refuses a folder with a database, which whoever names a server may have forgotten; true when nothing at all is in it.
  private static func isWithoutDatabase(_ path: String) throws(DataFolderError) -> Bool {
    guard (size("\(path)/\(databaseName)") ?? 0) == 0 else {
      throw DataFolderError(
        description: "the data folder \(path) has a database of its own, which a start on a database server would leave"
          + " behind; name another folder with --data, or start without --store")
    }
    return size("\(path)/\(keyName)") == nil
  }

  private static func size(_ path: String) -> Int? {
    var info = stat()
    return unsafe stat(path, &info) == 0 ? Int(info.st_size) : nil
  }

  /// The key that was given, or that of the folder's key file; nil when there is neither.
  static func key(in folder: String, given: String?) throws(DataFolderError) -> [UInt8]? {
    if let given { return try decodeKey(given, source: "the sealing key of the configuration") }
    let path = "\(folder)/\(keyName)"
    guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return nil }
    return try readKey(path)
  }

  /// The key in a key file that only its owner may read.
  static func readKey(_ path: String) throws(DataFolderError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw failure("open the key file", path) }
    defer { close(descriptor) }
    var info = stat()
    guard unsafe fstat(descriptor, &info) == 0, info.st_mode & 0o077 == 0 else {
      throw DataFolderError(
        description: "the key file \(path) is open to other users; close it with: chmod 600 \(path)")
    }
    var text = [UInt8](repeating: 0, count: keyBytes * 2 + 16)
    let count = unsafe read(descriptor, &text, text.count)
    guard count >= 0 else { throw failure("read the key file", path) }
    return try decodeKey(String(decoding: text[..<count], as: UTF8.self), source: "the key file \(path)")
  }

  private static func makeKeyFile(_ path: String) throws(DataFolderError) -> [UInt8] {
    let key = SecureRandom.bytes(keyBytes)
    try writeKey(key, to: path)
    return key
  }

  /// Writes a new key file that only its owner may read.
  static func writeKey(_ key: [UInt8], to path: String) throws(DataFolderError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("create the key file", path) }
    defer { close(descriptor) }
    let text = Array((Hex.encode(key) + "\n").utf8)
    // Without this key the credentials are lost, so it must be on disk before anything is sealed with it.
    guard unsafe write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0 else {
      throw failure("write the key file", path)
    }
  }

  private static func decodeKey(_ text: String, source: String) throws(DataFolderError) -> [UInt8] {
    let digits = text.prefix { $0 != "\n" && $0 != "\r" && $0 != " " }
    guard let key = Hex.decode(digits), key.count == keyBytes else {
      throw DataFolderError(description: "\(source) does not hold \(keyBytes * 2) hexadecimal digits")
    }
    return key
  }

  fileprivate static func failure(_ action: String, _ path: String) -> DataFolderError {
    DataFolderError(description: unsafe "cannot \(action) \(path): \(String(cString: strerror(errno)))")
  }
}

/// A data folder that no server uses as long as this is there, whatever is in it; it is made when it is missing.
final class FolderHold: Sendable {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(DataFolderError) {
    self.path = path
    _ = try DataFolder.makeFolder(path)
    descriptor = try DataFolder.takeLock("\(path)/\(DataFolder.lockName)")
  }

  deinit { close(descriptor) }

  /// Notes that there is a database, so that a lost one is missed.
  func noteDatabase() throws(DataFolderError) {
    guard DataFolder.noteDatabase(descriptor) else { throw DataFolder.failure("write the lock", path) }
  }
}
