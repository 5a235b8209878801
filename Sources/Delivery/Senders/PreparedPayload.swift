internal import APNs
internal import FCM
internal import PushPayload
public import PushStore
internal import Synchronization

/// What every device of one kind is sent by one push, laid out once.
public final class PreparedPayload: Sendable {
  /// Headers, body and the token's place, as the store keeps them.
  public let rendered: RenderedPayload
  private let apnsTemplates = Mutex<[TopicChange: APNsTemplate]>([:])
  private let fcmTemplate = Mutex<FCMTemplate?>(nil)

  /// Takes a rendered payload.
  public init(_ rendered: RenderedPayload) { self.rendered = rendered }

  /// The layout for APNs, with the topics that a credential has.
  func apns(_ topics: TopicChange) -> APNsTemplate {
    apnsTemplates.withLock { templates in
      if let template = templates[topics] { return template }
      let headers = rendered.headers.map { header in
        APNsHeader(
          name: header.name, value: header.name == "apns-topic" ? topics.applied(to: header.value) : header.value)
      }
      let made = APNsTemplate(APNsRequest(headers: APNsHeaders(reading: headers), payload: rendered.body))
      templates[topics] = made
      return made
    }
  }

  /// The layout for FCM, whose token stands in the body.
  var fcm: FCMTemplate {
    fcmTemplate.withLock { template in
      if let template { return template }
      let offset = rendered.tokenOffset ?? rendered.body.count
      let body = FCMRequestTemplate(
        prefix: Array(rendered.body[..<offset]), suffix: Array(rendered.body[offset...]), hole: .token)
      let made = FCMTemplate(body)
      template = made
      return made
    }
  }
}
