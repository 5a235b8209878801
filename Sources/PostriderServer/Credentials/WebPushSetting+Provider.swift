internal import Delivery
internal import GatewayPool
internal import HTTP2
internal import PushPayload
internal import StoreModel
internal import WebPush
internal import WireJSON

extension WebPushSetting: ProviderSetting {
  static let schemaName = "WebPushCredential"
  static let kept = StoredSettings(settings: ["padding", "declarative", "url", "origins", "gateway", "proxy"])

  static func shown(for slot: CredentialSlot) -> Schema { shown }

  // Browsers stay subscribed to the keys that were saved before.
  static func sealable(
    _ request: JSONValue, saved: () throws(Problem) -> JSONValue?, rotates: Bool, at field: FieldPath
  ) throws(Problem) -> JSONValue {
    try sealable(request, saved: saved(), rotates: rotates, at: field)
  }

  init(_ json: JSONValue, for slot: CredentialSlot, at field: FieldPath, report: inout Report) throws(Problem) {
    try self.init(json, at: field, report: &report)
  }

  var kind: String { "web-vapid" }

  func sender(_ parts: SenderParts) throws(Problem) -> any Sender {
    var configuration = WebPushClientConfiguration(key: keys[0], subject: subject)
    apply(through: parts.proxy, to: &configuration)
    do throws(WebPushError) {
      return try WebPushSender(
        configuration, earlierKeys: Array(keys.dropFirst()), padding: padding, threads: parts.threads)
    } catch {
      throw Problem(.invalid, error.description)
    }
  }

  func probe(
    through proxy: HTTP2Proxy?, threads: GatewayThreads, answer: @escaping @Sendable (CredentialProbe.Verdict) -> Void
  ) { CredentialProbe.ask(self, through: proxy, threads: threads, answer: answer) }
}
