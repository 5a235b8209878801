internal import PushPayload
internal import TimeZones

/// A device's time zone in a request.
enum ZoneField {
  /// Reports what is no time zone: as a warning, because a device must not be lost because of it.
  static func check(_ name: String, _ field: String, _ report: inout Report) {
    do throws(TimeZoneError) { _ = try ZoneDatabase.system.zone(name) } catch {
      report.add(
        rule: "timezone-unknown", severity: .warning, field: field,
        message: "\(error.description); pushes at a local time reach the device by the push's own time zone")
    }
  }
}
