#if !_pointerBitWidth(_32)
  package import PushContracts
  internal import PushPayload
  internal import WireJSON

  extension RenderRequest {
    /// An app that FCM reaches over another push service.
    package struct CarriedTarget: Sendable {
      let carrier: FCMCarrier
      let topic: @Sendable (String) -> String?

      /// Names it.
      ///
      /// - Parameter topic: makes a topic of web push of a collapse id that is none.
      package init(_ carrier: FCMCarrier, topic: @escaping @Sendable (String) -> String?) {
        self.carrier = carrier
        self.topic = topic
      }
    }

    /// The title of a browser's notification that has a text and no title: without an app nobody knows a name.
    package static let untitled = "Notification"

    /// FCM's message with the block for the other push service.
    func rendering(_ message: JSONValue, for target: CarriedTarget) -> Rendering {
      var carried = Contracts.render(
        for: target.carrier, contract, message: message, context: context, title: Self.untitled, topic: target.topic)
      carried.reportNothing(to: target.carrier, isAlone: true)
      return Rendering(contract: contract, fcm: carried.request, report: carried.report)
    }
  }
#endif
