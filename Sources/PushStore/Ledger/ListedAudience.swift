internal import Basics
internal import StoreModel

/// What a push gets to, for which kinds and in which lanes.
struct Reach {
  /// The kinds of device that it has payloads for, as a mask.
  let kinds: UInt32
  private var lacked = LaneSlots()

  init(_ push: NewPush) {
    kinds = PayloadCoding.mask(push.payloads.flatMap(\.kinds))
    for lane in push.lackedLanes { lacked.insert(lane) }
  }

  func contains(kind: Int) -> Bool { kinds >> UInt32(truncatingIfNeeded: kind) & 1 != 0 }

  func lacks(_ target: KindInEnvironment) -> Bool {
    !lacked.isEmpty && lacked.contains(target.kind, target.environment)
  }

  /// Whether no lane is lacked, so that a kind says all.
  var hasAllLanes: Bool { lacked.isEmpty }
}

/// Audiences that are listed one by one: each recipient is in the push once, however often the list names it.
extension WriterContext.Audience {
  /// The active devices of users.
  ///
  /// - Parameter reach: what the push has payloads for; tokens of Live Activities are nobody's phone, and in an audience only
  ///   of what is for them.
  mutating func add(
    users: [String], _ app: AppID, reaching reach: Reach, _ db: borrowing Connection
  ) throws(StoreError) {
    var seen = Once<ByteKey>(users.count)
    var indexes: [Int] = []
    indexes.reserveCapacity(users.count)
    for (index, user) in users.enumerated() {
      if seen.insert(ByteKey(user)) { indexes.append(index) } else { repeats += 1 }
    }
    // A device has one user, so two users never share one.
    var found = [[ListedDevice]](repeating: [], count: indexes.count)
    let kinds = Int64(reach.kinds)
    try db.ask(
      Self.ofUser, .numbers(indexes.map { _ in app.rawValue }), .texts(indexes.map { users[$0] }),
      .numbers(indexes.map { _ in kinds })
    ) { index, row in found[index].append(ListedDevice(row)) }
    for (index, devices) in zip(indexes, found) {
      if devices.isEmpty && unreached.count < StoreLimits.unreachedMax { unreached.append(index) }
      for device in devices {
        members.append(WriterContext.Member(device: device.id))
        guard device.takesMessages else { continue }
        subscribed += 1
        note(device, reach)
      }
    }
  }

  /// In `flags`, 1 represents `optedOut`.
  ///
  /// The unary plus keeps SQLite from going through all active devices by the index of states.
  static let devicesOfUser = """
    SELECT id, kind, environment, flags & 1 FROM devices
    WHERE app = ?1 AND user = ?2 AND +state = #device.active AND (kind NOT IN (#kind.iosLiveActivity, #kind.iosLiveActivityStart) OR (CAST(?3 AS BIGINT) >> CAST(kind AS INTEGER)) & 1 = 1)
    ORDER BY id
    """
  private static let ofUser = KeyedQuestion(devicesOfUser, .number, .text, .number)

  /// Counts a device that takes messages, if the push does not get to it; most pushes get to every device they list.
  private mutating func note(_ device: ListedDevice, _ reach: Reach) {
    let isWritten = reach.contains(kind: device.kind)
    if isWritten && reach.hasAllLanes { return }
    guard let target = device.target, !isWritten || reach.lacks(target) else { return }
    unreachable[target, default: 0] += 1
  }

  /// Devices by their keys.
  ///
  /// - Parameter reach: what the push has payloads for.
  mutating func add(
    devices: [DeviceID], _ app: AppID, reaching reach: Reach, _ db: borrowing Connection
  ) throws(StoreError) {
    var seen = Once<DeviceID>(devices.count)
    let once = devices.filter { seen.insert($0) }
    repeats += devices.count - once.count
    var found = [ListedDevice?](repeating: nil, count: once.count)
    try db.ask(Self.byKey, .numbers(once.map { _ in app.rawValue }), .numbers(once.map(\.rawValue))) { index, row in
      found[index] = ListedDevice(row)
    }
    members.reserveCapacity(members.count + once.count)
    for (key, device) in zip(once, found) {
      guard let device else { throw Checks.missing("device", key) }
      if device.takesMessages { note(device, reach) }
      members.append(WriterContext.Member(device: key))
    }
  }

  private static let byKey = KeyedQuestion(
    "SELECT id, kind, environment, flags & 1 FROM devices WHERE app = ?1 AND id = ?2 LIMIT 1", .number, .number)

  /// Addresses: of a registered one, its device; of the others, each spelling of an address once.
  mutating func add(addresses: [DeviceAddress], _ app: AppID, _ db: borrowing Connection) throws(StoreError) {
    // A channel is nobody's device, whatever was registered under its id.
    let asked = addresses.indices.filter { addresses[$0].kind.isDevice }
    let bounds = asked.map { TokenRange.bounds(addresses[$0].token) }
    var found: [Int: DeviceID] = [:]
    try db.ask(
      Self.byToken, .numbers(asked.map { _ in app.rawValue }), .texts(bounds.map(\.first)), .texts(bounds.map(\.last))
    ) { index, row in found[asked[index]] = row.id(0) }
    var devices = Once<DeviceID>(addresses.count)
    var others = Once<DeviceAddress>(addresses.count)
    for (index, address) in addresses.enumerated() {
      let device = found[index]
      guard device.map({ devices.insert($0) }) ?? others.insert(address.spelledOnce) else {
        repeats += 1
        continue
      }
      members.append(WriterContext.Member(device: device, target: device == nil ? AddressCoding.encode(address) : nil))
    }
    try dropEarlierTokens(db)
  }

  private static let byToken = KeyedQuestion(
    "SELECT id FROM devices WHERE app = ?1 AND token >= ?2 AND token <= ?3 LIMIT 1", .number, .text, .text)

  /// The only address of a list, whose device is looked for where its row is written.
  mutating func add(_ only: DeviceAddress) {
    members.append(
      WriterContext.Member(target: AddressCoding.encode(only), tokens: TokenRange.bounds(only.token)))
  }

  /// A token that a device of the list had before is that device once more.
  private mutating func dropEarlierTokens(_ db: borrowing Connection) throws(StoreError) {
    guard members.contains(where: { $0.device == nil }), members.contains(where: { $0.device != nil }) else { return }
    var earlier: Set<String> = []
    try db.ask(EarlierTokens.ofDevice, .numbers(members.compactMap { $0.device?.rawValue })) { _, row in
      earlier.insert(WebAddress.identity(of: row.text(0)))
    }
    guard !earlier.isEmpty else { return }
    let before = members.count
    members.removeAll { member in
      member.target.flatMap(AddressCoding.decode).map { earlier.contains(WebAddress.identity(of: $0.token)) } ?? false
    }
    repeats += before - members.count
  }
}

extension DeviceAddress {
  /// The same for all spellings of one address: APNs tokens are hexadecimal, in either case, and a browser's endpoint
  /// may come with different keys.
  fileprivate var spelledOnce: DeviceAddress {
    switch kind.form {
    case .deviceToken:
      guard token.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5a }) else { return self }
      return DeviceAddress(token: token.lowercased(), kind: kind, environment: environment)
    case .subscription:
      return DeviceAddress(token: WebAddress.identity(of: token), kind: kind, environment: environment)
    case .channel, .registrationToken, .installationID, .pushToken: return self
    }
  }
}

/// A device of a list, from columns id, kind, environment, and whether it opted out.
private struct ListedDevice {
  let id: DeviceID
  let kind: Int
  let target: KindInEnvironment?
  let takesMessages: Bool

  init(_ row: borrowing Statement) {
    id = row.id(0)
    kind = row.int(1)
    target = KindInEnvironment(row, from: 1)
    takesMessages = row.int(3) == 0
  }
}

/// Tokens that devices had before.
enum EarlierTokens {
  static let ofDevice = KeyedQuestion("SELECT token FROM earlier_tokens WHERE device = ?1 ORDER BY token", .number)
}

/// What was seen of a list; a list of one costs no set.
private struct Once<Element: Hashable> {
  private let isSingle: Bool
  private var seen: Set<Element> = []

  init(_ count: Int) {
    isSingle = count < 2
    if !isSingle { seen.reserveCapacity(count) }
  }

  /// Whether the element is seen for the first time.
  mutating func insert(_ element: Element) -> Bool { isSingle || seen.insert(element).inserted }
}
