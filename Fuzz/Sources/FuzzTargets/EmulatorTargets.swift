import ProviderEmulator
import WireJSON

extension FuzzTarget {
  /// The first byte chooses the time and the device; then head and body as text.
  static let emulatorAPNs = FuzzTarget(
    name: "emulator-apns", about: "the emulator's APNs port: every answer is one that APNs gives, and given twice"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let request = GatewayRequest(text: Array(bytes.dropFirst()))
    let answers = try (0..<2).map { _ throws(FuzzFailure) in try EmulatorSetup(first).apns(request) }
    try expect(answers[0] == answers[1], "the same request is answered in two ways")
    for answer in answers[0] {
      try expect((200...599).contains(answer.status), "status \(answer.status)")
      try expect(answer.body.isEmpty || read(answer.body) != nil, "a body that is no JSON")
      if answer.status >= 400 { try expect(read(answer.body)?["reason"]?.string != nil, "a refusal without a reason") }
    }
  }

  /// The first byte chooses the time and the device; then head and body as text, or the claims of an assertion.
  static let emulatorGoogle = FuzzTarget(
    name: "emulator-google", about: "the emulator's FCM port and token endpoint: every answer is one that Google gives"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let text = Array(bytes.dropFirst())
    if let claims = read(text) {
      for time in EmulatorSetup.times {
        let problem = OAuthEndpoint.checkTimes(claims, nowSeconds: Int(time))
        guard problem == nil, let issued = claims["iat"]?.int, let expires = claims["exp"]?.int else { continue }
        try expect(issued < expires && expires - issued <= 3600, "an assertion of more than an hour is good")
      }
    }
    let request = GatewayRequest(text: text)
    let answers = try (0..<2).map { _ throws(FuzzFailure) in try EmulatorSetup(first).google(request) }
    try expect(answers[0] == answers[1], "the same request is answered in two ways")
    for answer in answers[0] {
      try expect((200...599).contains(answer.status), "status \(answer.status)")
      let isJSON = answer.contentType.hasPrefix("application/json")
      try expect(isJSON == (read(answer.body) != nil), "\(answer.contentType) is not what the body is")
    }
  }

  /// The first byte chooses the time and the device; then lines in pairs: a method with a path below `/control`, a body.
  static let emulatorControl = FuzzTarget(
    name: "emulator-control", about: "the emulator's control API: JSON in every answer, and the gateways go on"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let emulator = try EmulatorSetup(first)
    let lines = bytes.dropFirst().split(separator: 0x0A, maxSplits: 15, omittingEmptySubsequences: false)
    for index in stride(from: 0, to: lines.count, by: 2) {
      let words = lines[index].split(separator: 0x20, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
      let segments = words.count < 2 ? [] : words[1].split(separator: "/").map(String.init)
      let body = index + 1 < lines.count ? Array(lines[index + 1]) : []
      let answer = emulator.emulator.control(words.first ?? "", segments, body)
      try expect([200, 201, 204, 400, 404].contains(answer.status), "status \(answer.status)")
      if answer.contentType.hasSuffix("json"), answer.status != 204 {
        try expect(read(answer.body) != nil, "an answer that is no JSON: \(FuzzSmoke.shown(answer.body))")
      }
      for answer in try emulator.google(EmulatorSetup.message) + emulator.apns(EmulatorSetup.push) {
        try expect((100...599).contains(answer.status), "status \(answer.status) to a push")
        try expect(answer.action.delayMs >= 0 && answer.action.readingPauseMs >= 0, "a negative delay")
      }
    }
  }

  static let scenarios = FuzzTarget(
    name: "scenarios", about: "scenario files: what is read is obeyed in bounds, a refusal says why"
  ) { (bytes) throws(FuzzFailure) in
    do throws(ScenarioError) { _ = try Scenario(parsing: bytes) } catch {
      return try expect(!error.problem.isEmpty, "a refusal without a word")
    }
    let emulator = try EmulatorSetup(0)
    let begun = emulator.emulator.control("PUT", ["scenario"], bytes)
    try expect([200, 400].contains(begun.status), "a scenario that is read is answered \(begun.status)")
    for _ in 0..<3 {
      for answer in try emulator.google(EmulatorSetup.message) + emulator.apns(EmulatorSetup.push) {
        try expect((100...599).contains(answer.status), "status \(answer.status) to a push")
        try expect(answer.action.delayMs >= 0 && answer.action.readingPauseMs >= 0, "a negative delay")
      }
    }
  }
}

/// An emulator as the first byte of an input says: the time, whether the devices have a phone, whether it is away,
/// whether the APNs connection has a certificate.
private struct EmulatorSetup {
  private static let beginning = Result { try DetachedEmulator.Beginning() }

  static let times: [Int64] = [
    1_770_000_000_000, 0, 253_402_300_799_999, .min, .max, -1, 9_223_372_036_854_775, .max / 1000,
  ]
  static let push = GatewayRequest(
    text: Array(
      ("POST /3/device/00\napns-topic: com.example.app\napns-push-type: alert\n\n"
        + #"{"aps":{"alert":"a","mutable-content":1}}"#).utf8))
  static let message = GatewayRequest(
    text: Array(
      ("POST /v1/projects/emulated-project/messages:send\nauthorization: Bearer x\n\n"
        + #"{"message":{"token":"dev","data":{"k":"v"}}}"#).utf8))

  /// Credentials are not what is looked at here.
  private static let open =
    #"{"apns":{"accepts_unknown_keys":true},"oauth":{"accepts_any_access_token":true}}"#

  let emulator: DetachedEmulator
  private let opensPhone: Bool

  init(_ choice: UInt8) throws(FuzzFailure) {
    guard let beginning = try? Self.beginning.get() else { throw FuzzFailure("no keys can be made") }
    emulator = DetachedEmulator(
      beginning, nowMs: Self.times[Int(choice & 7)], hasCertificate: choice & 8 != 0)
    _ = emulator.control("PUT", ["scenario"], Array(Self.open.utf8))
    opensPhone = choice & 16 != 0
    guard opensPhone else { return }
    for (provider, token) in [("apns", "00"), ("apns", String(repeating: "00", count: 32)), ("fcm", "dev")] {
      let description = #"{"provider":"\#(provider)","phone":{"locales":["de"]}}"#
      _ = emulator.control("PUT", ["devices", provider, token], Array(description.utf8))
      if choice & 32 != 0 { _ = emulator.control("POST", ["devices", provider, token, "phone", "offline"], []) }
    }
  }

  /// Sends a request to APNs, twice on one connection, and looks at what the phone shows.
  func apns(_ request: GatewayRequest) throws(FuzzFailure) -> [DetachedEmulator.Answer] {
    let answers = [emulator.request(.apns, request), emulator.request(.apns, request)]
    try look("apns", String(repeating: "00", count: 32))
    return answers
  }

  /// The same to FCM and the token endpoint.
  func google(_ request: GatewayRequest) throws(FuzzFailure) -> [DetachedEmulator.Answer] {
    let answers = [emulator.request(.fcm, request), emulator.request(.fcm, request)]
    try look("fcm", "dev")
    return answers
  }

  private func look(_ provider: String, _ token: String) throws(FuzzFailure) {
    guard opensPhone else { return }
    for rest in [["phone"], ["phone", "picture"], ["pushes"]] {
      let answer = emulator.control("GET", ["devices", provider, token] + rest, [])
      try expect([200, 404].contains(answer.status), "\(rest) of a device is answered \(answer.status)")
    }
  }
}

extension GatewayRequest {
  /// A request as text: `POST /path`, header lines, an empty line, the body.
  fileprivate init(text: [UInt8]) {
    self.init()
    var rest = text[...]
    func line() -> ArraySlice<UInt8> {
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      defer { rest = rest[min(end + 1, rest.endIndex)...] }
      return rest[..<end]
    }
    let first = line().split(separator: 0x20, maxSplits: 1)
    add(name: Array(":method".utf8), value: Array(first.first ?? []))
    add(name: Array(":path".utf8), value: Array(first.dropFirst().first ?? []))
    while !rest.isEmpty {
      let field = line()
      if field.isEmpty { break }
      let parts = field.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
      let start = parts[0].isEmpty && parts.count == 2 ? parts[1].prefix(0) : parts[0]
      add(name: Array(start), value: parts.count == 2 ? Array(parts[1].drop { $0 == 0x20 }) : [])
    }
    setBody(Array(rest))
  }
}
