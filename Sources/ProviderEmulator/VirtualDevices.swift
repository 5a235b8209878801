internal import PushContracts

/// Which pushes are kept for looking at.
public enum Recording: String, Sendable, Hashable, CaseIterable {
  /// Those to every device, unknown ones included, which come into being by that.
  case all
  /// Those to devices that were made on purpose.
  case known
  /// None: for load tests.
  case none
}

/// How many devices and pushes an emulator holds.
public struct DeviceLimits: Sendable, Hashable {
  /// Which pushes are kept.
  public var recording = Recording.all
  /// The most pushes kept for one device; older ones are dropped.
  public var pushesPerDevice = 100
  /// The most devices that come into being by being pushed to.
  public var arisingDevices = 10_000
  /// Whether an unknown well-formed token is treated as a device's; otherwise it is a bad or unregistered one.
  public var acceptsUnknownTokens = true

  /// The defaults above.
  public init() {}
}

/// All virtual devices of an emulator.
public struct VirtualDevices: Sendable {
  /// The limits; changing them does not touch what is already kept.
  public var limits: DeviceLimits
  /// How many pushes were accepted since the start or the last reset.
  public private(set) var acceptedCount = 0

  /// The phones of the devices that have one, by the device's index.
  var phones: [Int: VirtualPhone] = [:]
  /// The screens of the browsers that have one, by the device's index.
  var windows: [Int: VirtualWindow] = [:]
  /// From the index of a device to that of the device whose phone has its token, too.
  var hosts: [Int: Int] = [:]
  /// The reports of phones to the servers of their apps.
  let reports = ArrivalReports()
  private var devices: [VirtualDevice] = []
  /// From the hash of provider and token to the index in `devices`; collisions are resolved by `probe`.
  private var indexes: [UInt64: Int32] = [:]
  private var removed: Set<Int32> = []
  private var arisen = 0

  private static let probe: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// No devices.
  public init(limits: DeviceLimits = DeviceLimits()) { self.limits = limits }

  /// Whether any device exists.
  public var isEmpty: Bool { devices.count == removed.count }

  /// All devices, in the order they came into being.
  public var all: [VirtualDevice] {
    devices.enumerated().filter { !removed.contains(Int32($0.offset)) }.map(\.element)
  }

  /// The registered devices of a service.
  func registered(_ provider: EmulatedProvider) -> [VirtualDevice] {
    all.filter { $0.provider == provider && $0.registration == .active }
  }

  /// Creates a device, or returns the index of the one that exists.
  @discardableResult
  public mutating func make(_ provider: EmulatedProvider, token: String) -> Int {
    let token = provider.row.hasHexadecimalTokens ? token.lowercased() : token
    let bytes = Array(token.utf8)
    if let index = unsafe bytes.withUnsafeBufferPointer({ unsafe find(provider, $0) }) { return index }
    if let index = unsafe bytes.withUnsafeBufferPointer({ unsafe revive(provider, $0) }) { return index }
    let index = Int32(devices.count)
    devices.append(VirtualDevice(provider: provider, token: token, keeping: limits.pushesPerDevice))
    var key = unsafe bytes.withUnsafeBufferPointer { unsafe Self.key(provider, $0) }
    while indexes[key] != nil { key &+= Self.probe }
    indexes[key] = index
    return Int(index)
  }

  /// Finds a device by its token.
  public func find(_ provider: EmulatedProvider, _ token: String) -> Int? {
    let bytes = Array(token.utf8)
    return unsafe bytes.withUnsafeBufferPointer { unsafe find(provider, $0) }
  }

  /// Whether a device may be made: there are few enough, or one with this token exists.
  func hasRoom(for description: DeviceDescription) -> Bool {
    devices.count < EmulatorLimits.devicesMax
      || description.token.map { find(description.provider, $0) != nil } ?? false
  }

  /// Finds a device by the bytes of its token, of either case for APNs.
  func find(_ provider: EmulatedProvider, _ token: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let index = unsafe slot(provider, token), !removed.contains(Int32(index)) else { return nil }
    return index
  }

  /// The index of the device with this token, whether it is removed or not.
  private func slot(_ provider: EmulatedProvider, _ token: UnsafeBufferPointer<UInt8>) -> Int? {
    guard !indexes.isEmpty else { return nil }
    var key = unsafe Self.key(provider, token)
    while let index = indexes[key] {
      if devices[Int(index)].provider == provider, unsafe isNamed(Int(index), token) { return Int(index) }
      key &+= Self.probe
    }
    return nil
  }

  /// Makes a removed device anew where it was, so that removing and making one again takes no room.
  private mutating func revive(_ provider: EmulatedProvider, _ token: UnsafeBufferPointer<UInt8>) -> Int? {
    guard !removed.isEmpty, let index = unsafe slot(provider, token) else { return nil }
    removed.remove(Int32(index))
    devices[index] = VirtualDevice(
      provider: provider, token: devices[index].token, keeping: limits.pushesPerDevice)
    return index
  }

  /// The device at an index.
  public subscript(index: Int) -> VirtualDevice {
    get { devices[index] }
    _modify { yield &devices[index] }
  }

  /// Removes a device; its token is unknown from then on.
  public mutating func remove(_ index: Int) {
    guard devices.indices.contains(index) else { return }
    removed.insert(Int32(index))
    devices[index] = VirtualDevice(provider: devices[index].provider, token: devices[index].token, keeping: 0)
    phones[index] = nil
    windows[index] = nil
    hosts = hosts.filter { $0.key != index && $0.value != index }
  }

  /// Forgets all devices and counts.
  public mutating func removeAll() { self = VirtualDevices(limits: limits) }

  /// Forgets what was received and keeps the devices.
  public mutating func forgetPushes() {
    for index in devices.indices {
      devices[index].received.removeAll()
      devices[index].acceptedCount = 0
    }
    acceptedCount = 0
  }

  /// The index of the device for an accepted push: the known one, or a new one while there is room.
  mutating func indexForPush(_ provider: EmulatedProvider, known: Int?, token: () -> String) -> Int? {
    if known != nil { return known }
    guard limits.recording == .all, arisen < limits.arisingDevices else { return nil }
    arisen += 1
    return make(provider, token: token())
  }

  /// Counts an accepted push and keeps it as the limits say.
  mutating func accept(
    _ request: GatewayRequest, at index: Int?, id: () -> String, replacementKey: () -> String?, nowMs: Int64,
    problem: String? = nil
  ) {
    acceptedCount += 1
    guard let index else { return }
    devices[index].acceptedCount += 1
    if !phones.isEmpty {
      let phone = phoneIndex(of: index)
      phones[phone]?.receive(request, token: devices[index].token, id: id(), nowMs: nowMs)
      settle(phone, nowMs: nowMs)
    }
    if devices[index].carrier?.isBrowser == true, windows[index] != nil {
      windows[index]?.receive(fcm: request, id: id(), nowMs: nowMs)
    }
    guard limits.recording != .none else { return }
    devices[index].received.append(
      ReceivedPush(
        sequence: acceptedCount, timeMs: nowMs, id: id(), replacementKey: replacementKey(), problem: problem,
        request: request))
  }

  private func isNamed(_ index: Int, _ token: UnsafeBufferPointer<UInt8>) -> Bool {
    let own = devices[index].token.utf8
    guard own.count == token.count else { return false }
    let folds = devices[index].provider.row.hasHexadecimalTokens
    return unsafe zip(own, token).allSatisfy { $0 == (folds ? Self.lowered($1) : $1) }
  }

  /// FNV-1a over provider and token, hexadecimal digits in lower case for APNs.
  private static func key(_ provider: EmulatedProvider, _ token: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let folds = provider.row.hasHexadecimalTokens
    var hash: UInt64 = folds ? 0xCBF2_9CE4_8422_2325 : 0x8422_2325_CBF2_9CE4
    unsafe token.forEach { hash = (hash ^ UInt64(folds ? lowered($0) : $0)) &* 0x100_0000_01B3 }
    return hash
  }

  private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
