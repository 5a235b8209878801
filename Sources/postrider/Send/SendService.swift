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
    /// The options of this client.
    let own: [Option]
    let takesSubscriptions: Bool

    init<Client: DirectClient>(
      _ client: Client.Type, takesSubscriptions: Bool = false,
      _ layout: @escaping (Arguments) throws(Exit) -> Layout<Client.Message>
    ) {
      run = SendService.runner(client, layout)
      own = client.options
      self.takesSubscriptions = takesSubscriptions
    }
  }

  private var row: Row {
    switch self {
    case .apns: Row(APNsDirect.self) { APNsDirect.layout(Self.contract($0)) }
    case .fcm: Row(FCMDirect.self) { FCMDirect.layout(Self.contract($0)) }
    case .fcmIOS: Row(FCMDirect.self) { FCMDirect.layout(Self.contract($0), carriedTo: .ios) }
    case .fcmWeb: Row(FCMDirect.self) { FCMDirect.layout(Self.contract($0), carriedTo: .web) }
    case .hms: Row(HuaweiDirect.self) { HuaweiDirect.layout(Self.contract($0)) }
    case .web:
      Row(WebPushDirect.self, takesSubscriptions: true) { arguments throws(Exit) in
        try WebPushDirect.layout(arguments)
      }
    }
  }

  /// The options that mean nothing to this provider: those of the others, and for browsers what a contract and a gateway need,
  /// because the message is sent as it is to where the subscription says.
  var foreignOptions: [String] {
    let own = Set(row.own.map(\.name))
    let needless = takesSubscriptions ? ["--contract", "--option", "--gateway", "--token"] : []
    return Self.options.map(\.name).filter { $0 != "--gateway" && !own.contains($0) } + needless
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
    guard takesSubscriptions else { return arguments.all(recipientOption).map { .token($0) } }
    return try arguments.all(recipientOption).map { file throws(Exit) in
      var duplicates = Report()
      let json = try Input.json(file, report: &duplicates)
      do throws(WebPushError) { return .subscription(try WebPushSubscription(json)) } catch {
        throw .unreadable("\(file): \(error)")
      }
    }
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
