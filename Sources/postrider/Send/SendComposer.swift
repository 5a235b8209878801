import PushContracts
import PushCore
import PushPayload
import WebPush
import WireJSON

/// Who gets a message.
enum Recipient: Sendable {
  case token(String)
  case subscription(WebPushSubscription)
}

/// What one line of the input asks for.
enum ComposedLine<Message> {
  /// Sends of one message; `id` is what the line calls itself.
  case send(Message, recipients: [Recipient], id: JSONValue?)
  /// The message is not legal.
  case invalid(Report, id: JSONValue?)
  /// The line is not what it should be.
  case unreadable(String, id: JSONValue?)
}

/// Makes sends from the lines of the input, by the options of the command.
struct SendComposer<Message> {
  private let service: SendService
  private let layout: Layout<Message>
  private let context: WriteContext
  /// The recipients of the command line; empty when each line has its own.
  let recipients: [Recipient]
  /// The message of `--message`, and what to say of repeated names in it.
  private let shared: (message: JSONValue, duplicates: Report)?
  /// The shared message as it was last laid out: for everyone of one campaign it is the same.
  private var prepared: (campaign: String?, result: Result<Message, Refusal>)?

  private var members: [String] { [service.recipientMember, "message", "id", "campaign"] }

  /// Reads the options that say what is sent.
  init(_ arguments: Arguments, _ service: SendService, _ layout: @escaping Layout<Message>) throws(Exit) {
    self.service = service
    self.layout = layout
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
  mutating func compose(_ item: InputItem, in name: String) throws(Exit) -> ComposedLine<Message> {
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
  private mutating func compose(_ value: JSONValue, _ duplicates: Report) -> ComposedLine<Message> {
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

  private func line(_ result: Result<Message, Refusal>, _ recipients: [Recipient], _ id: JSONValue?)
    -> ComposedLine<Message>
  {
    switch result {
    case .success(let message): .send(message, recipients: recipients, id: id)
    case .failure(let refusal): .invalid(refusal.report, id: id)
    }
  }

  private func prepare(
    _ message: JSONValue, _ campaign: String?, _ duplicates: Report
  ) -> Result<Message, Refusal> {
    var context = context
    context.campaign = campaign
    context.now = WallClock.seconds
    return layout(message, context, duplicates)
  }
}

extension Rendering {
  /// What was laid out, unless something is wrong with it.
  func checked<Message>(_ duplicates: Report, _ message: Message?) -> Result<Message, Refusal> {
    var report = self.report
    DeliveryField.refuse(in: &report)
    report.append(duplicates)
    report.append(ProviderRules.check(self, hasTopic: true))
    guard let message, !report.hasErrors else { return .failure(Refusal(report: report)) }
    return .success(message)
  }
}
