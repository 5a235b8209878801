import Glibc
import TestSupport

/// Runs another program and takes its output, with a bound.
struct Command {
  let status: Int32
  let output: String

  /// The full path of an installed program.
  static func find(_ name: String) -> String? {
    ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Runs to the end; standard output and error together.
  init(_ arguments: [String], folder: TemporaryFolder) throws {
    let log = "\(folder.path)/output"
    let id = try Command.spawn(arguments, log: log)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    self.status = status
    output = String(decoding: try Files.read(log), as: UTF8.self)
  }

  /// Starts a program with its output in a file.
  static func spawn(_ arguments: [String], log: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var id = pid_t()
    let result = posix_spawn(&id, arguments[0], &actions, nil, &words, environ)
    guard result == 0 else { throw CommandError(program: arguments[0], code: result) }
    return id
  }

  struct CommandError: Error {
    let program: String
    let code: Int32
  }
}
