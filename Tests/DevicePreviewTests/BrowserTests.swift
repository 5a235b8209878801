import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

@testable import DevicePreview

/// What browsers show, case by case and for every message of the corpus.
@Suite struct BrowserTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let json: JSONValue
    var testDescription: String { json["name"]?.string ?? "" }

    static let all: [Case] = {
      guard let bytes = try? Files.read(Files.packageRoot + "/Vectors/browser/cases.json"),
        let json = try? JSON.parse(bytes)
      else { return [] }
      return (json.array ?? []).map { Case(json: $0) }
    }()
  }

  @Test(arguments: Case.all) func cases(_ one: Case) throws {
    let preview = BrowserPreview(content: try #require(one.json["content"]), siteName: "App")
    var shown = preview.json
    shown.removeValue(forKey: "report")
    #expect(JSONValue.object(shown) == one.json["expect"], "\(JSON.minifiedText(.object(shown)))")
  }

  @Test(
    "A content without a text is shown as the name of the site, and the report says so",
    arguments: [
      ("{}", true), (#"{"title":"","body":null}"#, true), (#"{"endpoint":"https://p.example/1"}"#, true),
      (#"{"web_push":8030,"notification":{"navigate":"https://s.example"}}"#, true), (#"{"body":"B"}"#, false),
      (#"{"title_loc":{"key":"k"}}"#, false), (#""text""#, false),
    ])
  func nameAlone(_ content: String, _ isAlone: Bool) throws {
    let preview = BrowserPreview(content: try JSON.parse(content), siteName: "App")
    #expect(preview.report.findings.contains { $0.rule == "device-fallback" } == isAlone, "\(preview.report)")
    #expect(preview.json["outcome"] == (isAlone ? "fallback" : "shown"))
  }

  @Test func casesAreThere() { #expect(Case.all.count >= 15) }

  /// What is written for browsers is what the preview says they show, for every message of the corpus that can be written;
  /// nothing is shown exactly where nothing is sent.
  @Test(arguments: ["amba", "imkit", "powerauth", "adobe", "onesignal", "native"])
  func writingAndPreviewAgree(contract: String) throws {
    let folder = Files.packageRoot + "/Vectors/" + contract
    var (written, silent) = (0, 0)
    for name in try Files.list(folder) where name.hasSuffix(".json") {
      let vector = try JSON.parse(try Files.read(folder + "/" + name))
      guard let message = vector["message"] else { continue }
      let rendering = Contracts.renderWeb(
        ContractName(rawValue: contract), message: message, context: WriteContext(campaign: "c-1", now: 1_790_000_000),
        title: "App")
      guard !rendering.report.hasErrors else { continue }
      #expect((rendering.notification == nil) == (rendering.nothing != nil), "\(name)")
      guard let notification = rendering.notification else {
        silent += 1
        continue
      }
      written += 1
      let preview = BrowserPreview(content: .object(notification), siteName: "App")
      #expect(!preview.notification.isReduced && preview.silence == nil, "\(name)")
      // Without a title the worker shows the site's name.
      let title = notification["title"]?.string ?? ""
      #expect(preview.title == (title.isEmpty ? "App" : title), "\(name)")
      #expect(preview.notification.body == notification["body"]?.string.flatMap { $0.isEmpty ? nil : $0 }, "\(name)")
      #expect(
        preview.notification.link == notification["navigate"]?.string.flatMap { $0.isEmpty ? nil : $0 }, "\(name)")
      #expect(preview.notification.actions.count == notification["actions"]?.array?.count ?? 0, "\(name)")
      for shown in preview.screens {
        #expect(shown.actions.count <= shown.screen.actionsMax && !shown.title.lines.isEmpty, "\(name)")
      }
    }
    #expect(written > 0 && (silent > 0 || ["amba", "imkit", "adobe"].contains(contract)), "\(silent)")
  }

  /// Nothing of a content is markup in the picture, and the picture asks nobody for anything.
  @Test func picturesAreInert() throws {
    let hostile = "</text><script>x</script><image href='https://e.x/'/>\u{202E}&\"'"
    let content: JSONValue = [
      "title": .string(hostile), "body": .string(hostile), "icon": .string("https://e.x/\(hostile)"),
      "image": .string("https://e.x/\(hostile)"), "actions": [["action": "a", "title": .string(hostile)]],
    ]
    for preview in [
      BrowserPreview(content: content, siteName: hostile),
      BrowserPreview(silence: hostile, siteName: hostile, contract: nil),
    ] {
      for appearance in Appearance.allCases {
        let svg = preview.svg(PictureOptions(appearance: appearance), screens: BrowserScreen.all.map(\.name))
        #expect(InertPicture.fault(in: svg) == nil)
      }
    }
  }
}
