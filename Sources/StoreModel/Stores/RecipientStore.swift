/// What personal pushes are filled with.
public protocol RecipientStore: Sendable {
  /// Reads what is asked of the recipients of deliveries, as of one instant.
  ///
  /// - Parameters:
  ///   - queries: what is read of whom.
  ///   - body: gets the number of a query, the index of one of its devices, and what is known of the recipient: for
  ///     each query in turn, and each of its devices in turn, also for those that are not there any more.
  func recipients(
    _ queries: [RecipientQuery], _ body: (Int, Int, borrowing RecipientRow) -> Void
  ) throws(StoreError)
}

/// Which texts a personal push wants of its recipients.
public struct RecipientFields: Sendable, Hashable {
  /// What is wanted of the device itself, as numbers of `Slot`: its user, language, time zone or app version.
  public var members: [Int]
  /// The properties of the device and its user that are wanted, by name.
  public var properties: [String]

  /// Creates a value from its parts.
  public init(members: [Int], properties: [String]) {
    self.members = members
    self.properties = properties
  }

  /// A text by its number: the members of a device, then the properties in the order of `properties`.
  public enum Slot {
    /// The user's name.
    public static let user = 0
    /// The language.
    public static let locale = 1
    /// The time zone.
    public static let timezone = 2
    /// The version of the app.
    public static let appVersion = 3
    /// The first of the properties.
    public static let properties = 4
  }

  package var slotCount: Int { Slot.properties + properties.count }
}

/// Devices of one app about which the same is asked.
public struct RecipientQuery: Sendable {
  /// The app.
  public let app: AppID
  /// The devices; nil for an address that is not registered.
  public let devices: [DeviceID?]
  /// What is asked.
  public let fields: RecipientFields

  /// Creates a value from its parts.
  public init(app: AppID, devices: [DeviceID?], fields: RecipientFields) {
    self.app = app
    self.devices = devices
    self.fields = fields
  }
}

/// What is known of one recipient: texts in a block of memory that the next recipient uses again.
public struct RecipientRow: Sendable {
  /// The device; nil for an address that is not registered.
  public package(set) var device: DeviceID?
  /// The bytes of all texts, UTF-8.
  public package(set) var bytes: [UInt8] = []
  /// Where the text of each slot is in `bytes`.
  private var ranges: [(start: Int32, end: Int32)]

  private static let none: (start: Int32, end: Int32) = (-1, -1)

  /// A recipient of whom nothing is known.
  package init(_ fields: RecipientFields) { ranges = Array(repeating: Self.none, count: fields.slotCount) }

  /// What is asked of a recipient that was read as a whole.
  public init(_ recipient: DeliveryRecipient, _ fields: RecipientFields) {
    self.init(fields)
    device = recipient.device
    let members = [recipient.user, recipient.locale, recipient.timezone, recipient.appVersion]
    for (slot, text) in members.enumerated() { if let text { set(slot, text) } }
    for (number, name) in fields.properties.enumerated() {
      let property = recipient.properties.last { $0.name == name }
      if let property { set(RecipientFields.Slot.properties + number, property.value.text) }
    }
  }

  /// Where the text of a slot is in `bytes`; nil when nobody has one.
  public func range(of slot: Int) -> Range<Int>? {
    let range = ranges[slot]
    return range.start < 0 ? nil : Int(range.start)..<Int(range.end)
  }

  /// The text of a slot; nil when nobody has one.
  public func text(_ slot: Int) -> String? { range(of: slot).map { String(decoding: bytes[$0], as: UTF8.self) } }

  package mutating func clear() {
    device = nil
    bytes.removeAll(keepingCapacity: true)
    for slot in ranges.indices { ranges[slot] = Self.none }
  }

  package mutating func set(_ slot: Int, _ text: String) {
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    setRange(slot, from: start)
  }

  /// Makes what was appended to `bytes` since then the text of a slot.
  package mutating func setRange(_ slot: Int, from start: Int) { ranges[slot] = (Int32(start), Int32(bytes.count)) }
}

/// Who is behind a delivery.
public struct DeliveryRecipient: Sendable, Hashable {
  /// The delivery.
  public let delivery: DeliveryID
  /// The device, or nil for an address that is not registered.
  public let device: DeviceID?
  /// The user of the device.
  public let user: String?
  /// The device's language.
  public let locale: String?
  /// The device's time zone.
  public let timezone: String?
  /// The version of the app on it.
  public let appVersion: String?
  /// The user's properties, then the device's.
  public package(set) var properties: [Property]

  /// Creates a value from its parts.
  public init(
    delivery: DeliveryID, device: DeviceID?, user: String?, locale: String?, timezone: String?, appVersion: String?,
    properties: [Property]
  ) {
    self.delivery = delivery
    self.device = device
    self.user = user
    self.locale = locale
    self.timezone = timezone
    self.appVersion = appVersion
    self.properties = properties
  }
}

extension AttributeValue {
  /// The value as a text of a message.
  public var text: String {
    switch self {
    case .text(let text): text
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .bool(let bool): bool ? "true" : "false"
    case .time(let instant): String(instant.seconds)
    }
  }
}
