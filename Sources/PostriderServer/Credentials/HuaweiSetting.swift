internal import GatewayPool
internal import HTTP2
internal import Huawei
internal import PushPayload
internal import WireJSON

/// The Push Kit part of an app's credentials.
struct HuaweiSetting: Sendable {
  let account: HuaweiAccount
  let gateway: HuaweiGateway
  /// Whether ``gateway`` is one that the credential names.
  let namesGateway: Bool
  let egress: EgressSetting
  /// What is shown of it: everything except the secret.
  let summary: JSONObject

  static let schema = Schema.object(
    [
      .required(
        "client_id",
        .string("The OAuth 2.0 client id of the app, digits.", max: HuaweiAccount.idDigitsMax, example: "101234567")),
      .required(
        "client_secret",
        .string(
          "The client secret.", max: HuaweiAccount.secretBytesMax,
          example: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")),
      .nullable(
        "project_id",
        .string(
          "The project, digits: messages then go to its address (v2) and not to the app's (v1).",
          max: HuaweiAccount.idDigitsMax, example: "736430079244593285")),
      .nullable("gateway", GatewaySetting.schema), .nullable("proxy", EgressSetting.schema),
    ],
    "How to reach Huawei's Push Kit for this app. A gateway that is named takes messages and hands out access tokens.")
  /// What is shown of it.
  static let shown = Schema.object(
    [
      .required("client_id", .string("The OAuth 2.0 client id.", max: HuaweiAccount.idDigitsMax)),
      .optional("project_id", .string("The project.", max: HuaweiAccount.idDigitsMax)),
      .optional("gateway", GatewaySetting.shown), .optional("proxy", EgressSetting.shown),
      .required("updated_at", .time("When it was saved.")),
    ], "Huawei's Push Kit.")

  /// Checks and reads the setting, whose shape was checked before.
  init(_ json: JSONValue, at field: FieldPath, report: inout Report) throws(Problem) {
    do throws(HuaweiCredentialError) {
      account = try HuaweiAccount(
        clientID: json["client_id"]?.string ?? "", clientSecret: json["client_secret"]?.string ?? "",
        projectID: json["project_id"]?.string)
    } catch {
      report.add(
        rule: "credential-huawei", severity: .error, field: error.field.isEmpty ? field : field.member(error.field),
        message: error.message)
      throw Problem(.invalid, report: report)
    }
    var summary: JSONObject = ["client_id": .string(account.clientID)]
    if let project = account.projectID { summary["project_id"] = .string(project) }
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
  }

  /// The gateway with the ways to it and to the token endpoint.
  func gateway(through server: HTTP2Proxy?) -> HuaweiGateway {
    var gateway = gateway
    let proxy = egress.proxy(server, isNamed: namesGateway)
    gateway.endpoint.proxy = proxy
    gateway.tokenEndpoint.proxy = proxy
    return gateway
  }
}
