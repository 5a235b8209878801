import Glibc
import HTTP2
import PushPayload
import System
import WireJSON

/// Lines in, sends out, outcomes back: one thread that waits for whichever comes first.
///
/// Nothing grows with the input. A line is read only when there is room for its sends, a send takes its room until its
/// outcome was written, and a reader that does not take the outcomes stops the reading.
struct SendLoop<Client: DirectClient> {
  /// Outcomes that may wait for an earlier one when they are to come in order.
  private static var reorderMax: Int { 20_000 }

  private var input: InputStream
  private var composer: SendComposer<Client.Message>
  private let client: Client
  private let mailbox: OutcomeMailbox
  private let concurrency: Int
  private let isOrdered: Bool
  private let explains: Bool

  private var tally: SendTally
  private var progress = ProgressBar()
  private var underWay: [UInt64: Origin] = [:]
  private var nextTag: UInt64 = 0
  private var item: (message: Client.Message, recipients: ArraySlice<Recipient>, origin: Origin)?
  private var lines = 0
  /// Whether every line that was read has been taken.
  private var isDrained = false
  private var isInterrupted = false
  /// Outcomes that wait for their turn, and whose turn it is.
  private var early: [UInt64: [UInt8]] = [:]
  private var turn: UInt64 = 0
  private var output: [UInt8] = []

  /// Where a send was in the input.
  private struct Origin {
    let line: Int
    let id: JSONValue?
    var token: String?
  }

  /// Puts the parts together.
  init(
    input: InputStream, composer: SendComposer<Client.Message>, client: Client, concurrency: Int, isOrdered: Bool
  ) throws(Exit) {
    self.input = input
    self.composer = composer
    self.client = client
    self.concurrency = concurrency
    self.isOrdered = isOrdered
    explains = !composer.recipients.isEmpty
    tally = SendTally(Client.service)
    mailbox = try OutcomeMailbox()
  }

  /// Sends everything and says how it went.
  mutating func run(_ interruption: Interruption) throws(Exit) -> ExitStatus {
    let mailbox = mailbox
    do throws(SystemThread.Refusal) {
      try SystemThread.detach("interruption") {
        interruption.wait()
        mailbox.interrupt()
        interruption.leaveOpen()
      }
    } catch { throw .failure("the system gives no thread: \(error)") }
    while true {
      try fill()
      collect()
      guard Terminal.take(output) else {
        // Nobody reads the outcomes any more; what was sent is reported all the same.
        progress.clear()
        Terminal.status(tally.summary(seconds: progress.seconds))
        Terminal.endWithoutReader()
      }
      output.removeAll(keepingCapacity: true)
      let rate = Int(Double(tally.total) / max(progress.seconds, 0.001))
      progress.draw(share: share, "\(tally.line); \(underWay.count) under way, \(rate) a second")
      if underWay.isEmpty && item == nil && hasReadAll && (isDrained || isInterrupted) { break }
      // Answers have made room for lines that are here already.
      if isInterrupted || isDrained || !hasRoom { try wait() }
    }
    progress.clear()
    if tally.total > 1 { Terminal.status(tally.summary(seconds: progress.seconds)) }
    if lines == 0 && !isInterrupted { Terminal.complain("send: there is no line in the input; nothing was sent") }
    guard !isInterrupted else {
      throw .failure("interrupted after line \(lines) of the input; all that was sent is in the output")
    }
    return tally.exitStatus
  }

  private var hasReadAll: Bool { isInterrupted || input.hasEnded }
  private var hasRoom: Bool {
    underWay.count < concurrency && (!isOrdered || nextTag - turn < UInt64(Self.reorderMax + concurrency))
  }
  private var share: Double? {
    input.bytesTotal.map { $0 == 0 ? 1 : Double(input.bytesRead) / Double($0) }
  }

  // MARK: - In

  /// Submits lines that were read already, while there is room.
  private mutating func fill() throws(Exit) {
    var batch = DirectBatches(client)
    while hasRoom {
      if var current = item, let recipient = current.recipients.popFirst() {
        item = current.recipients.isEmpty ? nil : current
        if explains && composer.recipients.count > 1, case .token(let token) = recipient {
          current.origin.token = token
        }
        underWay[nextTag] = current.origin
        batch.append(nextTag, recipient, current.message)
        nextTag += 1
        continue
      }
      guard !isInterrupted else { break }
      guard let line = input.next() else {
        isDrained = true
        break
      }
      isDrained = false
      try take(line)
    }
    batch.submit(to: mailbox)
  }

  private mutating func take(_ line: InputItem) throws(Exit) {
    lines = line.line
    switch try composer.compose(line, in: input.name) {
    case .send(let message, let recipients, let id):
      item = (message, recipients[...], Origin(line: line.line, id: id))
    case .invalid(let report, let id):
      end(Origin(line: line.line, id: id), .invalid, reason: "not legal", ["report": report.json])
    case .unreadable(let detail, let id):
      end(Origin(line: line.line, id: id), .unreadable, reason: "unreadable lines", ["detail": .string(detail)])
    }
  }

  /// Waits for input (when there is room for it), outcomes, an interruption, or the time to draw.
  private mutating func wait() throws(Exit) {
    let reads = hasRoom && !hasReadAll
    var watched = [
      pollfd(fd: mailbox.fd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: reads ? input.fd : -1, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&watched, 2, progress.waitMs)
    guard count > 0 else { return }
    // Also when the other end is gone: reading says what is the matter.
    if watched[1].revents != 0 { try input.read() }
  }

  // MARK: - Out

  private mutating func collect() {
    let (results, wasInterrupted) = mailbox.take()
    if wasInterrupted {
      // A person who waits for nothing but answers wants to stop now.
      if hasReadAll { exit(ExitStatus.failure.rawValue) }
      isInterrupted = true
      item = nil
      if !underWay.isEmpty {
        progress.clear()
        let answers = underWay.count == 1 ? "1 answer" : "\(underWay.count) answers"
        Terminal.complain("send: interrupted; waiting for \(answers) under way, a second Ctrl-C ends at once")
      }
    }
    for results in results {
      results.forEach(explained: explains) { tag, answer in
        guard let origin = underWay.removeValue(forKey: tag) else { return }
        tally.count(answer.ending, reason: answer.reason, status: answer.status)
        write(tag, line(origin, answer.ending, answer.json))
      }
    }
  }

  /// A line of the input that nothing was sent for.
  private mutating func end(_ origin: Origin, _ ending: SendTally.Ending, reason: String, _ json: JSONObject) {
    tally.count(ending, reason: reason)
    write(nextTag, line(origin, ending, json))
    nextTag += 1
  }

  private func line(_ origin: Origin, _ ending: SendTally.Ending, _ rest: JSONObject) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("line")
    writer.int(origin.line)
    if let id = origin.id {
      writer.key("id")
      writer.value(id)
    }
    if let token = origin.token {
      writer.key("token")
      writer.string(token)
    }
    writer.key("outcome")
    writer.string(ending.rawValue)
    for (key, value) in rest {
      writer.key(key)
      writer.value(value)
    }
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  private mutating func write(_ tag: UInt64, _ line: [UInt8]) {
    guard isOrdered else {
      output += line
      return
    }
    early[tag] = line
    while let next = early.removeValue(forKey: turn) {
      output += next
      turn += 1
    }
  }
}
