internal import APNs
internal import Delivery
internal import GatewayPool
internal import HTTP2
internal import PushPayload
internal import StoreModel
internal import WireJSON

extension APNsSetting: ProviderSetting {
  static let schemaName = "APNsCredential"
  static let kept = StoredSettings(settings: ["topics", "gateway", "proxy"])

  static func shown(for slot: CredentialSlot) -> Schema {
    shown("APNs for devices of the \(slot.environment.name) environment.")
  }

  init(_ json: JSONValue, for slot: CredentialSlot, at field: FieldPath, report: inout Report) throws(Problem) {
    let isSandbox =
      switch slot.environment {
      case .development: true
      case .production: false
      }
    try self.init(json, sandbox: isSandbox, at: field, report: &report)
  }

  var kind: String { "apns-" + (summary["kind"]?.string ?? "") }

  func sender(_ parts: SenderParts) throws(Problem) -> any Sender {
    var configuration = APNsClientConfiguration(gateway: gateway(through: parts.proxy), credential: credential)
    configuration.onConnectionLoss = { [losses = parts.losses] in losses.note($0) }
    do throws(APNsCredentialError) {
      let channels = ChannelSender(
        APNsChannelClientConfiguration(gateway: self.channels(through: parts.proxy), credential: credential),
        threads: parts.threads)
      return APNsSender(
        try APNsClient(configuration, threads: parts.threads), topics: parts.topics, channels: channels)
    } catch {
      throw Problem(.invalid, error.description)
    }
  }

  func probe(
    through proxy: HTTP2Proxy?, threads: GatewayThreads, answer: @escaping @Sendable (CredentialProbe.Verdict) -> Void
  ) { CredentialProbe.ask(self, through: proxy, threads: threads, answer: answer) }
}
