import PushContracts
import PushCore
import PushPayload
import WebPush
import WireJSON

/// Where a direct send goes.
enum SendService: String, Sendable, CaseIterable {
  case apns = "ios"
  case fcm = "android"
  case web
  case fcmIOS = "fcm-ios"
  case fcmWeb = "fcm-web"
  case hms

  /// What is declared of a service: the command, with its client and how messages are laid out for it.
  private struct Row {
    let run: (SendService, Arguments) throws(Exit) -> ExitStatus
    var takesSubscriptions = false
  }

  private var row: Row {
    switch self {
    case .apns: Row(run: Self.runner(APNsDirect.self) { APNsDirect.layout(Self.contract($0)) })
    case .fcm: Row(run: Self.runner(FCMDirect.self) { FCMDirect.layout(Self.contract($0)) })
    case .fcmIOS: Row(run: Self.runner(FCMDirect.self) { FCMDirect.layout(Self.contract($0), carriedTo: .ios) })
    case .fcmWeb: Row(run: Self.runner(FCMDirect.self) { FCMDirect.layout(Self.contract($0), carriedTo: .web) })
    case .hms: Row(run: Self.runner(HuaweiDirect.self) { HuaweiDirect.layout(Self.contract($0)) })
    case .web:
      Row(
        run: Self.runner(WebPushDirect.self) { arguments throws(Exit) in try WebPushDirect.layout(arguments) },
        takesSubscriptions: true)
    }
  }

  /// The options of single providers, those that one with a gateway of its own has before those of the others.
  static let options: [Option] =
    APNsDirect.options + FCMDirect.options + HuaweiDirect.options + [
      Option(name: "--gateway", value: "HOST:PORT", help: "Another gateway than the provider's, such as an emulator.")
    ] + WebPushDirect.options

  private static func contract(_ arguments: Arguments) -> ContractName { arguments.contract() ?? .native }

  private static func runner<Client: DirectClient>(
    _ client: Client.Type, _ layout: @escaping (Arguments) throws(Exit) -> Layout<Client.Message>
  ) -> (SendService, Arguments) throws(Exit) -> ExitStatus {
    { service, arguments throws(Exit) in
      try Command.send(arguments, service, client, SendComposer(arguments, service, layout(arguments)))
    }
  }

  /// Sends what the command line asks for.
  func run(_ arguments: Arguments) throws(Exit) -> ExitStatus { try row.run(self, arguments) }

  /// Whether recipients are subscriptions, and messages what the service worker is given; tokens and a contract's messages
  /// else.
  var takesSubscriptions: Bool { row.takesSubscriptions }

  /// The member of a line that names its recipient.
  var recipientMember: String { takesSubscriptions ? "subscription" : "token" }

  /// The option that names the recipient of all lines.
  var recipientOption: String { "--\(recipientMember)" }

  /// The recipients of the command line.
  func recipients(_ arguments: Arguments) throws(Exit) -> [Recipient] {
    let other = takesSubscriptions ? "--token" : "--subscription"
    guard arguments.all(other).isEmpty else {
      throw .usage("\(other) does not go with --platform \(rawValue); give \(recipientOption)")
    }
    guard takesSubscriptions else { return arguments.all(recipientOption).map { .token($0) } }
    return try arguments.all(recipientOption).map { file throws(Exit) in
      do throws(WebPushError) {
        var duplicates = Report()
        return .subscription(try WebPushSubscription(try SendService.json(file, &duplicates)))
      } catch { throw .unreadable("\(file): \(error)") }
    }
  }

  private static func json(_ file: String, _ duplicates: inout Report) throws(WebPushError) -> JSONValue {
    do throws(Exit) {
      return try Input.json(file, report: &duplicates)
    } catch { throw WebPushError("", error.message) }
  }

  /// The recipient of a line; nil when the line names none.
  func recipient(_ line: JSONObject) throws(WebPushError) -> Recipient? {
    guard takesSubscriptions else {
      guard let token = line["token"]?.string, !token.isEmpty else { return nil }
      return .token(token)
    }
    guard let subscription = line["subscription"] else {
      throw WebPushError("subscription", "is missing; give one, or --subscription for all lines")
    }
    return .subscription(try WebPushSubscription(subscription))
  }
}
