#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Small files by POSIX calls, which are the same on a phone and on Linux; each is written whole or not at all.
enum AppFiles {
  private static let bytesMax = 1 << 20

  /// The text of a file; nil when it cannot be read.
  static func read(_ path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < bytesMax {
      let count = unsafe posixRead(file, &chunk, chunk.count)
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes another file and renames it, so that a reader, or a crash, never meets half a text.
  static func write(_ text: String, to path: String, by temporary: String) -> Bool {
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = posixWrite(file, Array(bytes[done...]), bytes.count - done)
      guard count > 0 else { break }
      done += count
    }
    let isStored = done == bytes.count && fsync(file) == 0
    close(file)
    return isStored && move(temporary, to: path)
  }

  static func move(_ path: String, to other: String) -> Bool { unsafe rename(path, other) == 0 }

  /// Appends one byte: processes that do it at once do not overwrite each other's.
  static func appendByte(to path: String) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    _ = posixWrite(file, [UInt8(ascii: ".")], 1)
    close(file)
  }

  static func size(_ path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Makes a folder and those above it.
  static func makeFolder(_ path: String) {
    if unsafe mkdir(path, 0o700) == 0 || errno != ENOENT { return }
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    makeFolder(String(path[..<slash]))
    unsafe mkdir(path, 0o700)
  }

  /// The names in a folder, sorted.
  static func names(in folder: String) -> [String] {
    guard let handle = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(handle) }
    var names: [String] = []
    while let entry = unsafe readdir(handle) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether there was such a file.
  @discardableResult static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

  /// Runs `body` while no other process does with the same file.
  static func locked<Result>(_ path: String, _ body: () -> Result) -> Result {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { if file >= 0 { close(file) } }
    // A lock of flock ends with the process, also with one that is killed.
    if file >= 0 { while flock(file, LOCK_EX) != 0 && errno == EINTR {} }
    return body()
  }

  /// Milliseconds since 1970.
  static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// A time as RFC 3339 in UTC, such as `2026-11-20T12:00:00.000Z`.
  static func timeText(_ milliseconds: Int64) -> String {
    let rest = (milliseconds % 1000 + 1000) % 1000
    var seconds = time_t((milliseconds - rest) / 1000)
    var time = unsafe tm()
    unsafe gmtime_r(&seconds, &time)
    let date = unsafe "\(padded(time.tm_year + 1900, 4))-\(padded(time.tm_mon + 1, 2))-\(padded(time.tm_mday, 2))"
    let clock = unsafe "\(padded(time.tm_hour, 2)):\(padded(time.tm_min, 2)):\(padded(time.tm_sec, 2))"
    return "\(date)T\(clock).\(padded(rest, 3))Z"
  }
}

/// Repeats a call that a signal interrupted.
private func uninterrupted(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

private func posixRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  uninterrupted { unsafe read(file, bytes, count) }
}

private func posixWrite(_ file: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
  uninterrupted { unsafe write(file, bytes, count) }
}

/// A mutex that every system the client runs on has; `Synchronization` needs iOS 18.
///
/// `@safe`: the mutex lives exactly as long as the object.
@safe final class Lock: @unchecked Sendable {
  // Allocated once and freed with the object; only pthread calls touch what it points to.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func withLock<Result>(_ body: () -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body()
  }
}
