/// The version of this build, as `CHANGELOG.md` has it.
enum Version {
  static let current = "0.1.0"
}

extension Command {
  /// The same as `--version`.
  static let version = Command(name: "version", summary: "Prints the version of this program.") { (_) throws(Exit) in
    Terminal.print("postrider \(Version.current)\n")
    return .fine
  }
}
