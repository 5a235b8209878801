internal import Basics
internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// One upload of devices while it is read.
///
/// Lines become registrations, and batches of them go to the store, a few at a time. Memory does not grow with the file:
/// while the store is behind, the client waits.
///
/// A line is registered wholly or not at all, and what was registered stays when a later line is wrong. Registering again
/// is harmless, so an import that broke off is run again from the beginning.
final class DeviceImport: HTTPUpload {
  /// Bytes of one upload.
  static let bytesMax = 4 * 1024 * 1024 * 1024
  /// Wrong lines that are listed; more are counted.
  static let errorsMax = 100
  private static let batchLines = 1_000
  /// Bytes of lines in one batch, so that lines with a thousand properties do not fill the memory.
  private static let batchBytes = 4 * 1024 * 1024
  /// Batches at the store at once.
  private static let batchesMax = 4

  private struct Entry: Sendable {
    let line: Int
    let registration: DeviceRegistration
  }

  /// What only the thread that reads the upload touches; one call at a time.
  private struct Reading: Sendable {
    var splitter: RecordSplitter
    let isCSV: Bool
    var csv: DeviceCSV?
    var batch: [Entry] = []
    var batchBytes = 0
    var isDead = false
  }

  struct Failure: Sendable {
    let line: Int
    let field: String
    let message: String
  }

  struct Progress: Sendable {
    var bytes = 0
    var lines = 0
    var created = 0
    var updated = 0
    /// Lines about devices of which a later registration is known.
    var older = 0
    var failed = 0
    var failures: [Failure] = []
    var warnings: [Failure] = []
  }

  private struct State: Sendable {
    var progress = Progress()
    var batches = 0
    var room: HTTPUploadRoom?
    var isWhole = false
    var isAborted = false
    var responder: HTTPResponder?
    var storeError: StoreError?
  }

  let startedAt: Timestamp
  private let app: AppEntry
  private let service: Service
  private let answered: @Sendable (HTTPResponder, Result<Reply, Problem>) -> Void
  private let reading: Mutex<Reading>
  private let state = Mutex(State())

  init(
    app: AppEntry, isCSV: Bool, service: Service, now: Timestamp,
    answered: @escaping @Sendable (HTTPResponder, Result<Reply, Problem>) -> Void
  ) {
    self.app = app
    self.service = service
    self.answered = answered
    startedAt = now
    reading = Mutex(Reading(splitter: RecordSplitter(isCSV: isCSV), isCSV: isCSV))
  }

  var progress: Progress { state.withLock { $0.progress } }
  /// How far it has come, as it is shown.
  var shown: JSONObject {
    let (progress, isAborted, error) = state.withLock { ($0.progress, $0.isAborted, $0.storeError) }
    var object = Self.json(progress)
    if isAborted {
      object["problem"] = "the upload was broken off; send the file again, nothing is doubled"
    } else if let error {
      object["problem"] = .string("\(error.message); send the file again, nothing is doubled")
    }
    return object
  }
  var isRunning: Bool { state.withLock { !$0.isAborted && !($0.isWhole && $0.batches == 0) } }

  // MARK: - The upload

  func receive(_ piece: [UInt8], _ room: HTTPUploadRoom) -> Bool {
    read(piece, isLast: false)
    return state.withLock { state in
      state.progress.bytes += piece.count
      // After a failure of the store the rest is read and thrown away, so that the client is there for the answer.
      guard state.batches >= Self.batchesMax, state.storeError == nil else { return true }
      state.room = room
      return false
    }
  }

  func finish(_ responder: HTTPResponder) {
    read([], isLast: true)
    state.withLock { $0.responder = responder }
    flush()
    let isDone = state.withLock { state in
      state.isWhole = true
      return state.batches == 0
    }
    if isDone { answer() }
  }

  func abort() {
    state.withLock { $0.isAborted = true }
    service.imports.ended(self) {}
  }

  // MARK: - Lines

  private func read(_ piece: [UInt8], isLast: Bool) {
    var full: [[Entry]] = []
    reading.withLock { reading in
      guard !reading.isDead else { return }
      var records: [(line: Int, bytes: [UInt8]?)] = []
      reading.splitter.take(piece, isLast: isLast) { records.append(($0.line, $0.bytes.map { Array($0) })) }
      for record in records {
        guard let entry = entry(record.line, record.bytes, &reading) else { continue }
        reading.batch.append(entry)
        reading.batchBytes += record.bytes?.count ?? 0
        if reading.batch.count == Self.batchLines || reading.batchBytes >= Self.batchBytes {
          full.append(reading.batch)
          reading.batch.removeAll(keepingCapacity: true)
          reading.batchBytes = 0
        }
      }
    }
    for batch in full { submit(batch) }
  }

  private func entry(_ line: Int, _ bytes: [UInt8]?, _ reading: inout Reading) -> Entry? {
    var report = Report()
    guard !reading.isDead else { return nil }
    if reading.isCSV, reading.csv == nil {
      reading.csv = bytes.flatMap { DeviceCSV(header: $0[...], into: &report) }
      if reading.csv == nil {
        // Without a header no line can be read.
        reading.isDead = true
        fail(line, report)
      }
      return nil
    }
    state.withLock { $0.progress.lines += 1 }
    guard let bytes else {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "",
        message: "the line is longer than \(RecordSplitter.recordBytesMax) bytes")
      fail(line, report)
      return nil
    }
    do throws(Problem) {
      let body: JSONValue
      if let csv = reading.csv {
        guard let object = csv.object(bytes[...], into: &report) else { throw Problem(.invalid, report: report) }
        DeviceRoutes.importBody.check(object, schemas: SchemaTable.byName, into: &report)
        if report.hasErrors { throw Problem(.invalid, report: report) }
        body = object
      } else {
        body = try RequestBody.read(bytes, DeviceRoutes.importBody, into: &report)
      }
      var registration = try DeviceRoutes.registration(body, app)
      registration.source = .file
      registration.history = try DeviceRoutes.history(body)
      AddressDoubts.add(registration, app, to: &report)
      registration.userAliases = try Self.aliases(body)
      note(line, report)
      return Entry(line: line, registration: registration)
    } catch {
      if error.report.hasErrors { fail(line, error.report) } else { fail(line, "", error.detail) }
      return nil
    }
  }

  /// Aliases of the line's user.
  private static func aliases(_ body: JSONValue) throws(Problem) -> [UserAlias] {
    guard let value = body["aliases"] else { return [] }
    var report = Report()
    let aliases = AliasFields.read(value, into: &report).compactMap { change in
      change.id.map { UserAlias(change.label, $0) }
    }
    if !aliases.isEmpty, body["user"] == nil {
      report.add(
        rule: Schema.Rule.missing, severity: .error, field: "user",
        message: "is required with aliases, which are a user's")
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return aliases
  }

  /// What is said of a member is listed once, at its first line: that it is not known and left out, or that an address is
  /// doubtful.
  private func note(_ line: Int, _ report: Report) {
    guard !report.findings.isEmpty else { return }
    state.withLock { state in
      for finding in report.findings where state.progress.warnings.count < Self.errorsMax {
        guard !state.progress.warnings.contains(where: { $0.field == finding.field && $0.message == finding.message })
        else { continue }
        state.progress.warnings.append(Failure(line: line, field: finding.field, message: finding.message))
      }
    }
  }

  private func fail(_ line: Int, _ report: Report) {
    let first = report.findings.first { $0.severity == .error }
    fail(line, first?.field ?? "", first?.message ?? "cannot be read")
  }

  private func fail(_ line: Int, _ field: String, _ message: String) {
    state.withLock { state in
      state.progress.failed += 1
      if state.progress.failures.count < Self.errorsMax {
        state.progress.failures.append(Failure(line: line, field: field, message: message))
      }
    }
  }

  // MARK: - Batches

  private func flush() {
    let rest = reading.withLock { reading in
      let rest = reading.batch
      reading.batch = []
      return rest
    }
    if !rest.isEmpty { submit(rest) }
  }

  private func submit(_ batch: [Entry]) {
    let isOpen = state.withLock { state in
      guard state.storeError == nil, !state.isAborted else { return false }
      state.batches += 1
      return true
    }
    if isOpen { register(batch[...]) }
  }

  /// Registers entries together; when the store refuses one of them, each half by itself until the one is found.
  private func register(_ entries: ArraySlice<Entry>) {
    service.store.registerDevices(entries.map(\.registration), now: service.now) { [self] result in
      switch result {
      case .success(let devices):
        let created = devices.count { $0.created }
        let older = devices.count { $0.isOlder }
        end { state in
          state.progress.created += created
          state.progress.updated += devices.count - created - older
          state.progress.older += older
        }
      case .failure(let error) where error.code.isOfArgument && entries.count > 1:
        state.withLock { $0.batches += 1 }
        let middle = entries.startIndex + entries.count / 2
        register(entries[..<middle])
        register(entries[middle...])
      case .failure(let error) where error.code.isOfArgument:
        fail(entries.first?.line ?? 0, "", "\(error.message); \(error.advice)")
        end { _ in }
      case .failure(let error):
        end { $0.storeError = $0.storeError ?? error }
      }
    }
  }

  /// A batch is done.
  private func end(_ change: (inout State) -> Void) {
    let (room, isDone) = state.withLock { state -> (HTTPUploadRoom?, Bool) in
      change(&state)
      state.batches -= 1
      let room = state.batches < Self.batchesMax ? state.room.take() : nil
      return (room, state.isWhole && state.batches == 0)
    }
    room?.resume()
    if isDone { answer() }
  }

  // MARK: - The answer

  private func answer() {
    let (responder, error, progress) = state.withLock { state in
      (state.responder.take(), state.storeError, state.progress)
    }
    guard let responder else { return }
    // Whoever has the answer finds it in the list.
    service.imports.ended(self) { [self] in answer(responder, error, progress) }
  }

  private func answer(_ responder: HTTPResponder, _ error: StoreError?, _ progress: Progress) {
    if let error {
      var problem = Problem(error)
      problem.detail +=
        "; \(progress.created + progress.updated + progress.older) lines are registered: send the file again, nothing is doubled"
      answered(responder, .failure(problem))
    } else {
      answered(responder, .success(Reply(200, .object(Self.json(progress)))))
    }
  }

  static func json(_ progress: Progress) -> JSONObject {
    var object = JSONObject()
    for (name, number) in [
      ("bytes", progress.bytes), ("lines", progress.lines), ("created", progress.created),
      ("updated", progress.updated), ("older", progress.older), ("failed", progress.failed),
    ] { object[name] = .number(JSONNumber(number)) }
    object["errors"] = json(progress.failures)
    object["warnings"] = json(progress.warnings)
    return object
  }

  private static func json(_ failures: [Failure]) -> JSONValue {
    .array(
      failures.map { failure in
        [
          "line": .number(JSONNumber(failure.line)), "field": .string(failure.field),
          "message": .string(failure.message),
        ]
      })
  }
}
