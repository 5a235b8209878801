internal import Delivery
internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import WebPush
internal import WireJSON

extension OwnForm {
  /// For browsers.
  static let web = OwnForm(provider: .web) { composer, message, job, written, report in
    composer.web(message, job, written, &report)
  }
}

/// What browsers are sent.
extension PushComposer {
  /// Writes a message for browsers; nil when it has errors or nothing to show there.
  ///
  /// Where no other kind of device gets the push, a message with nothing to show is an error.
  ///
  /// - Parameter written: what the message is for the job's platforms.
  func web(
    _ message: JSONValue, _ job: WritingJob, _ written: Rendering, _ report: inout Report
  ) -> RenderedPayload? {
    let title = entry.app.title.isEmpty ? entry.app.name : entry.app.title
    let isAlone = job.platforms.isEmpty
    var rendering = Contracts.renderWeb(
      job.contract, message: message, context: job.context, title: title,
      rendering: job.platforms.count == Platform.allCases.count ? written : nil)
    rendering.reportNothing(isAlone: isAlone)
    rendering.reportLink(isDeclarative: entry.web?.isDeclarative ?? false)
    report.appendNew(rendering.report)
    guard let notification = rendering.notification, !rendering.report.hasErrors else { return nil }
    let body = JSON.minified(.object(form(notification)))
    if body.count > WebContent.bytesMax {
      report.add(
        rule: "web-push-too-large", severity: .error, field: "",
        message: "the notification for browsers has \(body.count) bytes; a web push holds"
          + " \(WebContent.bytesMax): shorten the text, or send a reference")
    }
    return RenderedPayload(kinds: [.web], headers: headers(rendering), body: body)
  }

  /// The content: the notification alone, or the form that a browser shows without the page's worker.
  private func form(_ notification: JSONObject) -> JSONObject {
    guard let web = entry.web, web.isDeclarative else {
      var notification = notification
      if notification["navigate"] == nil, let url = entry.web?.url { notification["navigate"] = .string(url) }
      return notification
    }
    var whole = notification
    // The form takes addresses only; another link is for the worker.
    if whole["navigate"]?.string?.hasPrefix("https://") != true { whole["navigate"] = web.url.map { .string($0) } }
    return ["web_push": 8030, "notification": .object(whole)]
  }

  private func headers(_ rendering: WebRendering) -> [RenderedPayload.Header] {
    var headers: [RenderedPayload.Header] = []
    if let ttl = rendering.ttl {
      headers.append(.init(WebPushHeader.ttl, "\(min(max(ttl, 0), Int64(WebPushMessage.ttlMax)))"))
    }
    if let urgency = rendering.urgency, WebPushUrgency.known.contains(WebPushUrgency(rawValue: urgency)) {
      headers.append(.init(WebPushHeader.urgency, urgency))
    }
    if let collapse = rendering.collapse, !collapse.isEmpty {
      // A placeholder in it has to be found, not hashed.
      headers.append(
        .init(
          WebPushHeader.topic, MarkedMessage.isMarked(collapse) ? collapse : WebPushTopic(campaign: collapse).text))
    }
    return headers
  }
}
