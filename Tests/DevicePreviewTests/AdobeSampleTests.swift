import DevicePreview
import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// The samples of Adobe's own pages: keys and kinds of values as published, with other texts and addresses.
@Suite struct AdobeSampleTests {
  /// A sample in the public corpus.
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let platform: Platform
    let payload: JSONValue
    var testDescription: String { name }
  }

  private static let folder = "\(Files.packageRoot)/Vectors/adobe"
  /// The page's sample of a catalog lacks what its own table requires.
  private static let notDrawn = ["sample-cat-published.json"]

  static let samples: [Sample] = ((try? Files.list(folder)) ?? []).compactMap { name in
    guard name.hasPrefix("sample-"), let bytes = try? Files.read("\(folder)/\(name)"),
      let vector = try? JSON.parse(bytes), let payload = vector["raw"],
      let platform = vector["platform"]?.string.flatMap(Platform.init(rawValue:))
    else { return nil }
    return Sample(name: name, platform: platform, payload: payload)
  }

  @Test(arguments: samples)
  func isDrawn(_ sample: Sample) throws {
    let isDrawn = !Self.notDrawn.contains(sample.name)
    var checker = PushChecker()
    let checked = checker.checkOnDevice(document: JSON.minified(sample.payload), platform: sample.platform)
    let parsed = Contracts.parse(platform: sample.platform, payload: sample.payload)
    let preview = Preview(PreviewPush(platform: sample.platform, payload: sample.payload))
    let says = "\(checked.findings): \(parsed.report.findings): \(preview.report.findings)"
    #expect(parsed.contract == .adobe && checked.hasErrors == !isDrawn, "\(says)")
    #expect(parsed.report.hasErrors == !isDrawn && preview.report.hasErrors == !isDrawn, "\(says)")
    #expect(preview.notification.isSilent == !isDrawn, "\(says)")
    guard isDrawn else { return }
    let message = sample.payload["message"]
    let data = message?["data"] ?? message?["android"]?["data"] ?? sample.payload
    // A push of Journey Optimizer names no template, and is drawn without one.
    #expect(preview.notification.template == data["adb_template_type"]?.string, "\(says)")
    #expect(preview.notification.askedTemplate == nil, "\(says)")
    let hasLayout = ![nil, "basic"].contains(preview.notification.template)
    #expect((preview.notification.layout != nil) == hasLayout, "\(says)")
  }

  @Test func everyTemplateHasASample() {
    var seen: Set<String> = []
    for sample in Self.samples {
      let template = Preview(PreviewPush(platform: sample.platform, payload: sample.payload)).notification.template
      if let template { seen.insert("\(sample.platform) \(template)") }
    }
    let android = Adobe.Template.known.map { "android \($0.rawValue)" }
    let ios = Adobe.Template.ios.map { "ios \($0.rawValue)" }
    #expect(seen.isSuperset(of: android + ios), "\(seen)")
  }
}
