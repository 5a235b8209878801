import Glibc
import PushCore

/// How `check` prints.
enum CheckFormat: String, Sendable, CaseIterable {
  case text, json, sarif, junit
}

/// One run of `check` over files: reads one at a time, keeps nothing of it but what there is to say.
struct CheckRun {
  private var checker: FileChecker
  private let format: CheckFormat
  private let text: CheckText
  /// True when a person reads along.
  private let isWatched: Bool
  private var totals = CheckTotals()
  private var kept: [CheckedFile] = []
  /// Where a file is read into, whose bytes are then as many as it has.
  private var chunk: [UInt8] = []
  /// What is to be printed: many files with one call of the system.
  private var pending: [UInt8] = []
  private static let pendingMax = 32_768

  /// Makes a run.
  init(_ checker: FileChecker, format: CheckFormat) {
    self.checker = checker
    self.format = format
    // no-color.org: set and not empty.
    let isPlain = unsafe getenv("NO_COLOR").map { unsafe $0.pointee != 0 } ?? false
    isWatched = Terminal.isInteractive
    text = CheckText(isColored: isWatched && !isPlain)
  }

  /// Checks a file, standard input, or everything below a directory.
  mutating func check(operand: String) {
    guard operand != "-", CheckFiles.isDirectory(operand) else { return check(file: operand) }
    let before = totals.files
    var failures: [String] = []
    CheckFiles.visit(operand) {
      check(file: $0)
    } failed: {
      failures.append($0.message)
    }
    if totals.files == before, failures.isEmpty { failures.append("there is no *.json in \(operand)") }
    for failure in failures { add(CheckedFile(name: operand, failure: failure)) }
  }

  private mutating func check(file name: String) {
    do throws(Exit) {
      add(checker.check(try Terminal.read(name, through: &chunk), name: name))
    } catch {
      add(CheckedFile(name: name, failure: error.message))
    }
  }

  private mutating func add(_ file: CheckedFile) {
    totals.add(file)
    if let failure = file.failure {
      printPending()
      Terminal.complain("check: \(CheckText.printable(failure))")
    }
    switch format {
    case .text:
      guard !file.findings.isEmpty else { return }
      text.write(file, into: &pending)
      printIfDue()
    case .junit: kept.append(file)
    case .json, .sarif: if file.failure != nil || !file.findings.isEmpty { kept.append(file) }
    }
  }

  private mutating func printIfDue() {
    if pending.count >= Self.pendingMax || isWatched { printPending() }
  }

  private mutating func printPending() {
    guard !pending.isEmpty else { return }
    Terminal.print(pending)
    pending.removeAll(keepingCapacity: true)
  }

  /// Prints what is left to print and returns the exit status.
  mutating func finish() -> ExitStatus {
    switch format {
    case .text:
      pending += "\(totals.summary)\n".utf8
      printPending()
    case .json: Terminal.print(CheckJSON.document(kept, totals) + [UInt8(ascii: "\n")])
    case .sarif: Terminal.print(CheckSARIF.document(kept, totals))
    case .junit: Terminal.print(CheckJUnit.document(kept, totals))
    }
    return totals.status
  }
}
