import Glibc

/// Turns an SVG picture into PNG with librsvg's command, when it is installed.
enum PNGWriter {
  private static let command = "rsvg-convert"

  /// Writes a picture, at twice its size so that letters are sharp.
  static func write(_ svg: String, to file: String) throws(Exit) {
    guard let program = find() else {
      throw .failure("--png needs \(command), which is not installed: apt-get install librsvg2-bin, or use --svg")
    }
    var name = Array("/tmp/postrider-XXXXXX.svg".utf8CString)
    let descriptor = mkstemps(&name, 4)
    guard descriptor >= 0 else { throw .failure("cannot make a temporary file: \(Terminal.lastError())") }
    close(descriptor)
    let source = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(source) }
    try Terminal.write(svg, toFile: source, mode: 0o600)
    let status = try run(program, ["--zoom", "2", "--format", "png", "--output", file, source])
    guard status == 0 else { throw .failure("\(command) ended with status \(status) and made no \(file)") }
  }

  private static func find() -> String? {
    guard let path = getenv("PATH") else { return nil }
    for folder in String(cString: path).split(separator: ":") {
      let candidate = "\(folder)/\(command)"
      if access(candidate, X_OK) == 0 { return candidate }
    }
    return nil
  }

  private static func run(_ program: String, _ arguments: [String]) throws(Exit) -> Int32 {
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child = pid_t()
    let failure = posix_spawn(&child, program, nil, nil, words, environ)
    guard failure == 0 else { throw .failure("cannot start \(program): \(String(cString: strerror(failure)))") }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { throw .failure("cannot wait for \(program): \(Terminal.lastError())") }
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
  }
}
