internal import PushPayload
internal import PushRules
internal import PushStore
internal import WireJSON

/// The members of a request that say what is sent: a message, or a stored template; for languages and variants; and the
/// values of its placeholders.
enum MessageFields {
  /// Messages of one push, over all languages and variants: each is written and checked.
  static let versionsMax = 64
  /// A/B variants of one push.
  static let variantsMax = 10
  private static let values = Schema(.map, "Values of placeholders, by name; text, or another value as JSON writes it.")
  private static let locales = Schema(
    .map, "The message in other languages, by BCP 47 tag; a device takes de-at, then de, then the message itself.")

  static let properties: [Schema.Property] = [
    .optional("message", Schema(.map, "The message in the contract's form; needed without a template.")),
    .optional("template", .string("A stored template instead of a message.", max: 200)),
    .optional("locales", locales),
    .optional(
      "variants",
      .array(
        of: .named("Variant"), min: 1, max: variantsMax, "A/B variants: users beyond all shares get the message itself."
      )),
    .optional("values", values),
    .optional("contract", SchemaTable.contract),
    .optional("options", options),
    .optional("topic", .string("One of the app's bundle ids; the credentials' first by default.", max: 200)),
  ]
  static let variant = Schema.object(
    [
      .required("name", .string("Its name.", max: 100)),
      .required("share", .integer(1...100, "The percentage of users that get it.")),
      .required("message", Schema(.map, "The message in the contract's form.")), .optional("locales", locales),
    ], "An A/B variant.")
  /// Options of a contract, for an app or for one push.
  static let options = Schema.array(
    of: .string("An option.", max: 64), max: 16,
    "Options of the contract that are switched on; of a push, the app's by default when it is the app's contract.")

  /// The options that a request names; nil when it names none.
  static func options(_ body: JSONValue) -> [String]? { body["options"]?.array?.compactMap(\.string) }

  static let userValues = Schema.Property.optional(
    "user_values", Schema(.map, "Values for the devices of single users: by user, then by name."))

  /// One message of a push.
  struct Version {
    let message: JSONValue
    var locale: String?
    var variant: Int?
    /// Its field path in the request.
    let field: String
  }

  /// Every message, the one for all others first.
  static func versions(_ body: JSONValue) -> [Version] {
    var versions = [Version(message: body["message"] ?? .null, field: "message")]
    func addLocales(_ value: JSONValue?, _ variant: Int?, _ field: String) {
      for (tag, message) in value?.object ?? [:] {
        versions.append(
          Version(message: message, locale: tag, variant: variant, field: "\(field)locales[\"\(tag.prefix(40))\"]"))
      }
    }
    addLocales(body["locales"], nil, "")
    for (place, variant) in (body["variants"]?.array ?? []).enumerated() {
      versions.append(
        Version(message: variant["message"] ?? .null, variant: place, field: "variants[\(place)].message"))
      addLocales(variant["locales"], place, "variants[\(place)].")
    }
    return versions
  }

  /// The A/B variants, by index.
  static func variants(_ body: JSONValue) -> [PushVariant] {
    (body["variants"]?.array ?? []).map {
      PushVariant(name: $0["name"]?.string ?? "", share: $0["share"]?.int ?? 0)
    }
  }

  /// What is wrong with the members together.
  static func check(_ body: JSONValue, _ report: inout Report) {
    if body["message"] == nil {
      report.add(
        rule: Schema.Rule.missing, severity: .error, field: "message", message: "is required without a template")
    }
    let shares = (body["variants"]?.array ?? []).compactMap { $0["share"]?.int }.reduce(0) { $0 + min(max($1, 0), 101) }
    if shares > 100 {
      report.add(
        rule: "push-variants", severity: .error, field: "variants",
        message: "the shares add up to \(shares) percent; at most 100 can be shared out")
    }
    let count = versions(body).count
    if count > versionsMax {
      report.add(
        rule: "push-variants", severity: .error, field: "locales",
        message: "\(count) messages over all languages and variants; at most \(versionsMax) are written for one push")
    }
    for version in versions(body) {
      if let tag = version.locale { LocaleField.check(tag, version.field, .error, &report) }
    }
    for (user, value) in body["user_values"]?.object ?? [:] where value.object == nil {
      report.add(
        rule: Schema.Rule.type, severity: .error, field: "user_values[\"\(user.prefix(40))\"]",
        message: "expected an object of values, found \(value.kind)")
    }
  }

  /// The request with the members of its stored template, where it has none of its own.
  static func resolve(_ body: JSONValue, app: AppID, store: any Store) throws(Problem) -> JSONValue {
    guard let name = body["template"]?.string else { return body }
    let stored: StoredTemplate?
    do throws(StoreError) { stored = try store.template(app: app, named: name) } catch { throw Problem(error) }
    guard let stored, let template = (try? JSON.parse(stored.body))?.object else {
      var report = Report()
      report.add(
        rule: "template-unknown", severity: .error, field: "template",
        message: "the app has no template \"\(name.prefix(100))\"; GET /v1/apps/{app}/templates lists them")
      throw Problem(.invalid, report: report)
    }
    var object = body.object ?? [:]
    // A message of the request's own comes without the template's languages and variants.
    let names =
      object["message"] == nil
      ? ["message", "locales", "variants", "contract", "options", "topic"] : ["contract", "options", "topic"]
    for name in names where object[name] == nil { object[name] = template[name] }
    var values = template["values"]?.object ?? [:]
    for (name, value) in object["values"]?.object ?? [:] { values[name] = value }
    object["values"] = .object(values)
    return .object(object)
  }
}

/// A message with marked placeholders, so that their positions can be found in a contract's output.
///
/// A mark is a number between two characters that no text has (of a private plane), with a quotation mark that is
/// escaped during rendering: the number of its backslashes shows whether the mark is in a JSON string or in JSON inside
/// of one.
struct MarkedMessage {
  /// The message as a recipient without any value gets it.
  let plain: JSONValue
  /// The same with one letter replacing each text that has only placeholders without a fallback.
  let filled: JSONValue
  /// The message with a mark for each placeholder; nil without placeholders.
  let marked: JSONValue?
  let placeholders: [(name: String, fallback: String)]
  /// The names of those without a fallback.
  let namesWithoutFallback: Set<String>

  private static let open: [UInt8] = Array("\u{F0000}".utf8)
  private static let close: [UInt8] = Array("\u{F0001}".utf8)

  init(_ message: JSONValue) {
    var found: [(name: String, fallback: String)] = []
    plain = Self.map(message) { PlaceholderText($0).text { _, fallback in fallback } }
    filled = Self.map(message) { text in
      let plain = PlaceholderText(text).text { _, fallback in fallback }
      return plain.isEmpty && !text.isEmpty ? "x" : plain
    }
    var bare: Set<String> = []
    let marked = Self.map(message) { text in
      let template = PlaceholderText(text)
      bare.formUnion(template.namesWithoutFallback)
      return template.text { name, fallback in
        found.append((name, fallback))
        return "\u{F0000}\(found.count - 1)\"\u{F0001}"
      }
    }
    placeholders = found
    namesWithoutFallback = bare
    self.marked = found.isEmpty ? JSONValue?.none : .some(marked)
  }

  /// Whether any text of a message looks like it has a placeholder.
  static func hasPlaceholder(_ message: JSONValue) -> Bool {
    switch message {
    case .string(let text): text.utf8.contains(UInt8(ascii: "{")) && PlaceholderText(text).isTemplate
    case .array(let elements): elements.contains(where: hasPlaceholder)
    case .object(let object): object.contains { hasPlaceholder($0.value) }
    default: false
    }
  }

  private static func map(_ value: JSONValue, _ text: (String) -> String) -> JSONValue {
    switch value {
    case .string(let string): .string(text(string))
    case .array(let elements): .array(elements.map { map($0, text) })
    case .object(let object): .object(JSONObject(object.map { ($0.key, map($0.value, text)) }))
    default: value
    }
  }

  /// Removes the marks from a payload and records their positions; nil when one was changed by rendering, or is in a
  /// header.
  func holes(in payload: RenderedPayload) -> RenderedPayload? {
    guard !payload.headers.contains(where: { $0.value.unicodeScalars.contains("\u{F0000}") }) else { return nil }
    var result = payload
    result.body = []
    result.body.reserveCapacity(payload.body.count)
    result.holes = []
    let body = payload.body
    var index = 0
    while index < body.count {
      if index == payload.tokenOffset { result.tokenOffset = result.body.count }
      guard body[index] == Self.open[0], body[index...].starts(with: Self.open) else {
        result.body.append(body[index])
        index += 1
        continue
      }
      guard let (number, depth, end) = Self.mark(in: body, at: index), number < placeholders.count else { return nil }
      let (name, fallback) = placeholders[number]
      result.holes.append(
        RenderedPayload.Hole(offset: result.body.count, name: name, fallback: fallback, depth: depth))
      index = end
    }
    if payload.tokenOffset == body.count { result.tokenOffset = result.body.count }
    return result
  }

  private static func mark(in body: [UInt8], at start: Int) -> (number: Int, depth: Int, end: Int)? {
    var index = start + open.count
    var number = 0
    let digits = index
    while index < body.count, (0x30...0x39).contains(body[index]), index - digits < 6 {
      number = number * 10 + Int(body[index] - 0x30)
      index += 1
    }
    guard index > digits else { return nil }
    var backslashes = 0
    while index < body.count, body[index] == UInt8(ascii: "\\") { (index, backslashes) = (index + 1, backslashes + 1) }
    // Each time a text is escaped, the quotation mark's n backslashes become 2n + 1.
    guard let depth = [1: 1, 3: 2, 7: 3][backslashes], index < body.count, body[index] == UInt8(ascii: "\""),
      body[(index + 1)...].starts(with: close)
    else { return nil }
    return (number, depth, index + 1 + close.count)
  }
}
