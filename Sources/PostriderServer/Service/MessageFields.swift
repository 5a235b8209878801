internal import PushPayload
internal import PushRules
internal import StoreModel
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

  static let undefined = Schema.choice(
    ["strict", "lax", "skip"],
    "What a missing value without a default means: strict (the default) reports for how many devices of the audience it is"
      + " missing, lax does not, and skip sends those devices nothing.")

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
    .optional("undefined", undefined),
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
    for (index, variant) in (body["variants"]?.array ?? []).enumerated() {
      versions.append(
        Version(message: variant["message"] ?? .null, variant: index, field: "variants[\(index)].message"))
      addLocales(variant["locales"], index, "variants[\(index)].")
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
