public import WireJSON

/// What a personal push is filled with, and how its variants are shared out.
///
/// Kept with the push as JSON: `{"values":{…},"users":{"ann":{…}},"tokens":{"…":{…}},"shares":[50,50]}`, and `trees` with the
/// same members for what is no text.
public struct PersonalValues: Sendable {
  /// Values for every recipient.
  public var common: [String: String] = [:]
  /// Values for the devices of a user.
  public var users: [String: [String: String]] = [:]
  /// Values for an address, by its token.
  public var tokens: [String: [String: String]] = [:]
  /// What is no text among the same values: numbers, lists and objects, for texts in Liquid.
  public var trees = Trees()
  /// The share of each variant, in percent; the rest gets none.
  public var shares: [Int] = []
  /// Whether a recipient for whom a value is missing gets nothing.
  public var skipsUndefined = false

  /// Values that are no texts.
  public struct Trees: Sendable {
    /// For every recipient.
    public var common: JSONObject = [:]
    /// For the devices of a user.
    public var users: [String: JSONObject] = [:]
    /// For an address, by its token.
    public var tokens: [String: JSONObject] = [:]

    /// Nothing.
    public init() {}

    var isEmpty: Bool { common.isEmpty && users.isEmpty && tokens.isEmpty }
  }

  /// Nothing.
  public init() {}

  /// Reads what `json` writes; what is not as it writes is left out.
  public init(_ bytes: [UInt8]) {
    guard let body = try? JSON.parse(bytes) else { return }
    common = Self.texts(body["values"])
    for (name, value) in body["users"]?.object ?? [:] { users[name] = Self.texts(value) }
    for (name, value) in body["tokens"]?.object ?? [:] { tokens[name] = Self.texts(value) }
    shares = (body["shares"]?.array ?? []).compactMap(\.int)
    trees.common = body["trees"]?["values"]?.object ?? [:]
    for (name, value) in body["trees"]?["users"]?.object ?? [:] { trees.users[name] = value.object }
    for (name, value) in body["trees"]?["tokens"]?.object ?? [:] { trees.tokens[name] = value.object }
    skipsUndefined = body["undefined"]?.string == "skip"
  }

  /// The values as JSON.
  public var json: JSONValue {
    func object(_ texts: [String: String]) -> JSONValue {
      .object(JSONObject(texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }
    func objects(_ values: [String: [String: String]]) -> JSONValue {
      .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, object($0.value)) }))
    }
    func sorted(_ values: [String: JSONObject]) -> JSONValue {
      .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, .object($0.value)) }))
    }
    var json: JSONObject = [
      "values": object(common), "users": objects(users), "tokens": objects(tokens),
      "shares": .array(shares.map { .number(JSONNumber($0)) }),
    ]
    if !trees.isEmpty {
      json["trees"] = ["values": .object(trees.common), "users": sorted(trees.users), "tokens": sorted(trees.tokens)]
    }
    if skipsUndefined { json["undefined"] = "skip" }
    return .object(json)
  }

  /// The members of an object that are numbers, bools, lists or objects.
  public static func trees(_ value: JSONValue?) -> JSONObject {
    JSONObject((value?.object ?? [:]).filter { $0.value.string == nil && !$0.value.isNull }.map { ($0.key, $0.value) })
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
