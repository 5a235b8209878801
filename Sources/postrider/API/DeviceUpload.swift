import Glibc
import HTTPClient
import WireJSON

/// A file of devices on its way to the server, read as it is sent.
struct DeviceUpload {
  static let format = Option(
    name: "--format", value: "FORMAT", help: "ndjson or csv; the file's ending unless given.",
    choices: ["ndjson", "csv"])
  /// The longest an import may take.
  private static let secondsMax = 6 * 3600

  private let command: APIRun

  init(_ command: APIRun) { self.command = command }

  func run() throws(Exit) -> ExitStatus {
    let path = command.arguments.operands.last ?? "-"
    let isCSV = try isCSV(path)
    let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable("cannot open \(path): \(Terminal.lastError())") }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var info = stat()
    let isFile = unsafe fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    let answer = try send(descriptor, length: isFile ? Int(info.st_size) : nil, isCSV: isCSV, name: path)
    if !command.arguments.has("--json") { Self.complain(answer, about: path) }
    var shown = answer.object ?? [:]
    if !command.arguments.has("--json") { shown.removeValue(forKey: "errors") }
    command.show(.object(shown))
    return answer["failed"]?.int == 0 ? .fine : .invalid
  }

  /// Says which lines of a file the server did not register.
  static func complain(_ answer: JSONValue, about path: String) {
    for error in answer["errors"]?.array ?? [] {
      let field = error["field"]?.string ?? ""
      let prefix = "\(path):\(error["line"]?.int ?? 0): \(field.isEmpty ? "" : "\(field): ")"
      Terminal.complain(Cell.inert("\(prefix)\(error["message"]?.string ?? "")"))
    }
  }

  private func send(_ descriptor: Int32, length: Int?, isCSV: Bool, name: String) throws(Exit) -> JSONValue {
    var bar = ProgressBar()
    var bytes = 0
    var problem: String?
    defer { bar.clear() }
    let body = unsafe HTTPBody.stream(length: length, type: isCSV ? "text/csv" : "application/x-ndjson") { buffer in
      var count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
      while count < 0 && errno == EINTR { count = unsafe read(descriptor, buffer.baseAddress, buffer.count) }
      guard count >= 0 else {
        problem = "cannot read \(name): \(Terminal.lastError())"
        return nil
      }
      bytes += count
      let rate = Int(Double(bytes) / max(bar.seconds, 0.001))
      let share = length.map { Double(bytes) / Double(max(1, $0)) }
      bar.draw(share: share, "\(ProgressBar.bytes(bytes)) sent, \(ProgressBar.bytes(rate)) a second")
      return count
    }
    do throws(Exit) {
      return try unsafe command.client.exchange(
        "PUT", command.request.target(), body: body, seconds: DeviceUpload.secondsMax
      )
      .json()
    } catch {
      throw problem.map(Exit.unreadable) ?? error
    }
  }

  private func isCSV(_ path: String) throws(Exit) -> Bool {
    if let format = command.arguments.value("--format") { return format == "csv" }
    if path.hasSuffix(".csv") { return true }
    if path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") { return false }
    throw .usage("\(path): is it NDJSON or CSV? The name does not tell; give --format ndjson or --format csv")
  }
}
