internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// Templates: those of our own API, whose contract is OneSignal's.
enum OneSignalTemplates {
  private static let path = "/templates/{template_id}"

  static let routes: [Route] = [
    OneSignalRoutes.route(.post, "/templates", "CreateTemplate", "Saves a template.", body: body, create),
    OneSignalRoutes.route(
      .get, "/templates", "ViewTemplates", "Lists templates, by name.",
      query: [
        OneSignalRoutes.limit, OneSignalRoutes.offset,
        Route.Query(name: "channel", schema: .choice(["push", "email", "sms"], "There are those of push only.")),
      ], list),
    OneSignalRoutes.route(.get, path, "ViewTemplate", "Shows a template.") { c throws(Problem) in
      Reply(200, json(try found(c.call.parameters[0], "template_id", c), c))
    },
    OneSignalRoutes.route(.patch, path, "UpdateTemplate", "Changes a template's texts.", body: body, update),
    OneSignalRoutes.route(.delete, path, "DeleteTemplate", "Removes a template.") { c async throws(Problem) in
      try await c.run(.deleteTemplate, [found(c.call.parameters[0], "template_id", c).name])
      return Reply(200, ["success": true])
    },
  ]

  private static let body = Schema(
    .map, "OneSignal's request.",
    example: ["name": "Sale", "headings": ["en": "Sale"], "contents": ["en": "Half price"]])
  /// Templates that are looked at for one with an id: as many as our own API lists.
  private static let listMax = 1_000
  private static let nameMax = 128

  // MARK: - Finding

  /// The id of a template: a UUID (version 8) that follows from its name, which is all that our own API knows it by.
  private static func id(_ name: String, _ c: CompatCall) -> String {
    let digest = SHA256.digest(name)
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return c.id(Int64(bitPattern: half(digest.prefix(8)) >> 1), .template)
  }

  /// The template with an id, or with a name: one that is saved under its id of OneSignal's is found by that.
  static func found(_ id: String, _ member: String, _ c: CompatCall) throws(Problem) -> StoredTemplate {
    let found = try c.ask { store throws(StoreError) in
      if let template = try store.template(app: c.app, named: id) { return template as StoredTemplate? }
      guard CompatID.isUUID(id) else { return nil }
      return try store.templates(app: c.app, after: nil, limit: listMax).first {
        self.id($0.name, c) == id.lowercased()
      }
    }
    guard let found, content(found) != nil else { throw Problem(.notFound, "\(member): there is no such template") }
    return found
  }

  /// The message of a template; nil for one of another contract.
  static func content(_ template: StoredTemplate) -> JSONObject? {
    let body = try? JSON.parse(template.body)
    guard body?["contract"]?.string == "onesignal" else { return nil }
    return body?["message"]?.object
  }

  // MARK: - Work

  /// The fields of the contract that a request names; what decides about a push does not belong in a template.
  private static func message(_ c: CompatCall, onto old: JSONObject) throws(Problem) -> JSONObject {
    var message = old
    for (name, value) in c.body.object ?? [:] where name != "name" && name != CompatCall.appMember {
      if ["is_email", "is_sms", "dynamic_content"].contains(name), !value.isNull, value.bool != false {
        throw OneSignalErrors.refusal(name, "there are templates of push, whose texts are as they are")
      }
      if let reason = OneSignalFields.refusal(name, value) { throw OneSignalErrors.refusal(name, reason) }
      guard !OneSignalFields.isBesideMessage(name), !["is_email", "is_sms", "dynamic_content"].contains(name) else {
        guard value.isNull || value.bool == false else {
          throw OneSignalErrors.refusal(name, "is no part of a template")
        }
        continue
      }
      message[name] = value.isNull ? JSONValue?.none : value
    }
    var liquid = OneSignalLiquid()
    var translated = try liquid.translated(message)
    // What is not rendered is kept from it when it is sent.
    translated["data"] = message["data"]
    return translated
  }

  private static func save(_ name: String, _ message: JSONObject, _ c: CompatCall) async throws(Problem) {
    var body: JSONObject = ["contract": "onesignal", "message": .object(message)]
    let locales = MessageLanguages.ofOneSignal(message)
    if !locales.isEmpty { body["locales"] = .object(locales) }
    do throws(Problem) { try await c.run(.saveTemplate, [name], .object(body)) } catch {
      // Missing credentials are a conflict to us, and to OneSignal a request that cannot be taken.
      throw error.kind == .conflict ? Problem(.invalid, error.detail) : error
    }
  }

  @Sendable private static func create(_ c: CompatCall) async throws(Problem) -> Reply {
    guard let name = try c.body.text("name"), !name.isEmpty else {
      throw OneSignalErrors.refusal("name", "is required")
    }
    guard name.unicodeScalars.count <= nameMax else {
      throw OneSignalErrors.refusal("name", "expected at most \(nameMax) characters")
    }
    let message = try message(c, onto: [:])
    if try c.ask({ store throws(StoreError) in try store.template(app: c.app, named: name) }) != nil {
      throw Problem(.conflict, "a template named \"\(name)\" exists; change it, or choose another name")
    }
    try await save(name, message, c)
    return Reply(200, json(try found(name, "name", c), c))
  }

  @Sendable private static func update(_ c: CompatCall) async throws(Problem) -> Reply {
    let template = try found(c.call.parameters[0], "template_id", c)
    if let name = try c.body.text("name"), name != template.name {
      throw OneSignalErrors.refusal("name", "a template keeps its name, from which its id follows")
    }
    try await save(template.name, message(c, onto: content(template) ?? [:]), c)
    return Reply(200, json(try found(template.name, "template_id", c), c))
  }

  @Sendable private static func list(_ c: CompatCall) throws(Problem) -> Reply {
    let (offset, limit) = OneSignalRoutes.page(c, limitMax: 50)
    var own: [StoredTemplate] = []
    if c.query["channel"] ?? "push" == "push" {
      own = try c.ask { store throws(StoreError) in try store.templates(app: c.app, after: nil, limit: listMax) }
        .filter { content($0) != nil }
    }
    return Reply(
      200,
      [
        "total_count": OneSignalRoutes.number(own.count), "offset": OneSignalRoutes.number(offset),
        "limit": OneSignalRoutes.number(limit),
        "templates": .array(own.dropFirst(offset).prefix(limit).map { json($0, c) }),
      ])
  }

  private static func json(_ template: StoredTemplate, _ c: CompatCall) -> JSONValue {
    [
      "id": .string(id(template.name, c)), "name": .string(template.name), "channel": "push",
      "created_at": .string(TimeText.text(template.createdAt)),
      "updated_at": .string(TimeText.text(template.updatedAt)), "content": .object(content(template) ?? [:]),
    ]
  }
}
