import PushContracts
import PushCore
import PushPayload
import PushRules
import WireJSON

/// `check --fit`: shortens the texts of one document until it keeps its limit.
struct CheckFitting {
  private var checker: FileChecker
  private var changes: [FitChange] = []
  /// What is too large still, whatever is done to its texts.
  private var tooLarge: [FitResult] = []

  /// Makes a fitting.
  init(_ checker: FileChecker) { self.checker = checker }

  /// Prints the fitted document, and says what was done and what is left to say.
  mutating func run(_ path: String) throws(Exit) -> ExitStatus {
    let bytes = try Terminal.read(path)
    let fitted: [UInt8]
    do throws(JSONError) {
      guard let document = try fit(bytes) else { return .invalid }
      fitted = document
    } catch {
      throw .unreadable(Input.explain(error, in: path))
    }
    Terminal.print(fitted + [UInt8(ascii: "\n")])
    for change in changes {
      Terminal.complain("check: shortened \(change.field) from \(change.bytesBefore) to \(change.bytesAfter) bytes")
    }
    for result in tooLarge {
      Terminal.complain(
        "check: its texts cannot be shortened enough: \(result.bytes) of \(result.bytesMax) bytes; make the data smaller"
      )
    }
    let file = checker.check(document: fitted, name: "standard output")
    var totals = CheckTotals()
    totals.add(file)
    for line in CheckText(isColored: false).lines(of: file).split(separator: "\n") { Terminal.complain(String(line)) }
    return totals.status
  }

  /// The document, fitted; nil when a message cannot be written by its contract, which has been said.
  private mutating func fit(_ bytes: [UInt8]) throws(JSONError) -> [UInt8]? {
    let value = try JSON.parse(bytes)
    guard let contract = checker.options.contract else { return JSON.minified(try fit(value, try kind(of: bytes))) }
    var rendering = checker.render(value, contract)
    let report = checker.options.settings.applied(to: rendering.report)
    for finding in report.findings { Terminal.complain("check: \(CheckText.printable(finding.description))") }
    guard !rendering.report.hasErrors else { return nil }
    rendering.report = report
    let written = try JSON.parse(rendering.json)
    return JSON.minified(try fit(written, .rendering))
  }

  private func kind(of bytes: [UInt8]) throws(JSONError) -> PushDocumentKind? {
    var document = JSONDocument()
    try document.parse(bytes)
    return checker.options.kind(of: document)
  }

  private mutating func fit(_ value: JSONValue, _ kind: PushDocumentKind?) throws(JSONError) -> JSONValue {
    switch kind {
    case .apnsPayload: try fitPayload(value, bytesMax: (checker.options.pushType ?? .alert).payloadBytesMax)
    case .apnsRequest: try fitMember("payload", of: value, bytesMax: payloadBytesMax(value))
    case .broadcastRequest: try fitMember("payload", of: value, bytesMax: APNsBroadcast.payloadBytesMax)
    case .fcmRequest: try take(MessageFitter.fit(fcmBody: JSON.minified(value), bytesMax: fcmBytesMax(value)))
    case .rendering: try fitParts(value)
    case nil: value
    case let other?: try fitOther(value, other)
    }
  }

  private mutating func fitOther(_ value: JSONValue, _ kind: PushDocumentKind) throws(JSONError) -> JSONValue {
    guard let result = try MessageFitter.fit(JSON.minified(value), of: kind) else { return value }
    return try take(result)
  }

  private mutating func fitParts(_ value: JSONValue) throws(JSONError) -> JSONValue {
    guard case .object(var object) = value else { return value }
    if let apns = object["apns"] { object["apns"] = try fit(apns, .apnsRequest) }
    if let fcm = object["fcm"] { object["fcm"] = try fit(fcm, .fcmRequest) }
    for (name, kind) in PushDocumentKind.others { if let other = object[name] { object[name] = try fit(other, kind) } }
    return .object(object)
  }

  private mutating func fitMember(_ name: String, of value: JSONValue, bytesMax: Int) throws(JSONError) -> JSONValue {
    guard case .object(var object) = value, let payload = object[name] else { return value }
    object[name] = try fitPayload(payload, bytesMax: bytesMax)
    return .object(object)
  }

  private mutating func fitPayload(_ value: JSONValue, bytesMax: Int) throws(JSONError) -> JSONValue {
    try take(MessageFitter.fit(apnsPayload: JSON.minified(value), bytesMax: bytesMax))
  }

  private mutating func take(_ result: FitResult) throws(JSONError) -> JSONValue {
    changes += result.changes
    if !result.fits { tooLarge.append(result) }
    return try JSON.parse(result.message)
  }

  private func payloadBytesMax(_ request: JSONValue) -> Int {
    let type = request["headers"]?["apns-push-type"]?.string.map(APNsPushType.init(rawValue:))
    return (type ?? .alert).payloadBytesMax
  }

  private func fcmBytesMax(_ request: JSONValue) -> Int {
    let message = request["message"]
    let isTopic = message?["topic"] != nil || message?["condition"] != nil
    return isTopic ? checker.options.settings.fcmTopicBytesMax : FCMBudget.bytesMax
  }
}
