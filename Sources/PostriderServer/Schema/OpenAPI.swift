internal import HTTPServer
internal import WireJSON

/// The OpenAPI 3.1 document, made from the routes.
struct OpenAPI: Sendable {
  let routes: [Route]
  let schemas: [(name: String, schema: Schema)]
  let version: String

  /// What the path parameters mean, by name.
  static let parameterDescriptions: [String: String] = [
    "app": "The app's id.", "device": "The device's id.", "user": "The user, in your words.",
    "segment": "The segment's name.", "push": "The push's id.",
    "key": "The key's id.",
    "contract": "The contract's name.", "name": "Your own name of it.", "schedule": "The schedule's id.",
    "webhook": "The webhook's id.", "kid": "The identity key's id.",
  ]

  var document: JSONValue {
    var paths = JSONObject()
    for route in routes {
      var item = paths[route.pattern]?.object ?? JSONObject()
      item[route.method.rawValue.lowercased()] = operation(route)
      paths[route.pattern] = .object(item)
    }
    var components = JSONObject()
    for (name, schema) in schemas { components.append(name, schema.openAPI) }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "Postrider", "version": .string(version), "license": ["name": "MIT", "identifier": "MIT"],
        "description": .string(about),
      ],
      "servers": [["url": "/"]],
      "security": .array(keys.map { [$0.name: []] }),
      "paths": .object(paths),
      "components": [
        "securitySchemes": .object(JSONObject(keys.map { ($0.name, $0.scheme) })),
        "schemas": .object(components),
      ],
    ]
  }

  /// The vendor whose interface it describes; nil for our own API.
  private var vendor: CompatVendor? { routes.first?.traits.vendor }

  private var about: String {
    vendor == nil
      ? "Push notifications over APNs and FCM. Errors are problem documents (RFC 9457) with a report of findings;"
        + " every answer to a POST that creates something can be repeated with the same Idempotency-Key."
      : "Another vendor's interface, for that vendor's clients. Errors have the vendor's form."
  }

  /// The forms of a key.
  private var keys: [(name: String, scheme: JSONValue)] {
    let bearer: JSONValue = [
      "type": "http", "scheme": "bearer", "description": "An API key, shown once when it is made.",
    ]
    let basic: JSONValue = [
      "type": "http", "scheme": "basic", "description": "An API key, as the password or as the user name.",
    ]
    let session: JSONValue = [
      "type": "apiKey", "in": "cookie", "name": "postrider_session",
      "description": "The cookie of POST /session; writes also carry its write_token in X-CSRF-Token.",
    ]
    guard let vendor else { return [("bearer", bearer), ("session", session)] }
    let own = vendor.keyHeaders.map { header -> (String, JSONValue) in
      let name = header.description
      return (name, ["type": "apiKey", "in": "header", "name": .string(name), "description": "An API key."])
    }
    return (vendor.authorizationSchemes.isEmpty ? [] : [("bearer", bearer)]) + own
      + (vendor.acceptsKeyInAddress ? [("basic", basic)] : [])
  }

  private func operation(_ route: Route) -> JSONValue {
    var operation: JSONObject = [
      "operationId": .string(route.name), "summary": .string(route.about),
    ]
    switch route.access {
    case .open: operation["security"] = []
    case .scopes(let scope):
      let names = scope.union(.admin).names.joined(separator: ", ")
      let token = vendor != nil && route.traits.readsIdentity ? " and a token of the app's user" : ""
      operation["description"] = .string("Needs a key with one of these scopes\(token): \(names).")
    }
    // What a reader of the audit log may ask for.
    if AuditRoutes.keeps(route) { operation["x-audited"] = true }
    let parameters = self.parameters(route)
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let body = route.body {
      operation["requestBody"] = [
        "required": true,
        "content": [
          "application/json": [
            "schema": body.openAPI, "example": RequestExamples.json(route.name) ?? body.sample(),
          ]
        ],
      ]
    }
    if case .upload(_, let types) = route.action {
      var content = JSONObject()
      for type in types {
        content.append(type, ["schema": ["type": "string"], "example": .string(RequestExamples.files[type] ?? "")])
      }
      operation["requestBody"] = ["required": true, "content": .object(content)]
    }
    operation["responses"] = .object(responses(route))
    return .object(operation)
  }

  private func parameters(_ route: Route) -> [JSONValue] {
    var parameters: [JSONValue] = route.parameterNames.map { name in
      [
        "name": .string(name), "in": "path", "required": true,
        "description": .string(OpenAPI.parameterDescriptions[name] ?? name), "schema": ["type": "string"],
      ]
    }
    for query in route.query {
      parameters.append([
        "name": .string(query.name), "in": "query", "required": .bool(query.isRequired),
        "description": .string(query.schema.about), "schema": query.schema.openAPI,
      ])
    }
    return parameters + headers(route)
  }

  private func headers(_ route: Route) -> [JSONValue] {
    var headers: [JSONValue] = []
    func add(_ name: String, _ about: String, _ schema: JSONValue) {
      headers.append([
        "name": .string(name), "in": "header", "required": false, "description": .string(about), "schema": schema,
      ])
    }
    if route.traits.readsIdentity, vendor == nil {
      add(
        IdentityCheck.header.description,
        "A JSON Web Token of the app's backend that says on whose behalf a key of scope client acts.",
        OpenAPI.text(max: IdentityToken.bytesMax))
    }
    if route.method == .post {
      add(
        "Idempotency-Key", "A text of the caller's choice; the same text with the same request has its effect once.",
        OpenAPI.text(max: IdempotencyHeader.bytesMax, pattern: "^[\\x20-\\x7E]+$"))
    }
    if route.hasTag {
      add(
        "If-None-Match", "The ETag of an earlier answer; while nothing has changed, the answer is 304 without a body.",
        ["type": "string"])
    } else if [.put, .patch, .delete].contains(route.method),
      routes.contains(where: { $0.pattern == route.pattern && $0.hasTag })
    {
      add(
        "If-Match", "The ETag of a GET of this path; the request is refused with 412 if that has changed since.",
        ["type": "string"])
    }
    return headers
  }

  private static func text(max: Int, pattern: String? = nil) -> JSONValue {
    var schema: JSONObject = ["type": "string", "minLength": 1, "maxLength": .number(JSONNumber(max))]
    if let pattern { schema.append("pattern", .string(pattern)) }
    return .object(schema)
  }

  private static let problem: JSONValue = [
    "type": "urn:postrider:problem:not-found", "title": "Not found", "status": 404,
    "detail": "this app has no push with that id", "request_id": "cbacd870bf0fc16d",
  ]

  private func responses(_ route: Route) -> JSONObject {
    var responses = JSONObject()
    for answer in route.answers {
      let status = String(answer.status)
      // A status may come in several forms, such as NDJSON and CSV; each is an answer of its own.
      var response = responses[status]?.object ?? ["description": .string(answer.about)]
      if let schema = answer.schema {
        var content = response["content"]?.object ?? [:]
        for type in [answer.contentType] + answer.otherContentTypes {
          var media: JSONObject = ["schema": schema.openAPI]
          if type == "application/json" { media["example"] = schema.sample() }
          if let text = RequestExamples.answer(route.name, type) { media["example"] = .string(text) }
          content[type] = .object(media)
        }
        response["content"] = .object(content)
      }
      responses[status] = .object(response)
    }
    if route.hasTag {
      var found = responses["200"]?.object ?? [:]
      found["headers"] = [
        "ETag": ["description": "What the answer is, for If-None-Match and If-Match.", "schema": ["type": "string"]]
      ]
      responses["200"] = .object(found)
      responses["304"] = ["description": "It is as If-None-Match says."]
    }
    var content: JSONObject = [
      Problem.contentType: ["schema": ["$ref": "#/components/schemas/Problem"], "example": Self.problem]
    ]
    // A request that is refused before its path is read has our own form.
    if route.traits.vendor != nil { content["application/json"] = ["schema": ["type": "object"]] }
    responses["default"] = [
      "description":
        .string(route.traits.vendor == nil ? "A problem (RFC 9457)." : "A refusal in the vendor's form."),
      "content": .object(content),
    ]
    return responses
  }
}

extension Route {
  /// True when what it shows has an entity tag: JSON that is answered whole.
  fileprivate var hasTag: Bool {
    switch action {
    case .now, .write: break
    case .long, .upload: return false
    }
    return method == .get
      && answers.contains { $0.status == 200 && $0.contentType == "application/json" }
  }
}

extension Schema {
  /// The schema in the words of JSON Schema 2020-12, which OpenAPI 3.1 uses.
  var openAPI: JSONValue {
    var object = JSONObject()
    switch form {
    case .named(let name): return ["$ref": .string("#/components/schemas/\(name)")]
    case .any: break
    case .string(let min, let max):
      object["type"] = "string"
      if min > 0 { object["minLength"] = .number(JSONNumber(min)) }
      object["maxLength"] = .number(JSONNumber(max))
    case .choice(let values):
      object["type"] = "string"
      object["enum"] = .array(values.map { .string($0) })
    case .integer(let range):
      object["type"] = "integer"
      object["minimum"] = .number(JSONNumber(range.lowerBound))
      object["maximum"] = .number(JSONNumber(range.upperBound))
    case .boolean: object["type"] = "boolean"
    case .map: object["type"] = "object"
    case .array(let item, let min, let max):
      object["type"] = "array"
      object["items"] = item.openAPI
      if min > 0 { object["minItems"] = .number(JSONNumber(min)) }
      object["maxItems"] = .number(JSONNumber(max))
    case .object(let properties):
      object["type"] = "object"
      var members = JSONObject()
      for property in properties { members.append(property.name, property.openAPI) }
      object["properties"] = .object(members)
      let required = properties.filter(\.isRequired).map { JSONValue.string($0.name) }
      if !required.isEmpty { object["required"] = .array(required) }
    }
    if !about.isEmpty { object["description"] = .string(about) }
    if let example { object["examples"] = [example] }
    for (name, value) in documented { object[name] = value }
    return .object(object)
  }
}

extension Schema.Property {
  fileprivate var openAPI: JSONValue {
    isNullable ? ["anyOf": [schema.openAPI, ["type": "null"]]] : schema.openAPI
  }
}
