internal import Basics
import Signing
import System
import WireJSON

/// What the operator allows.
struct MCPPolicy: Sendable, Equatable {
  /// Whether sending is offered at all.
  var allowsSending = false
  /// The most devices that one call may send to.
  var audienceMax = 1
  /// The most devices that all calls of an hour may send to together.
  var audiencePerHourMax = 10
  /// Whether nothing is sent through a client that cannot ask the person.
  var requiresPerson = false
}

/// The clocks, as far as tools need them.
struct MCPClock: Sendable {
  /// Seconds since 1970: for what is kept in a file.
  var wall: @Sendable () -> Int64
  /// Seconds that never step, and that a suspended machine counts too: for confirmations.
  var steady: @Sendable () -> Int64

  static let system = MCPClock(wall: { SystemClock.wallSeconds() }, steady: { SystemClock.elapsedMs() / 1_000 })
}

/// Where the tools of one session work: the server, what the operator allows, and the confirmations that are out.
final class MCPDesk {
  let policy: MCPPolicy
  let clock: MCPClock
  /// The app that is meant when a call names none.
  let app: String?
  let account: MCPAccount
  private let api: (any MCPAPI)?
  /// What to set when there is no server.
  private let missing: String
  var drafts = MCPDrafts()
  /// Bytes that nobody can guess.
  let random: @Sendable () -> String

  init(
    policy: MCPPolicy, api: Result<any MCPAPI, Exit>, app: String?, account: MCPAccount, clock: MCPClock = .system,
    random: @escaping @Sendable () -> String = MCPDesk.secret
  ) {
    (self.policy, self.app, self.account, self.clock, self.random) = (policy, app, account, clock, random)
    switch api {
    case .success(let api): (self.api, missing) = (api, "")
    case .failure(let exit): (self.api, missing) = (nil, exit.message)
    }
  }

  /// 128 random bits as text.
  static let secret: @Sendable () -> String = { Base64URL.encode(SecureRandom.bytes(16)) }

  /// Performs a call.
  func perform(_ job: MCPJob) -> MCPOutcome {
    do throws(MCPStop) { return .done(try job.tool.run(self, job.call)) } catch {
      switch error {
      case .refused(let text): return .refused(text)
      case .ask(let text): return .ask(text)
      }
    }
  }

  // MARK: The server

  private var unconfigured: String { "no Postrider server is configured: \(missing)" }

  /// Asks the server; what it refuses is refused in its words.
  func ask(
    _ method: String, _ path: String, body: JSONObject? = nil, key: String? = nil
  ) throws(MCPStop) -> JSONValue {
    do throws(MCPAPIFailure) { return try request(method, path, body: body, key: key) } catch {
      throw .refused(error.text)
    }
  }

  /// The same for who must know whether the server may have done it.
  func request(
    _ method: String, _ path: String, body: JSONObject? = nil, key: String? = nil
  ) throws(MCPAPIFailure) -> JSONValue {
    guard let api else { throw MCPAPIFailure(text: unconfigured, mayHaveArrived: false) }
    return try api.call(method, path, body: body.map { .object($0) }, key: key)
  }

  /// The path of an app that a call names, or of the one that was configured.
  func app(_ call: MCPCall) throws(MCPStop) -> String {
    guard api != nil else { throw .refused(unconfigured) }
    guard let name = call["app"]?.string ?? app else {
      throw .refused("app is missing: list_apps lists the apps; --app or POSTRIDER_APP sets the one that is meant")
    }
    guard MCPShape.Form.name.holds(name) else { throw .refused("app: no app has a name such as this") }
    return "/v1/apps/\(PercentEncoding.encode(name, allowing: "-._"))"
  }
}
