import Delivery
import GatewayPool
import Huawei
import Ledger
import PushRules
import PushStore
import StoreModel
import Testing

@testable import PostriderServer

/// Every reason a delivery can be given by us, or is known of the providers, is explained.
@Suite struct ReasonTextTests {
  static let own = [
    LocalReason.deviceRetired, LocalReason.deviceRemoved, PipelineReason.noPayload, PipelineReason.noCredential,
    PipelineReason.stopped, PipelineReason.expired, PipelineReason.providerStopped, PipelineReason.gatewayUnreachable,
    PipelineReason.recalled, PipelineReason.tooLarge, PipelineReason.aborted, PipelineReason.undefined,
    PipelineReason.templateFailed, PipelineReason.templateEmpty, LocalReason.deviceMoved, LocalReason.optedOut,
    LocalReason.frequencyCap, WebPushReason.unknownKey, WebPushReason.unreadable, WebPushReason.queueFull,
    PipelineReason.exhausted,
  ]
  static let causes: [SendFailure.Cause] = [
    .nameLookup, .addressRefused, .connect, .proxy, .tls, .noHTTP2, .goAway, .refusedStream, .streamReset,
    .connectionLost, .silence, .requestTimeout, .queueTimeout, .expired, .credential, .tokenUnavailable, .closed,
    .invalidRequest,
    .protocolViolation, .unreadableAnswer,
  ]

  @Test func explainsEveryReason() {
    for reason in Self.own + Self.causes.map(\.rawValue) {
      for provider in [Provider.apns, .fcm, nil] {
        #expect(ReasonTexts.text(provider: provider, reason: reason) != nil, "\(reason)")
      }
      // What a delivery says is what `explain` knows.
      #expect(Explanations.find(reason).contains { $0.service == .own && $0.reason == reason }, "\(reason)")
    }
    for row in Explanations.all where row.service == .apns || row.service == .fcm {
      let provider: Provider = row.service == .fcm ? .fcm : .apns
      #expect(ReasonTexts.text(provider: provider, reason: row.reason)?.meaning != nil, "\(row.reason)")
    }
    for status in 300...599 {
      for provider in [Provider.web, .hms] {
        #expect(ReasonTexts.text(provider: provider, reason: "\(status)") != nil, "\(provider) \(status)")
      }
    }
    #expect(ReasonTexts.text(provider: .hms, reason: "80999999") != nil)
    #expect(ReasonTexts.text(provider: .apns, reason: "418") == nil)
    let exhausted = ReasonTexts.text(provider: .apns, reason: PipelineReason.exhausted(after: "connect"))
    #expect(exhausted?.meaning.hasSuffix("The connection to the gateway could not be made.") == true)
    #expect(exhausted?.action == "Records the rejection and does not send again.")
    let found = Explanations.find(PipelineReason.exhausted(after: "connect")).map(\.reason)
    #expect(found == [PipelineReason.exhausted, "connect"])
    #expect(ReasonTexts.text(provider: .apns, reason: "") == nil)
    #expect(ReasonTexts.text(provider: .apns, reason: "SomethingNew") == nil)
  }
}
