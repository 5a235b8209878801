internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// How a message is divided between this server and the vendor, so that each of its recipients gets it from one of them.
enum ShadowSplit: Sendable {
  /// The vendor gets all of it, for this reason.
  case vendor(String?)
  /// Every recipient's is delivered from here.
  case here(recipients: Int)
  /// Each side gets the request with its own recipients.
  case divided(here: JSONValue, vendor: JSONValue, counts: (here: Int, vendor: Int))

  private static let whole =
    "is addressed to segments, filters or a campaign, which cannot be divided; the vendor delivers all of it"

  /// Divides a request by the share of users whose messages are delivered from here.
  static func of(_ request: ShadowedCall) throws(Problem) -> ShadowSplit {
    guard request.setting.livePercent > 0 else { return .vendor(nil) }
    let path = request.route.pattern
    let c: CompatCall
    do throws(Problem) { c = try CompatCall(request.call, request.service, request.vendor) } catch {
      return .vendor(nil)
    }
    if request.route.method != .post { return .vendor(nil) }
    if path.hasSuffix("/notifications") { return try oneSignal(c, request) }
    if path.hasSuffix("/push/push2clients") {
      return try list(c.body["clients"], in: c.body, at: ["clients"], request) { id throws(Problem) in
        try isHere(user: id, request)
      }
    }
    if path.hasSuffix("/push/message/batch/send") {
      return try list(c.body["requestObject"]?["batch"], in: c.body, at: ["requestObject", "batch"], request) {
        message throws(Problem) in try isHere(user: message["userId"], request)
      }
    }
    if path.hasSuffix("/push/message/send") {
      return try isHere(user: c.body["requestObject"]?["message"]?["userId"], request)
        ? .here(recipients: 1) : .vendor(nil)
    }
    if path.hasSuffix("/push-schedule") {
      let id = request.call.parameters.last ?? ""
      return try isHere(user: .string(try c.userName(ofID: id) ?? id), request) ? .here(recipients: 1) : .vendor(nil)
    }
    return .vendor(request.isSend ? whole : nil)
  }

  // MARK: - OneSignal

  private static let people = ["include_external_user_ids"]
  private static let subscriptions = ["include_subscription_ids", "include_player_ids"]
  private static let tokens = ["include_ios_tokens", "include_android_reg_ids"]
  private static let others = ["included_segments", "excluded_segments", "filters", "tags"]

  private static func oneSignal(_ c: CompatCall, _ request: ShadowedCall) throws(Problem) -> ShadowSplit {
    let members = c.body.object ?? [:]
    let ways = members.filter { name, value in
      (people + subscriptions + tokens + others).contains(name) || name.hasPrefix("include_") ? !isEmpty(value) : false
    }
    guard ways.count == 1, let (way, value) = ways.first, !others.contains(way) else { return .vendor(whole) }
    if way == "include_aliases" {
      guard let aliases = value.object, aliases.count == 1, let (label, ids) = aliases.first else {
        return .vendor("names more than one alias; the vendor delivers all of it")
      }
      return try list(ids, in: c.body, at: [way, label], request) { id throws(Problem) in
        switch label {
        case OneSignalAliases.externalID: return try isHere(user: id, request)
        case OneSignalAliases.oneSignalID:
          return try isHere(user: try c.userName(ofID: id.string ?? "").map { .string($0) }, request)
        default: return false
        }
      }
    }
    return try list(value, in: c.body, at: [way], request) { id throws(Problem) in
      if people.contains(way) { return try isHere(user: id, request) }
      let text = id.string ?? ""
      if subscriptions.contains(way) { return try isHere(try OneSignalSubscriptions.device(text, c), request) }
      return tokens.contains(way) ? try isHere(try c.device(token: text), request) : false
    }
  }

  private static func isEmpty(_ value: JSONValue) -> Bool {
    value.isNull || value.array?.isEmpty == true || value.object?.isEmpty == true
  }

  // MARK: - Dividing

  private static func list(
    _ value: JSONValue?, in body: JSONValue, at path: [String], _ request: ShadowedCall,
    _ isHere: (JSONValue) throws(Problem) -> Bool
  ) throws(Problem) -> ShadowSplit {
    guard let elements = value?.array, !elements.isEmpty else { return .vendor(nil) }
    var (here, vendor): ([JSONValue], [JSONValue]) = ([], [])
    for element in elements { if try isHere(element) { here.append(element) } else { vendor.append(element) } }
    if here.isEmpty { return .vendor(nil) }
    if vendor.isEmpty { return .here(recipients: here.count) }
    return .divided(
      here: body.replacing(path[...], with: .array(here)), vendor: body.replacing(path[...], with: .array(vendor)),
      counts: (here.count, vendor.count))
  }

  /// Whether a user's messages are delivered from here: the user is among the share, and has a device that is reached.
  private static func isHere(user value: JSONValue?, _ request: ShadowedCall) throws(Problem) -> Bool {
    guard let user = value?.string, !user.isEmpty,
      isAmong("user \(user)", request.entry.app.id, percent: request.setting.livePercent)
    else { return false }
    let devices = try request.service.ask { store throws(StoreError) in
      try store.devices(
        app: request.entry.app.id, filter: DeviceFilter(user: user, state: .active), after: nil,
        limit: StoreLimits.pageMax)
    }
    return devices.contains { request.entry.reaches($0.kind.provider) }
  }

  private static func isHere(_ device: Device?, _ request: ShadowedCall) throws(Problem) -> Bool {
    guard let device, device.state == .active, request.entry.reaches(device.kind.provider) else { return false }
    let person = device.user.map { "user \($0)" } ?? "device \(device.id)"
    return isAmong(person, request.entry.app.id, percent: request.setting.livePercent)
  }

  /// Whether a person is among a share: the same answer for as long as the share is, and yes for every larger one.
  static func isAmong(_ person: String, _ app: AppID, percent: Int) -> Bool {
    let digest = SHA256.digest("\(app) \(person)").prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return digest % 100 < UInt64(percent)
  }
}

extension JSONValue {
  /// The value with another one at a path of members.
  fileprivate func replacing(_ path: ArraySlice<String>, with value: JSONValue) -> JSONValue {
    guard let name = path.first else { return value }
    var object = object ?? [:]
    object[name] = (object[name] ?? .null).replacing(path.dropFirst(), with: value)
    return .object(object)
  }
}
