import WireJSON

/// Counts of the outcomes of the rows of a file; its memory does not grow with the file.
struct ImportTally: Sendable {
  /// Lines that are named for each reason.
  static let linesMax = 5

  private struct Count: Sendable {
    var rows = 0
    var lines: [Int] = []
  }

  private(set) var rows = 0
  private(set) var active = 0
  private(set) var optedOut = 0
  private(set) var leftOut = 0
  private(set) var doubtful = 0
  private var reasons: [ImportReason: Count] = [:]

  var accepted: Int { rows - leftOut }
  /// Rows that could not be read.
  var unreadable: Int { reasons[.unreadable]?.rows ?? 0 }

  var areAllOfOtherApps: Bool { rows > 0 && reasons[.otherApp]?.rows == rows }

  mutating func add(_ verdict: DeviceMapper.Verdict, line: Int) {
    rows += 1
    if let reason = verdict.leftOut {
      leftOut += 1
      return count(reason, line)
    }
    if verdict.isOptedOut { optedOut += 1 } else { active += 1 }
    if !verdict.doubts.isEmpty { doubtful += 1 }
    for reason in verdict.doubts { count(reason, line) }
  }

  private mutating func count(_ reason: ImportReason, _ line: Int) {
    reasons[reason, default: Count()].rows += 1
    if reasons[reason, default: Count()].lines.count < Self.linesMax { reasons[reason]?.lines.append(line) }
  }

  /// The numbers, and then the reasons.
  var json: JSONObject {
    var object = JSONObject()
    for (name, number) in [
      ("rows", rows), ("accepted", accepted), ("active", active), ("opted_out", optedOut),
      ("left_out", leftOut), ("doubtful", doubtful),
    ] { object[name] = .number(JSONNumber(number)) }
    object["left_out_because"] = json(ofDoubts: false)
    object["doubtful_because"] = json(ofDoubts: true)
    return object
  }

  private func json(ofDoubts: Bool) -> JSONValue {
    .array(
      ImportReason.allCases.compactMap { reason in
        guard reason.isDoubt == ofDoubts, let count = reasons[reason] else { return nil }
        return [
          "reason": .string(reason.rawValue), "rows": .number(JSONNumber(count.rows)),
          "lines": .array(count.lines.map { .number(JSONNumber($0)) }), "meaning": .string(reason.about),
        ]
      })
  }
}
