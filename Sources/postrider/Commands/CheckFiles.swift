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
      for entry in try entries(of: directory, unreadable: failed) {
        let path = directory.hasSuffix("/") ? directory + entry.name : "\(directory)/\(entry.name)"
        // Not every file system says what an entry is, and none what a link leads to.
        let kind = entry.kind ?? kind(path, followsLinks: false)
        if kind == S_IFDIR {
          visit(path, depth: depth + 1, body, failed: failed)
        } else if entry.name.hasSuffix(".json"), kind == S_IFREG || self.kind(path, followsLinks: true) == S_IFREG {
          body(path)
        }
      }
    } catch {
      failed(error)
    }
  }

  /// The entries of a directory in the order of names, with what they are where the directory says it.
  ///
  /// A name that is not UTF-8 cannot be opened by the text of it, and is reported.
  private static func entries(
    of directory: String, unreadable: (Exit) -> Void
  ) throws(Exit) -> [(name: String, kind: mode_t?)] {
    guard let handle = unsafe opendir(directory) else {
      throw .unreadable("cannot list \(directory): \(Terminal.lastError())")
    }
    defer { unsafe closedir(handle) }
    var entries: [(name: String, kind: mode_t?)] = []
    while let entry = unsafe readdir(handle) {
      let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      guard bytes.first != UInt8(ascii: ".") else { continue }
      if let name = String(validating: bytes, as: UTF8.self) {
        let kind: mode_t? =
          switch unsafe Int32(entry.pointee.d_type) {
          case Int32(DT_REG): S_IFREG
          case Int32(DT_DIR): S_IFDIR
          default: nil
          }
        entries.append((name, kind))
      } else if bytes.suffix(5).elementsEqual(".json".utf8) {
        let shown = String(decoding: bytes, as: UTF8.self)
        unreadable(.unreadable("\(directory)/\(shown): the name is not UTF-8; rename the file"))
      }
    }
    return entries.sorted { $0.name < $1.name }
  }

  private static func kind(_ path: String, followsLinks: Bool) -> mode_t {
    var status = Glibc.stat()
    let result = unsafe followsLinks ? stat(path, &status) : lstat(path, &status)
    return result == 0 ? status.st_mode & S_IFMT : 0
  }
}
