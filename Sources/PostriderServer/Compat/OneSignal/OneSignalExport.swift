internal import Basics
internal import HTTPServer
internal import PushStore
internal import Signing
internal import Synchronization
internal import WireJSON

/// The CSV export of subscriptions: a link that is good for an hour, and the file behind it, compressed.
///
/// OneSignal's clients fetch the file without a key: the link is one, and names its app, its end and what is in the file under
/// a mark of ours. The file is written as it is read, from the devices of that time.
enum OneSignalExport {
  static let routes: [Route] = [
    OneSignalRoutes.route(
      .post, "/players/csv_export", "ExportSubscriptions", "Makes a link to a file of all subscriptions.", body: body,
      link),
    Route(
      .get("/compat/onesignal/csv_exports/{file}", .open), name: "onesignalExportFile",
      about: "The file of an export; the link is its key.",
      answers: [
        Route.Answer(
          status: 200, about: "CSV, compressed.", schema: .string("The file.", max: 1_000_000_000),
          contentType: contentType)
      ], traits: .init(vendor: .oneSignal), action: .now(file)),
  ]

  private static let contentType = "application/gzip"
  static let lastsSeconds: Int64 = 3_600
  private static let ending = ".csv.gz"
  private static let body = Schema(.map, "OneSignal's request.", example: ["extra_fields": ["external_user_id"]])

  /// The columns of every file, in OneSignal's order, and those that are asked for.
  private static let usual = [
    "id", "identifier", "session_count", "language", "timezone", "game_version", "device_os", "device_type",
    "device_model", "ad_id", "tags", "last_active", "playtime", "amount_spent", "created_at", "invalid_identifier",
    "badge_count",
  ]
  private static let extra = ["external_user_id", "notification_types", "timezone_id", "country", "test_type"]

  // MARK: - The link

  @Sendable private static func link(_ c: CompatCall) throws(Problem) -> Reply {
    for name in ["segment_name", "last_active_since", "include_unsubscribed"] {
      if let value = c.body[name], !value.isNull, value.bool != true {
        throw OneSignalErrors.refusal(name, "the file has every subscription; leave it out")
      }
    }
    try c.body.refuseOthers(than: ["extra_fields", "include_unsubscribed"])
    var fields: [String] = []
    for value in try c.body.elements("extra_fields") ?? [] {
      guard let name = value.string, extra.contains(name) else {
        throw OneSignalErrors.refusal(
          "extra_fields", "there are \(extra.joined(separator: ", ")), found \"\((value.string ?? "").prefix(40))\"")
      }
      if !fields.contains(name) { fields.append(name) }
    }
    let end = c.now.adding(seconds: lastsSeconds).milliseconds
    let text = "\(c.entry.app.id).\(end).\(fields.joined(separator: "-"))"
    let name = "\(text).\(mark(text, c.service))\(ending)"
    return Reply(200, ["csv_file_url": .string(address(c.call.http, name))])
  }

  private static func mark(_ text: String, _ service: Service) -> String {
    Base64URL.encode(HMACSHA256.authenticate(Array("csv export:\(text)".utf8), key: service.vault.derivation))
  }

  /// The link as the client reaches this server: below the path by which the request came.
  private static func address(_ http: HTTPRequest, _ name: String) -> String {
    let host = http.headers.first("Host") ?? "localhost"
    let before = http.segments.first == "compat" ? "/compat/onesignal" : ""
    return "\(http.head.isSecure ? "https" : "http")://\(host)\(before)/csv_exports/\(name)"
  }

  // MARK: - The file

  @Sendable private static func file(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let parts = call.parameters[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let missing = Problem(.notFound, "there is no such file, or its link has expired; ask for another export")
    guard call.parameters[0].hasSuffix(ending), parts.count == 6, let app = AppID(parts[0]), let end = Int64(parts[1]),
      constantTimeEqual(
        Array(mark("\(parts[0]).\(parts[1]).\(parts[2])", service).utf8), Array(parts[3].utf8)),
      call.now.milliseconds < end
    else { throw missing }
    let entry = try service.apps.app(id: app, now: call.now)
    guard let appID = entry.app.compat[CompatVendor.oneSignal.rawValue] else { throw missing }
    let slot = try service.exports.take(app)
    let rows = try service.ask { store throws(StoreError) in try store.exportDevices(app: app, now: call.now) }
    let columns = usual + parts[2].split(separator: "-").map(String.init)
    var reply = Reply(200, json: [])
    reply.contentType = contentType
    let isFirst = Atomic(true)
    // The closure holds the slot until the response is complete or aborted.
    reply.producer = { [slot] piece in
      _ = slot
      var text: [UInt8] = []
      if isFirst.exchange(false, ordering: .relaxed) { text += record(columns) }
      let next = try rows.next(now: service.now)
      for device in next where OneSignalSubscription.types.contains(where: { $0.kind == device.kind }) {
        text += record(columns.map { cell($0, device, appID) })
      }
      // A file of several members is one file (RFC 1952 section 2.2).
      if !text.isEmpty { piece += Gzip.compress(text) ?? [] }
      return !next.isEmpty
    }
    return reply
  }

  private static func record(_ cells: [String]) -> [UInt8] {
    Array((cells.map(DeviceCSV.quoted).joined(separator: ",") + "\r\n").utf8)
  }

  private static func cell(_ column: String, _ device: Device, _ appID: String) -> String {
    let isOn = device.state == .active && !device.optOut.everything
    switch column {
    case "id":
      if let name = device.name, CompatID.isUUID(name) { return name }
      return CompatID.of(device.id.rawValue, .device, app: appID)
    case "identifier": return device.token
    case "language": return device.locale ?? ""
    case "timezone_id": return device.timezone ?? ""
    case "game_version": return device.appVersion ?? ""
    case "device_type": return "\(OneSignalSubscription.type(device.kind).number)"
    case "tags": return String(decoding: JSON.minified(.object(OneSignalSubscription.tags(device))), as: UTF8.self)
    case "last_active": return time(device.registeredAt)
    case "created_at": return time(device.createdAt)
    case "invalid_identifier": return device.state == .active ? "f" : "t"
    case "external_user_id": return device.user ?? ""
    case "notification_types": return isOn ? "1" : "-2"
    case "test_type": return device.environment == .development ? "1" : "0"
    default:
      let property = device.properties.first { $0.name == (column == "device_os" ? "os_version" : column) }
      return property.map { OneSignalTags.text(PropertyFields.json($0.value)).string ?? "" } ?? ""
    }
  }

  /// `2026-11-20 12:00:00`, UTC.
  private static func time(_ time: Timestamp) -> String {
    String(TimeText.text(time).prefix(19).map { $0 == "T" ? " " : $0 })
  }
}
