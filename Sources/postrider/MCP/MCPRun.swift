import Glibc
import Synchronization
import System

/// One session over standard input and output: reads on the calling thread, performs calls in turn on another.
final class MCPRun: Sendable {
  private struct State {
    var session: MCPSession
    var jobs: [MCPJob] = []
    var isClosed = false
    /// Whether the client takes no answers any more; then nothing is begun for it.
    var hasNoReader = false
  }

  private let state: Mutex<State>
  private let output: Mutex<Int32>
  private let work = Semaphore()

  /// - Parameter output: where answers go; nothing else is written there.
  init(_ session: MCPSession, output: Int32) {
    state = Mutex(State(session: session))
    self.output = Mutex(output)
  }

  /// Serves until the input closes; calls that wait by then are still answered.
  func run(input: Int32, desk: @escaping @Sendable () -> MCPDesk) throws(Exit) {
    let worker: SystemThread
    do throws(SystemThread.Refusal) { worker = try SystemThread.start("mcp") { self.perform(desk()) } } catch {
      throw .failure("no thread can be started: \(error)")
    }
    read(input)
    state.withLock { $0.isClosed = true }
    work.signal()
    worker.join()
  }

  // MARK: Reading

  private func read(_ input: Int32) {
    var lines = MCPLines()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(input, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      for piece in lines.take(chunk[..<count]) { receive(piece) }
    }
    for piece in lines.finish() { receive(piece) }
  }

  private func receive(_ piece: MCPLines.Piece) { carryOut(state.withLock { $0.session.receive(piece) }) }

  private func carryOut(_ steps: [MCPSession.Step]) {
    for step in steps {
      switch step {
      case .write(let line): write(line)
      case .perform(let job):
        state.withLock { if !$0.hasNoReader { $0.jobs.append(job) } }
        work.signal()
      }
    }
  }

  private func write(_ line: [UInt8]) {
    let isTaken = output.withLock { output in unsafe line.withUnsafeBytes { unsafe Terminal.write($0, to: output) } }
    guard !isTaken else { return }
    state.withLock { state in
      state.hasNoReader = true
      state.jobs.removeAll()
    }
  }

  // MARK: Performing

  private func perform(_ desk: MCPDesk) {
    while true {
      work.wait()
      let (job, isOver) = state.withLock { state -> (MCPJob?, Bool) in
        guard let job = state.jobs.first else { return (nil, state.isClosed) }
        state.jobs.removeFirst()
        return (job, false)
      }
      if let job { perform(job, desk) } else if isOver { return }
    }
  }

  private func perform(_ job: MCPJob, _ desk: MCPDesk) {
    let isCancelled = state.withLock { $0.session.isCancelled(job.number) }
    let outcome = isCancelled ? .refused("cancelled") : desk.perform(job)
    carryOut(state.withLock { $0.session.finished(job.number, outcome) })
  }
}
