import APNs
import Delivery
import GatewayPool
import Glibc
import HTTPServer
import PostriderServer
import StoreModel
import TestSupport
import WireJSON

/// Servers as `postrider serve` runs them, in this process, whose sends go over clients of this program.
///
/// One keeps its ledger in a temporary folder; those on the database of `--store` are as many as `--nodes` says.
struct BenchServers {
  let app: AppID
  /// When pushes to a single device reach a sender, of whichever server.
  let watch = PushWatch()
  private let appName = "bench-\(getpid())"
  private let first: PostriderServer
  private var others: [PostriderServer] = []
  private let folder: String
  private let count: Int

  /// Starts the first, with one app that has a credential.
  init(_ options: Options) throws {
    count = try options.number("nodes", default: 1)
    guard count == 1 || options.has("store") else {
      throw Options.Failure(description: "--nodes: only a --store has several")
    }
    folder = try options.text("folder", default: "/tmp") + "/postrider-bench-\(getpid())"
    guard mkdir(folder, 0o700) == 0 else { throw Options.Failure(description: "--folder: cannot create \(folder)") }
    first = try Self.start(1, in: folder, options)
    try first.makeApp(name: appName, title: "", contract: "native")
    try first.setCredentials(app: appName, json: Self.credentials(options))
    guard let made = try first.store.app(named: appName) else {
      throw Options.Failure(description: "the server has not kept the app")
    }
    app = made.id
    try send(from: first, options)
  }

  /// Starts those beside the first: when the devices are there, so that nobody waits for what writes them.
  mutating func startOthers(_ options: Options) throws {
    for number in 1..<count {
      let server = try Self.start(number + 1, in: folder, options)
      try send(from: server, options)
      others.append(server)
    }
  }

  /// The first one's store.
  var store: any Store { first.store }

  /// Creates a push in the store, not over HTTP.
  func create(_ push: NewPush) throws -> PushID {
    let created = try store.createPush(push, now: wallClock())
    first.wake()
    return created.id
  }

  /// Kept connections to the first one, with a key that may send.
  func singlePushes() throws -> SinglePushes {
    try SinglePushes(
      port: first.port, app: appName, key: first.makeKey(name: "bench", scopes: .send, app: appName), watch: watch)
  }

  /// Ends the servers; what is in a database stays.
  func stop() {
    for server in others + [first] { server.stop(drainingFor: .seconds(5)) }
    Files.removeTree(folder)
  }

  private static func start(_ number: Int, in folder: String, _ options: Options) throws -> PostriderServer {
    var configuration = PostriderServerConfiguration(
      dataFolder: "\(folder)/\(number)", http: HTTPServerConfiguration(port: 0),
      // The servers of one database have one key, also when they are started again.
      sealingKey: String(repeating: "5e", count: 32))
    if options.has("store") {
      configuration.database = DatabaseServer(url: try options.text("store"), node: "bench\(number)")
    }
    return try PostriderServer(configuration, log: Log(level: .warning))
  }

  private static func credentials(_ options: Options) throws -> [UInt8] {
    let (host, port) = try options.gateway()
    var json = JSONWriter()
    json.beginObject()
    json.key("apns")
    json.beginObject()
    for (name, value) in [
      ("topic", try options.text("topic", default: "com.example.app")),
      ("key", String(decoding: try apnsKey(options), as: UTF8.self)),
      ("key_id", try options.text("key-id", default: "ABC123DEFG")),
      ("team_id", try options.text("team", default: "DEF123GHIJ")),
    ] {
      json.key(name)
      json.string(value)
    }
    json.key("gateway")
    json.beginObject()
    json.key("host")
    json.string(host)
    json.key("port")
    json.int(Int(port))
    json.key("ca")
    json.string(String(decoding: try options.file("ca"), as: UTF8.self))
    json.endObject()
    json.endObject()
    json.endObject()
    return Array(json.text.utf8)
  }

  /// Puts a client of this program, with the connections that its options say, instead of the server's own.
  private func send(from server: PostriderServer, _ options: Options) throws {
    let sender = TimedSender(APNsSender(try apnsClient(options)), watch)
    server.senders.set(sender, app: app, provider: .apns, environment: .production)?.close(within: .zero)
  }
}
