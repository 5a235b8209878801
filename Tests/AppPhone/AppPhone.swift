import Glibc
import PostriderApp
import Synchronization
import TestSupport
import WireJSON

/// An app on a phone, worked by lines of JSON: Tests/Interop/test_app_sdks.py describes them.
///
/// The argument is the app's folder, which outlives the process; a second argument `extension` makes it the app's notification service extension.
/// Each line is answered when its call has returned.
@main enum AppPhone {
  /// The outcome of the last sign-out; nil while it is tried.
  private static let signedOut = Mutex<Bool?>(nil)

  static func main() {
    // A server that closes a connection must not end the phone.
    signal(SIGPIPE, SIG_IGN)
    let arguments = CommandLine.arguments
    let role: Role = arguments.count > 2 && arguments[2] == "extension" ? .serviceExtension : .app
    let client = AppClient(folder: arguments[1], role: role, phone: TestPhone())
    while let line = readLine() {
      print(JSON.minifiedText(perform((try? JSON.parse(line)) ?? .null, client)))
      // All streams: the name `stdout` is a variable that Swift takes for shared.
      fflush(nil)
    }
  }

  private static func perform(_ call: JSONValue, _ client: AppClient) -> JSONValue {
    func text(_ name: String) -> String { call[name]?.string ?? "" }
    var answer: JSONObject = [:]
    switch text("call") {
    case "start":
      var configuration = PostriderConfiguration(server: text("server"), app: text("app"), key: text("key"))
      if let identities = call["identities"] {
        // The user's tokens: the first, and the second when the server refused it.
        configuration.identity = { user, refresh, done in
          let tokens = identities[user]?.array ?? []
          done(tokens.dropFirst(refresh ? 1 : 0).first?.string)
        }
      }
      if let problem = client.perform({ $0.start(configuration) }) { answer["problem"] = .string(problem) }
    case "token": client.perform { $0.setToken(text("token"), environment: "production") }
    case "user": client.perform { $0.setUser(text("user")) }
    case "user_out":
      signedOut.withLock { $0 = nil }
      client.signOut { isTaken in signedOut.withLock { $0 = isTaken } }
    case "received": client.perform { $0.report("received", identifier: text("id")) }
    case "opened", "action":
      client.perform { $0.report(text("call"), action: call["action"]?.string, identifier: text("id")) }
      let payload = AppJSON.parse(JSON.minifiedText(call["payload"] ?? .null)) ?? .null
      let keys = PostriderConfiguration(server: "", app: "", key: "").linkKeys
      if let link = Links.find(in: payload, keys: keys) { answer["link"] = .string(link) }
    case "wake": client.perform { $0.wake() }
    default: break
    }
    if let isTaken = signedOut.withLock({ $0 }) { answer["signed_out"] = .bool(isTaken) }
    client.perform { core in
      if let device = core.device { answer["device"] = .string(device) }
      answer["queued"] = .number(JSONNumber(core.queued))
      answer["dropped"] = .number(JSONNumber(core.dropped))
    }
    return .object(answer)
  }
}
