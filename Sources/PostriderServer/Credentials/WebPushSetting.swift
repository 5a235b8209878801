internal import GatewayPool
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WebPush
internal import WireJSON

/// The part of an app's credentials for browsers: its VAPID keys, which the server makes and never shows.
///
/// A subscription belongs to the key that it was made for. So a key is never dropped when another replaces it: the
/// earlier ones go on serving the subscriptions that were made for them.
struct WebPushSetting: Sendable {
  /// The keys, the current one first.
  let keys: [VAPIDKey]
  let subject: VAPIDSubject
  let padding: WebPushPadding
  /// Whether notifications have the form that browsers show without a service worker.
  let isDeclarative: Bool
  /// What a tap opens when the message has no link.
  let url: String?
  let ownService: WebPushOwnService?
  let egress: EgressSetting
  /// What is shown of it: everything except secrets.
  let summary: JSONObject
  /// What is sealed.
  let sealable: JSONValue

  /// Earlier keys that are kept; the oldest goes when there is one more.
  static let earlierKeysMax = 15
  private static let paddingMax = WebPushMessage.payloadBytesMax

  static let schema = Schema.object(
    [
      .required(
        "subject",
        .string(
          "Whom push services can contact: mailto: or https://. Apple's refuses messages without one.",
          max: VAPIDSubject.bytesMax, example: "mailto:ops@example.com")),
      .optional(
        "key",
        .string(
          "A VAPID key of your own, PEM or Base64URL of 32 bytes. Without it the server makes one, or keeps the one that is"
            + " there.", max: 16_384)),
      .nullable(
        "padding",
        .integer(
          0...paddingMax,
          "Messages are made longer up to the next multiple of so many bytes, so that their length says less; 0 by default."
        )),
      .nullable(
        "declarative",
        .boolean("Whether notifications have the declarative form (web_push 8030); false by default. Needs url.")),
      .nullable(
        "url",
        .string(
          "What a tap opens when the message has no link, https://.", max: 2_000, example: "https://www.example.com/")),
      .nullable("origins", origins), .nullable("gateway", GatewaySetting.schema),
      .nullable("proxy", EgressSetting.schema),
    ], "How to reach browsers for this app.")
  /// What is shown of it.
  static let shown = Schema.object(
    [
      .required("subject", .string("Whom push services can contact.", max: VAPIDSubject.bytesMax)),
      .required("public_key", publicKey), .required("earlier_keys", earlierKeys),
      .required("padding", .integer(0...paddingMax, "Messages are made longer up to a multiple of it.")),
      .required("declarative", .boolean("Whether notifications have the declarative form.")),
      .optional("url", .string("What a tap opens when the message has no link.", max: 2_000)),
      .optional("origins", origins), .optional("gateway", GatewaySetting.shown),
      .optional("proxy", EgressSetting.shown),
      .required("updated_at", .time("When it was saved.")),
    ], "Browsers.")
  private static let origins = Schema.array(
    of: .string(
      "An origin: scheme, host, and the port if it is not the usual one.", max: SiteOrigins.bytesMax,
      example: "https://www.example.com"),
    max: SiteOrigins.countMax,
    "The sites whose pages may register browsers and report with a key of scope client, from the browser; none by default."
  )
  static let publicKey = Schema.string(
    "The public key that pages subscribe with, as applicationServerKey.", min: 87, max: 87,
    example: "BGbokXRMypD5M_NHbUT3JaRtGC0XuTmBwO-EPp2O7_WC9FJHDebOwER9YWsLE33yUHHIngnlq4wZi0OTiGVr_Fg")
  static let earlierKeys = Schema.array(
    of: .string(
      "A public key.", min: 87, max: 87,
      example: "BGbokXRMypD5M_NHbUT3JaRtGC0XuTmBwO-EPp2O7_WC9FJHDebOwER9YWsLE33yUHHIngnlq4wZi0OTiGVr_Fg"),
    max: earlierKeysMax,
    "The keys it had before, the newest first: subscriptions that were made for them are still served.")

  /// Checks and reads what is sealed.
  init(_ json: JSONValue, at field: FieldPath, report: inout Report) throws(Problem) {
    func fail(_ rule: String, _ member: String, _ message: String) {
      report.add(rule: rule, severity: .error, field: field.member(member), message: message)
    }
    var keys: [VAPIDKey] = []
    for key in json["keys"]?.array ?? [] {
      do throws(WebPushError) { keys.append(try VAPIDKey(file: Array((key.string ?? "").utf8))) } catch {
        fail("credential-key", "key", error.message)
      }
    }
    var subject: VAPIDSubject?
    do throws(WebPushError) { subject = try VAPIDSubject(json["subject"]?.string ?? "") } catch {
      fail(Schema.Rule.value, "subject", error.message)
    }
    url = json["url"]?.string
    if let url, (try? WebPushEndpoint(url)) == nil { fail(Schema.Rule.value, "url", "expected an https address") }
    isDeclarative = json["declarative"]?.bool ?? false
    if isDeclarative, url == nil {
      fail(Schema.Rule.missing, "url", "a declarative notification has to open something; add the page it opens")
    }
    let origins = json["origins"]?.array ?? []
    for (index, origin) in origins.enumerated() {
      guard let mistake = SiteOrigins.mistake(origin.string ?? "") else { continue }
      report.add(
        rule: Schema.Rule.value, severity: .error, field: field.member("origins").element(index), message: mistake)
    }
    let gateway = GatewaySetting(json["gateway"], at: field.member("gateway"), report: &report)
    ownService = try? gateway.map { try WebPushOwnService(host: $0.host, port: $0.port, trust: $0.trust) }
    egress = EgressSetting(json["proxy"], at: field.member("proxy"), report: &report)
    guard !report.hasErrors, let subject, !keys.isEmpty else { throw Problem(.invalid, report: report) }
    self.keys = keys
    self.subject = subject
    let bytes = json["padding"]?.int.map { Int($0) } ?? 0
    padding = bytes == 0 ? .none : .multiple(bytes)
    sealable = json
    var summary: JSONObject = [
      "subject": .string(subject.text), "public_key": .string(keys[0].publicText),
      "earlier_keys": .array(keys.dropFirst().map { .string($0.publicText) }), "padding": .number(JSONNumber(bytes)),
      "declarative": .bool(isDeclarative),
    ]
    if let url { summary["url"] = .string(url) }
    if !origins.isEmpty { summary["origins"] = .array(origins) }
    if let gateway { summary["gateway"] = gateway.summary }
    if let shown = egress.summary { summary["proxy"] = shown }
    self.summary = summary
  }

  /// What is sealed for a request, whose shape was checked before: with the keys that the app has, and a new one where it
  /// has none or `rotates`.
  static func sealable(
    _ request: JSONValue, saved: JSONValue?, rotates: Bool = false, at field: FieldPath
  ) throws(Problem) -> JSONValue {
    var object = request.object ?? [:]
    var keys = saved?["keys"]?.array ?? []
    if let own = object.removeValue(forKey: "key") {
      let key: VAPIDKey
      do throws(WebPushError) { key = try VAPIDKey(file: Array((own.string ?? "").utf8)) } catch {
        var report = Report()
        report.add(rule: "credential-key", severity: .error, field: field.member("key"), message: error.message)
        throw Problem(.invalid, report: report)
      }
      // A key that the app had before becomes the current one again.
      keys.removeAll { publicText($0) == key.publicText }
      keys.insert(own, at: 0)
    } else if keys.isEmpty || rotates {
      do throws(SigningError) { keys.insert(.string(try VAPIDKey.generate().pem()), at: 0) } catch {
        throw Problem(.internalError, "the key could not be made: \(error.message)")
      }
    }
    object["keys"] = .array(Array(keys.prefix(earlierKeysMax + 1)))
    return .object(object)
  }

  private static func publicText(_ key: JSONValue) -> String? {
    (try? VAPIDKey(file: Array((key.string ?? "").utf8)))?.publicText
  }
}

/// What requests need to know of an app's web push.
struct WebPushFacts: Sendable {
  /// The key that a subscription is for that names none.
  let publicKey: String
  let earlierKeys: [String]
  let isDeclarative: Bool
  let url: String?
  /// The sites whose pages may use the app's key.
  let origins: [String]
  /// The origin of the push service that may have a private address.
  let ownOrigin: String?

  /// Reads what is shown of a credential.
  init?(_ credential: Credential) {
    guard let json = try? JSON.parse(credential.settings), let publicKey = json["public_key"]?.string else {
      return nil
    }
    self.publicKey = publicKey
    earlierKeys = json["earlier_keys"]?.array?.compactMap(\.string) ?? []
    isDeclarative = json["declarative"]?.bool ?? false
    url = json["url"]?.string
    origins = json["origins"]?.array?.compactMap(\.string) ?? []
    if let host = json["gateway"]?["host"]?.string, let port = json["gateway"]?["port"]?.int {
      ownOrigin = try? WebPushOwnService(host: host, port: UInt16(clamping: port)).origin
    } else {
      ownOrigin = nil
    }
  }
}
