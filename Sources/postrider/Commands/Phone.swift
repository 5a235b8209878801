internal import Basics
import DevicePreview
import DeviceText
import HTTPServer
import PushCore
import Signing
import StoreModel
import WireJSON

/// What the tokens of virtual devices are.
private let phonePlatforms = RenderSet.names

extension Command {
  /// The phones of an emulator.
  static let phone = Command(
    name: "phone",
    summary: "Works the phones of an emulator: makes them, looks at their trays, taps, dismisses, goes offline.",
    operands: "ACTION [TOKEN] [ITEM] [BUTTON]", operandsMax: 4,
    options: [
      Option(
        name: "--emulator", value: "URL", help: "The emulator's plain port; http://127.0.0.1:8788 unless given."),
      Option(
        name: "--token-file", value: "FILE",
        help: "A file with the emulator's control token, “-” is standard input; POSTRIDER_EMULATOR_TOKEN else."),
      Option(
        name: "--platform", value: "PLATFORM",
        help:
          "Of the phone's token; absent, told by its form, which ios and android alone have. fcm-ios and fcm-web are those of "
          + "an iPhone and a browser behind FCM.",
        choices: phonePlatforms),
      Option(name: "--locale", value: "TAG", help: "Of a new phone: its languages, best first.", repeats: true),
      Option(name: "--app-name", value: "NAME", help: "Of a new phone: the name under the app's icon."),
      Option(name: "--contract", value: "NAME", help: "Of a new phone: the contract its app reads."),
      Option(name: "--strings", value: "DIR", help: "Of a new phone: the project whose string tables its app has."),
      Option(
        name: "--server", value: "URL", help: "Of a new phone: the Postrider server that its app reports taps to."),
      Option(name: "--app", value: "NAME", help: "With --server: the app's name there."),
      Option(
        name: "--key-file", value: "FILE",
        help: "With --server: a file with a key of the scope client, “-” is standard input; POSTRIDER_CLIENT_KEY else."),
      Option(name: "--svg", value: "FILE", help: "With show: writes a picture of the tray."),
      Option(
        name: "--appearance", value: "NAME", help: "Of the picture; light unless given.",
        choices: Appearance.allCases.map(\.rawValue)),
    ],
    details: """
      ACTION is one of:
        list                     the devices of the emulator
        make [TOKEN]             makes a phone; without a token one is made up; --platform is needed
        show TOKEN               its tray and what happened on it
        tap TOKEN ITEM           taps a notification, by its number
        press TOKEN ITEM BUTTON  presses a button, by its id
        dismiss TOKEN ITEM       takes a notification away
        clear TOKEN              takes all away
        offline TOKEN            the phone goes away: the provider keeps what it would keep
        online TOKEN             it comes back and gets that
        restart TOKEN            it is restarted
      All but list and show need the token that the emulator printed when it started.
      The result is the emulator's answer, as JSON. Exit status 4: there is no emulator, or it refuses.
      """,
    examples: [
      "postrider phone make --platform ios --locale de --strings MyApp",
      "postrider phone tap 0a1b2c… 1",
    ],
    run: runPhone)

  private static func runPhone(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let lab = PhoneLab(arguments)
    guard let action = arguments.operands.first else { throw .usage("ACTION is missing: list, make, show, tap …") }
    let rest = Array(arguments.operands.dropFirst())
    guard let count = PhoneLab.operands[action] else {
      let near = Nearest.match(action, among: PhoneLab.operands.keys.sorted()).map { "; did you mean \($0)?" } ?? ""
      throw .usage("there is no action “\(action)”\(near)")
    }
    guard count.contains(rest.count) else {
      throw .usage("\(action) takes \(["nothing", "TOKEN", "TOKEN ITEM", "TOKEN ITEM BUTTON"][count.upperBound])")
    }
    try lab.run(action, rest)
    return .fine
  }
}

/// One run of `postrider phone`.
struct PhoneLab {
  /// The actions, with how many words follow each.
  static let operands: [String: ClosedRange<Int>] = [
    "list": 0...0, "make": 0...1, "show": 1...1, "tap": 2...2, "press": 3...3, "dismiss": 2...2, "clear": 1...1,
    "offline": 1...1, "online": 1...1, "restart": 1...1,
  ]

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ action: String, _ rest: [String]) throws(Exit) {
    switch action {
    case "list": try print(call("GET", ""))
    case "make": try make(rest.first)
    case "show":
      if let file = arguments.value("--svg") {
        let appearance = arguments.value("--appearance") ?? Appearance.light.rawValue
        let svg = try call("GET", try path(rest[0]) + "/picture/\(appearance)")
        try Terminal.write(String(decoding: svg, as: UTF8.self), toFile: file, mode: 0o644)
      }
      try print(call("GET", try path(rest[0])))
    case "press":
      let body: JSONValue = ["button": .string(rest[2])]
      try print(call("POST", try path(rest[0]) + "/items/\(number(rest[1]))/press", body))
    case "tap", "dismiss": try print(call("POST", try path(rest[0]) + "/items/\(number(rest[1]))/\(action)"))
    default: try print(call("POST", try path(rest[0]) + "/\(action)"))
    }
  }

  // MARK: Making

  private func make(_ token: String?) throws(Exit) {
    let phone = try phone()
    // A device that exists keeps what else is known of it.
    if let token, let answer = try? call("PUT", try path(token), .object(phone)) { return print(answer) }
    var device = JSONObject()
    guard let platform = arguments.value("--platform") ?? token.map(platform) else {
      throw .usage("make needs --platform \(phonePlatforms.joined(separator: ", "))")
    }
    device.append("provider", .string(Self.provider(platform)))
    if platform.hasPrefix("fcm-") { device.append("platform", .string(String(platform.dropFirst(4)))) }
    if let token { device.append("token", .string(token)) }
    device.append("phone", .object(phone))
    try print(call("POST", "", .object(device)))
  }

  private func phone() throws(Exit) -> JSONObject {
    var phone = JSONObject()
    let locales = arguments.all("--locale")
    if !locales.isEmpty { phone.append("locales", .array(locales.map { .string($0) })) }
    for (option, member) in [("--app-name", "app_name"), ("--contract", "contract")] {
      if let value = arguments.value(option) { phone.append(member, .string(value)) }
    }
    if let folder = arguments.value("--strings") {
      var files = JSONObject()
      let project = try StringsFolder(folder)
      for path in project.paths {
        let bytes = try Input.bytes("\(folder)/\(path)")
        let text = String(validating: bytes, as: UTF8.self)
        files.append(path, text.map { .string($0) } ?? ["base64": .string(Base64.encode(bytes))])
      }
      phone.append("strings", .object(files))
      if let locale = project.developmentLocale { phone.append("development_locale", .string(locale.description)) }
    }
    guard let server = arguments.value("--server") else { return phone }
    guard let app = arguments.value("--app") else { throw .usage("--server needs --app") }
    let key = try clientKey()
    phone.append("report", ["url": .string(server), "app": .string(app), "key": .string(key)])
    return phone
  }

  /// The phone's key: never an argument, which every user of the machine could see.
  private func clientKey() throws(Exit) -> String {
    if let path = arguments.value("--key-file") {
      let key = try APISettings.key(inFile: path)
      try ConfigFile.check(.key, key, from: "--key-file")
      return key
    }
    guard let key = Environment.value("POSTRIDER_CLIENT_KEY") else {
      throw .usage("--server needs a key of the scope client: --key-file FILE, or POSTRIDER_CLIENT_KEY")
    }
    try ConfigFile.check(.key, key, from: "POSTRIDER_CLIENT_KEY")
    return key
  }

  // MARK: Calls

  private func number(_ text: String) throws(Exit) -> Int {
    guard let number = Int(text), number > 0 else { throw .usage("ITEM is a number, as show lists it; not “\(text)”") }
    return number
  }

  /// Tokens of APNs are hexadecimal, and those of FCM are not.
  private func platform(_ token: String) -> String {
    token.utf8.allSatisfy { Hex.value($0) != nil } ? "ios" : "android"
  }

  private func path(_ token: String) throws(Exit) -> String {
    let isToken = token.utf8.allSatisfy { byte in
      byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || [0x2D, 0x5F, 0x3A, 0x2E].contains(byte)
    }
    guard isToken else { throw .usage("“\(token)” is no token") }
    let platform = arguments.value("--platform") ?? platform(token)
    return "/\(Self.provider(platform))/\(token)/phone"
  }

  private static func provider(_ platform: String) -> String {
    DeviceKind(name: platform)?.provider.name ?? Provider.fcm.name
  }

  /// The emulator's token: never an argument, which every user of the machine could see.
  private func controlToken() throws(Exit) -> String? {
    guard let path = arguments.value("--token-file") else { return Environment.value("POSTRIDER_EMULATOR_TOKEN") }
    return try APISettings.key(inFile: path)
  }

  private func call(_ method: String, _ path: String, _ body: JSONValue? = nil) throws(Exit) -> [UInt8] {
    let base = arguments.value("--emulator") ?? "http://127.0.0.1:8788"
    let token = try controlToken()
    let answer: (status: Int, body: [UInt8])
    do throws(HTTPCallError) {
      let call = try HTTPCall(
        method, base: base, path: "/control/devices" + path,
        headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [], body: body.map { JSON.minified($0) } ?? [])
      answer = try call.run()
    } catch {
      throw .failure("\(error.description); postrider emulate starts an emulator")
    }
    guard (200..<300).contains(answer.status) else {
      let detail = (try? JSON.parse(answer.body))?["detail"]?.string
      let hint = answer.status == 401 ? "; --token-file FILE or POSTRIDER_EMULATOR_TOKEN gives it" : ""
      throw .failure("the emulator refuses: " + (detail ?? "status \(answer.status)") + hint)
    }
    return answer.body
  }

  private func print(_ body: [UInt8]) { Terminal.print(body) }
}
