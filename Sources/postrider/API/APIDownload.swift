import Glibc

/// A file of any length from the server: to standard output, or whole into a file.
struct APIDownload {
  static let options = [
    Option(
      name: "--format", value: "FORMAT", help: "ndjson, or csv; the output file's ending unless given.",
      choices: ["ndjson", "csv"]),
    Option(name: "--output", value: "FILE", help: "Where to; “-”, or none, is standard output."),
  ]
  /// The server ends an export after 15 minutes.
  private static let secondsMax = 20 * 60

  private let command: APIRun

  init(_ command: APIRun) { self.command = command }

  func run() throws(Exit) {
    let output = command.arguments.value("--output").flatMap { $0 == "-" ? nil : $0 }
    let isCSV = command.arguments.value("--format").map { $0 == "csv" } ?? output?.hasSuffix(".csv") ?? false
    let draft = output.map { "\($0).part" }
    let descriptor = try draft.map { (path) throws(Exit) in try APIDownload.create(path) } ?? STDOUT_FILENO
    defer { if descriptor != STDOUT_FILENO { close(descriptor) } }
    do throws(Exit) {
      try fetch(isCSV: isCSV, to: descriptor, name: output ?? "standard output")
      if let draft, let output, unsafe fsync(descriptor) != 0 || rename(draft, output) != 0 {
        throw .unreadable("cannot write \(output): \(Terminal.lastError())")
      }
    } catch {
      // Half a file looks like a whole one.
      if let draft { unsafe unlink(draft) }
      throw error
    }
  }

  private func fetch(isCSV: Bool, to descriptor: Int32, name: String) throws(Exit) {
    var bar = ProgressBar()
    let isBesides = descriptor != STDOUT_FILENO || !Terminal.isInteractive
    var bytes = 0
    var lines = 0
    var problem: String?
    defer { bar.clear() }
    let target = command.request.target([("format", isCSV ? "csv" : "ndjson")])
    do throws(Exit) {
      _ = try unsafe command.client.exchange("GET", target, seconds: APIDownload.secondsMax) { piece in
        guard unsafe Terminal.write(piece, to: descriptor) else {
          problem = "cannot write \(name): \(Terminal.lastError())"
          return false
        }
        bytes += piece.count
        unsafe lines += piece.count { $0 == UInt8(ascii: "\n") }
        if isBesides {
          let rate = Int(Double(lines) / max(bar.seconds, 0.001))
          bar.draw(share: nil, "\(lines) lines, \(ProgressBar.bytes(bytes)), \(rate) lines a second")
        }
        return true
      }
    } catch {
      throw problem.map(Exit.unreadable) ?? error
    }
    bar.clear()
    if isBesides, bar.isShown { Terminal.status("\(lines - (isCSV ? 1 : 0)) rows, \(ProgressBar.bytes(bytes))\n") }
  }

  private static func create(_ path: String) throws(Exit) -> Int32 {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unreadable("cannot write \(path): \(Terminal.lastError())") }
    return descriptor
  }
}
