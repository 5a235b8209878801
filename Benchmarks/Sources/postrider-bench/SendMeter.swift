import Synchronization
import WireJSON

/// Counts outcomes, and lets the submitting thread keep a fixed number of sends unfinished.
final class SendMeter: Sendable {
  struct Counts {
    var accepted = 0
    var rejected = 0
    var failed = 0
    var submitted = 0
    /// The first few outcomes that were not acceptances, to be shown when a run went wrong.
    var samples: [String] = []

    var finished: Int { accepted + rejected + failed }
  }

  private static let samplesMax = 3

  private let counts = Mutex(Counts())
  private let gate = GateMemory()

  /// Notes outcomes; on the network thread.
  func note(accepted: Int, rejected: Int, failed: Int, sample: @autoclosure () -> String?) {
    counts.withLock {
      $0.accepted += accepted
      $0.rejected += rejected
      $0.failed += failed
      if rejected + failed > 0, $0.samples.count < Self.samplesMax, let sample = sample() { $0.samples.append(sample) }
    }
    gate.signal()
  }

  /// Waits until fewer than `limit` sends are unfinished, and counts the next `batch` as submitted.
  func enter(_ batch: Int, limit: Int) {
    gate.wait { self.counts.withLock { $0.submitted - $0.finished < limit } }
    counts.withLock { $0.submitted += batch }
  }

  /// Waits for the last outcome.
  func finish() -> Counts {
    gate.wait { self.counts.withLock { $0.finished >= $0.submitted } }
    return counts.withLock { $0 }
  }

  /// How many sends have an outcome.
  var finished: Int { counts.withLock { $0.finished } }
}

/// What one run of sends cost.
struct SendReport {
  let what: String
  let connections: Int
  let inFlight: Int
  let bodyBytes: Int
  let counts: SendMeter.Counts
  let spent: Spent

  /// Prints one line of JSON.
  func print() {
    printLine(
      what, sizes: [("connections", connections), ("in_flight", inFlight), ("body_bytes", bodyBytes)], spent,
      perCPUSecond: "sends_per_cpu_second"
    ) { line in
      for (name, value) in [
        ("accepted", counts.accepted), ("rejected", counts.rejected), ("failed", counts.failed),
      ] {
        line.key(name)
        line.int(value)
      }
      guard !counts.samples.isEmpty else { return }
      line.key("samples")
      line.beginArray()
      for sample in counts.samples { line.string(sample) }
      line.endArray()
    }
  }
}

/// Measures `count` sends after a twentieth of that as warm-up: connections are open, buffers have their size.
func measureSends(
  what: String, count: Int, connections: Int, inFlight: Int, bodyBytes: Int, meter: SendMeter,
  submit: (_ first: Int, _ batch: Int) throws -> Void
) throws -> SendReport {
  let batchSize = max(1, min(500, inFlight / 2))
  // Enough waits that the pool always finds a send for a stream that gets free.
  let limit = inFlight + 2 * batchSize
  func run(_ sends: Int, from start: Int) throws {
    var done = 0
    while done < sends {
      let batch = min(batchSize, sends - done)
      meter.enter(batch, limit: limit)
      try submit(start + done, batch)
      done += batch
    }
  }
  let warmUp = max(1, count / 20)
  try run(warmUp, from: 0)
  let before = meter.finish()
  let cost = Cost()
  try run(count, from: warmUp)
  var counts = meter.finish()
  let spent = cost.spent(on: count)
  counts.accepted -= before.accepted
  counts.rejected -= before.rejected
  counts.failed -= before.failed
  return SendReport(
    what: what, connections: connections, inFlight: inFlight, bodyBytes: bodyBytes, counts: counts, spent: spent)
}

/// A generator of made-up tokens: quick, and different for every number.
struct TokenMaker {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Replaces `token` by hexadecimal digits; its length is a multiple of 16.
  mutating func fill(_ token: inout [UInt8]) {
    var index = 0
    while index < token.count {
      var bits = next()
      for offset in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: bits & 15)
        token[index + offset] = digit < 10 ? digit + 0x30 : digit + 0x57
        bits >>= 4
      }
      index += 16
    }
  }
}

/// A payload of exactly `size` bytes.
func alertPayload(_ size: Int) -> [UInt8] {
  let before = Array(#"{"aps":{"alert":{"title":"Bench","body":""#.utf8)
  let after = Array(#""}}}"#.utf8)
  let fill = max(0, size - before.count - after.count)
  return before + [UInt8](repeating: UInt8(ascii: "x"), count: fill) + after
}
