internal import PushPayload
internal import StoreModel
internal import WireJSON

/// The activations of a device.
///
/// The first one is the device's name, as the import of a push server's table has it. A device with several has all of them in
/// a property; those that are not active are in another.
struct PowerAuthActivations: Sendable, Hashable {
  /// Every activation, when there are several.
  static let all = "powerauth_activations"
  /// The activations that are in another state than ACTIVE.
  static let inactive = "powerauth_inactive"
  /// Activations that one device can have: as texts they are one property.
  static let idsMax = 20
  /// Bytes of an id; a UUID has 36, and the push server's table room for 37.
  static let idBytesMax = 37

  private(set) var ids: [String]
  private(set) var inactive: Set<String>

  init(ids: [String], inactive: Set<String> = []) {
    self.ids = ids
    self.inactive = inactive.intersection(ids)
  }

  init(of device: Device) {
    let several = PowerAuthActivations.list(PowerAuthActivations.all, of: device)
    self.init(
      ids: several.isEmpty ? device.name.map { [$0] } ?? [] : several,
      inactive: Set(PowerAuthActivations.list(PowerAuthActivations.inactive, of: device)))
  }

  private static func list(_ name: String, of device: Device) -> [String] {
    guard case .text(let text)? = device.properties.first(where: { $0.name == name })?.value else { return [] }
    return text.split(separator: " ").map(String.init)
  }

  /// The further ids by which a device with these properties is found.
  static func otherNames(_ properties: [Property]) -> [String] {
    guard case .text(let text)? = properties.first(where: { $0.name == all })?.value else { return [] }
    return text.split(separator: " ").map(String.init).filter { $0.utf8.count <= idBytesMax }.prefix(idsMax).map { $0 }
  }

  /// Ids between blanks, so that each can be searched for as a whole; nil for none.
  private static func text(_ ids: [String]) -> JSONValue? {
    ids.isEmpty ? nil : .string(" \(ids.joined(separator: " ")) ")
  }

  /// The properties that a device with these activations has.
  var properties: [(name: String, value: JSONValue?)] {
    [
      (PowerAuthActivations.all, ids.count > 1 ? PowerAuthActivations.text(ids) : nil),
      (PowerAuthActivations.inactive, PowerAuthActivations.text(ids.filter(inactive.contains))),
    ]
  }

  /// Whether personal messages are sent: to an activation that is active, or to a device on which one is.
  func isActive(_ id: String?) -> Bool {
    if let id { return !inactive.contains(id) }
    return ids.isEmpty || !ids.allSatisfy(inactive.contains)
  }

  mutating func set(_ id: String, isActive: Bool) {
    if isActive { inactive.remove(id) } else { inactive.insert(id) }
  }

  /// The activations of both.
  func union(_ other: PowerAuthActivations) -> PowerAuthActivations {
    PowerAuthActivations(
      ids: ids + other.ids.filter { !ids.contains($0) }, inactive: inactive.union(other.inactive))
  }

  // MARK: - Reading

  /// States of an activation, and whether it is active in each.
  static let states: [(name: String, value: State)] = [
    ("CREATED", .inactive), ("PENDING_COMMIT", .inactive), ("ACTIVE", .active), ("BLOCKED", .inactive),
    ("REMOVED", .removed),
  ]

  enum State: Sendable { case active, inactive, removed }

  /// An id in a request.
  static func id(_ text: String, _ field: String) throws(Problem) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isPlain, (1...idBytesMax).contains(text.utf8.count) else {
      throw PowerAuthErrors.violation(field, "expected 1 to \(idBytesMax) letters, digits, - and _")
    }
    return text
  }

  // MARK: - Finding

  /// The device of an activation: one of `user`, else of that name, or with it among several.
  ///
  /// The user's own come first, as a client key may give its device any name and any property.
  static func device(of id: String, user: String? = nil, _ c: CompatCall) throws(Problem) -> Device? {
    try c.ask { store throws(StoreError) in
      if let user {
        let devices = try store.devices(
          app: c.app, filter: DeviceFilter(user: user), after: nil, limit: StoreLimits.pageMax)
        let own = devices.first { $0.name == id } ?? devices.first { PowerAuthActivations(of: $0).ids.contains(id) }
        if let own { return own }
      }
      if let device = try store.device(app: c.app, named: id) { return device }
      guard let device = try store.device(app: c.app, otherName: id) else { return nil }
      // The property can have been changed since.
      return PowerAuthActivations(of: device).ids.contains(id) ? device : nil
    }
  }
}
