import Glibc

/// Turns an SVG picture into PNG with librsvg's command, when it is installed.
///
/// librsvg draws letters as outlines and so loses the colors of an emoji font, but not in a PDF. A picture with emoji
/// therefore goes through one, and Poppler's command draws it, when that is installed.
enum PNGWriter {
  private static let command = "rsvg-convert"
  private static let pdfCommand = "pdftocairo"
  /// Twice the picture's size, so that letters are sharp.
  private static let zoom = ["--zoom", "2"]
  /// librsvg measures a PDF in CSS pixels.
  private static let pixelsPerInch = "96"

  /// Writes a picture, at twice its size.
  static func write(_ svg: String, to file: String) throws(Exit) {
    guard let program = find(command) else {
      throw .failure("--png needs \(command), which is not installed: apt-get install librsvg2-bin, or use --svg")
    }
    let source = try temporaryFile(".svg")
    defer { unsafe unlink(source) }
    try Terminal.write(svg, toFile: source, mode: 0o600)
    // Only runs of emoji have a font of their own.
    guard svg.contains("<tspan font-family=") else { return try draw(source, to: file, program) }
    guard let pdfProgram = find(pdfCommand) else {
      Terminal.complain("preview: the emoji are drawn in one color; in theirs with \(pdfCommand) (poppler-utils)")
      return try draw(source, to: file, program)
    }
    let page = try temporaryFile(".pdf")
    defer { unsafe unlink(page) }
    try run(program, zoom + ["--format", "pdf", "--output", page, source])
    do throws(Exit) {
      try run(pdfProgram, ["-png", "-singlefile", "-r", pixelsPerInch, page, "-"], output: file)
    } catch {
      unsafe unlink(file)
      throw error
    }
  }

  private static func draw(_ source: String, to file: String, _ program: String) throws(Exit) {
    try run(program, zoom + ["--format", "png", "--output", file, source])
  }

  private static func temporaryFile(_ ending: String) throws(Exit) -> String {
    var name = Array("/tmp/postrider-XXXXXX\(ending)".utf8CString)
    let descriptor = unsafe mkstemps(&name, Int32(ending.utf8.count))
    guard descriptor >= 0 else { throw .failure("cannot make a temporary file: \(Terminal.lastError())") }
    close(descriptor)
    return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func find(_ command: String) -> String? {
    guard let path = unsafe getenv("PATH") else { return nil }
    for folder in unsafe String(cString: path).split(separator: ":") {
      let candidate = "\(folder)/\(command)"
      if unsafe access(candidate, X_OK) == 0 { return candidate }
    }
    return nil
  }

  /// Runs a program to its end, with its standard output in a file when one is named.
  private static func run(_ program: String, _ arguments: [String], output: String? = nil) throws(Exit) {
    var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) }
    unsafe words.append(nil)
    defer { unsafe words.forEach { unsafe free($0) } }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let output {
      unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    }
    var child = pid_t()
    let failure = unsafe posix_spawn(&child, program, &actions, nil, words, environ)
    guard failure == 0 else { throw .failure(unsafe "cannot start \(program): \(String(cString: strerror(failure)))") }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { throw .failure("cannot wait for \(program): \(Terminal.lastError())") }
    }
    guard status == 0 else {
      let end = status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
      throw .failure("\(program) ended with status \(end) and made no picture")
    }
  }
}
