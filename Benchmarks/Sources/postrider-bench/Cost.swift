import CAllocationCounter
import WireJSON

/// What a stretch of work costs this process, from its making on.
struct Cost {
  private let allocations = allocation_count()
  private let cpu = processorSeconds()
  private let start = now()

  /// What has been spent until now on `count` operations.
  func spent(on count: Int) -> Spent {
    Spent(
      count: count, seconds: now() - start, cpuSeconds: processorSeconds() - cpu,
      allocations: Int(allocation_count() - allocations))
  }
}

/// What some operations cost this process.
struct Spent {
  let count: Int
  let seconds: Double
  let cpuSeconds: Double
  /// Nil where they were not counted.
  var allocations: Int?

  /// The sum of several.
  static func + (one: Spent, other: Spent) -> Spent {
    var allocations: Int?
    if let first = one.allocations, let second = other.allocations { allocations = first + second }
    return Spent(
      count: one.count + other.count, seconds: one.seconds + other.seconds,
      cpuSeconds: one.cpuSeconds + other.cpuSeconds, allocations: allocations)
  }

  /// The members that every line of this program has, in one order.
  ///
  /// - Parameter perCPUSecond: the name of the operations for each second of this process's processor time.
  func write(to line: inout JSONWriter, perCPUSecond: StaticString = "per_cpu_second") {
    line.key("count")
    line.int(count)
    line.decimal("seconds", seconds, places: 3)
    line.decimal("per_second", Double(count) / seconds, places: 0)
    line.decimal("cpu_seconds", cpuSeconds, places: 3)
    // A stretch shorter than the clock's step has no rate.
    line.decimal(perCPUSecond, Double(count) / max(cpuSeconds, 1e-6), places: 0)
    if let allocations { line.decimal("allocations_per_op", Double(allocations) / Double(max(1, count)), places: 2) }
    line.key("peak_rss_kib")
    line.int(peakMemoryKiB())
  }
}

/// Prints one line of JSON: what was measured, its sizes and further numbers, and what it cost.
func printLine(
  _ what: String, sizes: [(StaticString, Int)], _ spent: Spent, perCPUSecond: StaticString = "per_cpu_second",
  more: (inout JSONWriter) throws -> Void
) rethrows {
  var line = JSONWriter()
  line.beginObject()
  line.key("what")
  line.string(what)
  for (name, value) in sizes {
    line.key(name)
    line.int(value)
  }
  spent.write(to: &line, perCPUSecond: perCPUSecond)
  try more(&line)
  line.endObject()
  print(line.text)
}
