import APNs
import FCM
import PushContracts
import PushCore
import PushPayload
import WebPush
import WireJSON

/// One message, laid out for its provider.
enum PreparedMessage: Sendable {
  case apns(APNsTemplate)
  case fcm(FCMTemplate)
  case web(WebPushMessage)
  case hms(FCMTemplate)

  /// The second since 1970 after which nothing of it is sent any more.
  var notAfter: Int64? {
    guard case .apns(let template) = self, let expiration = template.request.headers.expiration else { return nil }
    // 0 means one attempt, not a time in the past.
    return expiration == .once ? nil : expiration.epochSeconds
  }
}

/// Who gets a message.
enum Recipient: Sendable {
  case token(String)
  case subscription(WebPushSubscription)
}

/// What one line of the input asks for.
enum ComposedLine {
  /// Sends of one message; `id` is what the line calls itself.
  case send(PreparedMessage, recipients: [Recipient], id: JSONValue?)
  /// The message is not legal.
  case notLegal(Report, id: JSONValue?)
  /// The line is not what it should be.
  case unreadable(String, id: JSONValue?)
}

/// Makes sends from the lines of the input, by the options of the command.
struct SendComposer {
  private let service: SendService
  private let contract: ContractName
  private let context: WriteContext
  /// How web pushes are sent.
  private let web: WebSendOptions
  /// The recipients of the command line; empty when each line has its own.
  let recipients: [Recipient]
  /// The message of `--message`, and what to say of repeated names in it.
  private let shared: (message: JSONValue, duplicates: Report)?
  /// The shared message as it was last laid out: for everyone of one campaign it is the same.
  private var prepared: (campaign: String?, result: Result<PreparedMessage, Refusal>)?

  private struct Refusal: Error { let report: Report }

  private var members: [String] { [service.recipientMember, "message", "id", "campaign"] }

  /// Reads the options that say what is sent.
  init(_ arguments: Arguments, _ service: SendService) throws(Exit) {
    self.service = service
    contract = arguments.contract() ?? .native
    web = try WebSendOptions(arguments)
    recipients = try service.recipients(arguments)
    var context = WriteContext(topic: arguments.value("--topic"))
    context.campaign = arguments.value("--campaign")
    context.options = arguments.all("--option")
    self.context = context
    guard let file = arguments.value("--message") else {
      shared = nil
      return
    }
    guard recipients.isEmpty else {
      throw .usage("--message goes with a stream of recipients, not with \(service.recipientOption)")
    }
    guard file != "-" else { throw .usage("--message takes a file: standard input holds the recipients") }
    var duplicates = Report()
    shared = (try Input.json(file, report: &duplicates), duplicates)
  }

  /// Reads one line, or the whole input.
  ///
  /// Throws when the whole input is not JSON.
  mutating func compose(_ item: InputItem, in name: String) throws(Exit) -> ComposedLine {
    guard let bytes = item.bytes else {
      return .unreadable("the line is longer than \(InputStream.lineBytesMax >> 20) MiB", id: nil)
    }
    var duplicates = Report()
    let value: JSONValue
    do throws(JSONError) {
      let (parsed, repeated) = try JSON.parseReporting(bytes)
      for duplicate in repeated { duplicates.add(duplicate) }
      value = parsed
    } catch {
      guard item.isWhole else { return .unreadable("column \(error.column): not JSON: \(error)", id: nil) }
      throw .unreadable(explain(error, from: item.line, in: name))
    }
    if !recipients.isEmpty { return line(prepare(value, context.campaign, duplicates), recipients, nil) }
    return compose(value, duplicates)
  }

  private func explain(_ error: JSONError, from line: Int, in name: String) -> String {
    "\(name == "-" ? "standard input" : name):\(error.line + line - 1):\(error.column): not JSON: \(error)"
  }

  /// A line that names its own recipient.
  private mutating func compose(_ value: JSONValue, _ duplicates: Report) -> ComposedLine {
    guard case .object(let object) = value else {
      let form = service.takesSubscriptions ? "{…}" : "\"…\""
      return .unreadable(
        "expected {\"\(service.recipientMember)\": \(form), \"message\": {…}}, or give \(service.recipientOption)",
        id: nil)
    }
    let id = object["id"]
    if let unknown = object.keys.first(where: { !members.contains($0) }) {
      let known = members.joined(separator: ", ")
      let what =
        "unknown member \"\(unknown.prefix(100))\"; known: \(known); \(service.recipientOption) takes bare messages"
      return .unreadable(what, id: id)
    }
    let recipient: Recipient
    do throws(WebPushError) {
      guard let found = try service.recipient(object) else {
        return .unreadable("\"token\" is missing or not a text; give one, or --token for all lines", id: id)
      }
      recipient = found
    } catch {
      return .unreadable("\(error)", id: id)
    }
    var campaign = context.campaign
    if let own = object["campaign"] {
      guard let text = own.string else { return .unreadable("\"campaign\" is not a text", id: id) }
      campaign = text
    }
    if let message = object["message"] { return line(prepare(message, campaign, duplicates), [recipient], id) }
    guard let shared else {
      return .unreadable("\"message\" is missing; give one, or --message FILE for all lines", id: id)
    }
    if let prepared, prepared.campaign == campaign { return line(prepared.result, [recipient], id) }
    let result = prepare(shared.message, campaign, shared.duplicates)
    prepared = (campaign, result)
    return line(result, [recipient], id)
  }

  private func line(_ result: Result<PreparedMessage, Refusal>, _ recipients: [Recipient], _ id: JSONValue?)
    -> ComposedLine
  {
    switch result {
    case .success(let message): .send(message, recipients: recipients, id: id)
    case .failure(let refusal): .notLegal(refusal.report, id: id)
    }
  }

  private func prepare(
    _ message: JSONValue, _ campaign: String?, _ duplicates: Report
  ) -> Result<PreparedMessage, Refusal> {
    var context = context
    context.campaign = campaign
    context.now = WallClock.seconds
    switch service {
    case .apns:
      let rendering = Contracts.render(contract, message: message, context: context, platforms: [.ios])
      return checked(rendering, duplicates, rendering.apns.map { .apns(APNsTemplate($0)) })
    case .fcm:
      var rendering = Contracts.render(contract, message: message, context: context, platforms: [.android])
      let template = Contracts.fcmTemplate(of: rendering, context: context, report: &rendering.report)
      return checked(rendering, duplicates, template.map { .fcm(FCMTemplate($0)) })
    case .web: return web.prepare(message, campaign, duplicates).mapError { Refusal(report: $0.report) }
    case .fcmIOS: return carried(.ios, message, context, duplicates)
    case .fcmWeb: return carried(.web, message, context, duplicates)
    case .hms: return huawei(message, context, duplicates)
    }
  }

  private func carried(
    _ carrier: FCMCarrier, _ message: JSONValue, _ context: WriteContext, _ duplicates: Report
  ) -> Result<PreparedMessage, Refusal> {
    var carried = Contracts.render(
      for: carrier, contract, message: message, context: context, title: RenderRequest.untitled
    ) { WebPushTopic(campaign: $0).text }
    carried.reportNothing(to: carrier, isAlone: true)
    let template = carried.request?.template()
    let rendering = Rendering(contract: contract, fcm: carried.request, report: carried.report)
    return checked(rendering, duplicates, template.map { .fcm(FCMTemplate($0)) })
  }

  private func huawei(
    _ message: JSONValue, _ context: WriteContext, _ duplicates: Report
  ) -> Result<PreparedMessage, Refusal> {
    let rendering = Contracts.renderForHuawei(
      contract, message: message, context: context, title: RenderRequest.untitled)
    return checked(rendering, duplicates, rendering.hms.map { .hms(FCMTemplate($0.template())) })
  }

  private func checked(
    _ rendering: Rendering, _ duplicates: Report, _ message: PreparedMessage?
  ) -> Result<PreparedMessage, Refusal> {
    var report = rendering.report
    DeliveryField.refuse(in: &report)
    report.append(duplicates)
    report.append(ProviderRules.check(rendering, hasTopic: true))
    guard let message, !report.hasErrors else { return .failure(Refusal(report: report)) }
    return .success(message)
  }
}
