internal import FCM
internal import GatewayPool
internal import PushPayload
internal import WireJSON

/// The FCM part of an app's credentials.
struct FCMSetting: Sendable {
  let account: FCMServiceAccount
  let gateway: FCMGateway
  /// Whether ``gateway`` is one that the credential names.
  let namesGateway: Bool
  let egress: EgressSetting
  /// What is shown of it: everything except secrets.
  let summary: JSONObject

  static let schema = Schema.object(
    [
      .required("service_account", Schema(.map, "The service account's key file, as Google lets you download it.")),
      .nullable("project_id", .string("The project to send for, when it is not the account's own.", max: 100)),
      .nullable("gateway", GatewaySetting.schema), .nullable("proxy", EgressSetting.schema),
    ], "How to reach FCM for this app.")
  /// What is shown of it.
  static let shown = Schema.object(
    [
      .required("project_id", .string("The project that is sent for.", max: 100)),
      .required("client_email", .string("The service account.", max: 1_000)),
      .required("private_key_id", .string("The id of its key.", min: 0, max: 1_000)),
      .optional("gateway", GatewaySetting.shown), .optional("proxy", EgressSetting.shown),
      .required("updated_at", .time("When it was saved.")),
    ], "FCM.")

  /// Google's token endpoints end with this name; any other must be the gateway that the credential names, port included.
  private static let tokenHostSuffix = ".googleapis.com"

  /// Checks and reads the setting, whose shape was checked before.
  init(_ json: JSONValue, at field: FieldPath, report: inout Report) throws(Problem) {
    let file = JSON.minified(json["service_account"] ?? .null)
    do throws(FCMCredentialError) {
      account = try FCMServiceAccount(keyFile: file, projectID: json["project_id"]?.string)
    } catch {
      report.add(
        rule: "credential-service-account", severity: .error, field: field.member("service_account"),
        message: error.message)
      throw Problem(.invalid, report: report)
    }
    var summary: JSONObject = [
      "project_id": .string(account.projectID), "client_email": .string(account.clientEmail),
      "private_key_id": .string(account.privateKeyID),
    ]
    let setting = GatewaySetting(json["gateway"], at: field.member("gateway"), report: &report)
    namesGateway = setting != nil
    egress = EgressSetting(json["proxy"], at: field.member("proxy"), report: &report)
    if let shown = egress.summary { summary["proxy"] = shown }
    if let setting {
      gateway = .custom(host: setting.host, port: setting.port, trust: setting.trust)
      summary["gateway"] = setting.summary
    } else {
      gateway = .production
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    self.summary = summary
    let token = account.tokenURI
    if !token.host.hasSuffix(FCMSetting.tokenHostSuffix) && !gateway.isEndpoint(of: token) {
      report.add(
        rule: "credential-token-uri", severity: .error, field: field.member("service_account").member("token_uri"),
        message: "expected a host of googleapis.com, or host and port of \"gateway\" (\(gateway.endpoint.host):"
          + "\(gateway.endpoint.port)), found \(token.host):\(token.port); name the gateway to allow this one")
      throw Problem(.invalid, report: report)
    }
  }
}
