import Glibc

extension Command {
  /// Pages for man(1).
  static let manual = Command(
    name: "manual", summary: "Writes the manual pages of all commands into a folder, for man.", operands: "DIR",
    operandsMax: 1,
    details: """
      One page for the program and one for each command or group, section 1, made from the same declarations as --help. DIR is
      made when it is missing; pages of the same names are replaced.
      """,
    examples: ["postrider manual ~/.local/share/man/man1", "man postrider-devices"]
  ) { (arguments) throws(Exit) in
    guard let folder = arguments.operands.first else { throw .usage("DIR is missing: where to write the pages") }
    guard unsafe mkdir(folder, 0o755) == 0 || errno == EEXIST else {
      throw .unreadable("cannot create the folder \(folder): \(Terminal.lastError())")
    }
    for page in ManualPages.all(Main.commands) {
      try Terminal.write(page.text, toFile: "\(folder)/\(page.file)", mode: 0o644)
    }
    return .fine
  }
}
