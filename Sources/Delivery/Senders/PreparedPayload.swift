internal import APNs
internal import FCM
internal import PushPayload
public import PushStore
internal import Synchronization

/// What every device of one kind is sent by one push, laid out once.
public final class PreparedPayload: Sendable {
  /// Headers, body and the token's place, as the store keeps them.
  public let rendered: RenderedPayload
  private let apnsTemplate = Mutex<APNsTemplate?>(nil)
  private let fcmTemplate = Mutex<FCMTemplate?>(nil)

  /// Takes a rendered payload.
  public init(_ rendered: RenderedPayload) { self.rendered = rendered }

  /// The layout for APNs.
  var apns: APNsTemplate {
    apnsTemplate.withLock { template in
      if let template { return template }
      let headers = rendered.headers.map { APNsHeader(name: $0.name, value: $0.value) }
      let made = APNsTemplate(APNsRequest(headers: APNsHeaders(reading: headers), payload: rendered.body))
      template = made
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
