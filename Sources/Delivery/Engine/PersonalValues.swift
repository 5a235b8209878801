public import WireJSON

/// What a personal push is filled with, and how its variants are shared out.
///
/// Kept with the push as JSON: `{"values":{…},"users":{"ann":{…}},"tokens":{"…":{…}},"shares":[50,50]}`.
public struct PersonalValues: Sendable {
  /// Values for every recipient.
  public var common: [String: String] = [:]
  /// Values for the devices of a user.
  public var users: [String: [String: String]] = [:]
  /// Values for an address, by its token.
  public var tokens: [String: [String: String]] = [:]
  /// The share of each variant, in percent; the rest gets none.
  public var shares: [Int] = []

  /// Nothing.
  public init() {}

  /// Reads what `json` writes; what is not as it writes is left out.
  public init(_ bytes: [UInt8]) {
    guard let body = try? JSON.parse(bytes) else { return }
    common = Self.texts(body["values"])
    for (name, value) in body["users"]?.object ?? [:] { users[name] = Self.texts(value) }
    for (name, value) in body["tokens"]?.object ?? [:] { tokens[name] = Self.texts(value) }
    shares = (body["shares"]?.array ?? []).compactMap(\.int)
  }

  /// The values as JSON.
  public var json: JSONValue {
    func object(_ texts: [String: String]) -> JSONValue {
      .object(JSONObject(texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }
    func objects(_ values: [String: [String: String]]) -> JSONValue {
      .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, object($0.value)) }))
    }
    return [
      "values": object(common), "users": objects(users), "tokens": objects(tokens),
      "shares": .array(shares.map { .number(JSONNumber($0)) }),
    ]
  }

  /// The texts of an object: strings as they are, other values as JSON writes them, null as none.
  public static func texts(_ value: JSONValue?) -> [String: String] {
    var texts: [String: String] = [:]
    for (name, value) in value?.object ?? [:] {
      if let text = value.string { texts[name] = text } else if !value.isNull { texts[name] = JSON.minifiedText(value) }
    }
    return texts
  }
}
