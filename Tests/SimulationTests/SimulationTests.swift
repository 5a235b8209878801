import Simulator
import TestSupport
import Testing

/// The whole way of a push under seeds: whatever order things happen in, the ledger balances and says what the gateways did.
///
/// A failing seed is printed. `POSTRIDER_SIMULATION_SEED=S` runs that one alone and prints every step, as
/// `script/simulate --replay S` does (with `SWIFT_DETERMINISTIC_HASHING=1`); `POSTRIDER_SIMULATION_SEEDS=N` runs N.
@Suite(.timeLimit(.minutes(5))) struct SimulationTests {
  @Test func theLedgerIsTrueWhateverHappens() throws {
    let disk = try SimulatedDisk()
    if let seed = Files.environment("POSTRIDER_SIMULATION_SEED").flatMap({ UInt64($0) }) {
      let verdict = try Simulation.run(seed: seed, on: disk, isTraced: true)
      for line in verdict.trace { print(line) }
      #expect(verdict.faults == [])
      return
    }
    let seeds = Files.environment("POSTRIDER_SIMULATION_SEEDS").flatMap { UInt64($0) } ?? 500
    var takes = 0
    for seed in 1...seeds {
      let verdict = try Simulation.run(seed: seed, on: disk)
      #expect(verdict.faults == [], "POSTRIDER_SIMULATION_SEED=\(seed)")
      takes += verdict.takes
    }
    #expect(takes > seeds, "nearly every simulation sends something")
  }

  /// Otherwise a seed that fails would say nothing.
  @Test func aSeedRepeatsItself() throws {
    let seeds = UInt64(1)...5
    var steps = 0
    for seed in seeds {
      let first = try Simulation.run(seed: seed, on: SimulatedDisk(), isTraced: true)
      let disk = try SimulatedDisk()
      _ = try Simulation.run(seed: seed &+ 100, on: disk)
      let second = try Simulation.run(seed: seed, on: disk, isTraced: true)
      #expect(first.trace == second.trace, "seed \(seed)")
      steps += first.trace.count
    }
    #expect(steps > 100 * seeds.count, "a hundred steps a seed, some fewer")
  }
}
