/// The problems of one file, up to a limit.
struct ProblemList: Sendable {
  private(set) var all: [TextProblem] = []
  private let limit: Int
  private var isFull = false

  init(limit: Int) { self.limit = max(1, limit) }

  /// Keeps a problem; the one after the last that is kept only says that there are more.
  @inline(never)
  mutating func add(_ problem: TextProblem) {
    guard !isFull else { return }
    if all.count < limit {
      all.append(problem)
    } else {
      isFull = true
      all.append(
        TextProblem(.tooMany, "the file has more problems than the \(limit) listed", position: problem.position))
    }
  }

  /// Keeps a problem at a byte of a file.
  @inline(never)
  mutating func add(
    _ rule: TextRule, _ message: String, at offset: Int, in source: SourceText, key: String? = nil,
    severity: TextSeverity? = nil
  ) {
    guard !isFull else { return }
    add(TextProblem(rule, message, severity: severity, position: source.position(offset), key: key))
  }
}
