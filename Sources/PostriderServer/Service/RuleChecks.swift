internal import PushContracts
internal import PushCore
internal import PushPayload
internal import PushRules
internal import Synchronization

/// The providers' rules, for requests on several threads: checkers are kept and used again, with their memory.
final class RuleChecks: Sendable {
  /// Idle checkers in the pool.
  private static let idleMax = 8

  private let idle = Mutex<[PushChecker]>([])
  /// Where messages of pushes are written and judged.
  let desks = MemoryPool { Desk() }

  /// Memory for one message after the other.
  struct Desk: ~Copyable {
    var desk = WritingDesk()
    private var checker = PushChecker()

    /// What the providers would say to what was written: of most requests it is known from writing them.
    mutating func check(_ contract: ContractName) -> Report {
      ProviderRules.check(desk, contract, hasTopic: true, with: &checker)
    }
  }

  /// Runs `body` with a checker of its own.
  func with<Value>(_ settings: RuleSettings = RuleSettings(), _ body: (inout PushChecker) -> Value) -> Value {
    var checker = idle.withLock { $0.popLast() } ?? PushChecker()
    checker.settings = settings
    defer { idle.withLock { if $0.count < RuleChecks.idleMax { $0.append(checker) } } }
    return body(&checker)
  }

  /// What the providers would say to a rendering.
  func check(_ rendering: Rendering, _ settings: RuleSettings = RuleSettings()) -> Report {
    with(settings) { checker in
      var report = Report()
      if let request = rendering.apns { report.append(checker.check(request)) }
      if let request = rendering.fcm { report.append(checker.check(request)) }
      for other in rendering.others { report.append(other.check(&checker)) }
      return rendering.tolerating(report)
    }
  }
}
