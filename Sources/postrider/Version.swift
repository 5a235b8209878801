/// The version of this build, as `CHANGELOG.md` has it.
enum Version {
  static let current = "0.1.0"
}
