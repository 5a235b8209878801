import PushContracts
import PushPayload
import PushRules
import WireJSON

extension FuzzTarget {
  static let readIOS = FuzzTarget(
    name: "read-ios", about: "each contract's reader of APNs payloads: what was read, written and read again is equal"
  ) { (bytes) throws(FuzzFailure) in try readAll(bytes, .ios) }

  static let readAndroid = FuzzTarget(
    name: "read-android", about: "each contract's reader of FCM messages and flat maps: the same"
  ) { (bytes) throws(FuzzFailure) in try readAll(bytes, .android) }

  private static func readAll(_ bytes: [UInt8], _ platform: Platform) throws(FuzzFailure) {
    guard let payload = read(bytes) else { return try expectRefusal(bytes, platform) }
    let recognized = Contracts.parse(platform: platform, payload: payload)
    try expect(!recognized.reason.isEmpty, "a contract is named without a reason")
    for contract in Contracts.names {
      let parsed = Contracts.parse(platform: platform, payload: payload, contract: contract)
      try expect(parsed.contract == contract, "\(contract) was asked for, \(parsed.contract) read")
      try expect(read(JSON.minified(parsed.json)) == parsed.json, "what \(contract) read is no JSON that reads back")
      try readAgain(parsed, platform)
    }
  }

  private static func expectRefusal(_ bytes: [UInt8], _ platform: Platform) throws(FuzzFailure) {
    let parsed = try? Contracts.parse(platform: platform, raw: bytes)
    try expect(parsed == nil, "bytes that are no JSON were read")
  }

  /// Writes what was read, where it is a legal message, reads that, and writes and reads it once more.
  ///
  /// The first writing may tidy up (a value that stood for another is written as that one); from then on nothing moves.
  private static func readAgain(_ parsed: Parsed, _ platform: Platform) throws(FuzzFailure) {
    guard Contracts.readsWrittenFields(parsed.contract), let first = written(parsed, platform) else { return }
    let tidy = Contracts.parse(platform: platform, payload: first, contract: parsed.contract)
    // What the platform does not carry is not read back, and a message without any field is refused.
    guard tidy.notification[parsed.contract.rawValue]?.object?.isEmpty == false else { return }
    guard let second = written(tidy, platform) else {
      throw FuzzFailure("\(parsed.contract) refuses to write what it wrote and read")
    }
    try expect(
      first == second,
      "\(parsed.contract): written, read and written again: \(JSON.minifiedText(first)) ≠ \(JSON.minifiedText(second))")
    let last = Contracts.parse(platform: platform, payload: second, contract: parsed.contract)
    try expect(last.notification == tidy.notification, "\(parsed.contract): read, written and read again is another")
  }

  private static func written(_ parsed: Parsed, _ platform: Platform) -> JSONValue? {
    guard let message = parsed.notification[parsed.contract.rawValue] else { return nil }
    let rendering = Contracts.render(parsed.contract, message: message, platforms: [platform])
    return (platform == .ios ? rendering.apns?.payload : rendering.fcm?.body).flatMap { read($0) }
  }

  static let write = FuzzTarget(
    name: "write", about: "each contract's writer and the rules behind it: whatever is written is minified JSON"
  ) { (bytes) throws(FuzzFailure) in
    guard let message = read(bytes) else { return }
    var checker = PushChecker()
    for contract in Contracts.names {
      let context = WriteContext(topic: "com.example.app", target: .token("a-token"), campaign: "c")
      let rendering = Contracts.render(contract, message: message, context: context)
      if let request = rendering.apns {
        try expect(
          read(request.payload).map { JSON.minified($0) } == request.payload, "\(contract): APNs payload not minified")
        for finding in checker.check(request).findings {
          try expect(Rules.rule(finding.rule) != nil, "\(finding.rule) is not in the table")
        }
      }
      if let request = rendering.fcm {
        try expect(read(request.body).map { JSON.minified($0) } == request.body, "\(contract): FCM body not minified")
        _ = checker.check(request)
        try checkTemplate(contract, message, request.body, context)
      }
      try expect(read(rendering.json) != nil, "\(contract): the rendering is no JSON")
    }
  }

  /// A template with its hole filled is the request that is written for the device alone.
  private static func checkTemplate(
    _ contract: ContractName, _ message: JSONValue, _ body: [UInt8], _ context: WriteContext
  ) throws(FuzzFailure) {
    var report = Report()
    let template = Contracts.fcmTemplate(contract, message: message, context: context, report: &report)
    guard let template else { throw FuzzFailure("\(contract): a message has a request and no template") }
    try expect(template.body(target: "a-token") == body, "\(contract): the filled template is not the request")
  }
}
