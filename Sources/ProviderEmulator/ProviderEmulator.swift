internal import HTTP2
internal import HTTPServer
internal import Signing
internal import Synchronization
internal import System
internal import TLS
public import WireJSON

/// Where an emulator listens.
public struct EmulatorPorts: Sendable, Hashable {
  /// The address, as configured.
  public var host: String
  /// The services' ports: TLS and HTTP/2; a token endpoint shares that of its service.
  var services: [EmulatedProvider: UInt16]
  /// All services but APNs, and `/control`: HTTP/1.1 without TLS.
  public var plain: UInt16

  private var authority: String { host.contains(":") ? "[\(host)]" : host }

  /// The port of a service.
  public subscript(provider: EmulatedProvider) -> UInt16 { services[provider] ?? 0 }

  /// Scheme, host and port of a service.
  public func origin(of provider: EmulatedProvider) -> String { "https://\(authority):\(self[provider])" }

  /// The same of the port without TLS.
  public var plainOrigin: String { "http://\(authority):\(plain)" }
  /// The control API.
  public var controlURI: String { plainOrigin + "/control" }
}

/// How an emulator is set up.
public struct EmulatorConfiguration: Sendable {
  /// The address to listen on, numeric; anything but loopback lets others push to the virtual devices.
  public var host = "127.0.0.1"
  /// The ports of the services that are not to have any free one.
  public var ports: [EmulatedProvider: UInt16] = [:]
  /// The HTTP/1.1 port; 0 for any free one.
  public var plainPort: UInt16 = 0
  /// How many threads serve HTTP/2.
  public var threads = 1
  /// What is accepted as APNs key and service account; nil to make fresh ones.
  public var credentials: EmulatorCredentials?
  /// Certificate authorities, PEM, whose client certificates replace provider tokens; nil for none.
  public var clientAuthorityPEM: String?
  /// The course of events to begin with.
  public var scenario = Scenario()
  /// The token that writes and secrets of the control API need, 16 to 200 visible ASCII characters; nil makes one.
  public var controlToken: String?
  /// Names, besides addresses and `localhost`, under which the control API may be called.
  public var allowedHosts: [String] = []
  /// The one server that phones described by scenarios and the control API may report to; nil for none.
  public var reportServer: ReportServer?
  /// The time, in milliseconds since 1970-01-01 UTC; nil for the system's clock.
  ///
  /// Times outside of 1970 to 9999 are moved to the nearer end.
  public var clock: (@Sendable () -> Int64)?

  /// The defaults above.
  public init() {}
}

/// The push services (``EmulatedProvider``) on loopback: their rules, their answers, faults on demand, virtual devices.
///
/// A port for each over TLS and HTTP/2 with a certificate it creates itself, and plain HTTP/1.1 for clients without HTTP/2 and
/// for the control API. Clients must be configured to trust ``authorityPEM``.
public final class ProviderEmulator: Sendable {
  /// Where it listens.
  public let ports: EmulatorPorts
  /// The certificate authority that clients have to trust, PEM.
  public let authorityPEM: String
  /// The credentials it accepts, private halves included.
  public let credentials: EmulatorCredentials

  /// The token that writes and secrets of the control API need.
  public let controlToken: String

  /// The control API, for a program that has the emulator inside; it asks for no token.
  public let desk: ControlDesk

  private let core: EmulatorCore
  private let loops: [EventLoop]
  private let servers: [HTTP2Server]
  private let plainServer: HTTPServer
  private let isStopped = Mutex(false)

  /// Starts listening and answering.
  ///
  /// - Throws: ``EmulatorError`` when an address cannot be taken or a setting cannot be used.
  public init(_ configuration: EmulatorConfiguration = EmulatorConfiguration()) throws(EmulatorError) {
    var loops: [EventLoop] = []
    var servers: [HTTP2Server] = []
    do {
      let credentials = try configuration.credentials ?? .generate()
      let trust = configuration.clientAuthorityPEM.map { TLSTrust.pem(Array($0.utf8)) }
      let certificates = try EmulatorCertificates(host: configuration.host, clientTrust: trust)
      let core = try Self.makeCore(configuration, credentials)
      for number in 0..<max(1, configuration.threads) { loops.append(try EventLoop(name: "emulator-\(number)")) }
      let token = configuration.controlToken ?? ControlGuard.makeToken()
      guard ControlGuard.isToken(token) else {
        throw EmulatorError(
          "the control API's token needs \(ControlGuard.tokenBytesMin) to \(ControlGuard.tokenBytesMax) visible ASCII characters",
          isAboutSettings: true)
      }
      controlToken = token
      self.credentials = credentials
      self.core = core
      self.loops = loops
      authorityPEM = certificates.authorityPEM
      for provider in EmulatedProvider.withDevices {
        servers.append(try Self.serve(provider, configuration, certificates, core, loops))
      }
      let relay = HandlerRelay()
      plainServer = try HTTPServer(
        HTTPServerConfiguration(host: configuration.host, port: configuration.plainPort), handler: relay)
      ports = EmulatorPorts(
        host: configuration.host,
        services: Dictionary(uniqueKeysWithValues: zip(EmulatedProvider.withDevices, servers.map(\.port))),
        plain: plainServer.port)
      let api = ControlAPI(
        core: core, credentials: credentials, authorityPEM: certificates.authorityPEM, ports: ports)
      desk = ControlDesk(control: api)
      let control = ControlGuard(token: token, allowedHosts: configuration.allowedHosts.map { $0.lowercased() })
      relay.set(PlainServer(core: core, api: api, guard: control, loop: loops[0]))
      self.servers = servers
    } catch {
      Self.close(servers, loops)
      if let error = error as? ScenarioError { throw EmulatorError("the scenario: \(error)", isAboutSettings: true) }
      throw error as? EmulatorError ?? EmulatorError("the emulator cannot start: \(error)")
    }
  }

  private static func close(_ servers: [HTTP2Server], _ loops: [EventLoop]) {
    for server in servers { server.stop(abruptly: true) }
    for loop in loops { loop.shutdown() }
  }

  deinit { stop() }

  /// Closes all connections and ends all threads; a second call does nothing.
  public func stop() {
    let first = isStopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    guard first else { return }
    plainServer.stop(drainingFor: .zero)
    Self.close(servers, loops)
  }

  private static func makeCore(
    _ configuration: EmulatorConfiguration, _ credentials: EmulatorCredentials
  ) throws -> EmulatorCore {
    let clock = configuration.clock ?? SystemClock.wallMs
    return EmulatorCore(try makeState(configuration, credentials, nowMs: clock()), clock: clock)
  }

  static func makeState(
    _ configuration: EmulatorConfiguration, _ credentials: EmulatorCredentials, nowMs: Int64
  ) throws -> EmulatorCore.State {
    let nowMs = EmulatorTime.clamped(nowMs)
    let seed = configuration.scenario.seed ?? 1
    var state = EmulatorCore.State(
      services: EmulatedGateways(seed: seed), devices: VirtualDevices(),
      faults: FaultEngine(seed: seed, nowMs: nowMs), tokenRandom: EmulatorRandom(seed: seed))
    for provider in EmulatedProvider.withDevices { try provider.row.register(&state, credentials) }
    state.reportServer = configuration.reportServer
    state.begin(try configuration.scenario.bounded(to: configuration.reportServer), nowMs: nowMs)
    return state
  }

  private static func serve(
    _ provider: EmulatedProvider, _ configuration: EmulatorConfiguration, _ certificates: EmulatorCertificates,
    _ core: EmulatorCore, _ loops: [EventLoop]
  ) throws -> HTTP2Server {
    var server = HTTP2ServerConfiguration(tls: certificates.good)
    server.host = configuration.host
    server.requestBodyLimit = FCMGateway.bodyBytesMax + 1
    server.port = configuration.ports[provider] ?? 0
    let handler = try GatewayServer(core: core, provider: provider, certificates: certificates.faulty)
    return try HTTP2Server(configuration: server, loops: loops, handler: handler)
  }
}

extension ProviderEmulator {
  /// Begins a scenario: resets settings, devices, faults, counters and random numbers; keys and accounts stay.
  public func begin(_ scenario: Scenario) {
    core.state.withLock { $0.begin(scenario, nowMs: core.nowMs($0)) }
  }

  /// Makes a virtual device, or changes the one with the same token.
  @discardableResult
  public func makeDevice(_ description: DeviceDescription) -> VirtualDevice {
    core.state.withLock { $0.devices[$0.make(description)] }
  }

  /// The device with this token; nil when there is none.
  public func device(_ provider: EmulatedProvider, _ token: String) -> VirtualDevice? {
    core.state.withLock { state in state.devices.find(provider, token).map { state.devices[$0] } }
  }

  /// The subscription of a virtual browser, as a browser's `toJSON()` gives it; nil when there is none.
  public func subscription(_ token: String) -> JSONValue? {
    device(.web, token)?.browser?.subscription(endpoint: "\(ports.webOrigin)/push/\(token)")
  }

  /// All devices, in the order they came into being.
  public var devices: [VirtualDevice] { core.state.withLock { $0.devices.all } }

  /// The broadcast channels of all apps, in the order they were made.
  public var channels: [APNsChannel] { core.state.withLock { $0.services.apns.channels.all } }

  /// How often what was answered.
  public var counters: EmulatorCounters { core.state.withLock { $0.counters } }

  /// How many connections to one provider are open.
  public func openConnections(_ provider: EmulatedProvider) -> Int {
    core.state.withLock { $0.connections.values.count { $0.provider == provider } }
  }

  /// How many pushes were accepted since the scenario began.
  public var acceptedCount: Int { core.state.withLock { $0.devices.acceptedCount } }

  /// Registers another APNs signing key.
  public func register(_ key: APNsSigningKey) { core.state.withLock { $0.services.apns.authority.keys.append(key) } }

  /// Registers another service account.
  public func register(_ account: ServiceAccount) { core.state.withLock { $0.services.oauth.accounts.append(account) } }

  /// Adds a rule to those in force.
  public func add(_ rule: FaultRule) { core.state.withLock { $0.faults.rules.append(rule) } }

  /// Adds a connection fault to those in force.
  public func add(_ fault: ConnectionFault) { core.state.withLock { $0.connectionFaults.append(fault) } }

  /// Takes back all rules and connection faults.
  public func removeFaults() {
    core.state.withLock { state in
      state.faults.rules.removeAll()
      state.connectionFaults.removeAll()
    }
  }

  /// Moves the emulator's clock, so that tokens age without waiting; false, and nothing is moved, when it would leave 1970 to 9999.
  @discardableResult
  public func advanceClock(byMs milliseconds: Int64) -> Bool {
    core.state.withLock { core.advance(&$0, byMs: milliseconds) != nil }
  }

  /// Names the one server that phones described over the control API may report to from now on.
  public func allowReports(to server: ReportServer?) { core.state.withLock { $0.reportServer = server } }
}

/// Forwards to a handler that can be created only when the port of its server is known.
private final class HandlerRelay: HTTPHandler {
  private let handler = Mutex<PlainServer?>(nil)

  func set(_ handler: PlainServer) { self.handler.withLock { $0 = handler } }

  func maxBodyBytes(for head: HTTPRequestHead) -> Int? {
    head.target.segments == ["control", "scenario"] ? Scenario.bytesMax : nil
  }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    handler.withLock { $0 }?.handle(request, responder)
  }
}
