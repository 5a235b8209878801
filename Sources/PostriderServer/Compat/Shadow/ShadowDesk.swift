internal import HTTPServer
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// Works on requests of apps that are in shadow: records what this server makes of them, and gets the vendor's answer.
final class ShadowDesk: Sendable {
  /// Threads for checking requests: some audiences are long.
  private let threads = WorkerThreads("shadow", threads: 4, requests: workedOnMax)
  private static let workedOnMax = 1_000
  /// Requests that are checked after their answer; those beyond are recorded as skipped.
  static let laterMax = 500

  private let forward: ShadowForward
  let recorder: ShadowRecorder
  private let log: Log
  private let later = Mutex(0)

  init(store: any Store, forward: ShadowForward, log: Log) {
    self.forward = forward
    recorder = ShadowRecorder(store: store, log: log)
    self.log = log
  }

  func stop() { forward.stop() }

  func reply(to request: ShadowedCall) async throws(Problem) -> Reply {
    switch request.setting.mode {
    case .off: try await request.work(request.call, request.service)
    case .observe:
      try await threads.run { () async throws(Problem) in
        var record = ShadowRecord(request, .accepted)
        return try await tried(request, &record, isRecorded: true)
      }
    case .forward: try await forwarded(request)
    }
  }

  // MARK: - Checking

  /// Does the work without delivering anything, and completes the record.
  private func tried(
    _ request: ShadowedCall, _ record: inout ShadowRecord, body: JSONValue? = nil, isRecorded: Bool
  ) async throws(Problem) -> Reply {
    let trial = ShadowTrial(request.vendor)
    defer {
      record.found = trial.found
      if isRecorded { self.record(record) }
    }
    do throws(Problem) {
      let reply = try await request.tried(trial, body: body)
      record.status = reply.status
      record.outcome = request.isSend && trial.found.targeted == 0 ? .nobody : .accepted
      if request.route.pattern.hasSuffix("/count-unsaved") { record.outcome = .accepted }
      return reply
    } catch {
      record.status = request.vendor.response(to: error).status
      record.problem = error
      record.outcome = .refused
      throw error
    }
  }

  private func record(_ record: ShadowRecord) {
    // Reading changes nothing, and backends read a lot: only what cannot be read here is of interest.
    if record.request.isReading, record.outcome != .refused || record.problem?.kind == .notFound { return }
    let new = record.new
    let unknown = new.counts.filter { $0.kind == .unknown }.map(\.name)
    UnknownMembers.log(unknown, record.request.vendor, new.operation, log)
    recorder.record(new)
  }

  /// Checks a request whose answer was given already.
  private func checkLater(_ request: ShadowedCall, _ record: ShadowRecord) {
    let isQueued = later.withLock { count in
      guard count < ShadowDesk.laterMax else { return false }
      count += 1
      return true
    }
    guard isQueued else {
      var record = record
      record.outcome = .skipped
      record.note = "too many requests were being checked"
      return self.record(record)
    }
    Task.detached(executorPreference: threads) { [self] in
      var record = record
      _ = try? await tried(request, &record, isRecorded: true)
      later.withLock { $0 -= 1 }
    }
  }

  // MARK: - Passing on

  private func forwarded(_ request: ShadowedCall) async throws(Problem) -> Reply {
    if request.setting.livePercent > 0, try isOwn(request) {
      return try await request.work(request.call, request.service)
    }
    let split = try await threads.run { () async throws(Problem) in try ShadowSplit.of(request) }
    switch split {
    case .vendor(let note): return try await passedOn(request, note: note)
    case .here(let recipients): return try await delivered(request, recipients: recipients)
    case .divided(let here, let vendor, let counts): return try await divided(request, here, vendor, counts)
    }
  }

  /// Whether the path names a message that was delivered from here, which the vendor does not know.
  private func isOwn(_ request: ShadowedCall) throws(Problem) -> Bool {
    guard let c = try? CompatCall(request.call, request.service, request.vendor) else { return false }
    return request.call.parameters.contains { c.number($0, .push) != nil }
  }

  /// The vendor gets the whole request, and the caller its answer.
  private func passedOn(_ request: ShadowedCall, note: String?) async throws(Problem) -> Reply {
    let answer = try await forward.answer(to: request)
    var record = ShadowRecord(request, .accepted)
    (record.vendor, record.note) = (answer, note)
    if request.isSend {
      checkLater(request, record)
    } else if request.isReading || request.isExport {
      if request.route.traits.isAbsent { checkLater(request, record) }
    } else if answer.isAccepted {
      // What the vendor has of users and devices this server has, too, before the next request comes.
      record = try await applied(request, record)
    } else {
      record.outcome = .skipped
      record.note = "the vendor has not done it, so it was not done here either"
      self.record(record)
    }
    return try answer.reply()
  }

  private func applied(_ request: ShadowedCall, _ record: ShadowRecord) async throws(Problem) -> ShadowRecord {
    try await threads.run { () async throws(Problem) in
      var record = record
      _ = try? await tried(request, &record, isRecorded: true)
      return record
    }
  }

  /// Checks a request that is to be delivered from here; a record of its refusal when it cannot be.
  private func refusal(
    _ request: ShadowedCall, _ record: ShadowRecord, body: JSONValue? = nil
  ) async throws(Problem) -> ShadowRecord? {
    try await threads.run { () async throws(Problem) in
      var record = record
      do throws(Problem) {
        _ = try await tried(request, &record, body: body, isRecorded: false)
        return nil
      } catch { return record }
    }
  }

  /// Every recipient gets it from here; what this server would refuse the vendor gets.
  private func delivered(_ request: ShadowedCall, recipients: Int) async throws(Problem) -> Reply {
    var record = ShadowRecord(request, .live)
    record.shares = (recipients, 0)
    if let refused = try await refusal(request, record) { return try await unsplit(request, refused) }
    let reply = try await request.work(request.call, request.service)
    record.status = reply.status
    self.record(record)
    return reply
  }

  /// The vendor first: what it has not accepted is delivered to nobody, so that the caller can repeat it.
  private func divided(
    _ request: ShadowedCall, _ here: JSONValue, _ vendor: JSONValue, _ counts: (here: Int, vendor: Int)
  ) async throws(Problem) -> Reply {
    var record = ShadowRecord(request, .live)
    record.shares = counts
    if let refused = try await refusal(request, record, body: here) { return try await unsplit(request, refused) }
    let answer = try await forward.answer(to: request, body: JSON.minified(vendor))
    record.vendor = answer
    guard answer.isAccepted else {
      record.outcome = .skipped
      record.note = "the vendor has not accepted its part, so nothing was delivered from here"
      self.record(record)
      return try answer.reply()
    }
    do throws(Problem) {
      let own = try await request.work(request.call.with(body: here), request.service)
      record.status = own.status
      self.record(record)
      return answer.hasNoRecipients ? own : try answer.reply()
    } catch {
      record.problem = error
      record.outcome = .refused
      record.note = "the vendor has delivered its part, and the part of this server failed"
      self.record(record)
      log(
        .error, "divided message not delivered",
        ["operation": .text(request.route.name), "recipients": .int(counts.here), "problem": .text(error.kind.name)])
      return try answer.reply()
    }
  }

  /// The vendor gets all of what this server would refuse.
  private func unsplit(_ request: ShadowedCall, _ refused: ShadowRecord) async throws(Problem) -> Reply {
    var record = refused
    record.shares = nil
    record.note = "this server would refuse it, so the vendor delivers all of it"
    let answer = try await forward.answer(to: request)
    record.vendor = answer
    self.record(record)
    return try answer.reply()
  }
}
