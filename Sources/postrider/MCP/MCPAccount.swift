import Glibc

/// How many devices were sent to within the last hour, by all sessions of this user, in a file of the user's own.
///
/// A client that starts the server anew, or twice, meets the same bound. What cannot be read or written stops sending.
struct MCPAccount: Sendable {
  /// The stretch of the bound, in seconds.
  static let windowSeconds: Int64 = 3_600
  private static let bytesMax = 1 << 20

  let path: String

  /// One row: when, how many, and by which confirmation.
  private struct Row {
    var time: Int64
    var count: Int
    var name: String
  }

  init(path: String) { self.path = path }

  /// The file of this user: `$XDG_STATE_HOME/postrider/mcp-sends`, or `~/.local/state/postrider/mcp-sends`.
  static func userPath() throws(Exit) -> String {
    if let folder = Environment.value("XDG_STATE_HOME"), folder.hasPrefix("/") {
      return "\(folder)/postrider/mcp-sends"
    }
    guard let home = Environment.value("HOME") else {
      throw .usage("there is no home folder to keep the sends of the last hour in; set HOME or XDG_STATE_HOME")
    }
    return "\(home)/.local/state/postrider/mcp-sends"
  }

  /// How many devices were sent to in the last hour.
  func used(now: Int64) throws(Exit) -> Int {
    try open { (file) throws(Exit) in total(try read(file, now: now), besides: "") }
  }

  /// Takes `count` devices from the hour under a name; returns nil when they were taken, else how many are left.
  ///
  /// What a name has taken before is replaced, so that a repeated try of one send counts once.
  func take(_ count: Int, max: Int, as name: String, now: Int64) throws(Exit) -> Int? {
    try open { (file) throws(Exit) in
      var rows = try read(file, now: now)
      let left = max - total(rows, besides: name)
      guard count <= left else { return Swift.max(0, left) }
      rows.removeAll { $0.name == name }
      rows.append(Row(time: now, count: count, name: name))
      try write(rows, to: file)
      return nil
    }
  }

  /// Sets what a name has taken: what was really sent, or nothing.
  func settle(_ name: String, count: Int, now: Int64) throws(Exit) {
    try open { (file) throws(Exit) in
      var rows = try read(file, now: now)
      guard let index = rows.firstIndex(where: { $0.name == name }) else { return }
      if count > 0 { rows[index].count = count } else { rows.remove(at: index) }
      try write(rows, to: file)
    }
  }

  private func total(_ rows: [Row], besides name: String) -> Int {
    rows.reduce(0) { sum, row in
      let (total, isOver) = sum.addingReportingOverflow(row.name == name ? 0 : row.count)
      return isOver ? .max : total
    }
  }

  // MARK: The file

  /// Runs `body` with the file locked, so that sessions at the same time do not take the same devices twice.
  private func open<Value>(_ body: (Int32) throws(Exit) -> Value) throws(Exit) -> Value {
    try makeFolders()
    let file = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw failure("open") }
    defer { close(file) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0 else { throw failure("look at") }
    guard info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid(), info.st_mode & 0o022 == 0 else {
      throw .failure("\(path) is not a file that only you can write; nothing is sent without it")
    }
    try lock(file)
    return try body(file)
  }

  /// Waits a few seconds at most; another session holds the lock for as long as it takes to write a page.
  private func lock(_ file: Int32) throws(Exit) {
    for _ in 0..<100 {
      if flock(file, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(50_000)
    }
    throw failure("lock")
  }

  private func makeFolders() throws(Exit) {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure("make the folder of") }
    }
  }

  private func failure(_ what: String) -> Exit {
    .failure("cannot \(what) \(path): \(Terminal.lastError()); nothing is sent without it")
  }

  /// The rows of the last hour.
  ///
  /// A row of the future counts: a clock that was set back frees nothing.
  private func read(_ file: Int32, now: Int64) throws(Exit) -> [Row] {
    var bytes = [UInt8](repeating: 0, count: MCPAccount.bytesMax + 1)
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(file, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled, off_t(filled))
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure("read") }
      if count == 0 { break }
      filled += count
    }
    var rows: [Row] = []
    for line in String(decoding: bytes[..<filled], as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let time = Int64(words[0]), let count = Int(words[1]), count >= 0, filled < bytes.count
      else { throw .failure("\(path) has a line that is none of ours; remove the file if nothing was sent this hour") }
      guard time > now - MCPAccount.windowSeconds else { continue }
      rows.append(Row(time: time, count: count, name: String(words[2])))
    }
    return rows
  }

  /// Overwrites the file where it is: the lock is on this file, so another must not take its name.
  ///
  /// What a crash leaves half written reads as a row that is none of ours, or as more than was sent.
  private func write(_ rows: [Row], to file: Int32) throws(Exit) {
    let text = rows.map { "\($0.time) \($0.count) \($0.name)\n" }.joined()
    let bytes = Array(text.utf8)
    guard bytes.count <= MCPAccount.bytesMax else {
      throw .failure("\(path) is full; nothing is sent until it is shorter")
    }
    guard lseek(file, 0, SEEK_SET) == 0, unsafe bytes.withUnsafeBytes({ unsafe Terminal.write($0, to: file) }),
      ftruncate(file, off_t(bytes.count)) == 0, fsync(file) == 0
    else { throw failure("write") }
  }
}
