import Glibc
import TestSupport
import Testing

@testable import FuzzTargets

/// Each fuzz target over its committed corpus and a fixed number of mutations.
///
/// The long runs are those of `Fuzz/README.md`. `POSTRIDER_FUZZ_MUTATIONS` and `POSTRIDER_SEED` change how many and
/// which mutations are run. Each target runs in a process of its own, so a trap is one failed test; the input that was
/// under way then is kept in the temporary folder.
@Suite struct SmokeTests {
  static let mutations = Files.environment("POSTRIDER_FUZZ_MUTATIONS").flatMap { Int($0) } ?? 1000
  static let seed = Files.environment("POSTRIDER_SEED").flatMap { UInt64($0) } ?? 1

  static func corpus(_ name: String) throws -> [[UInt8]] {
    let folder = "\(Files.packageRoot)/Fuzz/Corpus/\(name)"
    return try Files.list(folder).map { try Files.read("\(folder)/\($0)") }
  }

  /// Runs a target and ends the process, as a failure when a property was broken.
  static func run(_ target: FuzzTarget, corpus: [[UInt8]], keeping path: String, _ mutations: Int, _ seed: UInt64) {
    let keeper = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    do throws(FuzzFailure) {
      try FuzzSmoke(target: target, corpus: corpus, keeper: keeper).run(mutations: mutations, seed: seed)
    } catch {
      let text = Array("\(error)\n".utf8)
      _ = Glibc.write(STDERR_FILENO, text, text.count)
      exit(1)
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func everyPropertyHolds(_ name: String) async throws {
    let kept = "/tmp/postrider-fuzz-\(name)-\(getpid())"
    let (mutations, seed) = (SmokeTests.mutations, SmokeTests.seed)
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [name = name as String, kept = kept as String, mutations = mutations as Int, seed = seed as UInt64] in
      let target = try #require(FuzzTarget.all.first { $0.name == name })
      SmokeTests.run(target, corpus: try SmokeTests.corpus(name), keeping: kept, mutations, seed)
    }
    guard result == nil else {
      remove(kept)
      return
    }
    let input = (try? Files.read(kept)) ?? []
    Issue.record("seed \(seed), input kept in \(kept): \(FuzzSmoke.shown(input))")
  }

  /// Broken properties and traps are both seen, in the way the others are run.
  @Test func theCanaryFails() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SmokeTests.run(.canary, corpus: [Array("tweet".utf8)], keeping: "/dev/null", 100_000, 1)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("canary: the canary sang on "))
  }

  @Test func everyTargetHasACorpusAndEveryCorpusATarget() throws {
    #expect(try Files.list("\(Files.packageRoot)/Fuzz/Corpus") == FuzzTarget.all.map(\.name).sorted())
    for target in FuzzTarget.all { #expect(try !SmokeTests.corpus(target.name).isEmpty, "\(target.name)") }
  }
}
