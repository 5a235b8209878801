import PushRules
import WireJSON

/// How sends ended, counted.
struct SendTally {
  /// What a send ended in, in the words of the output.
  enum Ending: String, CaseIterable {
    case accepted, rejected, failed
    case invalid = "not_legal"
    case unreadable
  }

  /// One way of not arriving.
  private struct Cause: Hashable {
    let ending: Ending
    let reason: String
    let status: Int?
  }

  /// Reasons kept apart; what a server makes up beyond them is counted under one name.
  private static let causesMax = 100

  private var endings: [Ending: Int] = [:]
  private var causes: [Cause: Int] = [:]
  private let service: Explanation.Service

  init(_ service: Explanation.Service) { self.service = service }

  /// How many sends and lines have ended.
  private(set) var total = 0

  subscript(_ ending: Ending) -> Int { endings[ending] ?? 0 }

  mutating func count(_ ending: Ending, reason: String = "", status: Int? = nil) {
    total += 1
    endings[ending, default: 0] += 1
    guard ending != .accepted else { return }
    var cause = Cause(ending: ending, reason: reason, status: status)
    if causes[cause] == nil && causes.count >= SendTally.causesMax {
      cause = Cause(ending: ending, reason: "other reasons", status: nil)
    }
    causes[cause, default: 0] += 1
  }

  /// What the process says of its work by the way it ends.
  var exitStatus: ExitStatus {
    if self[.rejected] + self[.failed] > 0 { return .failure }
    if self[.unreadable] > 0 { return .unreadable }
    return self[.invalid] > 0 ? .invalid : .fine
  }

  /// `990 accepted, 8 rejected`: what there is of each ending.
  var line: String {
    let parts = Ending.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.title)" }
    return parts.isEmpty ? "nothing sent" : parts.joined(separator: ", ")
  }

  /// Counts, then each reason with what it means and what to do, the most frequent first.
  func summary(seconds: Double) -> String {
    let rate = seconds > 0 ? Int(Double(total) / seconds) : 0
    var text = "\(line); \(SendTally.shown(seconds)) s, \(rate) a second\n"
    let sorted = causes.sorted { ($1.value, $0.key.reason) < ($0.value, $1.key.reason) }
    for (cause, count) in sorted {
      text += "\(count) × \(cause.reason)" + (cause.status.map { " (\($0))" } ?? "") + "\n"
      guard let explanation = Explanations.find(cause.reason, from: [service]).first else { continue }
      text += "  means: \(explanation.meaning)\n  next: \(explanation.next)\n"
    }
    return text
  }

  private static func shown(_ seconds: Double) -> String {
    let hundredths = Int(seconds * 100)
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}

extension SendTally.Ending {
  /// The ending as a person reads it.
  var title: String {
    switch self {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .failed: "failed"
    case .invalid: "not legal"
    case .unreadable: "unreadable"
    }
  }
}
