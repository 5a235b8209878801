import APNs
import Delivery
import PostgresEngine
import PushStore
import StoreModel

/// Further nodes on the benchmark's database: each with a store, an engine and connections of its own, in this process.
struct BenchNodes {
  private var nodes: [(store: SQLStore, engine: DeliveryEngine)] = []

  /// Has the first node join, when there are several (`--nodes`), and starts the others.
  init(_ options: Options, first: SQLStore, app: AppID, settings: inout DeliveryOptions) throws {
    let count = try options.number("nodes", default: 1)
    guard count > 1 else { return }
    guard options.has("store") else { throw Options.Failure(description: "--nodes: only a --store has several") }
    settings.node = Self.name(1)
    try first.join(Self.identity(1))
    for number in 2...count {
      let store = try SQLStore(postgres: PostgresOptions(url: options.text("store")))
      try store.join(Self.identity(number))
      let senders = SenderDirectory()
      senders.set(APNsSender(try apnsClient(options)), app: app, provider: .apns, environment: .production)
      var own = settings
      own.node = Self.name(number)
      nodes.append((store, try DeliveryEngine(store: store, senders: senders, options: own)))
    }
  }

  func stop() {
    for node in nodes {
      node.engine.stop(withinMs: 5_000)
      node.store.close()
    }
  }

  private static func name(_ number: Int) -> String { "bench\(number)" }

  private static func identity(_ number: Int) -> NodeIdentity {
    NodeIdentity(name: name(number), clock: DeliveryOptions().clock)
  }
}
