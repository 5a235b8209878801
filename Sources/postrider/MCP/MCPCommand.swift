import Glibc
import WireJSON

extension Command {
  /// Tools for language models.
  static let mcp = Command(
    name: "mcp",
    summary: "Serves tools to a language model's client over standard input and output (Model Context Protocol).",
    options: server + [
      Option(name: "--app", value: "NAME", help: "The app that is meant when a call names none."),
      Option(name: "--allow-send", help: "Offers send_push; without it nothing can be sent."),
      Option(
        name: "--max-audience", value: "N", help: "The most devices that one call may send to; 1 unless given."),
      Option(
        name: "--max-audience-per-hour", value: "N",
        help: "The most devices that all calls of an hour may send to together; 10 unless given."),
      Option(
        name: "--require-person", help: "Sends only through a client that can ask the person before each send."),
    ],
    details: """
      The client starts the command and ends it by closing its input; standard output carries the protocol only, standard
      error what people should know. Tools that read, check, preview and explain need no server. The others ask the server
      of “postrider config”, with its key: give a key of the scope read, or of the scope send for one app, and no more.

      Sending takes two calls: draft_push shows the preview, the worst case and the audience, send_push sends what was shown,
      once. What was sent to within the last hour is saved in $XDG_STATE_HOME/postrider/mcp-sends, for all sessions of this
      user, so starting anew gives no more. docs/mcp.md has the tools, the settings of clients and the limits.
      """,
    examples: [
      "postrider mcp", "postrider mcp --app demo --allow-send --max-audience 100 --max-audience-per-hour 500",
    ],
    run: runMCP)

  /// How the server is reached.
  ///
  /// Standard input carries the protocol, so no key is read from it.
  private static let server = APISettings.options.map { option in
    option.name == "--key-file"
      ? Option(name: option.name, value: option.value, help: "A file with the API key.") : option
  }

  private static func runMCP(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard arguments.value("--key-file") != "-" else {
      throw .usage("--key-file: standard input carries the protocol; give a file")
    }
    // The process holds an API key.
    ProcessSecrecy.begin()
    let policy = try MCPPolicy(arguments)
    let settings = try APISettings(arguments)
    let account = MCPAccount(path: try MCPAccount.userPath())
    let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    // From here on only the session writes to the client; whatever else is printed goes to standard error.
    guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      throw .failure("standard output cannot be used: \(Terminal.lastError())")
    }
    let session = MCPSession(tools: MCPTool.offered(by: policy), random: MCPDesk.secret)
    try MCPRun(session, output: output).run(input: STDIN_FILENO) {
      let api: Result<any MCPAPI, Exit>
      do throws(Exit) { api = .success(try MCPServerConnection(settings)) } catch { api = .failure(error) }
      return MCPDesk(policy: policy, api: api, app: settings[.app]?.value, account: account)
    }
    return .fine
  }
}

extension MCPPolicy {
  /// Reads what the operator allows.
  init(_ arguments: Arguments) throws(Exit) {
    allowsSending = arguments.has("--allow-send")
    requiresPerson = arguments.has("--require-person")
    audienceMax = try arguments.integer("--max-audience", in: 1...1_000_000_000, default: audienceMax)
    audiencePerHourMax = try arguments.integer(
      "--max-audience-per-hour", in: 1...1_000_000_000, default: audiencePerHourMax)
    guard !allowsSending else { return }
    for option in ["--max-audience", "--max-audience-per-hour", "--require-person"] where arguments.has(option) {
      throw .usage("\(option) is about sending; give --allow-send, too")
    }
  }
}
