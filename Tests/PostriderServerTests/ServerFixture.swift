import HTTPServer
import PostriderServer
import Signing
import Synchronization
import TestEngines
import TestSupport
import Testing
import WireJSON

@testable import PushStore

/// A server on a free port with a folder of its own, and a client for it.
final class ServerFixture: Sendable {
  /// Before the folder, whose database it uses until it ends.
  let server: PostriderServer
  let folder: TemporaryFolder
  let admin: String
  let lines = Lines()

  /// A provider nobody serves: port 9 discards, so nothing is ever sent.
  static let gateway: JSONValue = ["host": "127.0.0.1", "port": 9]
  static let apnsKey = Result { try ECPrivateKey.generate().pem() }
  static let serviceAccount = Result { () -> JSONValue in
    [
      "type": "service_account", "project_id": "demo-project", "private_key_id": "k1",
      "private_key": .string(try RSAPrivateKey.generate().pem()),
      "client_email": "push@demo-project.iam.gserviceaccount.com", "token_uri": "https://127.0.0.1:9/token",
    ]
  }

  init(
    folder: TemporaryFolder? = nil, admin: String? = nil, limits: HTTPLimits = HTTPLimits(),
    clock: WallClock = WallClock { 1_795_219_200_000 }, lab: Lab? = nil,
    change: (inout PostriderServerConfiguration) -> Void = { _ in }
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    var configuration = PostriderServerConfiguration(
      dataFolder: folder.path + "/data", http: HTTPServerConfiguration(port: 0, limits: limits), version: "1.2.3")
    configuration.clock = clock
    configuration.lab = lab
    configuration.passwordCost = PasswordHash.Cost(logN: 5, r: 8, p: 1)
    if Engine.current == .postgres {
      // A start with the same folder finds the same database.
      configuration.database = DatabaseServer(url: try folder.own { try TestDatabase() }.url)
      // The database's clock is not the test's.
      configuration.database?.clockSkewMaxMs = .max
      configuration.database?.onPrepare = ReleasedStatements.recorder(version: PostgresSchema.version)
    }
    change(&configuration)
    let lines = lines
    server = try PostriderServer(
      configuration, log: Log(level: .debug, clock: configuration.clock) { lines.append($0) })
    self.admin = admin ?? server.firstKey ?? ""
  }

  struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let text: String

    var json: JSONValue { (try? JSON.parse(text)) ?? .null }
    var detail: String { json["detail"]?.string ?? text }
    var rules: [String] { (json["report"]?.array ?? []).compactMap { $0["rule"]?.string } }
  }

  /// Sends a request on a connection of its own; `key` nil sends no key, the default is the admin key.
  func send(
    _ method: String, _ path: String, _ body: String? = nil, key: String?? = .none, headers: [String] = []
  ) throws -> Answer {
    let client = try HTTPTestClient(port: server.port)
    var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    let key: String? =
      switch key {
      case .none: admin
      case .some(let given): given
      }
    if let key { text += "Authorization: Bearer \(key)\r\n" }
    for header in headers { text += header + "\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    client.send(text + "\r\n" + (body ?? ""))
    let answer = try client.readAnswer(toHead: method == "HEAD")
    return Answer(status: answer.status, headers: answer.headers, text: answer.body)
  }

  func post(_ path: String, _ body: JSONValue, headers: [String] = []) throws -> Answer {
    try send("POST", path, JSON.minifiedText(body), headers: headers)
  }

  /// A key with other scopes.
  func key(_ scopes: JSONValue, app: String? = nil) throws -> String {
    var body: JSONObject = ["name": "test", "scopes": scopes]
    if let app { body["app"] = .string(app) }
    return try #require(try post("/v1/keys", .object(body)).json["key"]?.string)
  }

  /// The app `demo` with credentials for both providers, an iOS and an Android device.
  func makeDemo() throws -> (ios: String, android: String) {
    #expect(try post("/v1/apps", ["name": "demo", "contract": "amba"]).status == 201)
    let credentials = try Self.credentials()
    #expect(try send("PUT", "/v1/apps/demo/credentials", JSON.minifiedText(credentials)).status == 200)
    let ios = try post("/v1/apps/demo/devices", ["type": "ios", "token": .string(Self.iosToken)])
    let android = try post("/v1/apps/demo/devices", ["type": "android", "token": .string(Self.androidToken)])
    return (
      try #require(ios.json["id"]?.string), try #require(android.json["id"]?.string)
    )
  }

  static let iosToken = String(repeating: "00fc13adff785122", count: 4)
  static let androidToken = "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1"

  static func credentials() throws -> JSONValue {
    [
      "apns": [
        "topic": "com.example.app", "key": .string(try apnsKey.get()), "key_id": "ABC123DEFG",
        "team_id": "DEF123GHIJ", "gateway": gateway,
      ],
      "fcm": ["service_account": try serviceAccount.get(), "gateway": gateway],
    ]
  }
}
