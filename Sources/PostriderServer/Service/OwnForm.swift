internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// How messages are written for a service whose form is no contract's.
struct OwnForm: Sendable {
  /// The service; its devices get one payload.
  let provider: Provider
  /// Whether it is made of what the message is for Android, which then is written even where FCM reaches nobody.
  var isMadeOfAndroid = false
  /// Writes a message, of what it is for the job's platforms; nil where it has errors, or nothing for the service.
  let write:
    @Sendable (
      _ composer: PushComposer, _ message: JSONValue, _ job: WritingJob, _ written: Rendering, _ report: inout Report
    ) -> RenderedPayload?

  /// The forms, in the order in which messages are written.
  static let all: [OwnForm] = [.web, .huawei]
}
