internal import PushContracts
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

extension OwnForm {
  /// For Huawei's phones.
  static let huawei = OwnForm(provider: .hms, isMadeOfAndroid: true) { composer, message, job, written, report in
    composer.huawei(message, job, written.fcm, &report)
  }
}

/// What Huawei's phones are sent.
extension PushComposer {
  /// Writes a message for Push Kit; nil when there is nothing to send there.
  ///
  /// Where no other kind of device gets the push, that is an error.
  ///
  /// - Parameter android: what the message is for Android.
  func huawei(
    _ message: JSONValue, _ job: WritingJob, _ android: FCMRequest?, _ report: inout Report
  ) -> RenderedPayload? {
    let title = entry.app.title.isEmpty ? entry.app.name : entry.app.title
    var rendering = Contracts.renderHuawei(
      job.contract, message: message, context: job.context, title: title, android: android)
    rendering.reportNothing(isAlone: job.isAlone(OwnForm.huawei))
    if let request = rendering.request {
      let judged = rules.with { $0.check(request) }
      for var finding in judged.findings {
        // No table says where a contract's fields are in a request to Push Kit.
        finding.field = ""
        finding.message = "to Huawei's phones: \(finding.message)"
        rendering.report.findings.append(finding)
      }
    }
    report.appendNew(rendering.report)
    guard let template = rendering.request?.template(), !rendering.report.hasErrors else { return nil }
    return RenderedPayload(kinds: [.hms], body: template.body, tokenOffset: template.offset)
  }
}
