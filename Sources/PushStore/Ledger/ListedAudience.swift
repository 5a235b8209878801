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

  func lacks(_ place: KindInEnvironment) -> Bool { !lacked.isEmpty && lacked.contains(place.kind, place.environment) }

  /// Whether no lane is lacked, so that a kind says all.
  var hasAllLanes: Bool { lacked.isEmpty }
}

/// Audiences that are listed one by one: each recipient is in the push once, however often the list names it.
extension WriterContext.Plan {
  /// The active devices of users.
  ///
  /// - Parameter reach: what the push has payloads for; tokens of Live Activities are nobody's phone, and in an audience only
  ///   of what is for them.
  mutating func add(
    users: [String], _ app: AppID, reaching reach: Reach, _ db: borrowing Connection
  ) throws(StoreError) {
    var seen = Once<String>(users.count)
    for (place, user) in users.enumerated() {
      guard seen.insert(user) else {
        repeats += 1
        continue
      }
      let before = members.count
      try addDevices(of: user, app, reach, db)
      if members.count == before && unreached.count < StoreLimits.unreachedMax { unreached.append(place) }
    }
  }

  /// In `flags`, 1 stands for `optedOut`.
  ///
  /// The unary plus keeps SQLite from going through all active devices by the index of states.
  static let devicesOfUser: StaticString = """
    SELECT id, kind, environment, flags & 1 FROM devices
    WHERE app = ?1 AND user = ?2 AND +state = #device.active AND (kind NOT IN (#kind.iosLiveActivity, #kind.iosLiveActivityStart) OR (CAST(?3 AS BIGINT) >> CAST(kind AS INTEGER)) & 1 = 1)
    ORDER BY id
    """

  /// A device has one user, so two users never share one.
  private mutating func addDevices(
    of user: String, _ app: AppID, _ reach: Reach, _ db: borrowing Connection
  ) throws(StoreError) {
    let select = try db.prepare(Self.devicesOfUser)
    select.bindAll(app, user, Int(reach.kinds))
    while try select.step() {
      members.append(WriterContext.Member(device: select.id(0)))
      guard select.int(3) == 0 else { continue }
      subscribed += 1
      note(select, reach)
    }
  }

  /// Counts a device that takes messages, by the columns 1 and 2 of a row, if the push does not get to it; most pushes get to
  /// every device they list.
  private mutating func note(_ row: borrowing Statement, _ reach: Reach) {
    let isWritten = reach.contains(kind: row.int(1))
    if isWritten && reach.hasAllLanes { return }
    guard let place = KindInEnvironment(row, from: 1), !isWritten || reach.lacks(place) else { return }
    unreachable[place, default: 0] += 1
  }

  /// Devices by their keys.
  ///
  /// - Parameter reach: what the push has payloads for.
  mutating func add(
    devices: [DeviceID], _ app: AppID, reaching reach: Reach, _ db: borrowing Connection
  ) throws(StoreError) {
    var seen = Once<DeviceID>(devices.count)
    let select = try db.prepare("SELECT id, kind, environment, flags & 1 FROM devices WHERE id = ?1 AND app = ?2")
    select.bind(2, app)
    for device in devices {
      guard seen.insert(device) else {
        repeats += 1
        continue
      }
      select.bind(1, device)
      guard try select.step() else { throw Checks.missing("device", device) }
      if select.int(3) == 0 { note(select, reach) }
      select.reset()
      members.append(WriterContext.Member(device: device))
    }
  }

  /// Addresses: of a registered one, its device; of the others, each spelling of an address once.
  mutating func add(addresses: [DeviceAddress], _ app: AppID, _ db: borrowing Connection) throws(StoreError) {
    var devices = Once<DeviceID>(addresses.count)
    var others = Once<DeviceAddress>(addresses.count)
    for address in addresses {
      // A channel is nobody's device, whatever was registered under its id.
      let device = address.kind.isDevice ? try db.deviceID(app, token: address.token) : nil
      guard device.map({ devices.insert($0) }) ?? others.insert(address.spelledOnce) else {
        repeats += 1
        continue
      }
      members.append(WriterContext.Member(device: device, target: device == nil ? AddressCoding.encode(address) : nil))
    }
    try dropEarlierTokens(db)
  }

  /// The only address of a list, whose device is looked for where its row is written.
  mutating func add(_ only: DeviceAddress) {
    members.append(
      WriterContext.Member(target: AddressCoding.encode(only), tokens: TokenRange.bounds(only.token)))
  }

  /// A token that a device of the list had before is that device once more.
  private mutating func dropEarlierTokens(_ db: borrowing Connection) throws(StoreError) {
    guard members.contains(where: { $0.device == nil }), members.contains(where: { $0.device != nil }) else { return }
    var earlier: Set<String> = []
    let select = try db.prepare("SELECT token FROM earlier_tokens WHERE device = ?1")
    for member in members {
      guard let device = member.device else { continue }
      select.bind(1, device)
      while try select.step() { earlier.insert(WebAddress.identity(of: select.text(0))) }
      select.reset()
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

extension Connection {
  fileprivate func deviceID(_ app: AppID, token: String) throws(StoreError) -> DeviceID? {
    let (first, last) = TokenRange.bounds(token)
    let select = try prepare("SELECT id FROM devices WHERE app = ?1 AND token >= ?2 AND token <= ?3")
    select.bindAll(app, first, last)
    return try select.step() ? select.id(0) : nil
  }
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
