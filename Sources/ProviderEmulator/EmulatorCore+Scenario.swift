internal import Basics

extension EmulatorCore.State {
  /// Begins a scenario: resets settings, devices, faults and random numbers; registered keys and accounts stay.
  mutating func begin(_ scenario: Scenario, nowMs: Int64) {
    let seed = scenario.seed ?? faults.seed
    let authority = apns.authority
    let accounts = oauth.accounts
    apns = APNsGateway(settings: scenario.apns, seed: seed)
    apns.authority = authority
    apns.authority.acceptsUnknownKeys = scenario.acceptsUnknownKeys
    fcm = FCMGateway(settings: scenario.fcm, seed: seed)
    let generation = oauth.generation
    oauth = OAuthEndpoint(seed: seed)
    oauth.generation = generation + 1
    oauth.accounts = accounts
    oauth.tokenLifetimeSeconds = scenario.accessTokenSeconds
    oauth.acceptsAnyAccessToken = scenario.acceptsAnyAccessToken
    web = WebPushGateway(settings: scenario.web, seed: seed)
    let huawei = hms.authority
    hms = HuaweiGateway(settings: scenario.hms, seed: seed)
    (hms.authority.clients, hms.authority.projects) = (huawei.clients, huawei.projects)
    devices = VirtualDevices(limits: scenario.limits)
    faults = FaultEngine(seed: seed, nowMs: nowMs)
    faults.rules = scenario.rules
    faults.latencies = scenario.latencies
    connectionFaults = scenario.connections
    counters = EmulatorCounters()
    tokenRandom = EmulatorRandom(seed: seed ^ Self.tokenSalt)
    for device in scenario.devices { make(device) }
  }

  /// Creates a device, or changes the one with the same token, and returns its index.
  @discardableResult
  mutating func make(_ description: DeviceDescription) -> Int {
    let token = description.token ?? description.provider.row.makeToken(&tokenRandom)
    let place = devices.make(description.provider, token: token)
    devices[place].topics = description.topics
    devices[place].environment = description.environment
    devices[place].projects = description.projects
    if devices[place].carrier != description.carrier {
      devices[place].carrier = description.carrier
      // Another screen than that of the device it is now.
      (devices.phones[place], devices.windows[place]) = (nil, nil)
    }
    devices[place].subscriptions = Set(description.subscriptions)
    devices[place].registration = description.registration
    devices[place].script = description.script
    if description.provider.row.hasBrowsers { subscribe(place, description.applicationServerKey) }
    if let phone = description.phone { devices.setPhone(phone, at: place) }
    return place
  }

  /// Gives a browser's subscription its keys; one that has some keeps them.
  private mutating func subscribe(_ place: Int, _ applicationServerKey: [UInt8]?) {
    if devices[place].browser == nil {
      do {
        devices[place].browser = try VirtualBrowser(applicationServerKey: nil)
      } catch {
        // OpenSSL made keys when the emulator started; it refuses for lack of memory only.
        preconditionFailure("no keys for a subscription: \(error)")
      }
    }
    devices[place].browser?.applicationServerKey = applicationServerKey
  }

  /// Makes random tokens independent of random ids.
  static let tokenSalt: UInt64 = 0x746F_6B65_6E
}

extension EmulatorRandom {
  /// Sixteen hexadecimal digits.
  mutating func hex() -> String { Hex.text(next(), digits: 16, uppercase: false) }
}
