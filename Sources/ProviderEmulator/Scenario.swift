internal import Basics
public import PushContracts
internal import PushPayload
internal import PushRules
internal import Signing
public import WireJSON

/// A whole course of events for an emulator, as a file: settings, devices, rules, connection faults, one seed.
///
/// The same scenario and the same requests in the same order give the same answers.
@dynamicMemberLookup
public struct Scenario: Sendable {
  /// The seed of everything left to chance; nil to keep the emulator's.
  public var seed: UInt64?
  /// Settings of the services, which a scenario has for its own.
  public var settings = EmulatedSettings()
  /// How long an access token is good, in seconds.
  public var accessTokenSeconds = 3599
  /// Whether FCM takes any bearer token.
  public var acceptsAnyAccessToken = false
  /// Whether APNs accepts tokens of unregistered keys, unchecked.
  public var acceptsUnknownKeys = false
  /// Limits of devices and recording.
  public var limits = DeviceLimits()
  /// The devices to make.
  public var devices: [DeviceDescription] = []
  /// How long answers take, by service.
  public var latencies: [EmulatedProvider: Latency] = [:]
  /// What goes wrong with requests.
  public var rules: [FaultRule] = []
  /// What goes wrong with connections.
  public var connections: [ConnectionFault] = []

  /// Nothing out of the ordinary.
  public init() {}

  /// The settings of one service.
  public subscript<Settings>(dynamicMember member: WritableKeyPath<EmulatedSettings, Settings>) -> Settings {
    get { settings[keyPath: member] }
    set { settings[keyPath: member] = newValue }
  }

  /// The largest scenario file that is read, in bytes.
  public static let bytesMax = 16 * 1024 * 1024

  /// Reads a scenario file.
  ///
  /// - Throws: ``ScenarioError`` with the member that is wrong and what is allowed there.
  public init(parsing bytes: [UInt8]) throws(ScenarioError) {
    let value: JSONValue
    do {
      value = try JSON.parse(bytes, limits: JSONLimits(maxBytes: Self.bytesMax))
    } catch {
      throw ScenarioError(path: "", problem: "the scenario is not JSON: \(error)")
    }
    try self.init(value)
  }

  /// Reads a scenario from JSON.
  ///
  /// - Throws: ``ScenarioError`` with the member that is wrong and what is allowed there.
  public init(_ value: JSONValue) throws(ScenarioError) {
    var root = try ScenarioObject(value, path: "")
    seed = try root.time("seed").map { UInt64($0) }
    for provider in EmulatedProvider.withDevices {
      for section in provider.row.sections {
        if var object = try root.object(section.name) { try section.read(&self, &object) }
      }
    }
    if var object = try root.object("limits") { try readLimits(&object) }
    try Self.check(root)
    for (value, path) in try root.list("devices") { devices.append(try DeviceDescription(value, path: path)) }
    try checkSharedPhones()
    for (value, path) in try root.list("rules") { rules.append(try FaultRule(value, path: path)) }
    for (value, path) in try root.list("connections") { connections.append(try ConnectionFault(value, path: path)) }
    try root.end()
  }

  /// Refuses a device that shares a phone which none before it has.
  private func checkSharedPhones() throws(ScenarioError) {
    var owners: Set<String> = []
    for (index, device) in devices.enumerated() {
      if let owner = device.phoneOf?.lowercased(), !owners.contains(owner) {
        throw ScenarioError(
          path: "devices[\(index)].phone_of", problem: "no apns device before this one has this token and a phone")
      }
      if device.provider.row.hasLiveActivities, device.phone != nil, let token = device.token {
        owners.insert(token.lowercased())
      }
    }
  }

  /// Refuses lists that are longer than an emulator keeps.
  private static func check(_ root: ScenarioObject) throws(ScenarioError) {
    var root = root
    for (name, max) in [
      ("devices", EmulatorLimits.devicesMax), ("rules", EmulatorLimits.rulesMax),
      ("connections", EmulatorLimits.connectionFaultsMax),
    ] where try root.list(name).count > max { throw root.error(name, "expected at most \(max)") }
  }

  mutating func readLatency(
    _ provider: EmulatedProvider, _ object: inout ScenarioObject
  ) throws(ScenarioError) {
    guard let value = object.value("latency") else { return }
    latencies[provider] = try Latency(value, path: object.memberPath("latency"))
  }

  private mutating func readLimits(_ object: inout ScenarioObject) throws(ScenarioError) {
    limits.recording = try object.choice("recording", Recording.self) ?? limits.recording
    limits.pushesPerDevice = try object.int("pushes_per_device", 0...100_000) ?? limits.pushesPerDevice
    limits.arisingDevices = try object.int("arising_devices") ?? limits.arisingDevices
    limits.acceptsUnknownTokens = try object.flag("accepts_unknown_tokens") ?? limits.acceptsUnknownTokens
    try object.end()
  }
}

/// A virtual device as a scenario or the control API describes it.
public struct DeviceDescription: Sendable {
  /// One that has devices, so no token endpoint.
  public var provider: EmulatedProvider
  /// The token, for a browser the last part of its endpoint; nil to make one up.
  public var token: String?
  /// The bundle IDs the token belongs to; empty for any.
  public var topics: [String] = []
  /// The APNs environment it belongs to; nil for any.
  public var environment: APNsEnvironment?
  /// The projects whose senders may reach it, for services without projects the ids of the apps or projects; empty for any.
  public var projects: [String] = []
  /// What FCM reaches it over; nil for Android, and for the devices of other services.
  public var carrier: FCMCarrier?
  /// The FCM topics it has subscribed to.
  public var subscriptions: [String] = []
  /// The VAPID public key that a browser's subscription is bound to, as an uncompressed point; nil for none.
  public var applicationServerKey: [UInt8]?
  /// Whether the token is still registered.
  public var registration = VirtualDevice.Registration.active
  /// What the next pushes to it meet.
  public var script = DeviceScript()
  /// The screen behind it; nil for none.
  public var phone: PhoneDescription?
  /// The device token of the iPhone whose token this is, too: its push-to-start token, say; nil for a device of its own.
  public var phoneOf: String?

  /// A device of a service.
  public init(provider: EmulatedProvider, token: String? = nil) {
    self.provider = provider
    self.token = token
  }

  init(_ value: JSONValue, path: String) throws(ScenarioError) {
    var object = try ScenarioObject(value, path: path)
    let named = try object.text("provider")
    guard let provider = named.flatMap(EmulatedProvider.init(rawValue:)), provider.hasDevices else {
      throw object.error("provider", "expected \(EmulatedProvider.names("or"))")
    }
    self.init(provider: provider, token: try object.text("token"))
    if let token, !provider.row.isToken(token) {
      throw object.error("token", provider.row.tokenForm)
    }
    topics = try object.texts("topics") ?? []
    environment = try object.choice("environment", APNsEnvironment.self)
    projects = try object.texts("projects") ?? []
    subscriptions = try object.texts("subscriptions") ?? []
    if let platform = try object.text("platform") {
      guard let known = provider.row.platforms[platform] else {
        throw object.error("platform", "expected, for fcm, android, ios or web")
      }
      carrier = known
    }
    if let sinceMs = try object.time("unregistered_since_ms") { registration = .unregistered(sinceMs: sinceMs) }
    if let sinceMs = try object.time("expired_since_ms") { registration = .expired(sinceMs: sinceMs) }
    script = try DeviceScript(&object)
    if let text = try object.text("application_server_key") {
      guard provider.row.hasBrowsers, let point = Base64URL.decode(text), (try? ECPublicKey(point: point)) != nil else {
        throw object.error(
          "application_server_key", "expected, for web, Base64URL of an uncompressed point of P-256 (65 bytes)")
      }
      applicationServerKey = point
    }
    if let value = object.value("phone") { phone = try PhoneDescription(value, path: object.memberPath("phone")) }
    let isBrowser = provider.row.hasBrowsers || carrier?.isBrowser == true
    if isBrowser { try phone?.checkForBrowser(path: object.memberPath("phone")) }
    phoneOf = try object.text("phone_of")
    if let phoneOf {
      guard provider.row.hasLiveActivities, phone == nil, provider.row.isToken(phoneOf) else {
        throw object.error("phone_of", "expected, for apns and without phone, the token of a device that has a phone")
      }
    }
    try object.end()
  }
}

extension DeviceScript {
  /// Reads `script`, a list of effects, and `repeat_last`.
  init(_ object: inout ScenarioObject) throws(ScenarioError) {
    var steps: [Effect] = []
    for (value, path) in try object.list("script") { steps.append(try Effect(value, path: path)) }
    self.init(steps, repeatsLast: try object.flag("repeat_last") ?? false)
  }
}
