internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// What an app's pushes are written with unless they say otherwise.
struct AppSettings: Sendable, Hashable {
  /// The default contract; nil when each push names its own.
  var contract: String?
  /// The options of that contract that are switched on.
  var options: [String] = []
  /// The ids that an administrator has chosen for the app in other vendors' interfaces, by vendor.
  var compatIDs: [String: String] = [:]
  /// Whether a token that APNs calls bad is tried once in its other environment.
  var triesOtherEnvironment = false
  /// Whether FCM's transactional notifications without a tag get one; nil for what the contract's apps take.
  var tagsNotifications: Bool?

  /// How long a campaign from the dashboard waits before it starts, in seconds; nil for the usual time.
  var undoSeconds: Int?
  /// From how many devices on a push needs a second person; nil when none does.
  var approval: ApprovalRule?

  /// What becomes of requests to other vendors' interfaces, by vendor.
  var shadow: [String: ShadowSetting] = [:]

  init(contract: String?, options: [String]) {
    self.contract = contract
    self.options = options
  }

  /// Reads what the store keeps.
  init(_ app: App) {
    let json = try? JSON.parse(app.settings)
    contract = json?["contract"]?.string
    options = json?["options"]?.array?.compactMap(\.string) ?? []
    triesOtherEnvironment = json?[Self.otherEnvironment]?.bool ?? false
    tagsNotifications = json?[Self.tag]?.bool
    undoSeconds = json?[Self.undo]?.int
    approval = json?[ApprovalRule.member].flatMap(ApprovalRule.init)
    for (vendor, id) in json?["compat"]?.object ?? [:] { compatIDs[vendor] = id.string }
    for (vendor, setting) in json?["shadow"]?.object ?? [:] { shadow[vendor] = ShadowSetting(setting) }
  }

  /// The name of a setting, in the API and in the store.
  static let tag = "fcm_tag"
  /// The same of another one.
  static let otherEnvironment = "apns_try_other_environment"

  /// The same of another one.
  static let undo = "undo_seconds"
  /// How long a campaign from the dashboard can be stopped before it starts, unless the app says otherwise.
  static let undoSecondsUsual = 30
  /// The longest such wait, an hour.
  static let undoSecondsMax = 3_600

  /// The form that the store keeps.
  var bytes: [UInt8] {
    var object = JSONObject()
    if let contract { object.append("contract", .string(contract)) }
    if !options.isEmpty { object.append("options", .array(options.map { .string($0) })) }
    if let tagsNotifications { object.append(Self.tag, .bool(tagsNotifications)) }
    if triesOtherEnvironment { object.append(Self.otherEnvironment, true) }
    if let undoSeconds { object.append(Self.undo, .number(JSONNumber(undoSeconds))) }
    if let approval { object.append(ApprovalRule.member, approval.json) }
    if !compatIDs.isEmpty {
      let ids = compatIDs.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
      object.append("compat", .object(JSONObject(ids)))
    }
    if !shadow.isEmpty {
      let settings = shadow.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.object($0.value.json)) }
      object.append("shadow", .object(JSONObject(settings)))
    }
    return JSON.minified(.object(object))
  }

  /// Reports an unknown contract, or an option that the contract does not have.
  func check(into report: inout Report) {
    guard let contract else {
      if !options.isEmpty {
        report.add(
          rule: Schema.Rule.value, severity: .error, field: "options", message: "expected none without a contract")
      }
      return
    }
    guard let table = Contracts.mappingTable(ContractName(rawValue: contract)) else {
      let known = Contracts.names.map(\.rawValue).joined(separator: ", ")
      return report.add(
        rule: "contract-unknown", severity: .error, field: "contract",
        message: "no contract \"\(contract.prefix(40))\"; the contracts are \(known)")
    }
    let known = table.policy.options.map(\.name)
    for (index, option) in options.enumerated() where !known.contains(option) {
      let names = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "options[\(index)]",
        message: "\(contract) has no option \"\(option.prefix(40))\"; \(names)")
    }
  }
}
