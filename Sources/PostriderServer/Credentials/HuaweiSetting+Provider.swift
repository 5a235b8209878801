internal import Delivery
internal import GatewayPool
internal import HTTP2
internal import Huawei
internal import PushPayload
internal import StoreModel
internal import WireJSON

extension HuaweiSetting: ProviderSetting {
  static let schemaName = "HuaweiCredential"
  static let kept = StoredSettings(settings: ["gateway", "proxy"], ofAccount: ["project_id"]) { $0["client_id"] }

  static func shown(for slot: CredentialSlot) -> Schema { shown }

  init(_ json: JSONValue, for slot: CredentialSlot, at field: FieldPath, report: inout Report) throws(Problem) {
    try self.init(json, at: field, report: &report)
  }

  var kind: String { "hms-oauth-client" }

  func sender(_ parts: SenderParts) throws(Problem) -> any Sender {
    var configuration = HuaweiClientConfiguration(gateway: gateway(through: parts.proxy), account: account)
    configuration.onConnectionLoss = { [losses = parts.losses] in losses.note($0) }
    do throws(HuaweiCredentialError) {
      return HuaweiSender(try HuaweiClient(configuration, threads: parts.threads))
    } catch {
      throw Problem(.invalid, error.description)
    }
  }

  func probe(
    through proxy: HTTP2Proxy?, threads: GatewayThreads, answer: @escaping @Sendable (CredentialProbe.Verdict) -> Void
  ) { CredentialProbe.ask(self, through: proxy, threads: threads, answer: answer) }
}
