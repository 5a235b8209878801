import PostriderServer
import PushPayload
import StoreModel
import WireJSON

/// Maps rows of a vendor's file to registrations of devices (docs/api.md, “Devices as files”).
struct DeviceMapper {
  /// What a row becomes.
  struct Verdict {
    var isOptedOut = false
    /// Set for rows that are left out.
    var leftOut: ImportReason?
    var doubts: [ImportReason] = []

    mutating func doubt(_ reason: ImportReason) {
      if !doubts.contains(reason) { doubts.append(reason) }
    }
  }

  /// The options of the command line.
  struct Options {
    /// The environment of APNs tokens whose row names none.
    var environment = DeviceEnvironment.production
    /// The application server key of browsers, as Base64URL; nil leaves them out.
    var webKey: String?
    /// When devices were seen whose row does not say, in milliseconds.
    var seenAt: Int64?
    /// The only app whose rows are imported.
    var vendorApp: String?
    /// The current time, in milliseconds.
    var now: Int64
  }

  /// Characters of a user's id, as the server has it.
  static let userMax = 250
  static let nameMax = 200
  static let textMax = 100
  static let propertiesMax = StoreLimits.attributesMax
  /// Time zones and languages that are looked up once.
  private static let cachedMax = 1_000
  /// The ids that programs write for nobody.
  private static let placeholders: Set<String> = ["null", "undefined", "nil", "none", "(null)", "nan"]

  private let vendor: ImportVendor
  private let options: Options
  private let kinds: [String: ImportKind.Meaning]
  private var zones: [String: Bool] = [:]
  private var locales: [String: String?] = [:]
  private var seen = SeenNames()
  /// The app whose rows are imported: the one that was chosen, or that of the first row.
  private(set) var firstApp: String?

  init(_ vendor: ImportVendor, _ options: Options) {
    self.vendor = vendor
    self.options = options
    var kinds: [String: ImportKind.Meaning] = [:]
    for kind in vendor.kinds { for value in kind.values { kinds[value.lowercased()] = kind.meaning } }
    self.kinds = kinds
  }

  /// Writes the registration of a row, or nothing when it is left out.
  mutating func map(_ row: VendorRow, into writer: inout JSONWriter) -> Verdict {
    var verdict = Verdict()
    var device = MappedDevice()
    for (index, text) in row.texts.enumerated() {
      guard let text else { continue }
      take(text, vendor.columns[index].target, &device, &verdict)
      if verdict.leftOut != nil { return verdict }
    }
    let kind: DeviceKind
    let ownEnvironment: DeviceEnvironment?
    switch device.kind ?? vendor.kindDefault ?? .leftOut(.unknownKind) {
    case .leftOut(let reason): return Verdict(leftOut: reason)
    case .address(let known, let environment): (kind, ownEnvironment) = (known, environment)
    }
    if device.isDead { return Verdict(leftOut: .deadToken) }
    if device.isDoubtful { return Verdict(leftOut: .unreadableStatus) }
    guard let token = device.token else { return Verdict(leftOut: .noToken) }
    if kind.form == .subscription {
      guard let key = options.webKey else { return Verdict(leftOut: .webKey) }
      guard BrowserRow.isSubscription(device) else { return Verdict(leftOut: .invalidToken) }
      device.applicationServerKey = key
    } else {
      guard let read = try? DeviceToken(token, kind: kind.tokenKind) else {
        return Verdict(leftOut: .invalidToken)
      }
      device.token = read.text
    }
    if Self.isOfAPNs(token, kind) { return Verdict(leftOut: .apnsToken) }
    if let user = device.user, user.unicodeScalars.count > Self.userMax { return Verdict(leftOut: .userTooLong) }
    settle(&device, row, &verdict)
    if let name = device.name, seen.isTaken(name, by: device.token ?? token) { verdict.doubt(.sameID) }
    let environment = ownEnvironment ?? device.environment ?? options.environment
    device.write(kind, environment, isOptedOut: verdict.isOptedOut, into: &writer)
    return verdict
  }

  /// Characters of the shortest token that APNs gives.
  private static let apnsCharactersMin = 64

  /// Whether a token of another provider's is one of APNs: an app that FCM reaches over APNs has one of each, and no other
  /// provider gives tokens of hexadecimal digits alone.
  private static func isOfAPNs(_ token: String, _ kind: DeviceKind) -> Bool {
    guard kind.form != .deviceToken, kind.form != .subscription, (try? DeviceToken(token, kind: .apns)) != nil else {
      return false
    }
    return token.utf8.count >= apnsCharactersMin
      || kind.isCarried && kind.platform.kinds.contains { $0.form == .deviceToken }
  }

  // MARK: - Columns

  private mutating func take(
    _ text: String, _ target: ImportColumn.Target, _ device: inout MappedDevice, _ verdict: inout Verdict
  ) {
    switch target {
    case .token: device.token = text
    case .p256dh: device.p256dh = text
    case .auth: device.auth = text
    case .kind: device.kind = kinds[text.lowercased()] ?? .leftOut(.unknownKind)
    case .name: device.name = short(text, Self.nameMax, &verdict)
    case .user:
      if Self.placeholders.contains(text.lowercased()) { verdict.doubt(.userPlaceholder) } else { device.user = text }
    case .locale: device.locale = locale(text, &verdict)
    case .appVersion: device.appVersion = short(text, Self.textMax, &verdict)
    case .zone: device.zone = zone(text, &verdict)
    case .zoneOffset: device.zoneFromOffset = text
    case .environment(let development, let production):
      let word = Self.word(text)
      if development.contains(word) {
        device.environment = .development
      } else if production.contains(word) {
        device.environment = .production
      } else {
        verdict.doubt(.unknownEnvironment)
      }
    case .createdAt: device.createdAt = time(text, &verdict)
    case .seenAt: device.seenAt = time(text, &verdict)
    case .dead(let dead, let alive):
      let word = Self.word(text)
      if dead.contains(word) { device.isDead = true } else if !alive.contains(word) { device.isDoubtful = true }
    case .optedOut(let optedOut, let optedIn):
      let word = Self.word(text)
      if !optedIn.contains(word) { verdict.isOptedOut = true }
      if !optedOut.contains(word), !optedIn.contains(word) { verdict.doubt(.unreadableOptOut) }
    case .optedOutUnlessPositive:
      let number = Double(Self.word(text))
      if number.map({ !($0 > 0) }) ?? true { verdict.isOptedOut = true }
      if number == nil { verdict.doubt(.unreadableOptOut) }
    case .vendorApp:
      firstApp = firstApp ?? options.vendorApp ?? text
      if firstApp != text { verdict.leftOut = .otherApp }
    case .properties: device.properties.read(text, &verdict)
    case .alias, .property, .family, .unused: break
    }
  }

  /// What needs more than one column.
  private func settle(_ device: inout MappedDevice, _ row: VendorRow, _ verdict: inout Verdict) {
    if device.zone == nil, let offset = device.zoneFromOffset {
      device.zone = VendorZone.name(offset: offset)
      verdict.doubt(device.zone == nil ? .unknownZone : .zoneFromOffset)
    }
    device.seenAt = device.seenAt ?? options.seenAt ?? device.createdAt
    if device.seenAt == nil { verdict.doubt(.noTime) }
    // Without a time of creation, the device was new when it was last seen, or before.
    if let seenAt = device.seenAt { device.createdAt = min(device.createdAt ?? seenAt, seenAt) }
    device.properties.read(row.members, &verdict)
    for (index, column) in vendor.columns.enumerated() {
      if case .alias(let label) = column.target, let text = row.texts[index] {
        add(alias: label, text, &device, &verdict)
        continue
      }
      guard case .property(let name, let isNumber) = column.target, let text = row.texts[index] else { continue }
      let number = isNumber ? JSONNumber(text: text) : nil
      device.properties.add(name, number.map { .number($0) } ?? .string(text), &verdict)
    }
  }

  private func add(alias label: String, _ id: String, _ device: inout MappedDevice, _ verdict: inout Verdict) {
    guard device.user != nil else { return device.properties.add(label, .string(id), &verdict) }
    guard id.unicodeScalars.count <= Self.userMax else { return verdict.doubt(.valueTooLong) }
    device.aliases.append((label, id))
  }

  /// A value of a column with few values: letter case and blanks around it do not matter.
  private static func word(_ text: String) -> String { text[...].trimmed.lowercased() }

  private func short(_ text: String, _ max: Int, _ verdict: inout Verdict) -> String? {
    guard text.utf8.count > max, text.unicodeScalars.count > max else { return text }
    verdict.doubt(.valueTooLong)
    return nil
  }

  private func time(_ text: String, _ verdict: inout Verdict) -> Int64? {
    guard let time = VendorTime.milliseconds(text), time > 0 else {
      verdict.doubt(.unreadableTime)
      return nil
    }
    guard time <= options.now else {
      verdict.doubt(.futureTime)
      return nil
    }
    return time
  }

  private mutating func zone(_ text: String, _ verdict: inout Verdict) -> String? {
    let isKnown = zones[text] ?? VendorZone.isKnown(text)
    // Names that are wrong could be long, and without end.
    if zones.count < Self.cachedMax, text.utf8.count <= Self.textMax { zones[text] = isKnown }
    if !isKnown { verdict.doubt(.unknownZone) }
    return isKnown ? text : nil
  }

  private mutating func locale(_ text: String, _ verdict: inout Verdict) -> String? {
    let locale = locales[text] ?? VendorLocale.tag(text)
    if locales.count < Self.cachedMax, text.utf8.count <= Self.textMax { locales.updateValue(locale, forKey: text) }
    if locale == nil { verdict.doubt(.unknownLocale) }
    return locale
  }
}
