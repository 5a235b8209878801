/// How often what was answered.
public struct EmulatorCounters: Sendable {
  /// Connections that came in, by service.
  public internal(set) var connections: [EmulatedProvider: Int] = [:]

  /// Answers by service and status, in arrays because every request is counted.
  private var counts = [[Int]](repeating: [], count: EmulatedProvider.allCases.count)

  private static let statusEnd = 600

  /// Answers by service and status; 0 means requests without an answer.
  public var answers: [EmulatedProvider: [Int: Int]] {
    var answers: [EmulatedProvider: [Int: Int]] = [:]
    for provider in EmulatedProvider.allCases {
      for (status, count) in counts[provider.index].enumerated() where count > 0 {
        answers[provider, default: [:]][status] = count
      }
    }
    return answers
  }

  /// Requests that came in, by service.
  public var requests: [EmulatedProvider: Int] { answers.mapValues { $0.values.reduce(0, +) } }

  mutating func count(_ provider: EmulatedProvider, _ action: GatewayAction, _ response: borrowing GatewayResponse) {
    let status =
      switch action.kind {
      case .respond: response.status
      case .goAway(let goAway): goAway.processed ? response.status : 0
      default: 0
      }
    let index = provider.index
    if counts[index].isEmpty { counts[index] = Array(repeating: 0, count: Self.statusEnd) }
    counts[index][min(max(status, 0), Self.statusEnd - 1)] += 1
  }
}
