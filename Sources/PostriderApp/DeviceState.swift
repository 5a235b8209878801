/// What is known of this device, stored in one file that only the app writes; the extension reads it.
struct DeviceState {
  /// This device's own name, by which the server finds it under any token.
  var name: String?
  /// The server's id of the device.
  var device: String?
  var token: String?
  var environment: String?
  var user: String?
  /// The user of the registration that the server accepted last: whose device it is there.
  var owner: String?
  var tags: [String]?
  var optOut: Bool?
  /// The registration that the server accepted last, when, and which server and app that was.
  var accepted: String?
  var acceptedAt: Int64 = 0
  var target: String?

  private let folder: String

  init(folder: String) {
    self.folder = folder
    let stored = AppFiles.read("\(folder)/state.json").flatMap(AppJSON.parse) ?? .null
    name = stored["name"]?.string
    device = stored["device"]?.string
    token = stored["token"]?.string
    environment = stored["environment"]?.string
    user = stored["user"]?.string
    owner = stored["owner"]?.string
    tags = stored["tags"]?.array?.compactMap(\.string)
    optOut = stored["opt_out"]?.bool
    accepted = stored["accepted"]?.string
    acceptedAt = stored["accepted_at"]?.integer ?? 0
    target = stored["target"]?.string
  }

  var isOptedOut: Bool { optOut == true }

  func save() -> Bool {
    AppFiles.makeFolder(folder)
    func text(_ value: String?) -> AppJSON? { value.map { .string($0) } }
    let object = AppJSON.members([
      ("name", text(name)), ("device", text(device)), ("token", text(token)), ("environment", text(environment)),
      ("user", text(user)), ("owner", text(owner)), ("tags", tagsJSON), ("opt_out", optOut.map { .bool($0) }),
      ("accepted", text(accepted)),
      ("accepted_at", .number(String(acceptedAt))), ("target", text(target)),
    ])
    return AppFiles.write(object.text, to: "\(folder)/state.json", by: "\(folder)/state.tmp")
  }

  var tagsJSON: AppJSON? { tags.map { .array($0.map { .string($0) }) } }
}

/// A time as RFC 3339 in UTC, such as `2026-11-20T12:00:00.000Z`.
func timeText(_ milliseconds: Int64) -> String {
  let day = (milliseconds >= 0 ? milliseconds : milliseconds - 86_399_999) / 86_400_000
  let rest = milliseconds - day * 86_400_000
  // Days to the proleptic Gregorian calendar, counted from 1 March of the year 0 so that the leap day comes last.
  let shifted = day + 719_468
  let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
  let ofEra = shifted - era * 146_097
  let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
  let ofYear = ofEra - (365 * year + year / 4 - year / 100)
  let month = (5 * ofYear + 2) / 153
  let date = ofYear - (153 * month + 2) / 5 + 1
  let civil = month < 10 ? month + 3 : month - 9
  let time = "\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1000 % 60, 2))"
  return
    "\(padded(year + era * 400 + (civil <= 2 ? 1 : 0), 4))-\(padded(civil, 2))-\(padded(date, 2))T\(time).\(padded(rest % 1000, 3))Z"
}
