internal import WireJSON

/// From how many devices on an app's pushes need a second person, and how long they wait for one.
struct ApprovalRule: Sendable, Hashable {
  let aboveDevices: Int
  let hours: Int

  /// The name of the setting, in the API and in the store.
  static let member = "approval"
  static let hoursUsual = 24
  /// The longest wait: a month.
  static let hoursMax = 720

  static let schema = Schema.object(
    [
      .required(
        "above_devices",
        .integer(
          0...1_000_000_000, "Pushes to more devices than this wait until somebody else approves them.", example: 10_000
        )),
      .optional(
        "expires_in_hours",
        .integer(1...hoursMax, "How long they wait before they fail; \(hoursUsual) by default.", example: 24)),
    ], "Large pushes need a second person; none does unless set.")

  init(aboveDevices: Int, hours: Int = hoursUsual) {
    self.aboveDevices = aboveDevices
    self.hours = hours
  }

  /// Reads the form of the API and of the store; nil for null.
  init?(_ json: JSONValue) {
    guard let above = json["above_devices"]?.int else { return nil }
    self.init(aboveDevices: above, hours: json["expires_in_hours"]?.int ?? Self.hoursUsual)
  }

  var json: JSONValue {
    ["above_devices": .number(JSONNumber(aboveDevices)), "expires_in_hours": .number(JSONNumber(hours))]
  }
}
