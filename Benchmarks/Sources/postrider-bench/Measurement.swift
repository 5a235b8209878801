import CAllocationCounter
import Glibc
import WireJSON

/// What one measured loop cost.
struct Measurement {
  let what: String
  let count: Int
  let seconds: Double
  let cpuSeconds: Double
  let allocations: Int

  /// On a machine that does other things too, the processor's time says more than the clock's.
  var perProcessorSecond: Double { Double(count) / cpuSeconds }
  var perSecond: Double { Double(count) / seconds }
  var nanoseconds: Double { seconds * 1e9 / Double(count) }

  /// Runs `body` `count` times, after a tenth of that to warm up.
  ///
  /// `body` returns a number that depends on its work; the sum of these is kept, so that no work can be left out.
  static func run(_ what: String, count full: Int, _ body: () throws -> Int) rethrows -> Measurement {
    let count = max(Int(Double(full) * Bench.scale), 1)
    var sum = 0
    for _ in 0..<max(count / 10, 1) { sum &+= try body() }
    let allocations = allocation_count()
    let cpu = processorSeconds()
    let start = now()
    for _ in 0..<count { sum &+= try body() }
    let seconds = now() - start
    let measured = Measurement(
      what: what, count: count, seconds: seconds, cpuSeconds: processorSeconds() - cpu,
      allocations: Int(allocation_count() - allocations))
    precondition(sum != 0, "\(what): the work left no trace")
    return measured
  }

  /// The same without its name.
  var spent: Spent { Spent(count: count, seconds: seconds, cpuSeconds: cpuSeconds, allocations: allocations) }

  /// The measured facts as members of the object under way.
  func write(to line: inout JSONWriter) {
    line.key("what")
    line.string(what)
    line.key("count")
    line.int(count)
    line.decimal("seconds", seconds, places: 3)
    line.decimal("cpu_seconds", cpuSeconds, places: 3)
    line.decimal("per_second", perSecond, places: 0)
    line.decimal("per_cpu_second", perProcessorSecond, places: 0)
    line.decimal("ns_per_op", nanoseconds, places: 1)
    line.decimal("allocations_per_op", Double(allocations) / Double(count), places: 2)
  }
}

extension JSONWriter {
  /// Writes a member with a fixed number of decimal places.
  mutating func decimal(_ name: StaticString, _ value: Double, places: Int) {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = Int((value * scale).rounded())
    let whole = scaled / Int(scale)
    let rest = String(scaled % Int(scale))
    key(name)
    raw(places == 0 ? "\(whole)" : "\(whole).\(String(repeating: "0", count: places - rest.utf8.count))\(rest)")
  }
}

/// Seconds of a clock that only goes forward.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Seconds of processor time this process has used.
func processorSeconds() -> Double {
  let usage = resourceUsage()
  return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}

/// The most memory this process ever had in use, in KiB.
func peakMemoryKiB() -> Int { resourceUsage().ru_maxrss }

private func resourceUsage() -> rusage {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage
}

/// Prints one line of JSON: the subcommand, the sizes, what all measurements cost together, each of them, and how many
/// times faster the first one is than each of the others.
func printReport(_ subcommand: String, sizes: [(StaticString, Int)], _ measurements: [Measurement]) {
  let sum = measurements.dropFirst().reduce(measurements[0].spent) { $0 + $1.spent }
  printLine(subcommand, sizes: sizes, sum) { line in
    line.key("results")
    line.beginArray()
    for measurement in measurements {
      line.beginObject()
      measurement.write(to: &line)
      line.decimal("times_the_first", measurements[0].perProcessorSecond / measurement.perProcessorSecond, places: 2)
      line.endObject()
    }
    line.endArray()
  }
}
