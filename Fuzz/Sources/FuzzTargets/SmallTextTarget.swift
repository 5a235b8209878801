import PushPayload
import PushRules

extension FuzzTarget {
  static let smallTexts = FuzzTarget(
    name: "small-texts", about: "small texts (paths, durations, instants, ids, colors, settings) read back equal"
  ) { (bytes) throws(FuzzFailure) in
    let text = String(decoding: bytes, as: UTF8.self)
    let path = FieldPath(parsing: text)
    try expect(FieldPath(parsing: path.text) == path, "a path reads back as another one")
    try expect(path.pointer.isEmpty == path.steps.isEmpty, "a path and its pointer are not empty together")
    if let duration = FCMDuration(text: text) {
      try expect(FCMDuration(text: duration.text) == duration, "\(duration.text) reads back as another duration")
    }
    if let instant = FCMTimestamp(text: text) {
      try expect(FCMTimestamp(json: instant.json) == instant, "an instant reads back as another one")
    }
    if let id = APNsID(anyCase: text) { try expect(APNsID(id.text) == id, "\(id.text) reads back as another id") }
    if let color = FCMHexColor(text: text) {
      try expect(FCMHexColor(text: color.text) == color, "\(color.text) reads back as another color")
    }
    if let expiration = APNsExpiration(text: text) {
      try expect(APNsExpiration(text: expiration.text) == expiration, "an expiration reads back as another one")
    }
    for kind in DeviceToken.Kind.allCases { _ = try? DeviceToken(text, kind: kind) }
    var settings = RuleSettings()
    _ = try? settings.apply(text)
    _ = Explanations.find(text)
  }
}
