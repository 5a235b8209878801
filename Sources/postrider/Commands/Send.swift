import APNs
import FCM
import GatewayPool
import HTTP2
import PushContracts
import PushPayload
import Signing
import WireJSON

extension Command {
  /// One message, straight to a provider or an emulator.
  static let send = Command(
    name: "send",
    summary: "Sends one message straight to APNs or FCM, or to an emulator, and explains the answer.",
    operands: "[FILE]", operandsMax: 1,
    options: [
      Option(
        name: "--platform", value: "PLATFORM", help: "Which provider: ios is APNs, android is FCM.",
        choices: Platform.allCases.map(\.rawValue)),
      Option(
        name: "--token", value: "TOKEN", help: "The device token; several are sent to one after the other.",
        repeats: true),
      .contract,
      Option(name: "--campaign", value: "ID", help: "The campaign id; sends with the same one replace each other."),
      Option(name: "--option", value: "NAME", help: "Switches on an option of the contract.", repeats: true),
      Option(name: "--topic", value: "BUNDLE", help: "APNs: the bundle id of the app."),
      Option(name: "--key", value: "FILE", help: "APNs: the .p8 key, with --key-id and --team."),
      Option(name: "--key-id", value: "ID", help: "APNs: the key's id, 10 characters."),
      Option(name: "--team", value: "ID", help: "APNs: the team's id, 10 characters."),
      Option(name: "--certificate", value: "FILE", help: "APNs: a PKCS#12 file instead of a key."),
      Option(name: "--password-file", value: "FILE", help: "The first line is the password of the PKCS#12 file."),
      Option(name: "--sandbox", help: "APNs: the development environment."),
      Option(name: "--service-account", value: "FILE", help: "FCM: the service account's key file."),
      Option(name: "--gateway", value: "HOST:PORT", help: "Another gateway than the provider's, such as an emulator."),
      Option(name: "--ca", value: "FILE", help: "The certificate authority that vouches for the gateway, PEM."),
      Option(
        name: "--timeout", value: "SECONDS",
        help: "How long to wait for a connection and for an answer, 1 to 600; 30 unless given."),
    ],
    details: """
      FILE holds the message as JSON in the contract (native unless given); “-” or nothing reads standard input. One line
      of JSON per token says how the send ended. Exit status 1: the message is not legal and nothing was sent; 4: a
      send was refused or failed.
      """,
    examples: [
      "postrider emulate --out /tmp/emulator &",
      "echo '{\"title\":\"Hello\",\"body\":\"World\"}' | postrider send --platform ios --token "
        + String(repeating: "a1", count: 4)
        + "… --topic com.example.app --key /tmp/emulator/apns-key.p8 --key-id EMULATEKEY "
        + "--team EMULATETEA --gateway 127.0.0.1:2197 --ca /tmp/emulator/ca.pem",
    ],
    run: runSend)

  private static func runSend(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    guard let platform = arguments.platform() else { throw .usage("--platform is missing: ios or android") }
    let tokens = arguments.all("--token")
    guard !tokens.isEmpty else { throw .usage("--token is missing") }
    let sender: DirectSender
    do {
      sender = platform == .ios ? try .apns(arguments) : try .fcm(arguments)
    } catch let error as Exit {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
    let contract = try arguments.contract(required: false) ?? .native
    var duplicates = Report()
    let message = try Input.json(arguments.operands.first, report: &duplicates)
    var isFine = true
    for token in tokens {
      var context = WriteContext(topic: arguments.value("--topic"), target: .token(token))
      context.campaign = arguments.value("--campaign")
      context.options = arguments.all("--option")
      context.now = WallClock.seconds
      var rendering = Contracts.render(contract, message: message, context: context, platforms: [platform])
      rendering.report.append(duplicates)
      rendering.report.append(ProviderRules.check(rendering, hasTopic: true))
      guard !rendering.report.hasErrors else {
        Terminal.print(JSON.minified(["report": rendering.report.json]) + [UInt8(ascii: "\n")])
        return .notLegal
      }
      let answer = sender.send(rendering, to: token)
      Terminal.print(JSON.minified(.object(answer.json)) + [UInt8(ascii: "\n")])
      if !answer.isAccepted { isFine = false }
    }
    return isFine ? .fine : .failure
  }
}
