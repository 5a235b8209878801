internal import APNs
internal import GatewayPool
internal import HTTP2
internal import PushPayload
internal import Signing
internal import StoreModel
internal import TLS
internal import WireJSON

/// The APNs part of an app's credentials.
struct APNsSetting: Sendable {
  let credential: APNsCredential
  let gateway: APNsGateway
  /// Where broadcasts and channels are: a gateway that the setting names serves them, too.
  let channels: APNsBroadcastGateway
  /// Whether ``gateway`` is one that the credential names.
  let namesGateway: Bool
  let egress: EgressSetting
  let topic: String
  /// What is shown of it: everything except secrets.
  let summary: JSONObject

  static let schema = Schema.object(
    [
      .required("topic", .string("The app's bundle id, for apns-topic.", max: 200, example: "com.example.app")),
      .nullable(
        "topics",
        .array(
          of: .string("A bundle id.", max: 200), max: 20,
          "Further bundle ids that the credential is good for; a push names one with \"topic\".")),
      .optional("key", .string("The .p8 key, PEM; with key_id and team_id.", max: 16_384)),
      .optional("key_id", .string("The key's id.", min: 10, max: 10, example: "ABC123DEFG")),
      .optional("team_id", .string("The team's id.", min: 10, max: 10, example: "DEF123GHIJ")),
      .optional(
        "certificate_p12", .string("A certificate with its key, PKCS#12 in base64, instead of a key.", max: 400_000)),
      .optional(
        "certificate_pem",
        .string("A certificate with its key, PEM text, instead of a key; not encrypted.", max: 400_000)),
      .optional("password", .string("The password of the PKCS#12 file.", min: 0, max: 1_000)),
      .optional(
        "environment",
        .choice(
          ["production", "sandbox"],
          "Apple's environment, which the member decides: production in \"apns\", sandbox in \"apns_sandbox\".")),
      .nullable("gateway", GatewaySetting.schema), .nullable("proxy", EgressSetting.schema),
    ], "How to reach APNs for this app.")
  /// What is shown of it.
  static func shown(_ about: String) -> Schema {
    .object(
      [
        .required("topic", .string("The app's bundle id.", max: 200, example: "com.example.app")),
        .optional("topics", .array(of: .string("A bundle id.", max: 200), max: 20, "Further bundle ids.")),
        .required("kind", .choice(["token", "certificate"], "What the server signs in with.")),
        .optional("key_id", .string("The key's id.", min: 10, max: 10, example: "ABC123DEFG")),
        .optional("team_id", .string("The team's id.", min: 10, max: 10, example: "DEF123GHIJ")),
        .optional("gateway", GatewaySetting.shown), .optional("proxy", EgressSetting.shown),
        .required("updated_at", .time("When it was saved.")),
      ], about)
  }

  /// Checks and reads the setting, whose shape was checked before.
  init(_ json: JSONValue, sandbox: Bool, at field: FieldPath, report: inout Report) throws(Problem) {
    topic = json["topic"]?.string ?? ""
    APNsSetting.check(topic: topic, at: field.member("topic"), into: &report)
    var summary: JSONObject = ["topic": .string(topic)]
    for (index, further) in (json["topics"]?.array ?? []).enumerated() {
      APNsSetting.check(topic: further.string ?? "", at: field.member("topics").element(index), into: &report)
    }
    if let further = json["topics"] { summary["topics"] = further }
    let credential = APNsSetting.credential(json, at: field, summary: &summary, report: &report)
    let setting = GatewaySetting(json["gateway"], at: field.member("gateway"), report: &report)
    namesGateway = setting != nil
    egress = EgressSetting(json["proxy"], at: field.member("proxy"), report: &report)
    if let shown = egress.summary { summary["proxy"] = shown }
    if let setting {
      gateway = .custom(host: setting.host, port: setting.port, trust: setting.trust)
      channels = .custom(host: setting.host, port: setting.port, trust: setting.trust)
      summary["gateway"] = setting.summary
    } else {
      channels = sandbox ? .sandbox : .production
      gateway = sandbox ? .sandbox() : .production()
    }
    guard let credential, !report.hasErrors else { throw Problem(.invalid, report: report) }
    self.credential = credential
    self.summary = summary
  }

  private static func check(topic: String, at field: FieldPath, into report: inout Report) {
    guard !AppRoutes.isPlainName(topic) else { return }
    report.add(
      rule: "credential-topic", severity: .error, field: field,
      message: "expected a bundle id such as com.example.app: letters, digits, - _ and .")
  }

  /// The topics of a saved credential, the usual one first.
  static func topics(_ credential: Credential) -> [String] {
    let shown = try? JSON.parse(credential.settings)
    let topics = [shown?["topic"]?.string].compactMap(\.self) + (shown?["topics"]?.array?.compactMap(\.string) ?? [])
    return topics.reduce(into: []) { all, topic in if !all.contains(topic) { all.append(topic) } }
  }

  private static func credential(
    _ json: JSONValue, at field: FieldPath, summary: inout JSONObject, report: inout Report
  ) -> APNsCredential? {
    let key = json["key"]?.string
    let file = json["certificate_p12"]?.string
    let text = json["certificate_pem"]?.string
    if let text, key == nil, file == nil {
      summary["kind"] = "certificate"
      return certificate(pem: text, at: field, report: &report)
    }
    if let key, file == nil, text == nil {
      summary["kind"] = "token"
      summary["key_id"] = json["key_id"]
      summary["team_id"] = json["team_id"]
      return signingKey(key, json, at: field, report: &report)
    }
    if let file, key == nil, text == nil {
      summary["kind"] = "certificate"
      return certificate(file, json, at: field, report: &report)
    }
    report.add(
      rule: "credential-kind", severity: .error, field: field,
      message:
        "expected one of \"key\" with \"key_id\" and \"team_id\", \"certificate_p12\", and \"certificate_pem\"")
    return nil
  }

  private static func signingKey(
    _ key: String, _ json: JSONValue, at field: FieldPath, report: inout Report
  ) -> APNsCredential? {
    for name in ["key_id", "team_id"] where json[name] == nil {
      report.add(
        rule: Schema.Rule.missing, severity: .error, field: field.member(name), message: "is required with \"key\"")
    }
    guard let keyID = json["key_id"]?.string, let teamID = json["team_id"]?.string else { return nil }
    do throws(APNsCredentialError) {
      return .token(try APNsSigningKey(p8: Array(key.utf8), keyID: keyID, teamID: teamID))
    } catch {
      report.add(
        rule: "credential-key", severity: .error, field: field.member("key"), message: error.description)
      return nil
    }
  }

  private static func certificate(pem text: String, at field: FieldPath, report: inout Report) -> APNsCredential? {
    let pem = Array(text.utf8)
    do throws(TLSError) {
      _ = try TLSContext.client(identity: TLSIdentity(certificatePEM: pem, keyPEM: pem))
      return .certificate(pem: pem)
    } catch {
      report.add(
        rule: "credential-certificate", severity: .error, field: field.member("certificate_pem"),
        message: error.description)
      return nil
    }
  }

  private static func certificate(
    _ file: String, _ json: JSONValue, at field: FieldPath, report: inout Report
  ) -> APNsCredential? {
    let field = field.member("certificate_p12")
    guard let bytes = Base64.decode(file) else {
      report.add(
        rule: "credential-certificate", severity: .error, field: field, message: "expected the PKCS#12 file in base64")
      return nil
    }
    do throws(SigningError) {
      return try .certificate(p12: bytes, password: json["password"]?.string ?? "")
    } catch {
      report.add(rule: "credential-certificate", severity: .error, field: field, message: error.message)
      return nil
    }
  }
}
