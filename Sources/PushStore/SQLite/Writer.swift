internal import CLinux
internal import Glibc
internal import Synchronization

/// One change to the database, as the writer thread runs it.
struct WriteCommand: Sendable {
  /// Makes the change inside the open transaction; what it returns is called once the change is durable.
  ///
  /// It may run twice: when another command of its group fails, the group is rolled back and each command runs alone.
  let run: @Sendable (inout WriterContext) throws(StoreError) -> @Sendable () -> Void
  /// Called instead when nothing of it was kept.
  let fail: @Sendable (StoreError) -> Void
}

/// The one thread that changes the database.
///
/// Group commit: it takes everything that is queued, runs it in one transaction, commits once (one flush of the disk), and only
/// then tells the callers. While the disk flushes, the next group gathers.
final class Writer: Sendable {
  private struct State: ~Copyable {
    var queue: [WriteCommand] = []
    var sleeping = false
    var closing = false
  }

  /// Commands in one transaction: keeps the wait for the first of a group short.
  private static let groupMax = 4096

  private let state = Mutex(State())
  private let wake = Semaphore()
  private let ended = Semaphore()
  private let afterGroup: @Sendable (borrowing Connection, _ isIdle: Bool) -> Void

  /// Starts the thread on an open connection.
  init(
    context: consuming WriterContext, afterGroup: @escaping @Sendable (borrowing Connection, _ isIdle: Bool) -> Void
  ) throws(StoreError) {
    self.afterGroup = afterGroup
    let start = WriterStart(writer: self, context: context)
    let box = Unmanaged.passRetained(start)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { pointer in
        if let pointer { Unmanaged<WriterStart>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw StoreError(.ioFailure, "start the store's thread: error \(code)", advice: "raise the limit of threads")
    }
    pthread_detach(thread)
  }

  /// Queues a command, or says at once why not.
  func submit(_ command: WriteCommand) {
    let refusal = state.withLock { state -> StoreError? in
      if state.closing { return Self.closed }
      if state.queue.count >= StoreLimits.queuedWritesMax { return Self.overloaded }
      state.queue.append(command)
      if state.sleeping {
        state.sleeping = false
        wake.signal()
      }
      return nil
    }
    if let refusal { command.fail(refusal) }
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
    if first { ended.wait() }
  }

  private static let closed = StoreError(
    .closed, "the store is closed", advice: "open it again, or stop sending requests before closing it")
  private static let overloaded = StoreError(
    .overloaded, "\(StoreLimits.queuedWritesMax) operations are waiting for the disk", advice: "try again in a second")

  fileprivate func loop(_ context: consuming WriterContext) {
    var group: [WriteCommand] = []
    while next(&group) {
      var rest = group[...]
      while !rest.isEmpty {
        let part = rest.prefix(Self.groupMax)
        rest = rest.dropFirst(part.count)
        runGroup(part, &context)
        afterGroup(context.db, rest.isEmpty && state.withLock { $0.queue.isEmpty })
      }
      group.removeAll(keepingCapacity: true)
    }
    _ = consume context
    ended.signal()
  }

  /// Swaps the queue for an empty one, waiting while there is none; false when the store closes.
  private func next(_ group: inout [WriteCommand]) -> Bool {
    while true {
      let (ready, closing) = state.withLock { state in
        swap(&state.queue, &group)
        state.sleeping = group.isEmpty && !state.closing
        return (!group.isEmpty, state.closing)
      }
      if ready { return true }
      if closing { return false }
      wake.wait()
    }
  }

  private func runGroup(_ group: ArraySlice<WriteCommand>, _ context: inout WriterContext) {
    var answers: [@Sendable () -> Void] = []
    answers.reserveCapacity(group.count)
    do throws(StoreError) {
      try context.begin()
      for command in group { try run(command, &context, &answers) }
      try context.commit()
      for answer in answers { answer() }
    } catch {
      context.rollBack()
      if group.count == 1 || error.isAboutTheFile {
        for command in group { command.fail(error) }
      } else {
        for command in group { runGroup([command], &context) }
      }
    }
  }

  /// A command that refuses before it has changed anything fails alone; otherwise the whole group is rolled back.
  private func run(
    _ command: WriteCommand, _ context: inout WriterContext, _ answers: inout [@Sendable () -> Void]
  ) throws(StoreError) {
    let before = context.db.totalChanges
    do throws(StoreError) {
      answers.append(try command.run(&context))
    } catch {
      guard context.db.totalChanges == before, context.db.isInTransaction, !error.isAboutTheFile else { throw error }
      answers.append { command.fail(error) }
    }
  }
}

extension StoreError {
  /// Whether every other write would fail in the same way.
  fileprivate var isAboutTheFile: Bool {
    switch code {
    case .diskFull, .readOnly, .corrupted, .notADatabase, .ioFailure, .locked, .cannotOpen: true
    default: false
    }
  }
}

/// Carries the connection to the writer's thread.
///
/// The one reference is handed through `pthread_create` and consumed there, so no two threads ever see it.
private final class WriterStart {
  private let writer: Writer
  private var context: WriterContext?

  init(writer: Writer, context: consuming WriterContext) {
    self.writer = writer
    self.context = consume context
  }

  func run() {
    postrider_name_thread("store-writer")
    if let context = context.take() { writer.loop(context) }
  }
}
