// Runs simulations: see script/simulate.
//
//     simulate [--seeds N] [--from S]     runs N seeds, beginning with S, on all processors; prints those that fail
//     simulate --replay S                 runs one seed and prints what happens

import Glibc
import Simulator
import Synchronization

@main enum Simulate {
  static func main() throws {
    var seeds: UInt64 = 10_000
    var from: UInt64 = 1
    var replay: UInt64?
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
      guard let text = arguments.popFirst(), let value = UInt64(text) else { usage() }
      switch name {
      case "--seeds": seeds = value
      case "--from": from = value
      case "--replay": replay = value
      default: usage()
      }
    }
    if let replay { exit(try show(replay) ? 0 : 1) }
    exit(SeedRange(from: from, count: seeds).run() ? 0 : 1)
  }

  private static func usage() -> Never {
    print("usage: simulate [--seeds N] [--from S] | --replay S")
    exit(64)
  }

  private static func show(_ seed: UInt64) throws -> Bool {
    let verdict = try Simulation.run(seed: seed, on: SimulatedDisk(), isTraced: true)
    for line in verdict.trace { print(line) }
    for fault in verdict.faults { print("seed \(seed): \(fault)") }
    return verdict.faults.isEmpty
  }
}

/// Seeds that are run by as many threads as there are processors, each with a disk of its own.
private final class SeedRange: Sendable {
  private let next: Atomic<UInt64>
  private let end: UInt64
  private let count: UInt64
  private let failed = Atomic(0)
  private let steps = Atomic(0)
  private let takes = Atomic(0)

  init(from: UInt64, count: UInt64) {
    next = Atomic(from)
    end = from &+ count
    self.count = count
  }

  func run() -> Bool {
    var threads: [pthread_t] = []
    for _ in 1..<max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) {
      var thread = pthread_t()
      let box = Unmanaged.passRetained(self)
      let code = pthread_create(
        &thread, nil,
        { pointer in
          if let pointer { Unmanaged<SeedRange>.fromOpaque(pointer).takeRetainedValue().work() }
          return nil
        }, box.toOpaque())
      if code == 0 { threads.append(thread) } else { box.release() }
    }
    work()
    for thread in threads { pthread_join(thread, nil) }
    let failures = failed.load(ordering: .relaxed)
    print(
      "\(count) seeds, \(failures) failed, \(steps.load(ordering: .relaxed)) steps, "
        + "\(takes.load(ordering: .relaxed)) pushes taken by the gateways")
    return failures == 0
  }

  private func work() {
    do {
      let disk = try SimulatedDisk()
      while true {
        let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard seed < end else { return }
        let verdict = try Simulation.run(seed: seed, on: disk)
        steps.wrappingAdd(verdict.steps, ordering: .relaxed)
        takes.wrappingAdd(verdict.takes, ordering: .relaxed)
        guard let fault = verdict.faults.first else { continue }
        failed.wrappingAdd(1, ordering: .relaxed)
        print("seed \(seed): \(fault) (script/simulate --replay \(seed))")
      }
    } catch {
      print("simulate: \(error)")
      failed.wrappingAdd(1, ordering: .relaxed)
    }
  }
}
