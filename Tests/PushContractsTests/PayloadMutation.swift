import TestSupport
import WireJSON

/// One change to a document: a member or element that is left out, repeated, renamed, or has another value or spelling.
struct PayloadMutation {
  var random: SeededRandom
  private var left = 0
  private var writer = ""

  init(random: SeededRandom) { self.random = random }

  private static let values: [String] = [
    "null", "true", "false", "0", "1", "-1", "7.0", "1e2", "99999999999999999999", #""""#, #"" ""#, #""im_loc_text""#,
    #""a\/b\u00e9\u0007\ud83d\ude00""#, "[]", "{}", #"["a"]"#, #"["a","b"]"#, #"[1]"#, #"{"i":"x"}"#,
    #""{\"i\":\"x\"}""#,
    #""basic""#, #""WEBURL""#, #""https://e.example/a.png""#, #""http:""#, #""60s""#, #""0s""#, #""[\"a\"]""#,
    #"{"title":"t","body":""}"#, #""[{\"n\":\"A\",\"i\":\"a\"}]""#, #""[{\"n\":\"\"}]""#,
    #""{\"id\":\"c\",\"nm\":\"C\"}""#,
    #""{\"id\":\"miscellaneous\"}""#, #""{\"id\":\"c\",\"grp_id\":\"g\"}""#, #""FF00FF00""#, #""5""#, #""background""#,
    #""chime""#,
  ]
  private static let names = [
    "aps", "alert", "title", "body", "badge", "sound", "data", "android", "notification", "message", "custom",
    "adb_title",
    "adb_body_ex", "fcm_options", "deep_link", "loc-key", "loc-args", "content-available", "category", "os_data",
    "apns", "x",
    "notification_count", "image", "ttl", "collapse_key", "token", "mdm", "event", "actionSelected", "badge_inc",
    "o", "chnl", "oth_chnl", "sound", "pri", "sicon", "bgac", "ledc", "vib", "led", "bdg", "apns-push-type",
    "APNS-Push-Type",
  ]

  /// The text of a document with one change, and now and then with white space.
  mutating func bytes(of root: JSONValue) -> [UInt8] {
    left = Int(random.next() % UInt64(Self.count(root) + 1))
    writer = ""
    write(root)
    return Array(writer.utf8)
  }

  private static func count(_ value: JSONValue) -> Int {
    switch value {
    case .array(let elements): elements.reduce(1) { $0 + count($1) }
    case .object(let members): members.reduce(1) { $0 + count($1.value) }
    default: 1
    }
  }

  private mutating func write(_ value: JSONValue) {
    left -= 1
    if left == 0 {
      writer += Self.values[Int(random.next() % UInt64(Self.values.count))]
      return
    }
    switch value {
    case .array(let elements):
      writer += "["
      for (index, element) in elements.enumerated() {
        writer += index > 0 ? "," : ""
        write(element)
      }
      writer += "]"
    case .object(let members): write(members)
    default: writer += JSON.minifiedText(value)
    }
  }

  private mutating func write(_ members: JSONObject) {
    let change = left == 1 ? Int(random.next() % 4) : -1
    if change >= 0 { left = -1_000_000 }
    let place = members.isEmpty ? 0 : Int(random.next() % UInt64(members.count))
    writer += random.next() % 16 == 0 ? "{ " : "{"
    var isFirst = true
    for (index, member) in members.enumerated() {
      if change == 0, index == place { continue }
      writer += isFirst ? "" : ","
      isFirst = false
      let name = change == 1 && index == place ? Self.names[Int(random.next() % UInt64(Self.names.count))] : member.key
      writer += JSON.minifiedText(.string(name)) + ":"
      write(member.value)
    }
    if change >= 2 {
      writer += isFirst ? "" : ","
      let name =
        change == 2 && !members.isEmpty ? members[place].key : Self.names[Int(random.next() % UInt64(Self.names.count))]
      writer += JSON.minifiedText(.string(name)) + ":" + Self.values[Int(random.next() % UInt64(Self.values.count))]
    }
    writer += "}"
  }
}
