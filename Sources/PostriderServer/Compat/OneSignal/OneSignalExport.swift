internal import Basics
internal import HTTPServer
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// The CSV export of subscriptions.
enum OneSignalExport {
  static let routes: [Route] = [
    OneSignalRoutes.route(
      .post, "/players/csv_export", "ExportSubscriptions", "Makes a link to a file of all subscriptions.", body: body,
      link)
  ]

  private static let body = Schema(.map, "OneSignal's request.", example: ["extra_fields": ["external_user_id"]])

  /// The columns of every file, in OneSignal's order, and those that are asked for.
  fileprivate static let usual = [
    "id", "identifier", "session_count", "language", "timezone", "game_version", "device_os", "device_type",
    "device_model", "ad_id", "tags", "last_active", "playtime", "amount_spent", "created_at", "invalid_identifier",
    "badge_count",
  ]
  private static let extra = [
    "external_user_id", "onesignal_id", "notification_types", "timezone_id", "country", "test_type",
    "web_auth", "web_p256",
  ]

  @Sendable private static func link(_ c: CompatCall) throws(Problem) -> Reply {
    for name in ["segment_name", "include_unsubscribed"] {
      if let value = c.body[name], !value.isNull, value.bool != true {
        throw OneSignalErrors.refusal(name, "the file has every subscription; leave it out")
      }
    }
    try c.body.refuseOthers(than: ["extra_fields", "include_unsubscribed", "last_active_since"])
    var fields: [String] = []
    for value in try c.body.elements("extra_fields") ?? [] {
      guard let name = value.string, extra.contains(name) else {
        throw OneSignalErrors.refusal(
          "extra_fields", "there are \(extra.joined(separator: ", ")), found \"\((value.string ?? "").prefix(40))\"")
      }
      if !fields.contains(name) { fields.append(name) }
    }
    let since = try activeSince(c.body["last_active_since"])
    return Reply(200, ["csv_file_url": OneSignalFiles.link(.subscriptions(columns: fields, activeSince: since), c)])
  }

  /// Seconds since 1970, which OneSignal's clients send as text.
  private static func activeSince(_ value: JSONValue?) throws(Problem) -> Int64 {
    guard let value, !value.isNull else { return 0 }
    guard let seconds = value.int.map({ Int64($0) }) ?? value.string.flatMap({ Int64($0) }), seconds >= 0 else {
      throw OneSignalErrors.refusal("last_active_since", "expected seconds since 1970, such as \"1767225600\"")
    }
    return seconds
  }
}

/// The file's rows: the subscriptions of a snapshot.
struct OneSignalSubscriptionRows: OneSignalRows {
  private let devices: any DeviceExport
  private let columns: [String]
  private let since: Timestamp
  private let app: AppID
  private let appID: String
  private let store: any Store

  init(
    _ devices: any DeviceExport, _ more: [String], since: Int64, app: AppID, _ appID: String, _ store: any Store
  ) {
    self.devices = devices
    columns = OneSignalExport.usual + more
    self.since = Timestamp(seconds: since)
    (self.app, self.appID, self.store) = (app, appID, store)
  }

  var header: [UInt8] {
    var text: [UInt8] = []
    text.appendRecord(columns)
    return text
  }

  func next(into text: inout [UInt8], now: Timestamp) throws(StoreError) -> Bool {
    let next = try devices.next(now: now)
    let shown = next.filter { device in
      device.registeredAt >= since && OneSignalSubscription.types.contains { $0.kind == device.kind }
    }
    // Tags are a user's, and of a subscription of nobody its own.
    let users = try store.users(app: app, named: Set(shown.compactMap(\.user)))
    for device in shown {
      let user = device.user.flatMap { users[$0] }
      for (index, column) in columns.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        text.appendCell(cell(column, device, user))
      }
      text.append(contentsOf: [0x0D, 0x0A])
    }
    return !next.isEmpty
  }

  private func cell(_ column: String, _ device: Device, _ user: User?) -> String {
    switch column {
    case "id": return OneSignalSubscription.id(device, appID)
    case "identifier": return WebAddress.identity(of: device.token)
    case "web_auth": return WebAddress(device.token)?.auth ?? ""
    case "web_p256": return WebAddress(device.token)?.p256dh ?? ""
    case "language": return device.locale ?? ""
    case "timezone_id": return device.timezone ?? ""
    case "game_version": return device.appVersion ?? ""
    case "device_type": return "\(OneSignalSubscription.type(device).number)"
    case "tags": return tags(device, user)
    case "last_active": return time(device.registeredAt)
    case "created_at": return time(device.createdAt)
    case "invalid_identifier": return device.state == .active ? "f" : "t"
    case "external_user_id": return device.user ?? ""
    case "onesignal_id":
      guard let user else { return "" }
      return user.aliases.first { $0.label == OneSignalAliases.oneSignalID }?.id
        ?? CompatID.of(user.id.rawValue, .user, app: appID)
    case "notification_types": return device.state == .active && !device.optOut.everything ? "1" : "-2"
    case "test_type": return device.environment == .development ? "1" : "0"
    case "ad_id", "badge_count", "timezone": return ""
    default:
      let name = column == "device_os" ? "os_version" : column
      let property = device.properties.first { $0.name == name } ?? user?.properties.first { $0.name == name }
      return property.map { OneSignalTags.text(PropertyFields.json($0.value)).string ?? "" } ?? ""
    }
  }

  /// The tags of the user, and what the device has beside them; of two of one name the user's.
  private func tags(_ device: Device, _ user: User?) -> String {
    var tags = device.properties.isEmpty ? [:] : OneSignalSubscription.tags(device)
    for property in user?.properties ?? [] where property.name != "country" {
      tags[property.name] = OneSignalTags.text(PropertyFields.json(property.value))
    }
    return tags.isEmpty ? "{}" : String(decoding: JSON.minified(.object(tags)), as: UTF8.self)
  }

  /// `2026-11-20 12:00:00`, UTC.
  private func time(_ time: Timestamp) -> String {
    let text = TimeText.text(time)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }
}
