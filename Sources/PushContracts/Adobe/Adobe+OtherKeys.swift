import PushPayload
import WireJSON

/// Keys of Adobe's that one platform's library reads and the other's does not: what a person would see or hear of them is
/// lost.
extension Adobe {
  /// A key that is read on the other platform.
  private struct OtherKey {
    let key: String
    /// What is not there without it.
    let loss: String
    /// What the platform reads instead; nil when it has no such thing.
    let instead: FieldPath?
  }

  private static let appleKeys = [
    OtherKey(key: "adb_image", loss: "no picture is drawn of it", instead: FieldPath(members: "adb_media")),
    OtherKey(key: "adb_image_alt", loss: "no picture is drawn of it", instead: FieldPath(members: "adb_media_alt")),
    OtherKey(key: "adb_act", loss: "there are no buttons", instead: nil),
    OtherKey(key: "adb_rem_txt", loss: "there is no such button", instead: nil),
    OtherKey(key: "adb_sound", loss: "no sound plays", instead: FieldPath(members: "aps", "sound")),
    OtherKey(key: "adb_n_count", loss: "the badge does not change", instead: FieldPath(members: "aps", "badge")),
  ]

  private static let androidKeys = [
    OtherKey(key: "adb_media", loss: "no picture is drawn of it", instead: FieldPath(members: "adb_image")),
    OtherKey(key: "adb_media_alt", loss: "no picture is drawn of it", instead: FieldPath(members: "adb_image_alt")),
    OtherKey(key: "adb_title_ex", loss: "the expanded title is adb_title", instead: nil),
  ]

  /// Says what is lost by keys of the other platform; where what replaces them is there too, nothing is.
  static func reportOtherKeys(
    _ members: JSONObject, _ platform: Platform, at path: FieldPath, _ report: inout Report
  ) {
    for other in platform == .ios ? appleKeys : androidKeys where members[other.key]?.string != nil {
      if let instead = other.instead, value(at: instead, in: members) != nil { continue }
      let field = path.member(other.key)
      report.findings.removeAll { $0.rule == "key-unknown" && $0.field == field.text }
      let reader = platform == .ios ? "Android's library alone reads this key" : "iOS alone reads this key"
      let remedy = other.instead.map { "; write \($0.text)" } ?? ""
      report.add(
        rule: "adobe-template-field", severity: .warning, field: field, message: "\(reader): \(other.loss)\(remedy)")
    }
  }

  private static func value(at path: FieldPath, in members: JSONObject) -> JSONValue? {
    var value: JSONValue? = .object(members)
    for case .member(let name) in path.steps { value = value?[name] }
    return value
  }
}
