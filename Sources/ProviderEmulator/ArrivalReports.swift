internal import Glibc
internal import HTTPServer
internal import Synchronization
internal import WireJSON

/// How the reports of one phone's arrivals went.
final class ReportTally: Sendable {
  private struct Counts {
    var delivered = 0
    var unknown = 0
    var failed = 0
    var error: String?
  }

  private let counts = Mutex(Counts())

  func add(delivered: Int = 0, unknown: Int = 0, failed: Int = 0, error: String? = nil) {
    counts.withLock {
      $0.delivered += delivered
      $0.unknown += unknown
      $0.failed += failed
      if let error { $0.error = error }
    }
  }

  /// `{told, unknown, failed, error}`.
  var json: JSONValue {
    let counts = counts.withLock { $0 }
    var object: JSONObject = [
      "told": .number(JSONNumber(counts.delivered)), "unknown": .number(JSONNumber(counts.unknown)),
      "failed": .number(JSONNumber(counts.failed)),
    ]
    if let error = counts.error { object.append("error", .string(error)) }
    return .object(object)
  }
}

/// Reports arrived pushes to servers, as the apps of phones do: in batches, on one thread, asynchronously.
///
/// A push may arrive before its server has the provider's answer and knows its id, so a report of an unknown push is
/// retried a little later.
final class ArrivalReports: Sendable {
  /// One push that arrived.
  struct Arrival: Sendable {
    let reporting: PhoneReporting
    let provider: EmulatedProvider
    let pushID: String
    let tally: ReportTally
    /// Of a browser, by which it is named.
    var endpoint: String?
    var attempts = 0
  }

  /// The most reports that wait; more are counted as failed.
  static let waitingMax = 100_000
  /// The most reports of one request.
  static let batchMax = 200
  /// How often a report is made, and how long is waited before it is made again.
  static let attemptsMax = 5
  static let retryPauseMicroseconds: UInt32 = 500_000

  private struct State {
    var waiting: [Arrival] = []
    var again: [Arrival] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Queues a report.
  func add(_ arrival: Arrival) {
    let starts = state.withLock { state -> Bool in
      guard state.waiting.count < Self.waitingMax else {
        arrival.tally.add(failed: 1, error: "more than \(Self.waitingMax) reports wait")
        return false
      }
      state.waiting.append(arrival)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { PhoneThreads.run { self.work() } }
  }

  /// Makes reports until none waits.
  private func work() {
    while let batch = next() {
      if batch.isEmpty { usleep(Self.retryPauseMicroseconds) } else { tell(batch) }
    }
  }

  /// The next reports for one server; empty before others are made again, nil at the end.
  private func next() -> [Arrival]? {
    state.withLock { state in
      guard let first = state.waiting.first else {
        if state.again.isEmpty {
          state.isRunning = false
          return nil
        }
        swap(&state.waiting, &state.again)
        return []
      }
      var count = 1
      while count < min(Self.batchMax, state.waiting.count), state.waiting[count].reporting == first.reporting {
        count += 1
      }
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
  }

  private func tell(_ batch: [Arrival]) {
    guard let reporting = batch.first?.reporting else { return }
    let events = batch.map { PhoneReport.event("received", of: $0.pushID, $0.provider, endpoint: $0.endpoint) }
    switch PhoneReport.send(events, to: reporting) {
    case .failure(let error): fail(batch, error.description)
    case .success(let (status, answer)):
      guard status == 200, let results = answer["results"]?.array, results.count == batch.count else {
        return fail(batch, answer["detail"]?.string ?? "the server answered \(status)")
      }
      for (arrival, result) in zip(batch, results) {
        guard result == "unknown" else {
          arrival.tally.add(delivered: 1)
          continue
        }
        if !retry(arrival) { arrival.tally.add(unknown: 1) }
      }
    }
  }

  private func fail(_ batch: [Arrival], _ error: String) {
    for arrival in batch where !retry(arrival) { arrival.tally.add(failed: 1, error: error) }
  }

  /// Queues a report once more; false when it was made often enough.
  private func retry(_ arrival: Arrival) -> Bool {
    var later = arrival
    later.attempts += 1
    guard later.attempts < Self.attemptsMax else { return false }
    state.withLock { $0.again.append(later) }
    return true
  }
}
