/// What is known of this device, stored in one file that only the app writes; the extension reads it.
struct DeviceState {
  /// This device's own name, by which the server finds it under any token.
  var name: String?
  /// The server's id of the device.
  var device: String?
  var token: String?
  var environment: String?
  var user: String?
  /// Whose device it is at the server: the user of the last registration that it accepted, or may have accepted.
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
