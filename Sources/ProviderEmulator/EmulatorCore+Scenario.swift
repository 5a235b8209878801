internal import Basics

extension EmulatorCore.State {
  /// Begins a scenario: resets settings, devices, faults and random numbers; registered keys and accounts stay.
  mutating func begin(_ scenario: Scenario, nowMs: Int64) {
    let seed = scenario.seed ?? faults.seed
    for provider in EmulatedProvider.withDevices { provider.row.begin(&self, scenario, seed) }
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
    let index = devices.make(description.provider, token: token)
    devices[index].topics = description.topics
    devices[index].environment = description.environment
    devices[index].projects = description.projects
    if devices[index].carrier != description.carrier {
      devices[index].carrier = description.carrier
      // Another screen than that of the device it is now.
      (devices.phones[index], devices.windows[index]) = (nil, nil)
    }
    devices[index].subscriptions = Set(description.subscriptions)
    devices[index].registration = description.registration
    devices[index].script = description.script
    if description.provider.row.hasBrowsers { subscribe(index, description.applicationServerKey) }
    if let phone = description.phone { devices.setPhone(phone, at: index) }
    if let owner = description.phoneOf.flatMap({ devices.find(.apns, $0) }) { _ = devices.share(owner, with: index) }
    return index
  }

  /// Gives a browser's subscription its keys; one that has some keeps them.
  private mutating func subscribe(_ index: Int, _ applicationServerKey: [UInt8]?) {
    if devices[index].browser == nil {
      do {
        devices[index].browser = try VirtualBrowser(applicationServerKey: nil)
      } catch {
        // OpenSSL made keys when the emulator started; it refuses for lack of memory only.
        preconditionFailure("no keys for a subscription: \(error)")
      }
    }
    devices[index].browser?.applicationServerKey = applicationServerKey
  }

  /// Makes random tokens independent of random ids.
  static let tokenSalt: UInt64 = 0x746F_6B65_6E
}

extension EmulatorRandom {
  /// Sixteen hexadecimal digits.
  mutating func hex() -> String { Hex.text(next(), digits: 16, uppercase: false) }
}
