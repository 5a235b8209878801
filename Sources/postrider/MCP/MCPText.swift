import DevicePreview
import WireJSON

/// Text that came from pushes, people and providers: kept apart from what the server says itself, bounded, without secrets.
enum MCPText {
  /// The longest text inside a result of the server's records, in characters.
  static let valueMax = 2_000
  /// Members whose texts are addresses of devices or secrets, wherever they are in an answer.
  static let secret: Set<String> = [
    "token", "tokens", "device_token", "registration_token", "earlier_tokens", "secret", "private_key", "password",
  ]

  /// One line that can do nothing where it is shown.
  static func line(_ text: String, max: Int) -> String {
    let inert = Cell.inert(String(text.unicodeScalars.prefix(max)))
    return text.unicodeScalars.count > max ? "\(inert)…" : inert
  }

  /// The answer of a server, for a model: long texts are cut, secrets are redacted as in logs.
  static func bounded(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text):
      guard text.unicodeScalars.count > valueMax else { return value }
      return .string(String(text.unicodeScalars.prefix(valueMax)) + "… (cut)")
    case .array(let array): return .array(array.map(bounded))
    case .object(let object):
      return .object(
        JSONObject(object.map { ($0.key, secret.contains($0.key) ? redacted($0.value) : bounded($0.value)) }))
    default: return value
    }
  }

  /// Enough to tell two tokens apart, too little to send to.
  static func redacted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text):
      let shown = text.utf8.count >= 16 ? String(text.prefix(4)) : ""
      return .string("\(shown)…(\(text.utf8.count))")
    case .array(let array): return .array(array.map(redacted))
    case .object(let object): return .object(JSONObject(object.map { ($0.key, redacted($0.value)) }))
    case .null, .bool: return value
    default: return .string("…")
    }
  }

  /// The members of an object that are named, in the order of the names, bounded.
  static func members(_ names: [String], of value: JSONValue) -> JSONObject {
    var object = JSONObject()
    for name in names {
      guard let member = value[name] else { continue }
      object.append(name, secret.contains(name) ? redacted(member) : bounded(member))
    }
    return object
  }
}
