internal import APNs
internal import FCM
internal import PushPayload
public import StoreModel
internal import Synchronization

/// What every device of one kind is sent by one push, laid out once.
public final class PreparedPayload: Sendable {
  /// Headers, body and the token's offset, as the store holds them.
  public let rendered: RenderedPayload
  /// By the topics that a credential changes; the layout without changes, which nearly all sends use, has a field of
  /// its own.
  private struct Layouts: Sendable {
    var usual: APNsTemplate?
    var changed: [TopicChange: APNsTemplate] = [:]
  }

  private let apnsLayouts = Mutex(Layouts())
  private let fcmTemplate = Mutex<FCMTemplate?>(nil)

  /// Takes a rendered payload.
  public init(_ rendered: RenderedPayload) { self.rendered = rendered }

  /// The layout for APNs, with the topics that a credential has.
  func apns(_ topics: TopicChange) -> APNsTemplate {
    apnsLayouts.withLock { layouts in
      if let template = topics.isEmpty ? layouts.usual : layouts.changed[topics] { return template }
      let headers = rendered.headers.map { header in
        APNsHeader(
          name: header.name, value: header.name == "apns-topic" ? topics.applied(to: header.value) : header.value)
      }
      let made = APNsTemplate(
        APNsRequest(headers: APNsHeaders(reading: headers), payload: rendered.body),
        gaps: rendered.placeholders.map(\.offset))
      if topics.isEmpty { layouts.usual = made } else { layouts.changed[topics] = made }
      return made
    }
  }

  /// The layout for FCM and Push Kit, whose token is part of the body.
  var fcm: FCMTemplate {
    fcmTemplate.withLock { template in
      if let template { return template }
      let offset = rendered.tokenOffset ?? rendered.body.count
      let body = FCMRequestTemplate(body: rendered.body, offset: offset, placeholder: .token)
      let placeholders = rendered.placeholders.map(\.offset)
      let made = FCMTemplate(
        body, prefixGaps: placeholders.filter { $0 <= offset },
        suffixGaps: placeholders.filter { $0 > offset }.map { $0 - offset })
      template = made
      return made
    }
  }
}
