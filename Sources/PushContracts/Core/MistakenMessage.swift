internal import Basics
import PushPayload
import PushRules
import WireJSON

/// What was given instead of a message of a contract: a vendor's request, a provider's request or payload, or another
/// contract's message.
enum MistakenMessage {
  /// A document that is often given by mistake: how it is recognized, what it is, and what to do.
  struct Shape: Sendable {
    /// The contract whose messages may look like this; nil when none does.
    var except: ContractName?
    /// The platform whose payloads are read in this shape.
    var readable: Platform?
    let advice: String
    /// True when also a map of strings in this shape is not the data of an app.
    var isUnlikeData = false
    let matches: @Sendable (JSONObject) -> Bool
  }

  /// What a request to OneSignal holds beside the app's id.
  private static let requestParts = [
    "headings", "template_id", "included_segments", "include_aliases", "include_subscription_ids", "include_player_ids",
    "include_external_user_ids", "filters", "target_channel",
  ]
  private static let powerAuthAdvice =
    "it is a message to PowerAuth's push server; give its body, and silent where attributes has it, to the contract powerauth"
  private static let messageParts = ["notification", "android", "apns", "webpush"]
  private static let messageAdvice =
    "it is a message to FCM; put it under message, or under fcm with the contract native"
  private static let renderingAdvice = "it is what render has written; check it without --contract and --platform"
  private static let targets = ["token", "fid", "topic", "condition"]

  private static let shapes: [Shape] =
    services + browsers + [
      Shape(advice: "it is a request of PowerAuth's push server; give its message body, with the contract powerauth") {
        $0["requestObject"]?.object != nil || $0["body"]?.object.map { has($0, ["title", "body"]) } == true
          || $0["appId"] != nil && $0["message"]?["body"]?.object != nil
      },
      Shape(advice: powerAuthAdvice) {
        guard let message = $0["message"]?.object ?? $0["batch"]?.array?.first?.object, message["body"]?.object != nil
        else { return false }
        return has(message, ["userId", "activationId"]) || message["attributes"]?.object != nil || $0["batch"] != nil
      },
      Shape(except: .imkit, advice: powerAuthAdvice) {
        $0["message"]?["body"]?.object.map { has($0, ["title", "body", "titleLocKey", "bodyLocKey"]) } == true
      },
      Shape(
        advice:
          "it is a message of PowerAuth's REST interface; give the members of its body, and silent where attributes has it, to "
          + "the contract powerauth"
      ) {
        guard let attributes = $0["attributes"]?.object else { return false }
        return ["silent", "personal"].contains { attributes[$0]?.bool != nil }
      },
      Shape(
        readable: .android,
        advice: "it is a request to FCM; check it with --platform android, or give its fields to the contract native"
      ) {
        guard let message = $0["message"]?.object else { return false }
        return hasObject(message, messageParts) || has(message, targets) && message["data"]?.object != nil
          || has(message, targets) && $0.count == 1
      },
      Shape(
        readable: .android,
        advice: "it is \(PushDocumentKind.legacyAdvice)"
      ) {
        PushDocumentKind.hasLegacyTarget($0) && hasObject($0, ["notification", "data"])
      },
      Shape(
        readable: .android,
        advice: messageAdvice
      ) {
        hasObject($0, ["notification", "android", "webpush"]) || has($0, targets) && hasObject($0, ["data", "apns"])
      },
      Shape(
        readable: .ios,
        advice: "it is an APNs payload; check it with --platform ios, or read it with parse --platform ios"
      ) {
        $0["aps"] != nil
      },
      Shape(advice: "it is a request to APNs; give its payload, with --platform ios") {
        $0["headers"]?.object != nil && $0["payload"]?.object != nil
      },
      Shape(advice: renderingAdvice) {
        $0["report"]?.array != nil && has($0, ["apns", "fcm"])
      },
      Shape(advice: "it is a request to this server; give its message") {
        $0["message"]?.object != nil && has($0, ["contract", "to", "messages"])
      },
      Shape(
        except: .onesignal, advice: "it is a request of OneSignal's REST interface; give it to the contract onesignal"
      ) { $0["contents"]?.object != nil || $0["app_id"] != nil && has($0, requestParts) },
      Shape(
        advice:
          "it is a request of IMKit's REST interface; give its payload, with the contract imkit, and the seconds of its expiry "
          + "as timeToLive"
      ) {
        $0["clients"] != nil && $0["payload"]?.object != nil
      },
      Shape(except: .amba, advice: "it is a request of Amba's REST interface; give it to the contract amba") {
        $0["title"] != nil && has($0, ["segment_id", "delivery_mode", "app_user_id", "device_token"])
      },
    ]

  private static func has(_ members: JSONObject, _ names: [String]) -> Bool { names.contains { members[$0] != nil } }

  static func hasObject(_ members: JSONObject, _ names: [String]) -> Bool {
    names.contains { members[$0]?.object != nil }
  }

  /// What a document is and what to do, as the end of a sentence; nil when it can be a message of the contract.
  ///
  /// - Parameters:
  ///   - members: the members of the document.
  ///   - contract: the contract it was given to.
  static func advice(_ members: JSONObject, for contract: ContractName) -> String? {
    if let shape = shapes.first(where: { $0.except != contract && $0.matches(members) }) { return shape.advice }
    guard let own = Contracts.entry(contract)?.table, !members.contains(where: { own.isText($0.0) }) else {
      return nil
    }
    // Without a text it is the message of the contract that knows most of its fields.
    var best = (name: contract, count: own.count(of: members))
    for entry in Contracts.entries {
      let count = entry.table.count(of: members)
      if count > best.count { best = (entry.name, count) }
    }
    guard best.name != contract else { return nil }
    return "its fields are those of the contract \(best.name); give that one"
  }

  /// False for a document that is none of the shapes for certain, whose only member that they look at is `message`.
  ///
  /// That is what a message of a contract with a field of this name nearly always is.
  static func mayMatch(_ message: JSONNode, in document: JSONDocument) -> Bool {
    for (name, _) in document.members(of: message) where document.index(of: name, in: messageNames) != nil {
      return true
    }
    return document.kind(message) != .object
  }

  /// The members of `message` that a shape looks at.
  private static let messageNames = JSONKeyTable([
    "body", "userId", "activationId", "attributes", "notification", "android", "apns", "webpush", "token", "fid",
    "topic", "condition", "data",
  ])

  /// True for a field that a person reads.
  static func isText(_ field: String, _ role: FieldRole?) -> Bool {
    switch role {
    case .title?, .subtitle?, .body?, .titleLocKey?, .subtitleLocKey?, .bodyLocKey?: true
    default: field == "messageType" || field == "alert"
    }
  }

  // MARK: Instead of a payload

  /// What a document is that was given for a payload or a request, as an error that says what to do; nil when it can be
  /// one.
  ///
  /// The data of a payload may look like anything. So what has the shape of a payload is one, whatever its names are:
  /// on iOS an object with `aps` or `mdm`, on Android an FCM message or a map of strings.
  ///
  /// - Parameters:
  ///   - members: the members of the document.
  ///   - platform: whose payload it was taken for; nil when nobody said.
  static func finding(document members: JSONObject, _ platform: Platform?) -> Finding? {
    guard !isPayload(members, platform) else { return nil }
    let text: String? =
      if platform?.traits.hasHeaders != false, members.isAPNsRequest, !members.isWholeAPNsRequest {
        PushDocumentKind.incompleteAdvice
      } else if let what = advice(document: members, platform) {
        "this is not a payload or request: \(what)"
      } else {
        nil
      }
    return text.map { Finding(rule: "document-unrecognized", severity: .error, field: "", message: $0) }
  }

  private static func isPayload(_ members: JSONObject, _ platform: Platform?) -> Bool {
    members.isEmpty || payloadShapes[platform ?? .ios](members)
  }

  private static let payloadShapes = PerPlatform<@Sendable (JSONObject) -> Bool>(
    ios: { isThere($0["aps"]) || $0["mdm"]?.string != nil }, android: isAndroidPayload)

  @Sendable private static func isAndroidPayload(_ members: JSONObject) -> Bool {
    // A client hands over strings alone.
    if members.allSatisfy({ $0.value.string != nil }) {
      return !shapes.contains { $0.isUnlikeData && $0.matches(members) }
    }
    guard let message = members["message"] else { return false }
    guard let message = message.object else { return PushDocumentKind.recognize(android: members) == .fcmRequest }
    return has(message, targets + messageParts + ["data", "android_v2"]) && !isHuawei(message)
  }

  private static func isThere(_ value: JSONValue?) -> Bool { value?.isNull == false }

  private static func advice(document members: JSONObject, _ platform: Platform?) -> String? {
    if let shape = shapes.first(where: { ($0.readable == nil || $0.readable != platform) && $0.matches(members) }) {
      return shape.advice
    }
    if PushDocumentKind.isRendering(members) { return renderingAdvice }
    if PushDocumentKind.isOwnObjects(members) {
      return "it is a message of the contract native; give the contract, too"
    }
    if platform == nil, members["message"]?.string != nil, members.allSatisfy({ $0.value.string != nil }) {
      return "a request to FCM has an object in message; give one, or --platform android for what an app received"
    }
    // A message has fields of its contract alone, and a text, or says that it has none.
    let owners = owners(of: members)
    guard let first = owners.first else {
      return platform?.traits.dataIsText != true && PushDocumentKind.isMessage(members) ? messageAdvice : nil
    }
    let others = owners.dropFirst()
    // A map of strings can as well be the data that an Android app was handed.
    let isFlat = platform == nil && members.allSatisfy { $0.value.string != nil }
    return "it is a message of the contract \(first)"
      + (others.isEmpty ? "" : ", or of \(others.joined(separator: ", "))") + "; give the contract, too"
      + (isFlat ? ", or --platform android for what an app received" : "")
  }

  /// The contracts that know every member, with one of them a text, or a word that there is none.
  private static func owners(of members: JSONObject) -> [String] {
    let isSilent = members["silent"]?.bool == true
    return Contracts.entries.filter { entry in
      entry.table.count(of: members) == members.count
        && (isSilent || members.contains { entry.table.isText($0.key) && isText($0.key, $0.value) })
    }.map { $0.name.rawValue }
  }

  /// True for a text that a person reads; an alert may be an object with a key.
  private static func isText(_ name: String, _ value: JSONValue) -> Bool {
    value.string?.isEmpty == false || name == "alert" && value.object?.isEmpty == false
  }

  /// The contract beside the given one that has a field of this name; nil when none has.
  static func owner(of name: String, besides contract: ContractName) -> ContractName? {
    Contracts.entries.first { $0.name != contract && $0.table.row(named: name) != nil }?.name
  }
}

extension MappingTable {
  /// The row that a message may hold under a name.
  func row(named name: String) -> MappingRow? {
    rows.first { row in
      guard row.source == .message else { return false }
      return row.field.hasSameBytes(as: name) || row.aliases.contains { $0.hasSameBytes(as: name) }
    }
  }

  fileprivate func count(of members: JSONObject) -> Int { members.filter { row(named: $0.0) != nil }.count }

  /// True for a field that a person reads.
  fileprivate func isText(_ name: String) -> Bool {
    row(named: name).map { MistakenMessage.isText($0.field, $0.role) } ?? false
  }
}
