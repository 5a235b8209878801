internal import StoreModel
internal import Synchronization
internal import System

/// One change to the database, as the writer thread runs it.
struct WriteCommand: Sendable {
  /// Makes the change inside the open transaction; what it returns is called once the change is durable.
  ///
  /// It may run twice: when another command of its group fails, the group is rolled back and each command runs alone.
  let run: @Sendable (inout WriterContext) throws(StoreError) -> @Sendable () -> Void
  /// Called instead when nothing of it was saved.
  let fail: @Sendable (StoreError) -> Void
}

/// The priority of a command.
enum WriteUrgency {
  /// Someone waits for the result, or it is a provider's answer: runs before all bulk work.
  case urgent
  /// Many rows at once; several of them share a commit as long as nothing urgent waits.
  case bulk
}

/// The one thread that changes the database.
///
/// Group commit: it takes all queued urgent commands, runs them in one transaction, commits once (one flush of the
/// disk), and only then calls the completions. During the flush, the next group queues up. After each urgent group
/// comes a bulk group, which ends early when something urgent arrives: an urgent command waits for one bulk command at
/// most, and bulk never starves.
final class Writer: Sendable {
  private struct State: ~Copyable {
    var urgent: [WriteCommand] = []
    var bulk: [WriteCommand] = []
    /// What is done between two groups.
    var between: [@Sendable (inout WriterContext) -> Void] = []
    var sleeping = false
    var closing = false
  }

  /// Commands in one transaction: bounds the wait of the first one.
  private static let groupMax = 1024
  /// How long a bulk group takes up further commands on a server, where it may keep urgent ones of other nodes waiting.
  private static let sharedBulkMs: Int64 = 50

  let recalls = RecallObserver()
  private let state = Mutex(State())
  private let wake = Semaphore()
  private let ended = Semaphore()
  private let afterGroup: @Sendable (borrowing Connection, _ isIdle: Bool) -> Void
  /// Runs commands step by step, instead of the thread.
  private let stepped: Stepped?
  private let steps: StoreSteps?

  /// The turn of a writer without a thread.
  ///
  /// `@unchecked Sendable` is sound: `turn` is touched under `lock` only.
  private final class Stepped: @unchecked Sendable {
    let lock = Mutex(())
    var turn: Turn

    init(_ turn: consuming Turn) { self.turn = turn }
  }

  /// What is worked with from turn to turn.
  private struct Turn: ~Copyable {
    var context: WriterContext
    var urgent: [WriteCommand] = []
    var bulk: ArraySlice<WriteCommand> = []
  }

  /// Starts no thread: ``step(urgentOnly:)`` runs what is queued.
  init(context: consuming WriterContext, steps: StoreSteps) {
    afterGroup = { _, _ in }
    stepped = Stepped(Turn(context: context))
    self.steps = steps
  }

  /// Starts the thread on an open connection.
  init(
    context: consuming sending WriterContext,
    afterGroup: @escaping @Sendable (borrowing Connection, _ isIdle: Bool) -> Void
  ) throws(StoreError) {
    self.afterGroup = afterGroup
    stepped = nil
    steps = nil
    let start = WriterStart(writer: self, context: context)
    do throws(SystemThread.Refusal) { try SystemThread.detach("store-writer") { start.run() } } catch {
      throw StoreError(.ioFailure, "start the store's thread: \(error)", advice: "raise the limit of threads")
    }
  }

  /// Queues a command, or says at once why not.
  func submit(_ command: WriteCommand, _ urgency: WriteUrgency) {
    let refusal = state.withLock { state -> StoreError? in
      if state.closing { return Self.closed }
      if state.urgent.count + state.bulk.count >= StoreLimits.queuedWritesMax { return Self.overloaded }
      switch urgency {
      case .urgent: state.urgent.append(command)
      case .bulk: state.bulk.append(command)
      }
      if state.sleeping {
        state.sleeping = false
        wake.signal()
      }
      return nil
    }
    if let refusal { command.fail(refusal) }
  }

  /// Runs something on the writer's thread behind the group that is under way, without a transaction.
  ///
  /// What that group has done was answered before; what comes later reads a database in which all is that `body` knows of.
  func between(_ body: @escaping @Sendable (inout WriterContext) -> Void) {
    state.withLock { state in
      guard !state.closing else { return }
      state.between.append(body)
      if state.sleeping {
        state.sleeping = false
        wake.signal()
      }
    }
  }

  /// Runs what is queued, then ends the thread and closes the connection.
  func close() {
    let first = state.withLock { state in
      let first = !state.closing
      state.closing = true
      if state.sleeping {
        state.sleeping = false
        wake.signal()
      }
      return first
    }
    if first && steps == nil { ended.wait() }
  }

  static let closed = StoreError(
    .closed, "the store is closed", advice: "open it again, or stop sending requests before closing it")
  static let overloaded = StoreError(
    .overloaded, "\(StoreLimits.queuedWritesMax) operations are waiting for the disk", advice: "try again in a second")

  fileprivate func loop(_ context: consuming WriterContext) {
    var turn = Turn(context: context)
    while take(&turn.urgent, &turn.bulk) {
      let between = state.withLock { state in
        defer { state.between = [] }
        return state.between
      }
      for body in between { body(&turn.context) }
      run(&turn)
    }
    _ = consume turn
    ended.signal()
  }

  /// Runs everything urgent, then one group of the rest.
  private func run(_ turn: inout Turn) {
    runUrgent(&turn)
    if !turn.bulk.isEmpty { turn.bulk = turn.bulk.dropFirst(runGroup(turn.bulk, &turn.context, endsEarly: true)) }
    afterGroup(turn.context.db, turn.bulk.isEmpty && !isUrgentWaiting)
  }

  private func runUrgent(_ turn: inout Turn) {
    var rest = turn.urgent[...]
    while !rest.isEmpty {
      let done = runGroup(rest.prefix(Self.groupMax), &turn.context, endsEarly: false)
      rest = rest.dropFirst(done)
    }
    turn.urgent.removeAll(keepingCapacity: true)
  }

  /// Takes over what is queued, waiting while there is nothing at all; false when the store closes.
  private func take(_ urgent: inout [WriteCommand], _ bulk: inout ArraySlice<WriteCommand>) -> Bool {
    while true {
      let (ready, closing) = state.withLock { state in
        swap(&state.urgent, &urgent)
        if bulk.isEmpty {
          bulk = state.bulk[...]
          state.bulk = []
        }
        let ready = !urgent.isEmpty || !bulk.isEmpty || !state.between.isEmpty
        state.sleeping = !ready && !state.closing
        return (ready, state.closing)
      }
      if ready { return true }
      if closing { return false }
      wake.wait()
    }
  }

  private var isUrgentWaiting: Bool { state.withLock { !$0.urgent.isEmpty } }

  /// Runs commands in one transaction; returns how many were run (all, unless it ends early).
  private func runGroup(
    _ group: ArraySlice<WriteCommand>, _ context: inout WriterContext, endsEarly: Bool
  ) -> Int {
    var answers: [@Sendable () -> Void] = []
    answers.reserveCapacity(group.count)
    var tried = 0
    do throws(StoreError) {
      try context.begin()
      let begun = SystemClock.monotonicMs()
      for command in group {
        tried += 1
        try run(command, &context, &answers)
        guard endsEarly else { continue }
        if isUrgentWaiting || context.isShared && SystemClock.monotonicMs() - begun >= Self.sharedBulkMs { break }
      }
      if let failure = steps?.writeFailure { throw failure }
      try context.commit()
      for answer in answers { answer() }
    } catch {
      context.rollBack()
      retry(group.prefix(max(tried, 1)), after: error, &context)
    }
    return max(tried, 1)
  }

  /// After a failure either the file refuses, and then it refuses all, or one command is to blame, and then each runs alone.
  private func retry(_ group: ArraySlice<WriteCommand>, after error: StoreError, _ context: inout WriterContext) {
    if error.isAboutTheFile { context.noteFailure(error) }
    if group.count == 1 || error.isAboutTheFile {
      for command in group { command.fail(error) }
    } else {
      for command in group { _ = runGroup([command], &context, endsEarly: false) }
    }
  }

  /// A command that refuses before it has changed anything fails alone; otherwise the whole group is rolled back.
  private func run(
    _ command: WriteCommand, _ context: inout WriterContext, _ answers: inout [@Sendable () -> Void]
  ) throws(StoreError) {
    let before = context.db.mark()
    do throws(StoreError) {
      let answer = try command.run(&context)
      // Recalls are reported after a lease of the same group, and before the result of the change that caused them.
      if !context.recall.isEmpty { context.note(.recall(context.recall)) }
      if !context.recall.isEmpty { answers.append { [recalls, recall = context.recall] in recalls.tell(recall) } }
      context.recall = LeaseRecall()
      answers.append(answer)
    } catch {
      context.recall = LeaseRecall()
      // What a command made of the result of a statement that has failed is not the reason.
      let error = context.db.queuedFailure ?? error
      guard !context.db.hasChanged(since: before), context.db.isInTransaction, !error.isAboutTheFile else {
        throw error
      }
      answers.append { command.fail(error) }
    }
  }
}

// MARK: - Step by step

extension Writer {
  /// Runs what is queued, as one turn of the thread would; false when there was nothing.
  ///
  /// - Parameter urgentOnly: leaves the rest where it is.
  @discardableResult
  func step(urgentOnly: Bool) -> Bool {
    guard let stepped else { return false }
    return stepped.lock.withLock { _ in
      state.withLock { state in
        swap(&state.urgent, &stepped.turn.urgent)
        guard !urgentOnly, stepped.turn.bulk.isEmpty else { return }
        stepped.turn.bulk = state.bulk[...]
        state.bulk = []
      }
      if urgentOnly, !stepped.turn.urgent.isEmpty {
        runUrgent(&stepped.turn)
        return true
      }
      guard !stepped.turn.urgent.isEmpty || !stepped.turn.bulk.isEmpty, !urgentOnly else { return false }
      run(&stepped.turn)
      return true
    }
  }

  /// Whether ``step(urgentOnly:)`` has something to do.
  var hasWork: Bool {
    state.withLock { !$0.urgent.isEmpty || !$0.bulk.isEmpty }
      || stepped.map { stepped in stepped.lock.withLock { _ in !stepped.turn.bulk.isEmpty } } ?? false
  }

  /// Forgets what is queued, as the end of the process would: nothing of it is answered.
  func abandon() {
    state.withLock { state in
      state.urgent = []
      state.bulk = []
    }
    guard let stepped else { return }
    stepped.lock.withLock { _ in
      stepped.turn.urgent = []
      stepped.turn.bulk = []
      stepped.turn.context.rollBack()
    }
  }

  /// Runs SQL on the writer's connection.
  func execute(_ sql: String) throws(StoreError) {
    guard let stepped else { return }
    try stepped.lock.withLock { _ throws(StoreError) in try stepped.turn.context.db.execute(sql) }
  }
}

extension StoreError {
  /// Whether every other write would fail in the same way.
  var isAboutTheFile: Bool {
    switch code {
    case .diskFull, .readOnly, .corrupted, .notADatabase, .ioFailure, .locked, .cannotOpen, .fileGone, .inDoubt,
      .unavailable:
      true
    default: false
    }
  }
}

/// Carries the connection to the writer's thread.
///
/// The one reference is handed to the thread and consumed there, so no two threads ever see it.
private final class WriterStart {
  private let writer: Writer
  private var context: WriterContext?

  init(writer: Writer, context: consuming sending WriterContext) {
    self.writer = writer
    self.context = consume context
  }

  func run() {
    if let context = context.take() { writer.loop(context) }
  }
}
