import PushCore

extension CheckTotals {
  /// The exit status: what could not be judged outweighs what was judged.
  var status: ExitStatus { unreadable > 0 ? .unreadable : errors > 0 ? .invalid : .fine }

  /// `3 files checked: 1 error, 2 warnings`.
  var summary: String {
    let counts = [(errors, "error"), (warnings, "warning"), (notes, "note"), (unreadable, "unreadable file")]
    let parts = counts.filter { $0.0 > 0 }.map { CheckTotals.counted($0.0, $0.1) }
    return "\(CheckTotals.counted(files, "file")) checked: "
      + (parts.isEmpty ? "nothing to say" : parts.joined(separator: ", "))
  }

  static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
