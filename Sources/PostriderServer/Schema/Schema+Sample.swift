internal import WireJSON

/// An answer as it may look, made from its schema: what the OpenAPI document shows.
extension Schema {
  /// A value that fits, with texts that belong to the member's name.
  func sample(named name: String = "") -> JSONValue {
    if let example { return example }
    switch form {
    case .string(let min, let max): return .string(Self.text(name, min, max))
    case .choice(let values): return .string(values.first ?? "")
    case .integer(let range):
      let usual = Sample.numbers[name] ?? 1
      return .number(JSONNumber(Swift.min(Swift.max(usual, range.lowerBound), range.upperBound)))
    case .boolean: return .bool(!Sample.usuallyFalse.contains(name))
    case .map: return Sample.maps[name] ?? [:]
    case .any: return name == "open_rate" ? ((try? JSON.parse("0.2500")) ?? .null) : .null
    case .array(let item, _, _): return .array([item.sample(named: name)])
    case .named(let schema): return SchemaTable.byName[schema]?.sample(named: name) ?? .null
    case .object(let properties):
      var object = JSONObject()
      for property in properties where property.isRequired || !Sample.rare.contains(property.name) {
        object.append(property.name, property.schema.sample(named: property.name))
      }
      return .object(object)
    }
  }

  private static func text(_ name: String, _ min: Int, _ max: Int) -> String {
    let usual = Sample.texts[name] ?? "text"
    return usual.count <= max ? usual : String(usual.prefix(max))
  }
}

/// What members usually hold.
private enum Sample {
  /// Members that most answers lack.
  static let rare: Set<String> = [
    "report", "problem", "failure", "failed_at", "stopped", "revoked_at", "replayed", "state_reason", "earlier_tokens",
    "send_at", "send_at_local", "send_at_time_of_day", "send_at_last_active", "user_values", "schedule",
    "throttle_per_minute", "expires_at", "behavior", "variants", "paused_at", "ended_at", "secret", "key", "not_before",
    "message_name",
  ]
  static let usuallyFalse: Set<String> = ["opt_out", "running", "stopped", "system", "replayed"]
  static let numbers: [String: Int] = [
    "targeted": 3, "accepted": 2, "rejected": 1, "received": 2, "opened": 1, "total": 1_000, "tried": 1_000,
    "devices": 1_000, "over": 0, "bytes": 312, "bytes_max": 4_096, "status": 200, "left": 0, "waiting": 0,
    "in_flight": 0, "expired": 0, "cancelled": 0, "unknown": 0, "resent": 0, "unknowns": 0, "failed": 0, "dropped": 0,
    "queued": 0, "deliveries_days": 90, "events_days": 90, "rate_per_minute": 600,
  ]
  static let texts: [String: String] = [
    "id": "42", "push": "42", "device": "12", "delivery": "43", "last_push": "42", "user": "ann", "name": "demo",
    "app": "demo", "title": "Demo", "campaign": "spring-sale", "prefix": "prk_AbCdEf", "reason": "Unregistered",
    "token": "00fc13adff78512200fc13adff78512200fc13adff78512200fc13adff785122", "locale": "de-AT",
    "timezone": "Europe/Vienna", "app_version": "2.1.0", "email": "ann@example.com", "phone": "+43 1 234567",
    "display_name": "Ann", "anonymous_id": "a-1", "tags": "beta", "opt_out_categories": "news",
    "apns_id": "a1b2c3d4-e5f6-8788-8000-00000000002a", "url": "https://example.com/hooks/push", "act": "createApp",
    "target": "/v1/apps → demo", "from": "127.0.0.1", "request_id": "cbacd870bf0fc16d", "table": "devices",
    "pseudonym": "erased-X3pT99czL3p-hPDhjbFkFg", "action": "reply", "actions": "reply", "field": "message.title",
    "rule": "aps-reserved", "message": "what was found and what to do", "meaning": "The app was removed.",
    "next": "Nothing.", "key": "reminder-1", "next_at": "2026-11-20T12:00:00.000Z",
  ]
  static let maps: [String: JSONValue] = [
    "properties": ["plan": "pro"], "entitlements": ["premium": true], "values": ["first_name": "there"],
    "request": ["to": ["all": true], "message": ["title": "Hello", "body": "World"]],
    "message": ["title": "Hello", "body": "World"],
    "filter": ["field": "properties.plan", "op": "eq", "value": "pro"],
  ]
}
