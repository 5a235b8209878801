internal import PushPayload
internal import StoreModel
internal import TimeZones
internal import WireJSON

/// What `PUT …/suppression` changes: the members that it names; null removes one, and the others stay as they are.
struct SuppressionChange: Sendable {
  private enum Member: Sendable {
    case untouched, removed
    case changed(JSONValue)

    init(_ value: JSONValue?) {
      switch value {
      case nil: self = .untouched
      case .some(let value): self = value.isNull ? .removed : .changed(value)
      }
    }
  }

  private let quietHours: Member
  private let frequencyCap: Member

  /// Reads a body whose shape was checked; throws what is wrong with its values.
  init(_ body: JSONValue) throws(Problem) {
    quietHours = Member(body["quiet_hours"])
    frequencyCap = Member(body["frequency_cap"])
    guard case .changed(let quiet) = quietHours else { return }
    var report = Report()
    for name in ["from", "to"] {
      if let text = quiet[name]?.string, Self.minute(text) == nil {
        report.add(
          rule: Schema.Rule.value, severity: .error, field: "quiet_hours.\(name)",
          message: "expected a time of day such as \"22:00\", found \"\(text.prefix(20))\"")
      }
    }
    if let zone = quiet["timezone"]?.string {
      do throws(TimeZoneError) { _ = try ZoneDatabase.system.zone(zone) } catch {
        report.add(
          rule: Schema.Rule.value, severity: .error, field: "quiet_hours.timezone", message: error.description)
      }
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
  }

  /// The rules after the change, or why they would not be whole.
  func applied(to rules: SuppressionRules) -> Result<SuppressionRules, Problem> {
    var report = Report()
    var changed = rules
    switch quietHours {
    case .untouched: break
    case .removed: changed.quietHours = nil
    case .changed(let quiet): changed.quietHours = Self.quietHours(quiet, rules.quietHours, &report)
    }
    switch frequencyCap {
    case .untouched: break
    case .removed: changed.frequencyCap = nil
    case .changed(let cap): changed.frequencyCap = Self.frequencyCap(cap, rules.frequencyCap, &report)
    }
    return report.hasErrors ? .failure(Problem(.invalid, report: report)) : .success(changed)
  }

  private static func quietHours(_ change: JSONValue, _ old: QuietHours?, _ report: inout Report) -> QuietHours? {
    let from = change["from"]?.string.flatMap(minute) ?? old?.from
    let to = change["to"]?.string.flatMap(minute) ?? old?.to
    require(from, "quiet_hours.from", &report)
    require(to, "quiet_hours.to", &report)
    guard let from, let to else { return nil }
    if from == to {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "quiet_hours.to",
        message: "expected another time of day than \"from\"; to send nothing at all, pause the pushes")
    }
    return QuietHours(from: from, to: to, zone: change["timezone"]?.string ?? old?.zone ?? "UTC")
  }

  private static func frequencyCap(_ change: JSONValue, _ old: FrequencyCap?, _ report: inout Report) -> FrequencyCap? {
    let pushes = change["pushes"]?.int ?? old?.pushes
    let windowMs = change["window_seconds"]?.int.map { Int64($0) * 1_000 } ?? old?.windowMs
    require(pushes, "frequency_cap.pushes", &report)
    require(windowMs, "frequency_cap.window_seconds", &report)
    guard let pushes, let windowMs else { return nil }
    return FrequencyCap(pushes: pushes, windowMs: windowMs)
  }

  private static func require(_ value: (some Any)?, _ field: String, _ report: inout Report) {
    guard value == nil else { return }
    report.add(
      rule: Schema.Rule.missing, severity: .error, field: field, message: "is required, because it is not set yet")
  }

  /// `22:00` as a minute of the day; nil for anything else.
  private static func minute(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
    let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 0x30 }
    guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
    let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
    return hour < 24 && minute < 60 ? hour * 60 + minute : nil
  }
}
