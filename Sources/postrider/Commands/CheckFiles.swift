import Glibc

/// The files that an operand of `check` names.
enum CheckFiles {
  /// How deep directories may lie in each other.
  static let depthMax = 64

  /// Whether a path is a directory, also behind a link.
  static func isDirectory(_ path: String) -> Bool { kind(path, followsLinks: true) == S_IFDIR }

  /// Calls `body` with every `*.json` below a directory, in the order of names, and `failed` for what cannot be listed.
  ///
  /// Only the names of one branch of the tree are held at a time.
  static func visit(_ directory: String, depth: Int = 0, _ body: (String) -> Void, failed: (Exit) -> Void) {
    do throws(Exit) {
      guard depth < depthMax else {
        throw .unreadable("\(directory) lies deeper than \(depthMax) directories, the most that are read")
      }
      for name in try names(in: directory, unreadable: failed) {
        let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
        if kind(path, followsLinks: false) == S_IFDIR {
          visit(path, depth: depth + 1, body, failed: failed)
        } else if name.hasSuffix(".json"), kind(path, followsLinks: true) == S_IFREG {
          body(path)
        }
      }
    } catch {
      failed(error)
    }
  }

  /// The names in a directory; one that is not UTF-8 cannot be opened by the text of it, and is reported.
  private static func names(in directory: String, unreadable: (Exit) -> Void) throws(Exit) -> [String] {
    guard let handle = opendir(directory) else {
      throw .unreadable("cannot list \(directory): \(Terminal.lastError())")
    }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard bytes.first != UInt8(ascii: ".") else { continue }
      if let name = String(validating: bytes, as: UTF8.self) {
        names.append(name)
      } else if bytes.suffix(5).elementsEqual(".json".utf8) {
        let shown = String(decoding: bytes, as: UTF8.self)
        unreadable(.unreadable("\(directory)/\(shown): the name is not UTF-8; rename the file"))
      }
    }
    return names.sorted()
  }

  private static func kind(_ path: String, followsLinks: Bool) -> mode_t {
    var status = Glibc.stat()
    let result = followsLinks ? stat(path, &status) : lstat(path, &status)
    return result == 0 ? status.st_mode & S_IFMT : 0
  }
}
