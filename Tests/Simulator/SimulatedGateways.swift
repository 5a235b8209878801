import ProviderEmulator
import Signing

/// What a gateway keeps of one connection.
struct GatewayMemory {
  var apns = APNsConnection()
  var fcm = FCMConnection()
}

/// A gateway's answer.
struct GatewayAnswer {
  var status: Int
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  func header(_ name: String) -> [UInt8]? { headers.first { $0.name == name }.map { Array($0.value.utf8) } }
}

/// How new connections to a gateway fare.
enum NetworkState: CaseIterable { case good, refusing, blackHole, wrongCertificate }

/// Apple's and Google's gateways by the emulator's rules, and what they took.
final class SimulatedGateways {
  /// What was done for one delivery.
  struct Record {
    /// How often it was accepted.
    var takes = 0
    /// The statuses of its refusals.
    var refusals: Set<Int> = []
    /// The first `apns-id` it came with, and whether all were the same.
    var apnsID: [UInt8] = []
    var isOneID = true
  }

  /// Keys cost too much to be made or read for each seed.
  struct Keys {
    let credentials: EmulatorCredentials
    let signingKey: APNsSigningKey
    let account: ServiceAccount

    static let shared = Result {
      let credentials = try EmulatorCredentials.generate()
      return Keys(
        credentials: credentials, signingKey: try credentials.signingKey(), account: try credentials.account())
    }
  }

  var network: [EmulatedProvider: NetworkState] = [:]
  var faults: FaultEngine
  private(set) var records: [GatewayTarget: Record] = [:]
  private var apns: APNsGateway
  private var fcm: FCMGateway
  private var oauth: OAuthEndpoint
  private var devices = VirtualDevices()

  init(seed: UInt64) throws {
    let keys = try Keys.shared.get()
    apns = APNsGateway(seed: seed)
    apns.settings.streamsEstablished = 1 + Int(seed % 9)
    apns.authority.keys = [keys.signingKey]
    fcm = FCMGateway(seed: seed)
    oauth = OAuthEndpoint(seed: seed)
    oauth.accounts = [keys.account]
    devices.limits.recording = .none
    faults = FaultEngine(seed: seed, nowMs: Simulation.epochMs)
  }

  func firstStreams(_ provider: EmulatedProvider) -> Int {
    provider == .apns ? apns.settings.streamsBeforeToken : fcm.settings.streams
  }

  func handle(
    _ request: SimulatedRequest, _ provider: EmulatedProvider, _ memory: inout GatewayMemory, _ world: Simulation
  ) -> (GatewayAction, GatewayAnswer) {
    var response = GatewayResponse()
    let now = Simulation.epochMs + world.nowMs
    let action =
      provider == .apns
      ? apns.handle(
        request.request, on: &memory.apns, devices: &devices, faults: &faults, nowMs: now, response: &response)
      : fcm.handle(
        request.request, on: &memory.fcm, oauth: oauth, devices: &devices, faults: &faults, nowMs: now,
        response: &response)
    note(request, action, response.status)
    world.note("gateway: push \(request.target.marker) to \(request.target.token): \(action.kind) \(response.status)")
    return (action, GatewayAnswer(status: response.status, headers: response.headers, body: response.body))
  }

  /// Only what the emulator answers was looked at; what it is silent about, resets or leaves out was not.
  private func note(_ request: SimulatedRequest, _ action: GatewayAction, _ status: Int) {
    switch action.kind {
    case .respond: break
    case .goAway(let effect): guard effect.processed else { return }
    case .silence, .reset, .close, .halfOpen: return
    }
    var record = records[request.target] ?? Record()
    if status == 200 {
      record.takes += 1
      if record.apnsID.isEmpty { record.apnsID = request.apnsID }
      record.isOneID = record.isOneID && record.apnsID == request.apnsID
    } else {
      record.refusals.insert(status)
    }
    records[request.target] = record
  }

  /// The token endpoint; nil when it does not answer.
  func token(_ body: [UInt8], _ world: Simulation) -> GatewayAnswer? {
    let headers = [("content-type", "application/x-www-form-urlencoded")]
    let request = GatewayRequest(method: "POST", path: "/token", headers: headers, body: body)
    var response = GatewayResponse()
    let action = oauth.handle(
      request, faults: &faults, nowMs: Simulation.epochMs + world.nowMs, response: &response)
    world.note("token endpoint: \(action.kind) \(response.status)")
    guard action.kind == .respond else { return nil }
    return GatewayAnswer(status: response.status, headers: response.headers, body: response.body)
  }
}
