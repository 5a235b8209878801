internal import HTTP2
internal import WireJSON

/// Why a scenario cannot be used: which member, what is wrong, what is allowed.
public struct ScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The field path, such as `rules[0].effect`.
  public let path: String
  /// What is wrong there and what is allowed.
  public let problem: String

  /// Field path and problem in one sentence.
  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

/// One object of a scenario under the reader's eye: members are taken by name, and what is left over is an error, so
/// that a misspelt name is never silently ignored.
struct ScenarioObject {
  let path: String
  private let object: JSONObject
  private var taken: Set<String> = []

  init(_ value: JSONValue, path: String) throws(ScenarioError) {
    guard let object = value.object else {
      throw ScenarioError(path: path, problem: "expected an object, found \(value.kind)")
    }
    self.object = object
    self.path = path
  }

  func memberPath(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  func error(_ name: String, _ problem: String) -> ScenarioError {
    ScenarioError(path: memberPath(name), problem: problem)
  }

  mutating func value(_ name: String) -> JSONValue? {
    taken.insert(name)
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  mutating func object(_ name: String) throws(ScenarioError) -> ScenarioObject? {
    guard let value = value(name) else { return nil }
    return try ScenarioObject(value, path: memberPath(name))
  }

  mutating func text(_ name: String) throws(ScenarioError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw error(name, "expected a string, found \(value.kind)") }
    return text
  }

  mutating func flag(_ name: String) throws(ScenarioError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.bool else { throw error(name, "expected true or false, found \(value.kind)") }
    return flag
  }

  mutating func int(_ name: String, _ range: ClosedRange<Int> = 0...Int(Int32.max)) throws(ScenarioError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let int = value.int, range.contains(int) else {
      throw error(name, "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return int
  }

  mutating func time(_ name: String) throws(ScenarioError) -> Int64? {
    try int(name, 0...Int.max).map { Int64($0) }
  }

  mutating func share(_ name: String) throws(ScenarioError) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.double, (0...1).contains(number) else {
      throw error(name, "expected a share from 0 to 1, such as 0.05")
    }
    return number
  }

  mutating func texts(_ name: String) throws(ScenarioError) -> [String]? {
    guard let value = value(name) else { return nil }
    guard let array = value.array else { throw error(name, "expected an array of strings") }
    var texts: [String] = []
    for element in array {
      guard let text = element.string else { throw error(name, "expected an array of strings") }
      texts.append(text)
    }
    return texts
  }

  mutating func list(_ name: String) throws(ScenarioError) -> [(value: JSONValue, path: String)] {
    guard let value = value(name) else { return [] }
    guard let array = value.array else { throw error(name, "expected an array, found \(value.kind)") }
    return array.enumerated().map { ($0.element, "\(memberPath(name))[\($0.offset)]") }
  }

  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Choice.Type
  ) throws(ScenarioError) -> Choice? where Choice.RawValue == String {
    guard let text = try text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(name, "\"\(text)\" is unknown; use one of \(names)")
    }
    return choice
  }

  /// Different choices in an order.
  mutating func order<Choice: RawRepresentable & CaseIterable & Equatable>(
    _ name: String, _ type: Choice.Type
  ) throws(ScenarioError) -> [Choice]? where Choice.RawValue == String {
    guard let texts = try texts(name) else { return nil }
    var choices: [Choice] = []
    for text in texts {
      guard let choice = Choice(rawValue: text) else {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw error(name, "\"\(text)\" is unknown; use some of \(names)")
      }
      guard !choices.contains(choice) else { throw error(name, "\"\(text)\" is there twice") }
      choices.append(choice)
    }
    return choices
  }

  /// Refuses unknown members.
  func end() throws(ScenarioError) {
    for (name, _) in object where !taken.contains(name) {
      let known = taken.sorted().joined(separator: ", ")
      throw ScenarioError(path: memberPath(name), problem: "no such member; known are \(known)")
    }
  }
}

extension Latency {
  /// Reads a number of milliseconds, `{"uniform": [a, b]}`, `{"normal": {"mean": m, "deviation": d}}` or
  /// `{"percentiles": {"50": a, "99": b}}`.
  init(_ value: JSONValue, path: String) throws(ScenarioError) {
    if let fixed = value.int {
      self = .fixed(min(max(fixed, 0), Self.milliSecondsMax))
      return
    }
    var object = try ScenarioObject(value, path: path)
    if let ends = object.value("uniform") {
      guard let low = ends[0]?.int, let high = ends[1]?.int, 0 <= low, low <= high else {
        throw object.error("uniform", "expected [least, most] in milliseconds")
      }
      self = .uniform(low, high)
    } else if var normal = try object.object("normal") {
      guard let mean = normal.value("mean")?.double, let deviation = normal.value("deviation")?.double else {
        throw object.error("normal", "expected {\"mean\": ms, \"deviation\": ms}")
      }
      try normal.end()
      self = .normal(mean: mean, deviation: deviation)
    } else if let table = object.value("percentiles")?.object {
      self = .percentiles(try Self.points(table, path: object.memberPath("percentiles")))
    } else {
      throw ScenarioError(path: path, problem: "expected milliseconds, or one of uniform, normal, percentiles")
    }
    try object.end()
  }

  private static func points(_ table: JSONObject, path: String) throws(ScenarioError) -> [Point] {
    var points: [Point] = []
    for (name, value) in table {
      guard let percentile = Double(name), (0...100).contains(percentile), let bound = value.double, bound >= 0 else {
        throw ScenarioError(path: path, problem: "expected percentiles 0 to 100 with milliseconds, {\"99\": 40}")
      }
      points.append(Point(percentile: percentile, milliseconds: bound))
    }
    return points.sorted { $0.percentile < $1.percentile }
  }
}

extension Effect {
  /// Reads an effect: a word, the name of a refusal, or an object with one of the members below.
  init(_ value: JSONValue, path: String) throws(ScenarioError) {
    if let word = value.string {
      self = Self.words[word] ?? .refuse(Refusal(word))
      return
    }
    var object = try ScenarioObject(value, path: path)
    if let name = try object.text("refuse") {
      self = .refuse(
        Refusal(
          name, status: try object.int("status", 100...599), timestampMs: try object.time("timestamp_ms"),
          retryAfterSeconds: try object.int("retry_after")))
    } else if var answer = try object.object("answer") {
      self = .answer(
        RawAnswer(
          status: try answer.int("status", 200...599) ?? 200, contentType: try answer.text("content_type"),
          retryAfterSeconds: try answer.int("retry_after"), body: Array((try answer.text("body") ?? "").utf8)))
      try answer.end()
    } else if let code = object.value("reset") {
      self = .reset(code: try Self.errorCode(code, path: object.memberPath("reset")))
    } else if var goAway = try object.object("goaway") {
      self = .goAway(try GoAwayEffect(&goAway))
      try goAway.end()
    } else if let pause = try object.int("stop_reading_ms") {
      self = .stopReading(milliseconds: pause)
    } else if let limit = try object.int("streams") {
      self = .streams(limit)
    } else {
      throw ScenarioError(
        path: path,
        problem: "expected pass, silence, close, half_open, the name of a refusal, or an object with one of refuse, "
          + "answer, reset, goaway, stop_reading_ms, streams")
    }
    try object.end()
  }

  private static let words: [String: Effect] = [
    "pass": .pass, "silence": .silence, "close": .close, "half_open": .halfOpen,
  ]

  /// Reads an HTTP/2 error code by name or number.
  static func errorCode(_ value: JSONValue, path: String) throws(ScenarioError) -> UInt32 {
    if let number = value.int, let code = UInt32(exactly: number) { return code }
    let named = (0..<14).first { HTTP2ErrorCode(rawValue: $0).description == value.string }
    guard let named else {
      throw ScenarioError(path: path, problem: "expected an HTTP/2 error code, such as REFUSED_STREAM or 7")
    }
    return named
  }
}

extension GoAwayEffect {
  /// Reads `code`, `reason` (APNs' JSON debug data) or `debug_data`, and `processed`.
  init(_ object: inout ScenarioObject) throws(ScenarioError) {
    self.init()
    if let value = object.value("code") { code = try Effect.errorCode(value, path: object.memberPath("code")) }
    if let reason = try object.text("reason") { debugData = JSON.minified(["reason": .string(reason)]) }
    if let text = try object.text("debug_data") { debugData = Array(text.utf8) }
    processed = try object.flag("processed") ?? true
  }
}

extension FaultRule {
  /// Reads a rule.
  init(_ value: JSONValue, path: String) throws(ScenarioError) {
    var object = try ScenarioObject(value, path: path)
    self.init(name: try object.text("name") ?? path)
    provider = try object.choice("provider", EmulatedProvider.self)
    token = try object.text("token")
    tokenPrefix = try object.text("token_prefix")
    topic = try object.text("topic")
    share = try object.share("share")
    shareOfTokens = try object.share("share_of_tokens")
    every = try object.int("every", 1...Int(Int32.max))
    after = try object.int("after") ?? 0
    times = try object.int("times")
    fromMs = try object.time("from_ms")
    untilMs = try object.time("until_ms")
    if let value = object.value("effect") { effect = try Effect(value, path: object.memberPath("effect")) }
    if let value = object.value("latency") { latency = try Latency(value, path: object.memberPath("latency")) }
    try object.end()
  }
}

extension ConnectionFault {
  /// Reads a connection fault.
  init(_ value: JSONValue, path: String) throws(ScenarioError) {
    var object = try ScenarioObject(value, path: path)
    self.init(opening: .normal)
    provider = try object.choice("provider", EmulatedProvider.self)
    after = try object.int("after") ?? 0
    times = try object.int("times")
    every = try object.int("every", 1...Int(Int32.max))
    settingsDelayMs = try object.int("settings_delay_ms") ?? 0
    streams = try object.int("streams")
    if let name = try object.text("opening") {
      guard let known = Self.openings[name] else {
        let names = Self.openings.keys.sorted().joined(separator: ", ")
        throw object.error("opening", "\"\(name)\" is unknown; use one of \(names), or the member goaway")
      }
      opening = known
    }
    if var goAway = try object.object("goaway") {
      opening = .goAway(try GoAwayEffect(&goAway))
      try goAway.end()
    }
    try object.end()
  }

  private static let openings: [String: Opening] = [
    "normal": .normal, "reset": .reset, "silence": .silence, "silence_after_tls": .silenceAfterTLS,
    "garbage": .garbage, "expired_certificate": .expiredCertificate, "wrong_name": .wrongName,
    "untrusted_certificate": .untrustedCertificate, "no_alpn": .noALPN,
  ]
}
