internal import PushPayload
internal import StoreModel
internal import WireJSON

/// A “create notification” request as the request of a push.
struct OneSignalPush {
  private(set) var request: JSONObject = [:]
  let target: OneSignalTarget
  let idempotency: IdempotencyHeader?
  var isScheduled: Bool {
    ["send_at", SendTime.timeOfDay, SendTime.lastActive].contains { request[$0] != nil }
  }

  init(_ c: CompatCall) throws(Problem) {
    let body = c.body.object ?? [:]
    for (name, value) in body {
      if let reason = OneSignalFields.refusal(name, value) { throw OneSignalErrors.refusal(name, reason) }
    }
    target = try OneSignalTarget(c)
    idempotency = try OneSignalPush.key(c)
    request = ["contract": "onesignal", "to": target.to]
    let template = try OneSignalPush.template(c)
    var message = template.map { OneSignalTemplates.content($0) ?? [:] } ?? [:]
    if let template, message["name"] == nil { message["name"] = .string(template.name) }
    for (name, value) in body where !OneSignalFields.isBesideMessage(name) && !value.isNull { message[name] = value }
    var liquid = OneSignalLiquid()
    message = try liquid.translated(message)
    if liquid.isUsed {
      request["values"] = .object(try OneSignalPush.values(message, template, c))
      // A value that is not there is nothing, as with OneSignal.
      request["undefined"] = "lax"
    } else {
      _ = try OneSignalPush.customData(c)
    }
    request["message"] = .object(message)
    let locales = MessageLanguages.ofOneSignal(message)
    if !locales.isEmpty { request["locales"] = .object(locales) }
    // What waits longer is worth nothing on the devices either; 0 means at once or never.
    if let ttl = body["ttl"]?.int, ttl > 0 { request["expires_in_seconds"] = OneSignalRoutes.number(ttl) }
    if let text = body["send_after"], !text.isNull { request["send_at"] = try OneSignalPush.time(text) }
    for (name, value) in try OneSignalPush.ownTime(c.body) { request[name] = value }
    if let rate = body["throttle_rate_per_minute"], let number = try OneSignalPush.rate(rate) {
      request["throttle_per_minute"] = OneSignalRoutes.number(number)
    }
    if body["enable_frequency_cap"]?.bool == false {
      throw OneSignalErrors.refusal(
        "enable_frequency_cap", "the app's frequency cap holds for every push; leave it out")
    }
  }

  /// The template that a request names; its fields are those of the message where the request has none of its own.
  ///
  /// The texts are those of now, also of a message that waits.
  private static func template(_ c: CompatCall) throws(Problem) -> StoredTemplate? {
    guard let id = try c.body.text("template_id"), !id.isEmpty else { return nil }
    do throws(Problem) { return try OneSignalTemplates.found(id, "template_id", c) } catch {
      throw error.kind == .notFound ? Problem(.invalid, error.detail) : error
    }
  }

  /// What texts in Liquid read besides users and devices, under OneSignal's names.
  private static func values(_ message: JSONObject, _ template: StoredTemplate?, _ c: CompatCall) throws(Problem)
    -> JSONObject
  {
    var own: JSONObject = [:]
    if let name = message["name"] { own["name"] = name }
    if let data = try customData(c) { own[OneSignalFields.customData] = .object(data) }
    var values: JSONObject = [
      "message": .object(own),
      "app": [
        "id": .string(c.appID), "name": .string(c.entry.app.title.isEmpty ? c.entry.app.name : c.entry.app.title),
      ],
    ]
    if let template, let id = c.body["template_id"] { values["template"] = ["id": id, "name": .string(template.name)] }
    return values
  }

  private static func customData(_ c: CompatCall) throws(Problem) -> JSONObject? {
    guard let value = c.body[OneSignalFields.customData], !value.isNull else { return nil }
    guard let object = value.object else {
      throw OneSignalErrors.refusal(OneSignalFields.customData, "expected an object of values, found \(value.kind)")
    }
    return object
  }

  /// The key under which a request has its effect once, in OneSignal's members or in our header.
  static func key(_ c: CompatCall) throws(Problem) -> IdempotencyHeader? {
    // `external_id` is the older name.
    let (newer, older) = (try c.body.text("idempotency_key"), try c.body.text("external_id"))
    guard let key = newer ?? older, !key.isEmpty else {
      return c.call.idempotency
    }
    guard key.utf8.count <= IdempotencyHeader.bytesMax, key.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      throw OneSignalErrors.refusal(
        "idempotency_key", "expected at most \(IdempotencyHeader.bytesMax) printable ASCII characters")
    }
    return IdempotencyHeader(text: key)
  }

  /// A time of each person's own, as members of our request.
  private static func ownTime(_ body: JSONValue) throws(Problem) -> JSONObject {
    let (option, clock) = (try body.text("delayed_option"), try body.text("delivery_time_of_day"))
    guard option == "timezone" || clock == nil else {
      throw OneSignalErrors.refusal("delivery_time_of_day", "goes with delayed_option timezone")
    }
    switch option {
    case nil, "immediate": return [:]
    case "last-active": return [SendTime.lastActive: true]
    case "timezone":
      guard let clock else {
        throw OneSignalErrors.refusal("delivery_time_of_day", "is required with delayed_option timezone")
      }
      guard let time = timeOfDay(clock) else {
        throw OneSignalErrors.refusal(
          "delivery_time_of_day", "expected a time such as \"9:00AM\", \"21:45\" or \"9:45:30\"")
      }
      return [SendTime.timeOfDay: .string(time)]
    case let other?:
      throw OneSignalErrors.refusal(
        "delayed_option", "expected timezone or last-active, found \"\(other.prefix(40))\"")
    }
  }

  /// `9:00AM` as `09:00:00`; nil for what is no time of day.
  static func timeOfDay(_ text: String) -> String? {
    var clock = text.lowercased().filter { $0 != " " }
    let half = ["am", "pm"].first { clock.hasSuffix($0) }
    if half != nil { clock.removeLast(2) }
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.count <= 2 && $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard (2...3).contains(parts.count), numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }),
      half == nil ? numbers[0] < 24 : (1...12).contains(numbers[0])
    else { return nil }
    let hour = half == nil ? numbers[0] : numbers[0] % 12 + (half == "pm" ? 12 : 0)
    return "\(two(hour)):\(two(numbers[1])):\(two(numbers.count > 2 ? numbers[2] : 0))"
  }

  /// OneSignal's own client writes the number as text; 0 means no limit.
  private static func rate(_ value: JSONValue) throws(Problem) -> Int? {
    if value.isNull { return nil }
    guard let number = value.int ?? value.string.flatMap({ Int($0) }), number >= 0 else {
      throw OneSignalErrors.refusal("throttle_rate_per_minute", "expected a number of notifications a minute")
    }
    return number == 0 ? nil : number
  }

  // MARK: - Times

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `send_after` in each of OneSignal's forms; without a zone it is UTC.
  private static func time(_ value: JSONValue) throws(Problem) -> JSONValue {
    guard let text = value.string, let time = instant(text) else {
      throw OneSignalErrors.refusal(
        "send_after", "expected a time such as \"2026-12-24 18:00:00 GMT+0100\" or \"2026-12-24T18:00:00+01:00\"")
    }
    return .string(TimeText.text(time))
  }

  static func instant(_ text: String) -> Timestamp? {
    var words = text.split(separator: " ").map(String.init)
    // "2026-12-24T18:00:00"
    if words.count == 1 || words.count == 2, words[0].count > 10 {
      let first = words.removeFirst()
      words = [String(first.prefix(10)), String(first.dropFirst(11))] + words
    }
    // "Thu Sep 24 2015 14:00:00 GMT-0700 (PDT)"
    if words.count >= 6, let month = months.firstIndex(of: words[1]), let day = Int(words[2]) {
      words = ["\(words[3])-\(two(month + 1))-\(two(day))"] + words[4...5]
    }
    guard words.count == 2 || words.count == 3 else { return nil }
    var (clock, zone) = (words[1], words.count == 3 ? words[2] : "")
    if zone.isEmpty, let sign = clock.lastIndex(where: { "+-Z".contains($0) }) {
      (clock, zone) = (String(clock[..<sign]), String(clock[sign...]))
    }
    for name in ["GMT", "UTC"] where zone.hasPrefix(name) { zone.removeFirst(3) }
    if zone.count == 5, !zone.contains(":") { zone.insert(":", at: zone.index(zone.startIndex, offsetBy: 3)) }
    return TimeText.instant("\(words[0])T\(clock)\(zone.isEmpty ? "Z" : zone)")
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
