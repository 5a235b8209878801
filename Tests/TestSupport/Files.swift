import Glibc
import Synchronization

/// What went wrong with a file, with the path and the system's own words.
public struct FileError: Error, CustomStringConvertible, Sendable {
  /// One sentence: what was tried, on which path, and why it failed.
  public let description: String

  init(_ action: String, _ path: String) {
    description = "cannot \(action) \(path): \(String(cString: strerror(errno)))"
  }
}

/// Files for tests, without Foundation.
public enum Files {
  /// The whole content of a file.
  public static func read(_ path: String) throws(FileError) -> [UInt8] {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { throw FileError("open", path) }
    defer { close(fd) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(fd, &chunk, chunk.count)
      guard count >= 0 else { throw FileError("read", path) }
      if count == 0 { return content }
      content.append(contentsOf: chunk[..<count])
    }
  }

  /// Replaces the content of a file, creating it when it is missing.
  public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard fd >= 0 else { throw FileError("create", path) }
    defer { close(fd) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(fd, $0.baseAddress.map { $0 + done }, bytes.count - done) }
      guard count > 0 else { throw FileError("write", path) }
      done += count
    }
  }

  /// The names in a folder, sorted, without `.` and `..`.
  public static func list(_ folder: String) throws(FileError) -> [String] {
    // O_NOFOLLOW: a link to a folder is an entry of its parent, never a way out of it.
    let fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard fd >= 0, let handle = fdopendir(fd) else { throw FileError("list", folder) }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The value of an environment variable.
  public static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Copies a file, or a folder with everything in it, with their permissions.
  public static func copyTree(_ path: String, to copy: String) throws(FileError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileError("look at", path) }
    guard let names = try? list(path) else {
      try write(read(path), to: copy)
      guard chmod(copy, status.st_mode) == 0 else { throw FileError("protect", copy) }
      return
    }
    guard mkdir(copy, status.st_mode) == 0 else { throw FileError("create", copy) }
    for name in names { try copyTree("\(path)/\(name)", to: "\(copy)/\(name)") }
  }

  /// Removes a file, or a folder with everything in it; what is not there is fine.
  public static func removeTree(_ path: String) {
    for name in (try? list(path)) ?? [] { removeTree("\(path)/\(name)") }
    remove(path)
  }

  /// The folder of the built products, in which the running tests stand too.
  public static let buildProducts: String = {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    let own = String(decoding: path[..<max(0, length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Swift Testing runs inside a helper of the toolchain on some systems; the bundle then stands on its command line.
    let candidates = [own] + CommandLine.arguments
    let bundle = candidates.first { $0.contains("PackageTests.xctest") } ?? own
    let parts = bundle.split(separator: "/", omittingEmptySubsequences: false)
    let end = parts.firstIndex { $0.hasSuffix("PackageTests.xctest") } ?? parts.count - 1
    return parts[..<end].joined(separator: "/")
  }()

  /// The root of the checkout, derived from the place of this source file.
  public static let packageRoot: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()
}

/// A folder of its own for one test, removed with everything in it when the test lets go of it.
public final class TemporaryFolder: Sendable {
  /// The absolute path of the folder.
  public let path: String

  /// Makes an empty folder under the system's temporary folder.
  public init() throws(FileError) {
    var template = Array("/tmp/postrider-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FileError("create", "/tmp/postrider-test-XXXXXX") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Files.removeTree(path) }

  private let owned = Mutex<[any Sendable]>([])

  /// What goes away with the folder; made when it is first asked for.
  public func own<Thing: Sendable>(_ make: () throws -> Thing) throws -> Thing {
    try owned.withLock { owned in
      if let thing = owned.lazy.compactMap({ $0 as? Thing }).first { return thing }
      let thing = try make()
      owned.append(thing)
      return thing
    }
  }
}
