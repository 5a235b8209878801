import DevicePreview
import PushCore
import PushPayload
import WireJSON

/// One run of `postrider preview --platform web`.
struct BrowserPreviewRun {
  private static let phoneOptions = [
    "--all-locales", "--strict", "--locale", "--strings", "--development-locale", "--ios-first",
    "--ios-missing-argument",
    "--age", "--surface",
  ]
  private let arguments: Arguments
  private let preview: BrowserPreview?
  private let report: Report

  init(_ arguments: Arguments) throws(Exit) {
    self.arguments = arguments
    for name in Self.phoneOptions where arguments.has(name) || arguments.value(name) != nil {
      throw .usage("\(name) is for phones; leave it out with --platform web")
    }
    let request = try Exit.reporting { () throws(CoreError) in try BrowserPreviewRequest(arguments) }
    let bytes = try Input.bytes(arguments.operands.first)
    let parsed: (value: JSONValue, duplicates: [JSONDuplicate])
    do throws(JSONError) { parsed = try JSON.parseReporting(bytes) } catch {
      throw .unreadable(Input.explain(error, in: arguments.operands.first))
    }
    let (filled, found) = try RecipientOptions(arguments).filled(parsed.value)
    guard let filled else {
      (preview, report) = (nil, found)
      return
    }
    let shown = try Exit.reporting { () throws(CoreError) in try request.preview(filled, parsed.duplicates) }
    var report = found
    report.append(shown.report)
    (preview, self.report) = (shown.preview, report)
  }

  func show() throws(Exit) -> ExitStatus {
    if let preview {
      let options = PictureOptions(
        appearance: arguments.value("--appearance").flatMap(Appearance.init(rawValue:)) ?? .light)
      if let file = arguments.value("--svg") { try Terminal.write(preview.svg(options), toFile: file, mode: 0o644) }
      if let file = arguments.value("--png") { try PNGWriter.write(preview.svg(options), to: file) }
    }
    let answer = PreviewAnswer(browsers: preview.map { [$0] } ?? [], report: report)
    if arguments.value("--format") == "text" {
      Terminal.print(answer.text)
    } else {
      Terminal.print(JSON.minified(answer.json) + [UInt8(ascii: "\n")])
    }
    return answer.hasErrors ? .invalid : .fine
  }
}
