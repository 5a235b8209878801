import TestSupport

/// Runs the built `postrider` as a person would.
enum Postrider {
  /// The program beside the test bundle.
  static var path: String { Files.buildProducts + "/postrider" }

  /// Runs one command to its end.
  static func run(_ arguments: String..., input: String = "") throws -> Subprocess.Result {
    try Subprocess.run(path, arguments, input: Array(input.utf8))
  }
}
