public import HTTP2
public import HTTPServer
internal import PushPayload
internal import PushStore
package import Signing
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// How a server is set up.
public struct PostriderServerConfiguration: Sendable {
  /// The folder that holds everything the server keeps; made on first use, readable by its owner only.
  public var dataFolder: String
  /// The database server that keeps all but the key file instead; nil for the folder's own database.
  public var database: DatabaseServer?
  /// Where the API listens.
  public var http: HTTPServerConfiguration
  /// The key that seals credentials, 64 hex digits; nil uses the data folder's own key file.
  public var sealingKey: String?
  /// The first API key (scope admin) of a new data folder; nil generates one.
  ///
  /// Ignored once there is a key.
  public var adminKey: String?
  /// Whether to start with a sealing key that opens nothing of what is stored; every credential has to be saved again.
  public var replacesSealingKey = false
  /// The version shown in the OpenAPI document.
  public var version: String
  /// The time of day.
  public var clock: WallClock
  /// Virtual devices for the dashboard; nil for none.
  public var lab: Lab?
  /// The contract core for the dashboard's composer; without it the composer asks the server at each change.
  public var coreModule: CoreModule?
  /// Whether webhook URLs may have loopback and private addresses, and plain HTTP; for receivers in the same network.
  public var allowsPrivateWebhooks = false
  /// Requests a minute of API keys that have no rate of their own; nil for no bound.
  public var ratePerMinute: Int?
  /// How fast is sent, and when mass retirement is halted.
  public var sending = SendingLimits()
  /// The HTTP proxy on the way to providers, push services, token endpoints and webhooks; not to a gateway that a credential
  /// names, unless the credential has a proxy of its own.
  public var proxy: HTTP2Proxy?
  /// Whether webhooks do not go through the proxy.
  public var webhooksGoDirectly = false
  /// Where traces are sent; nil for none.
  public var tracing: TracingSetting?
  /// The identity provider that people may sign in with; nil for none.
  public var oidc: OIDCSetting?
  /// Host names at which the server speaks another vendor's interface, at the vendor's own paths, by name: `onesignal`.
  public var compatHosts: [String: String] = [:]
  /// What hashing a password costs; tests take less.
  package var passwordCost = PasswordHash.Cost.standard
  /// How long a vendor has for the answer to a request that is passed on; tests do not wait as long.
  package var vendorAnswerMs = ShadowForward.answerSeconds * 1_000
  /// Called when a request with an `Idempotency-Key` has made its change and its answer is not stored yet; tests end the
  /// process there.
  package var onUnstoredAnswer: (@Sendable () -> Void)?

  /// A configuration; the API listens on 127.0.0.1:8787 by default.
  public init(
    dataFolder: String, http: HTTPServerConfiguration = HTTPServerConfiguration(port: 8787), sealingKey: String? = nil,
    version: String = "0", clock: WallClock = .system
  ) {
    self.dataFolder = dataFolder
    self.http = http
    self.sealingKey = sealingKey
    self.version = version
    self.clock = clock
  }
}

/// Why the server could not start, or why an operation failed.
public struct PostriderServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed, where, and what to do about it.
  public let description: String
  /// True when an address could not be listened on, or the database server does not answer; false when the data folder or a
  /// setting is at fault.
  public let isAboutNetwork: Bool

  init(_ error: some CustomStringConvertible, isAboutNetwork: Bool = false) {
    description = error.description
    self.isAboutNetwork = isAboutNetwork
  }

  init(_ problem: Problem) { self.init(problem.detail) }

  init(_ error: StoreError, isAboutNetwork: Bool = false) {
    self.init(error.sentence, isAboutNetwork: isAboutNetwork)
  }
}

/// The server: HTTP API, store and delivery in one process.
public final class PostriderServer: Sendable {
  /// The first API key (scope admin), when this start generated one because there was none.
  ///
  /// Show it once; only its hash is stored.
  public let firstKey: String?

  private let folder: DataFolder
  let service: Service
  private let http: HTTPServer
  private let scheduler: Scheduler
  private let fileCheck: FileCheck
  private let certificateWatch: CertificateWatch?
  private let isStopped = Atomic<Bool>(false)

  /// Opens the data folder and starts the API and the delivery.
  ///
  /// - Throws: ``PostriderServerError`` with what to do about it.
  public init(
    _ configuration: PostriderServerConfiguration, log: Log = Log()
  ) throws(PostriderServerError) {
    let adminKey = try PostriderServer.adminKey(configuration)
    let compatHosts = try PostriderServer.compatHosts(configuration)
    let parts = try PostriderServer.open(configuration, compatHosts, log: log)
    folder = parts.folder
    service = parts.service
    let dispatcher = Dispatcher(
      router: Router(RouteTable.withVendors), service: service, lab: configuration.lab,
      coreModule: configuration.coreModule,
      onUnstoredAnswer: configuration.onUnstoredAnswer)
    do throws(HTTPServerError) { scheduler = try Scheduler(service) } catch {
      PostriderServer.close(service, folder)
      throw PostriderServerError(error)
    }
    do throws(HTTPServerError) { http = try HTTPServer(configuration.http, handler: dispatcher) } catch {
      scheduler.stop()
      PostriderServer.close(service, folder)
      throw PostriderServerError(error, isAboutNetwork: true)
    }
    let watch: CertificateWatch?
    do throws(HTTPServerError) {
      watch = try configuration.http.certificate.map { certificate throws(HTTPServerError) in
        try CertificateWatch(certificate, clock: configuration.clock, log: log)
      }
    } catch {
      http.stop(drainingFor: .zero)
      scheduler.stop()
      PostriderServer.close(service, folder)
      throw PostriderServerError(error)
    }
    // Only now: a key created before a start that fails would be stored as a hash, and its text lost.
    do throws(Problem) { firstKey = try PostriderServer.makeFirstKey(service, given: adminKey) } catch {
      watch?.stop()
      http.stop(drainingFor: .zero)
      scheduler.stop()
      PostriderServer.close(service, folder)
      throw PostriderServerError(error)
    }
    PostriderServer.sayHeld(service)
    fileCheck = FileCheck(store: service.store, log: log)
    certificateWatch = watch
    log(.info, "started", ["host": .text(http.host), "port": .int(Int(http.port))])
  }

  deinit { stop(drainingFor: .zero) }

  /// The address the API listens on.
  public var host: String { http.host }
  /// The port the API listens on.
  public var port: UInt16 { http.port }
  /// The address to reach the API at, on this machine: scheme, host and port.
  public var url: String {
    "\(http.isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
  /// The bytes of memory that the bodies of requests take now.
  public var bodyBytes: Int { http.bodyBytes }

  /// Stops: requests under way may finish within `bound`, then sends on the wire, then the store is closed.
  ///
  /// Calling it again does nothing.
  public func stop(drainingFor bound: Duration = .seconds(10)) {
    guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return }
    fileCheck.stop()
    certificateWatch?.stop()
    service.progress.stop()
    service.waits.stop()
    http.stop(drainingFor: bound)
    // Not before: uploads may finish until then, and are shown as under way by what this renews.
    service.imports.stop()
    scheduler.stop()
    service.sending.stop(within: bound)
    service.webhooks.stop()
    service.shadow.stop()
    service.upkeep.stop()
    service.tracer?.stop()
    service.oidc?.client.stop()
    leave()
    service.store.close()
    folder.release()
    service.log(.info, "stopped")
  }

  /// Hands back what this server has of the database's work, so that the others need not wait for the end of its terms.
  private func leave() {
    do throws(StoreError) { try service.store.leave(now: service.now) } catch {
      service.log(.warning, "nothing handed back", ["detail": .text(error.description)])
    }
  }

  /// Ends a start that failed: a folder that it has made holds nothing that anybody knows of.
  private static func close(_ service: Service, _ folder: DataFolder) {
    service.progress.stop()
    service.waits.stop()
    service.imports.stop()
    service.sending.stop(within: .zero)
    service.webhooks.stop()
    service.shadow.stop()
    service.upkeep.stop()
    service.tracer?.stop()
    service.oidc?.client.stop()
    // Other nodes would divide their rates with it until its term is over.
    try? service.store.leave(now: service.now)
    service.store.close()
    folder.discard()
  }

  private static func open(
    _ configuration: PostriderServerConfiguration, _ compatHosts: [String: CompatVendor], log: Log
  ) throws(PostriderServerError) -> (folder: DataFolder, service: Service) {
    let folder: DataFolder
    do throws(DataFolderError) {
      folder = try DataFolder(
        configuration.dataFolder, sealingKey: configuration.sealingKey, keepsDatabase: configuration.database == nil)
    } catch { throw PostriderServerError(error) }
    let store: SQLStore
    do throws(PostriderServerError) { store = try configuration.openStore(in: folder) } catch {
      folder.discard()
      throw error
    }
    do throws(PostriderServerError) {
      let vault = try vault(folder, store, configuration, log)
      let workers = try ServiceWorkers(store: store, vault: vault, configuration: configuration, log: log)
      let service = Service(
        store: store, vault: vault, workers: workers, configuration: configuration, compatHosts: compatHosts, log: log)
      store.observeChanges(behindWrites: false) { [weak service] in service?.heed($0) }
      // What was changed since the parts were made.
      service.heed(.everything)
      return (folder, service)
    } catch {
      try? store.leave(now: Timestamp(milliseconds: configuration.clock.nowMs()))
      store.close()
      folder.discard()
      throw error
    }
  }

  /// A restored server that sends nothing says why.
  private static func sayHeld(_ service: Service) {
    guard let counts = try? service.store.countHeld(app: nil), counts.total > 0 else { return }
    service.log(
      .warning, "held after restore",
      [
        "detail": .text("postrider held list shows what is held, postrider held resume resumes it"),
        "pushes": .int(counts[.push]), "scheduled": .int(counts[.scheduled]), "schedules": .int(counts[.schedule]),
        "webhooks": .int(counts[.webhook]),
      ])
  }

  private static func compatHosts(
    _ configuration: PostriderServerConfiguration
  ) throws(PostriderServerError) -> [String: CompatVendor] {
    var hosts: [String: CompatVendor] = [:]
    for (name, vendor) in configuration.compatHosts {
      guard let known = CompatVendor(rawValue: vendor) else {
        let names = CompatVendor.allCases.map(\.rawValue).joined(separator: ", ")
        throw PostriderServerError(Problem(.invalid, "no interface of \"\(vendor)\"; there are: \(names)"))
      }
      hosts[CompatPath.name(ofHost: name)] = known
    }
    return hosts
  }

  private static func adminKey(_ configuration: PostriderServerConfiguration) throws(PostriderServerError)
    -> APIKeyText?
  {
    guard let given = configuration.adminKey else { return nil }
    guard let text = APIKeyText(given: given) else {
      throw PostriderServerError(
        DataFolderError(
          description:
            "the given admin key does not have the form of a key: \(APIKeyText.leading) and 43 letters, digits, - and _;"
            + " generate one with: echo \"\(APIKeyText.leading)$(head -c 32 /dev/urandom | basenc --base64url | tr -d =)\""
        ))
    }
    return text
  }
}

// MARK: - Acts without the API

extension PostriderServer {
  /// Makes an API key and returns its text, which is not kept.
  ///
  /// - Parameters:
  ///   - app: the only app it is good for; nil means all.
  ///   - replacingNamesakes: whether keys with the same name are revoked.
  public func makeKey(
    name: String, scopes: Scope, app: String? = nil, replacingNamesakes: Bool = false
  ) throws(PostriderServerError) -> String {
    do throws(Problem) {
      return try Service.wait { [service] () async throws(Problem) in
        if replacingNamesakes { try await service.revokeKeys(named: name) }
        return try await service.makeKey(name: name, scopes: scopes, app: app)
      }
    } catch {
      throw PostriderServerError(error)
    }
  }

  /// Creates an app unless one with this name exists.
  public func makeApp(name: String, title: String, contract: String?) throws(PostriderServerError) {
    do throws(Problem) {
      if try service.ask({ store throws(StoreError) in try store.app(named: name) }) != nil { return }
      _ = try Service.wait { [service] () async throws(Problem) in
        try await AppRoutes.createApp(
          name: name, title: title, contract: contract, service: service, now: service.now)
      }
    } catch { throw PostriderServerError(error) }
  }

  /// Sets credentials, given as the body of `PUT /v1/apps/{app}/credentials`.
  public func setCredentials(app: String, json: [UInt8]) throws(PostriderServerError) {
    do throws(Problem) {
      var report = Report()
      let body = try RequestBody.read(json, CredentialRoutes.body, into: &report)
      try Service.wait { [service] () async throws(Problem) in
        let entry = try service.apps.app(named: app, now: service.now)
        try await CredentialRoutes.save(body.object ?? [:], for: entry, service: service, now: service.now)
      }
    } catch { throw PostriderServerError(error) }
  }

  /// The credentials of an app without their secrets: the body of `GET /v1/apps/{app}/credentials`.
  public func credentials(app: String) throws(PostriderServerError) -> [UInt8] {
    do throws(Problem) {
      return JSON.minified(.object(CredentialRoutes.json(try service.apps.app(named: app, now: service.now))))
    } catch { throw PostriderServerError(error) }
  }

  /// Whether an app has a device of this name, retired ones included.
  public func hasDevice(app: String, named name: String) throws(PostriderServerError) -> Bool {
    do throws(Problem) {
      let id = try service.apps.app(named: app, now: service.now).app.id
      return try service.ask { store throws(StoreError) in try store.device(app: id, named: name) } != nil
    } catch { throw PostriderServerError(error) }
  }

  /// Registers a device, given as the body of `POST /v1/apps/{app}/devices`, and returns its id.
  public func registerDevice(app: String, json: [UInt8]) throws(PostriderServerError) -> String {
    do throws(Problem) {
      let entry = try service.apps.app(named: app, now: service.now)
      var report = Report()
      let body = try RequestBody.read(json, DeviceRoutes.body, into: &report)
      let registration = try DeviceRoutes.registration(body, entry)
      let now = service.now
      let devices = try service.ask { store throws(StoreError) in try store.registerDevices([registration], now: now) }
      guard let device = devices.first else { throw Problem(.internalError, "the store returned no device") }
      return device.id.description
    } catch { throw PostriderServerError(error) }
  }
}
