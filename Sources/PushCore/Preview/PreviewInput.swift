package import DevicePreview
internal import PushContracts
package import PushPayload
internal import PushRules
package import WireJSON

/// What `preview` shows: a raw payload, a request to a provider, or a message of a contract.
package struct PreviewInput: Sendable {
  private let platform: Platform?
  private let contract: ContractName?
  private let pushType: APNsPushType?
  private let collapseID: String?
  private let context: WriteContext
  private let hasOptions: Bool
  private let names: Names
  /// What `render` and `check` report about it.
  package private(set) var report = Report()

  /// What a document is.
  package enum Form: String, Sendable, CaseIterable {
    /// A payload or a message, as its members and the options say.
    case recognized
    /// A message in the contract's form.
    case message
    /// A raw payload, or a request to a provider.
    case payload
  }

  /// How the caller writes the names of options.
  private struct Names: Sendable {
    let platform: String
    let contract: String
    let options: String
  }

  /// Reads the options.
  package init(_ options: some OptionSource) throws(CoreError) {
    names = Names(
      platform: options.spelled("platform"), contract: options.spelled("contract"), options: options.spelled("options"))
    platform = options.platform()
    contract = options.contract()
    pushType = try options.pushType()
    collapseID = options.text("collapse_id")
    context = try options.writeContext(topic: ProviderRules.topicExample)
    hasOptions = !context.options.isEmpty
    guard contract != nil || !hasOptions else {
      throw .usage(
        "\(names.options) is an option of a contract; give \(names.contract) and a message", option: names.options,
        fix: "give \(names.contract)")
    }
  }

  /// The pushes as they reach devices.
  package mutating func pushes(
    _ bytes: [UInt8], _ json: JSONValue, _ duplicates: [JSONDuplicate], as form: Form
  ) throws(CoreError) -> [PreviewPush] {
    if let platform = rawPlatform(json, form) {
      guard !hasOptions else {
        throw .usage(
          "\(names.options) is for a message, and this is a payload", option: names.options,
          fix: "leave out \(names.options)")
      }
      return [rawPush(platform, bytes, json, duplicates)]
    }
    if form != .payload, let contract { return pushes(contract, json, duplicates) }
    guard form != .message, let mistake = Contracts.mistake(json, Optional.none) else {
      throw .usage(
        "give \(names.platform) for a raw payload, or \(names.contract) for a message in a contract's form",
        option: names.platform, fix: "give \(names.platform) or \(names.contract)")
    }
    report.findings.append(mistake)
    return []
  }

  // MARK: Messages

  private mutating func pushes(
    _ contract: ContractName, _ json: JSONValue, _ duplicates: [JSONDuplicate]
  ) -> [PreviewPush] {
    for duplicate in duplicates { report.add(duplicate) }
    let rendering = Contracts.render(
      contract, message: json, context: context, platforms: platform.map { [$0] } ?? Platform.allCases)
    report.append(rendering.report)
    report.append(ProviderRules.check(rendering, hasTopic: true))
    return PreviewPush.pushes(of: rendering)
  }

  // MARK: Payloads

  /// The platform of a raw payload; nil for a message.
  private func rawPlatform(_ json: JSONValue, _ form: Form) -> Platform? {
    guard form != .message else { return Optional.none }
    let asked = platform ?? pushType.map { _ in .ios }
    guard form == .recognized, let contract else { return asked ?? Contracts.platform(of: json) }
    #if !(_pointerBitWidth(_32))
      if let member = asked?.traits.carried, PreviewInput.carried(json, member) != nil { return asked }
    #endif
    let found = PreviewInput.payloadPlatform(of: json, besides: contract)
    return asked == nil || asked == found ? found : Optional.none
  }

  private mutating func rawPush(
    _ platform: Platform, _ bytes: [UInt8], _ json: JSONValue, _ duplicates: [JSONDuplicate]
  ) -> PreviewPush {
    var checker = PushChecker()
    #if !(_pointerBitWidth(_32))
      if let member = platform.traits.carried, let message = PreviewInput.carried(json, member) {
        report.append(checker.check(fcmBody: bytes))
        return PreviewPush(ofFCM: message, contract: contract)
      }
    #endif
    if let said = checker.checkForPreview(of: json, bytes: bytes, platform: platform, pushType: pushType) {
      report.append(said)
    } else {
      for duplicate in duplicates { report.add(duplicate) }
    }
    return PreviewPush(
      document: json, platform: platform, contract: contract, collapseID: collapseID, pushType: pushType)
  }
}

// MARK: Recognizing payloads

extension PreviewInput {
  /// Members that only a client hands over, as every text whose name begins with `gcm.` or `google.`.
  private static let receivedNames = ["from", "custom"]
  private static let messageParts = ["notification", "android", "android_v2", "androidV2", "webpush", "apns", "data"]
  private static let messageTargets = ["token", "fid", "topic", "condition"]
  private static let messageNames =
    messageParts + messageTargets + ["fcm_options", "fcmOptions", "name"]

  /// The message of a request to FCM that has this block for another service.
  static func carried(_ json: JSONValue, _ block: String) -> JSONValue? {
    json["message"]?[block]?.object == nil ? Optional.none : json["message"]
  }

  private static func isReceived(_ member: (key: String, value: JSONValue)) -> Bool {
    guard member.value.string != nil else { return false }
    return receivedNames.contains(member.key) || member.key.utf8.starts(with: "gcm.".utf8)
      || member.key.utf8.starts(with: "google.".utf8)
  }

  /// With a contract: the platform of a document that is unmistakably a provider's payload; nil for a message of the
  /// contract.
  private static func payloadPlatform(of json: JSONValue, besides contract: ContractName) -> Platform? {
    if json["aps"] != nil || json.object?.isAPNsRequest == true { return .ios }
    if let message = json["message"]?.object { return isFCM(message) ? .android : nil }
    if json.object?.contains(where: isReceived) == true { return .android }
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
