import Glibc
import HTTPClient
import StoreModel
import WireJSON

/// One run of `postrider import VENDOR FILE`.
struct ImportRun {
  private static let secondsMax = 6 * 3600

  let vendor: ImportVendor
  let arguments: Arguments

  private var isJSON: Bool { arguments.has("--json") }

  func run() throws(Exit) -> ExitStatus {
    guard let path = arguments.operands.first else {
      throw .usage("FILE is missing: postrider import \(vendor.name) \(vendor.operand)")
    }
    let isDry = arguments.has("--dry-run")
    let output = arguments.value("--output")
    if isDry, output != nil { throw .usage("--dry-run and --output contradict each other; give one of them") }
    let options = try options()
    // A missing key or app is reported before anything is read.
    let api = isDry || output != nil ? nil : try APIRun(APITable.deviceImport, arguments)
    // Lines that were sent are registered, so a damaged file must not begin to be sent.
    if api != nil {
      try ImportFile.checkCompression(path)
      try checkApps(path, options)
    }
    let stream = try ImportStream(vendor, path, options, keepsLines: output == nil)
    if let output, stream.file.isSame(as: output) {
      throw .usage("--output would replace the file that is read, \(path); give another name")
    }
    var answer: JSONValue?
    if let api {
      answer = try send(stream, api)
    } else if let output {
      try write(stream, to: output)
    } else {
      var bar = ProgressBar()
      defer { bar.clear() }
      stream.drain { draw(&bar, stream) }
    }
    report(stream, path, answer, isOnStandardError: output == "-")
    if let fault = stream.fault { throw interrupted(fault, stream, answer) }
    if let app = options.vendorApp, stream.tally.areAllOfOtherApps {
      throw .unreadable("\(path): no row is of the app \(app); check --vendor-app")
    }
    return stream.tally.unreadable == 0 && (answer?["failed"]?.int ?? 0) == 0 ? .fine : .invalid
  }

  private func options() throws(Exit) -> DeviceMapper.Options {
    var options = DeviceMapper.Options(now: WallClock.seconds * 1_000)
    options.environment =
      arguments.value("--environment").flatMap { DeviceEnvironment(name: $0) } ?? .production
    options.vendorApp = arguments.value("--vendor-app")
    if let text = arguments.value("--web-key") {
      guard let key = BrowserRow.publicKey(text) else {
        throw .usage(
          "--web-key takes the public half of a VAPID key: Base64URL of 65 bytes (“postrider vapid show FILE” prints it)"
        )
      }
      options.webKey = key
    }
    if let text = arguments.value("--seen-at") {
      guard let time = VendorTime.milliseconds(text), time <= options.now else {
        throw .usage("--seen-at takes a time that has passed, such as 2026-01-31T12:00:00Z, not “\(text)”")
      }
      options.seenAt = time
    }
    return options
  }

  /// Refuses rows of several apps before the first one is sent; standard input can be read only once.
  private func checkApps(_ path: String, _ options: DeviceMapper.Options) throws(Exit) {
    guard path != "-", options.vendorApp == nil, vendor.column(.vendorApp) != nil else { return }
    let stream = try ImportStream(vendor, path, options, keepsLines: false)
    guard stream.file.bytesTotal != nil else { return }
    stream.drain()
    if let fault = stream.fault { throw .unreadable("\(fault.message)\n  Nothing was sent.") }
  }

  // MARK: - Where the registrations go

  private func send(_ stream: ImportStream, _ api: APIRun) throws(Exit) -> JSONValue {
    var bar = ProgressBar()
    defer { bar.clear() }
    let body = unsafe HTTPBody.stream(length: nil, type: "application/x-ndjson") { buffer in
      draw(&bar, stream)
      return unsafe stream.read(into: buffer)
    }
    do throws(Exit) {
      return try unsafe api.client.exchange("PUT", api.request.target(), body: body, seconds: Self.secondsMax).json()
    } catch {
      // A refusal comes before the first line is registered, and without a connection nothing was sent.
      guard error.status == .failure, stream.bytesGiven > 0 else { throw error }
      throw Exit(
        status: error.status,
        message:
          "\(error.message)\n  \(stream.tally.rows) rows were read, and some of them may be registered: import the"
          + " whole file again, nothing is doubled.")
    }
  }

  private func write(_ stream: ImportStream, to path: String) throws(Exit) {
    guard path != "-" else { return try write(stream, to: STDOUT_FILENO, path) }
    // Half a file looks like a whole one.
    let draft = path + ".part"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unreadable("cannot write \(path): \(Terminal.lastError())") }
    defer { close(descriptor) }
    do throws(Exit) {
      try write(stream, to: descriptor, path)
      guard stream.fault == nil else {
        unsafe unlink(draft)
        return
      }
      guard fsync(descriptor) == 0, unsafe rename(draft, path) == 0 else {
        throw .unreadable("cannot write \(path): \(Terminal.lastError())")
      }
    } catch {
      unsafe unlink(draft)
      throw error
    }
  }

  private func write(_ stream: ImportStream, to descriptor: Int32, _ path: String) throws(Exit) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { unsafe buffer.deallocate() }
    while true {
      let count = unsafe stream.read(into: buffer)
      if count == 0 { return }
      guard unsafe Terminal.write(UnsafeRawBufferPointer(buffer)[..<count].rebased, to: descriptor) else {
        if path == "-" { Terminal.endWithoutReader() }
        throw .unreadable("cannot write \(path): \(Terminal.lastError())")
      }
    }
  }

  private func draw(_ bar: inout ProgressBar, _ stream: ImportStream) {
    let share = stream.file.bytesTotal.map { Double(stream.file.bytesRead) / Double(max(1, $0)) }
    let rate = Int(Double(stream.tally.rows) / max(bar.seconds, 0.001))
    bar.draw(share: share, "\(stream.tally.rows) rows, \(rate) a second")
  }

  // MARK: - The report

  private func report(_ stream: ImportStream, _ path: String, _ answer: JSONValue?, isOnStandardError: Bool) {
    if !isJSON {
      for column in stream.header.missed {
        Terminal.complain("\(path): there is no column \(column.name): \(column.whenMissing ?? "")")
      }
      for problem in stream.problems { Terminal.complain("\(path):\(problem.line): \(Cell.inert(problem.message))") }
      if let answer { DeviceUpload.complain(answer, about: path) }
    }
    let report = json(stream, path, answer)
    // People see what there is.
    let shown = JSONValue.object(
      (report.object ?? [:]).reduce(into: [:]) { object, member in
        if member.value != [] { object[member.key] = member.value }
      })
    if isOnStandardError {
      Terminal.status(isJSON ? JSON.minifiedText(report) + "\n" : Details(shown).text(width: nil))
    } else if isJSON {
      Terminal.print(JSON.minified(report) + [UInt8(ascii: "\n")])
    } else {
      Terminal.print(Details(shown).text(width: Terminal.width))
    }
  }

  private func json(_ stream: ImportStream, _ path: String, _ answer: JSONValue?) -> JSONValue {
    var report: JSONObject = ["vendor": .string(vendor.name), "file": .string(path)]
    for (name, value) in stream.tally.json { report[name] = value }
    let header = stream.header
    report["columns_missing"] = .array(header.missed.map { .string($0.name) })
    report["columns_unused"] = .array(header.unused.map { .string($0) })
    report["columns_unknown"] = .array(header.unknown.map { .string($0) })
    if isJSON {
      report["unreadable"] = .array(
        stream.problems.map { ["line": .number(JSONNumber($0.line)), "message": .string($0.message)] })
    }
    if var server = answer?.object {
      if !isJSON { for name in ["errors", "warnings"] { server.removeValue(forKey: name) } }
      report["server"] = .object(server)
    }
    return .object(report)
  }

  /// Reports how far a damaged file was read.
  private func interrupted(_ fault: Exit, _ stream: ImportStream, _ answer: JSONValue?) -> Exit {
    let server = answer.map { answer in
      let known = ["created", "updated", "older"].reduce(0) { $0 + (answer[$1]?.int ?? 0) }
      return "; the server has registered \(known) of them"
    }
    let advice = answer == nil ? "" : "\n  When that is mended, import the whole file again: nothing is doubled."
    return .unreadable("\(fault.message)\n  \(stream.tally.rows) rows before that were read\(server ?? "").\(advice)")
  }
}

extension Slice where Base == UnsafeRawBufferPointer {
  fileprivate var rebased: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: self) }
}
