internal import StoreModel
internal import Synchronization
internal import System

/// Where reports of devices go on a server: all that came while others were looked up and written go together.
///
/// Phones report one thing a request, and each question and each change is a message to the server and back.
final class ReportDesk: Sendable {
  private struct Request: Sendable {
    let reports: [DeviceReport]
    let completion: @Sendable (Result<[EventOutcome], StoreError>) -> Void
  }

  private struct State {
    var waiting: ArraySlice<Request> = []
    var hasThread = false
    var isSleeping = false
    var isClosing = false
  }

  /// Batches under way: one that is written, and one that is looked up meanwhile.
  private static let batchesMax = 2
  /// From how many reports on a request gains nothing by the company of others.
  static let manyReports = 50

  private let readers: Readers
  private let writer: Writer
  private let state = Mutex(State())
  private let wake = Semaphore()
  /// Counts how many batches more can be under way.
  private let turns = Semaphore()
  private let ended = Semaphore()

  init(_ readers: Readers, _ writer: Writer) {
    self.readers = readers
    self.writer = writer
  }

  /// Takes the reports of a request.
  func take(
    _ reports: [DeviceReport], completion: @escaping @Sendable (Result<[EventOutcome], StoreError>) -> Void
  ) {
    let refusal = state.withLock { state -> StoreError? in
      if state.isClosing { return Writer.closed }
      if state.waiting.count >= StoreLimits.queuedWritesMax { return Writer.overloaded }
      if !state.hasThread {
        do throws(SystemThread.Refusal) { try SystemThread.detach("store-reports") { [self] in loop() } } catch {
          return StoreError(.ioFailure, "start the store's thread: \(error)", advice: "raise the limit of threads")
        }
        state.hasThread = true
      }
      state.waiting.append(Request(reports: reports, completion: completion))
      if state.isSleeping {
        state.isSleeping = false
        wake.signal()
      }
      return nil
    }
    if let refusal { completion(.failure(refusal)) }
  }

  /// Records what was taken, and refuses more; the writer must still work.
  func close() {
    let waits = state.withLock { state in
      let waits = !state.isClosing && state.hasThread
      state.isClosing = true
      if state.isSleeping {
        state.isSleeping = false
        wake.signal()
      }
      return waits
    }
    if waits { ended.wait() }
  }

  private func loop() {
    for _ in 0..<Self.batchesMax { turns.signal() }
    while true {
      turns.wait()
      guard let requests = next() else { break }
      record(requests)
    }
    ended.signal()
  }

  /// The next requests, of which all but the first fit together into one batch; nil when there are no more.
  private func next() -> [Request]? {
    while true {
      let (requests, isClosing) = state.withLock { state in
        var count = 0
        let some = state.waiting.prefix { request in
          count += request.reports.count
          return count <= StoreLimits.eventBatchMax || count == request.reports.count
        }
        state.waiting.removeFirst(some.count)
        state.isSleeping = some.isEmpty && !state.isClosing
        return (Array(some), state.isClosing)
      }
      if !requests.isEmpty { return requests }
      if isClosing { return nil }
      wake.wait()
    }
  }

  /// Looks reports up and has them written, while those before them may still be.
  private func record(_ requests: [Request]) {
    do throws(StoreError) {
      let finder = EventFinder(reports: requests.flatMap(\.reports))
      let found = try readers.read { (db) throws(StoreError) in try finder.find(db) }
      write(requests, found[...]) { [turns] in turns.signal() }
    } catch {
      guard let rest = Self.rest(of: requests, after: error) else { return turns.signal() }
      for request in rest {
        record([request])
        turns.wait()
      }
      turns.signal()
    }
  }

  /// - Parameter end: called when they are written or were refused.
  private func write(
    _ requests: [Request], _ found: ArraySlice<FoundDelivery>, _ end: @escaping @Sendable () -> Void
  ) {
    let change = EventRecording.change(requests.flatMap(\.reports), Array(found))
    let command = WriteCommand(
      run: { (context) throws(StoreError) in
        let outcomes = try change(&context)
        return {
          var rest = outcomes[...]
          for request in requests {
            request.completion(.success(Array(rest.prefix(request.reports.count))))
            rest = rest.dropFirst(request.reports.count)
          }
          end()
        }
      },
      fail: { [self] error in
        var found = found
        for request in Self.rest(of: requests, after: error) ?? [] {
          write([request], found.prefix(request.reports.count)) {}
          found = found.dropFirst(request.reports.count)
        }
        end()
      })
    // Bulk priority: a million opened notifications must not delay a single send.
    writer.submit(command, .bulk)
  }

  /// The requests that are tried each for itself, as one of several may be to blame; nil when all got the failure.
  private static func rest(of requests: [Request], after error: StoreError) -> [Request]? {
    if requests.count > 1, !error.isAboutTheFile { return requests }
    for request in requests { request.completion(.failure(error)) }
    return nil
  }
}
