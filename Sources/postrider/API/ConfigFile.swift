import Glibc

/// What commands remember about a server: lines `name = value` in a file that only its owner may read.
struct ConfigFile: Sendable {
  /// What can be remembered.
  enum Name: String, CaseIterable, Sendable {
    case url, key, app, ca

    /// The environment variable that goes before the file.
    var variable: String { "POSTRIDER_\(rawValue.uppercased())" }
  }

  /// A file is small.
  private static let bytesMax = 64 * 1024

  let path: String
  private(set) var values: [Name: String] = [:]

  /// Where the file is: `$XDG_CONFIG_HOME/postrider/config`, or `~/.config/postrider/config`.
  static func defaultPath() throws(Exit) -> String {
    if let folder = Environment.value("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return "\(folder)/postrider/config" }
    guard let home = Environment.value("HOME") else {
      throw .usage("there is no home folder for the config file; set HOME or XDG_CONFIG_HOME")
    }
    return "\(home)/.config/postrider/config"
  }

  /// Reads the file; one that is missing holds nothing.
  init() throws(Exit) {
    path = try ConfigFile.defaultPath()
    guard unsafe access(path, F_OK) == 0 else { return }
    let bytes = try PrivateFile.read(path, bytesMax: ConfigFile.bytesMax) { $0.contains { ConfigFile.isKey($0) } }
    for (index, line) in ConfigFile.lines(bytes).enumerated() {
      guard let (name, value) = try ConfigFile.parse(line, at: "\(path):\(index + 1)") else { continue }
      values[name] = value
    }
  }

  /// Sets or removes a value and replaces the file as a whole.
  mutating func set(_ name: Name, _ value: String?) throws(Exit) {
    values[name] = value
    let lines = Name.allCases.compactMap { name in values[name].map { "\(name.rawValue) = \($0)\n" } }
    try PrivateFile.replace(path, with: lines.joined())
  }

  /// What a value must look like; throws what is wrong with it.
  static func check(_ name: Name, _ value: String, from source: String) throws(Exit) {
    guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw .usage("\(source): \(name.rawValue) is empty or holds a control character")
    }
    switch name {
    case .url:
      guard value.hasPrefix("http://") || value.hasPrefix("https://"), !value.contains(where: { " ?#".contains($0) })
      else {
        throw .usage("\(source): “\(value)” is no address of a server: expected http://HOST:PORT or https://HOST")
      }
    case .key:
      // The value itself is never said: it may be a misplaced secret.
      guard value.utf8.count <= 200, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw .usage("\(source): that is no API key: expected one line such as prk_…")
      }
    case .app, .ca: break
    }
  }

  private static func lines(_ bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Whether a line of the file holds a key.
  private static func isKey(_ line: Substring) -> Bool { line.drop { $0 == " " || $0 == "\t" }.hasPrefix("key") }

  private static func parse(_ line: Substring, at source: String) throws(Exit) -> (Name, String)? {
    let line = line.trimmed
    if line.isEmpty || line.hasPrefix("#") { return nil }
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let name = Name(rawValue: parts[0].trimmed) else {
      let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
      throw .unreadable("\(source): expected NAME = VALUE with a name of \(names)")
    }
    let value = parts[1].trimmed
    try check(name, value, from: source)
    return (name, value)
  }
}

/// Files with secrets: only their owner may read them.
enum PrivateFile {
  /// The content of a file; refused when it is secret and others may read it.
  ///
  /// What is no file, such as a pipe, has no readers to fear. The credentials of a systemd service have a folder that nobody
  /// else may enter, and bits for a group where an access list lets the service's user in.
  static func read(
    _ path: String, bytesMax: Int, isSecret: ([Substring]) -> Bool = { _ in true }
  ) throws(Exit) -> [UInt8] {
    let fd = unsafe path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { throw .unreadable("cannot open \(path): \(Terminal.lastError())") }
    defer { close(fd) }
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe Glibc.read(fd, $0.baseAddress.map { unsafe $0 + filled }, $0.count - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable("cannot read \(path): \(Terminal.lastError())") }
      if count == 0 { break }
      filled += count
    }
    guard filled <= bytesMax else {
      throw .unreadable("\(path) is larger than \(bytesMax) bytes, the most that is read")
    }
    bytes.removeLast(bytes.count - filled)
    var info = stat()
    guard unsafe fstat(fd, &info) == 0 else { throw .unreadable("cannot look at \(path): \(Terminal.lastError())") }
    let others: mode_t = isServiceCredential(path) ? 0o007 : 0o077
    let isOpen = info.st_mode & S_IFMT == S_IFREG && info.st_mode & others != 0
    if isOpen, isSecret(String(decoding: bytes, as: UTF8.self).split(separator: "\n")) {
      throw .unreadable("\(path) holds a secret, and others may read it; close it with: chmod 600 \(path)")
    }
    return bytes
  }

  private static func isServiceCredential(_ path: String) -> Bool {
    guard let folder = Environment.value("CREDENTIALS_DIRECTORY"), path.hasPrefix(folder + "/") else { return false }
    return !path.dropFirst(folder.count + 1).contains("/")
  }

  /// Replaces a file as a whole, readable by its owner only; folders that are missing are made.
  static func replace(_ path: String, with text: String) throws(Exit) {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
        throw .unreadable("cannot make \(folder): \(Terminal.lastError())")
      }
    }
    let draft = "\(path).\(getpid())"
    unsafe unlink(draft)
    try Terminal.write(text, toFile: draft, mode: 0o600)
    guard unsafe rename(draft, path) == 0 else {
      let reason = Terminal.lastError()
      unsafe unlink(draft)
      throw .unreadable("cannot replace \(path): \(reason)")
    }
  }
}

/// The environment of the program.
enum Environment {
  /// A variable; nil when it is missing or empty.
  static func value(_ name: String) -> String? {
    guard let value = unsafe getenv(name).map({ unsafe String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }
}

extension Substring {
  /// Without blanks at its ends.
  var trimmed: String {
    var text = self.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
