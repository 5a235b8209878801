import DevicePreview
import PushContracts
import PushPayload
import PushRules
import WireJSON

/// What `preview` shows: a raw payload, a request to a provider, or a message of a contract.
struct PreviewInput {
  private let arguments: Arguments
  private let contract: ContractName?
  private let pushType: APNsPushType?
  private let bytes: [UInt8]
  private let json: JSONValue
  private let duplicates: [JSONDuplicate]
  /// What `render` and `check` report about it.
  private(set) var report = Report()

  /// Reads the file, or standard input.
  init(_ arguments: Arguments) throws(Exit) {
    self.arguments = arguments
    contract = try arguments.contract(required: false)
    pushType = try arguments.pushType()
    guard contract != nil || !arguments.has("--option") else {
      throw .usage("--option is an option of a contract; give --contract and a message")
    }
    bytes = try Input.bytes(arguments.operands.first)
    let parsed: (value: JSONValue, duplicates: [JSONDuplicate])
    do throws(JSONError) { parsed = try JSON.parseReporting(bytes) } catch {
      throw .unreadable(Input.explain(error, in: arguments.operands.first))
    }
    json = parsed.value
    duplicates = parsed.duplicates
  }

  /// The pushes as they reach devices.
  mutating func pushes() throws(Exit) -> [PreviewPush] {
    if let platform = rawPlatform {
      guard !arguments.has("--option") else { throw .usage("--option is for a message, and this is a payload") }
      return [rawPush(platform)]
    }
    if let contract { return pushes(contract) }
    guard let mistake = Contracts.mistake(json, nil) else {
      throw .usage("give --platform for a raw payload, or --contract for a message in a contract's form")
    }
    report.findings.append(mistake)
    return []
  }

  // MARK: Messages

  private mutating func pushes(_ contract: ContractName) -> [PreviewPush] {
    for duplicate in duplicates { report.add(duplicate) }
    var context = WriteContext(
      topic: arguments.value("--topic") ?? ProviderRules.topicExample, campaign: arguments.value("--campaign"))
    context.now = WallClock.seconds
    context.options = arguments.all("--option")
    let rendering = Contracts.render(
      contract, message: json, context: context, platforms: arguments.platform().map { [$0] } ?? Platform.allCases)
    report.append(rendering.report)
    report.append(ProviderRules.check(rendering, hasTopic: true))
    return PreviewPush.pushes(of: rendering)
  }

  // MARK: Payloads

  /// The platform of a raw payload; nil for a message.
  private var rawPlatform: Platform? {
    let asked = arguments.platform() ?? pushType.map { _ in .ios }
    guard let contract else { return asked ?? Contracts.platform(of: json) }
    let found = PreviewInput.payloadPlatform(of: json, besides: contract)
    return asked == nil || asked == found ? found : nil
  }

  private mutating func rawPush(_ platform: Platform) -> PreviewPush {
    var checker = PushChecker()
    if let said = checker.checkForPreview(of: json, bytes: bytes, platform: platform, pushType: pushType) {
      report.append(said)
    } else {
      for duplicate in duplicates { report.add(duplicate) }
    }
    return PreviewPush(
      document: json, platform: platform, contract: contract, collapseID: arguments.value("--collapse-id"),
      pushType: pushType)
  }
}

// MARK: Recognizing payloads

extension PreviewInput {
  /// Members that only a client hands over.
  private static let receivedNames = ["gcm.n.e", "google.message_id", "google.sent_time", "from", "custom"]
  private static let messageParts = ["notification", "android", "android_v2", "androidV2", "webpush", "apns", "data"]
  private static let messageTargets = ["token", "fid", "topic", "condition"]
  private static let messageNames =
    messageParts + messageTargets + ["fcm_options", "fcmOptions", "name"]

  /// With a contract: the platform of a document that is unmistakably a provider's payload; nil for a message of the
  /// contract.
  private static func payloadPlatform(of json: JSONValue, besides contract: ContractName) -> Platform? {
    if json["aps"] != nil || json.object?.isAPNsRequest == true { return .ios }
    if let message = json["message"]?.object { return isFCM(message) ? .android : nil }
    if receivedNames.contains(where: { json[$0]?.string != nil }) { return .android }
    if ["notification", "android", "webpush"].contains(where: { json[$0]?.object != nil }) { return .android }
    // Data with a vendor's own keys in it is what the contract writes.
    let isWritten =
      json["data"]?.object != nil && contract != .native
      && Contracts.recognize(platform: .android, payload: json).contract == contract
    return isWritten ? .android : nil
  }

  /// True for FCM's own members: parts of a message, with a target or with nothing that FCM does not know.
  private static func isFCM(_ message: JSONObject) -> Bool {
    messageParts.contains { message[$0]?.object != nil }
      && (messageTargets.contains { message[$0] != nil } || message.allSatisfy { messageNames.contains($0.key) })
  }
}
