import DevicePreview
import PushContracts
import PushPayload
import WireJSON

extension Command {
  /// What a person will read.
  static let preview = Command(
    name: "preview",
    summary: "Shows what a device makes of a push: the texts of each surface, and a picture.",
    operands: "[FILE]", operandsMax: 1,
    options: [
      .platform, .contract,
      Option(name: "--message", help: "FILE is a message in the contract's form, and not a raw payload."),
      Option(
        name: "--locale", value: "TAG", help: "The device's language, such as zh-Hant; en unless given.", repeats: true),
      Option(name: "--app", value: "NAME", help: "The name under the app's icon."),
      Option(
        name: "--appearance", value: "NAME", help: "Of the picture; light unless given.",
        choices: Appearance.allCases.map(\.rawValue)),
      Option(
        name: "--surface", value: "NAME", help: "One surface of the picture; absent, all.",
        choices: Surface.allCases.map(\.rawValue), repeats: true),
      Option(name: "--svg", value: "FILE", help: "Writes the picture as SVG."),
      .format,
    ],
    run: runPreview)

  private static func runPreview(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    var report = Report()
    let json = try Input.json(arguments.operands.first, report: &report)
    let contract = try arguments.contract(required: false)
    var pushes: [PreviewPush] = []
    if arguments.has("--message") {
      let rendering = Contracts.render(contract ?? .native, message: json, platforms: arguments.platform().map { [$0] } ?? Platform.allCases)
      pushes = PreviewPush.pushes(of: rendering)
    } else {
      pushes = [PreviewPush(platform: arguments.platform() ?? .ios, payload: json, contract: contract)]
    }
    let locales = arguments.all("--locale").isEmpty ? ["en"] : arguments.all("--locale")
    for push in pushes {
      for locale in locales {
        let preview = Preview(push, on: PreviewDevice(locales: [locale], appName: arguments.value("--app") ?? "App"))
        if arguments.value("--format") == "text" {
          Terminal.print(preview.text)
        } else {
          Terminal.print(JSON.minified(.object(preview.json)) + [10])
        }
        if let file = arguments.value("--svg") {
          let surfaces = arguments.all("--surface").compactMap(Surface.init(rawValue:))
          try Terminal.write(
            preview.svg(PictureOptions(appearance: arguments.value("--appearance").flatMap(Appearance.init(rawValue:)) ?? .light, surfaces: surfaces.isEmpty ? nil : surfaces)), toFile: file, mode: 0o644)
        }
      }
    }
    return .fine
  }
}
