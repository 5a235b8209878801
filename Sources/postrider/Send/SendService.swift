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

  /// What is declared of a service: how its client is made.
  private struct Row {
    let client: (Arguments, _ concurrency: Int) throws -> DirectSender
    var takesSubscriptions = false
  }

  private var row: Row {
    switch self {
    case .apns: Row(client: DirectSender.apns)
    case .fcm, .fcmIOS, .fcmWeb: Row(client: DirectSender.fcm)
    case .web: Row(client: DirectSender.web, takesSubscriptions: true)
    case .hms: Row(client: DirectSender.hms)
    }
  }

  /// A client as the options describe it.
  func client(_ arguments: Arguments, _ concurrency: Int) throws -> DirectSender {
    try row.client(arguments, concurrency)
  }

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

/// How web pushes are sent, from the command line.
struct WebSendOptions: Sendable {
  /// A message that cannot be sent.
  struct Refusal: Error { let report: Report }

  private let ttl: UInt32
  private let urgency: WebPushUrgency?
  private let padding: WebPushPadding

  init(_ arguments: Arguments) throws(Exit) {
    ttl = UInt32(
      try arguments.integer(
        "--ttl", in: 0...Int(WebPushMessage.ttlMax), default: Int(WebPushMessage.ttlDefault)))
    urgency = arguments.value("--urgency").map { WebPushUrgency(rawValue: $0) }
    switch arguments.value("--padding") {
    case nil, "none": padding = .none
    case "full": padding = .full
    default:
      padding = .multiple(try arguments.integer("--padding", in: 1...WebPushMessage.payloadBytesMax, default: 1))
    }
  }

  /// Lays a message out: its JSON as it is, without white space.
  func prepare(_ message: JSONValue, _ campaign: String?, _ duplicates: Report) -> Result<PreparedMessage, Refusal> {
    do throws(WebPushError) {
      return .success(
        .web(
          try WebPushMessage(
            payload: JSON.minified(message), ttl: ttl, urgency: urgency,
            topic: campaign.map { WebPushTopic(campaign: $0) }, padding: padding)))
    } catch {
      var report = duplicates
      report.add(rule: "web-push-too-large", severity: .error, field: error.field, message: error.message)
      return .failure(Refusal(report: report))
    }
  }
}
