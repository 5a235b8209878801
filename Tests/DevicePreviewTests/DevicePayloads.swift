import PushContracts
import PushPayload
import TestSupport
import WireJSON

/// Messages of a contract's rows, and mutations of what they are written as.
enum DevicePayloads {
  static func message(_ table: MappingTable, _ random: inout SeededRandom) -> JSONObject {
    var message = JSONObject()
    let isSparse = Bool.random(using: &random)
    for row in table.rows where row.source == .message {
      guard row.isRequired || Int.random(in: 0..<(isSparse ? 12 : 3), using: &random) == 0 else { continue }
      message[row.field] = value(of: row, &random)
    }
    return message
  }

  /// The example of a row, or now and then a value at a boundary of its type, or of another type.
  private static func value(of row: MappingRow, _ random: inout SeededRandom) -> JSONValue {
    switch Int.random(in: 0...24, using: &random) {
    case 0...4: pick(boundaries(of: row.type, row.example), &random)
    case 5: odd(&random)
    default: row.example
    }
  }

  private static func boundaries(of type: FieldType, _ example: JSONValue) -> [JSONValue] {
    switch type {
    case .string: texts
    case .integer, .number: numbers
    case .boolean: [true, false]
    case .strings: [[], [""], ["a", "b", "c"]]
    case .texts: [["en": ""], ["en": " "], ["de": "Hallo"], ["en": "Hi", "de": "Hallo"], [:], "Hi"]
    case .array:
      [[], .array(Array((example.array ?? []).prefix(1))), .array((example.array ?? []) + (example.array ?? []))]
    case .object: [[:], ["k": nil], ["k": ["l": 1]], ["k": ""]]
    case .any: texts + numbers
    }
  }

  private static let texts: [JSONValue] = [
    "", " ", "x", "a.b", "0", "-1", "60", "nil", "@k", "{}", "[]", "null", "true", "TRUE", "FF00FF", "#FF00FF",
    "https://example.com/i.png", "http://example.com/i.png", "HTTPS://example.com/i.png", "ftp://example.com/i",
    "app://x",
    "PRIORITY_HIGH", "default", "filmstrip", "\u{301}a", "\u{1F600}", "2147483648", "99999999999999999999",
  ]
  private static let numbers: [JSONValue] = [
    0, 1, -1, 5, 10, 60, 2_147_483_647, 2_147_483_648, -2_147_483_649, 1_800_000_060, 9_223_372_036_854_775_807, 1.5,
  ]

  static func pick(_ values: [JSONValue], _ random: inout SeededRandom) -> JSONValue {
    values.randomElement(using: &random) ?? .null
  }

  /// The surroundings of a send, with some of the contract's options; IMKit's legacy shape is never sent.
  static func context(_ table: MappingTable, _ random: inout SeededRandom) -> WriteContext {
    var context = WriteContext(topic: "com.example.app")
    context.now = 1_800_000_000
    for option in table.policy.options where option.name != IMKit.legacyOption {
      if Int.random(in: 0..<3, using: &random) == 0 { context.options.append(option.name) }
    }
    return context
  }

  /// A payload of which some members are left out or replaced.
  static func mutated(_ value: JSONValue, _ random: inout SeededRandom, depth: Int = 0) -> JSONValue {
    switch value {
    case .object(let members):
      var result = JSONObject()
      let isStable = depth == 0 && members["message"] != nil
      for (key, member) in members {
        switch isStable ? 9 : Int.random(in: 0...(9 + 3 * depth), using: &random) {
        case 0: continue
        case 1: result.append(key, odd(&random))
        default: result.append(key, mutated(member, &random, depth: depth + 1))
        }
      }
      return .object(result)
    case .array(let elements): return .array(elements.map { mutated($0, &random, depth: depth + 1) })
    case .string(let text):
      guard let inner = try? JSON.parse(text), inner.object != nil || inner.array != nil else { return value }
      return .string(JSON.minifiedText(mutated(inner, &random, depth: depth + 1)))
    default: return value
    }
  }

  /// An Android payload, now and then beside a notification block, or beside something for other devices.
  static func besideBlock(_ payload: JSONValue, _ random: inout SeededRandom) -> JSONValue {
    guard case .object(var message)? = payload["message"], Int.random(in: 0..<6, using: &random) == 0 else {
      return payload
    }
    let block = blocks.randomElement(using: &random) ?? [:]
    if Bool.random(using: &random) {
      message["notification"] = block
    } else {
      message["android"] = ["notification": block]
    }
    if Int.random(in: 0..<3, using: &random) == 0 { message["apns"] = ["payload": ["aps": ["badge": 1]]] }
    if Int.random(in: 0..<6, using: &random) == 0 { message["webpush"] = ["data": ["k": "v"]] }
    return ["message": .object(message)]
  }

  private static let blocks: [JSONValue] = [
    [:], ["title": "T"], ["body": ""], ["image": "https://example.com/i.png"], ["body": "B", "image": "x"],
    ["title": "", "body_loc_key": "K"], ["title_loc_key": "K", "title_loc_args": ["a"]],
    ["body": "B", "sound": "s.wav"],
    ["title": "T", "icon": "https://example.com/i.png"], ["titleLocKey": "K"], ["title": " "],
  ]

  /// The headers of a push of any type, as APNs accepts them.
  static func headers(_ random: inout SeededRandom) -> APNsHeaders {
    let type = APNsPushType.known.randomElement(using: &random) ?? .alert
    var headers = APNsHeaders(
      pushType: type, priority: type == .background ? .powerAware : .immediate,
      topic: "com.example.app" + (type.topicSuffix ?? ""))
    if type == .pushtotalk { headers.expiration = .once }
    return headers
  }

  static func odd(_ random: inout SeededRandom) -> JSONValue {
    pick(oddities, &random)
  }

  private static let oddities: [JSONValue] = [
    .null, "", "text", 7, true, [], [:], ["n": "x"], ["title": "", "body": "b"], [["n": "A"], ["i": "b"]], false, 0, -1,
    "0", "-1", " ", "{}", "[]", "{", 1.5, ["a"], [.null], "https://example.com/i.png",
  ]
}
