import APNs
import FCM
import PushContracts
import PushCore
import PushPayload
import WireJSON

/// One message, laid out for its provider.
enum PreparedMessage: Sendable {
  case apns(APNsTemplate)
  case fcm(FCMTemplate)

  /// The second since 1970 after which nothing of it is sent any more.
  var notAfter: Int64? {
    guard case .apns(let template) = self, let expiration = template.request.headers.expiration else { return nil }
    // 0 means one attempt, not a time in the past.
    return expiration == .once ? nil : expiration.epochSeconds
  }
}

/// What one line of the input asks for.
enum ComposedLine {
  /// Sends of one message; `id` is what the line calls itself.
  case send(PreparedMessage, tokens: [String], id: JSONValue?)
  /// The message is not legal.
  case notLegal(Report, id: JSONValue?)
  /// The line is not what it should be.
  case unreadable(String, id: JSONValue?)
}

/// Makes sends from the lines of the input, by the options of the command.
struct SendComposer {
  private let platform: Platform
  private let contract: ContractName
  private let context: WriteContext
  /// The tokens of the command line; empty when each line has its own.
  let tokens: [String]
  /// The message of `--message`, and what to say of repeated names in it.
  private let shared: (message: JSONValue, duplicates: Report)?
  /// The shared message as it was last laid out: for everyone of one campaign it is the same.
  private var prepared: (campaign: String?, result: Result<PreparedMessage, Refusal>)?

  private struct Refusal: Error { let report: Report }

  private static let members = ["token", "message", "id", "campaign"]

  /// Reads the options that say what is sent.
  init(_ arguments: Arguments, _ platform: Platform) throws(Exit) {
    self.platform = platform
    contract = arguments.contract() ?? .native
    tokens = arguments.all("--token")
    var context = WriteContext(topic: arguments.value("--topic"))
    context.campaign = arguments.value("--campaign")
    context.options = arguments.all("--option")
    self.context = context
    guard let file = arguments.value("--message") else {
      shared = nil
      return
    }
    guard tokens.isEmpty else { throw .usage("--message goes with a stream of tokens, not with --token") }
    guard file != "-" else { throw .usage("--message takes a file: standard input holds the tokens") }
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
    if !tokens.isEmpty { return line(prepare(value, context.campaign, duplicates), tokens, nil) }
    return compose(value, duplicates)
  }

  private func explain(_ error: JSONError, from line: Int, in name: String) -> String {
    "\(name == "-" ? "standard input" : name):\(error.line + line - 1):\(error.column): not JSON: \(error)"
  }

  /// A line that names its own token.
  private mutating func compose(_ value: JSONValue, _ duplicates: Report) -> ComposedLine {
    guard case .object(let object) = value else {
      return .unreadable("expected {\"token\": \"…\", \"message\": {…}}, or give --token", id: nil)
    }
    let id = object["id"]
    if let unknown = object.keys.first(where: { !SendComposer.members.contains($0) }) {
      let known = SendComposer.members.joined(separator: ", ")
      let what = "unknown member \"\(unknown.prefix(100))\"; known: \(known); --token takes bare messages"
      return .unreadable(what, id: id)
    }
    guard let token = object["token"]?.string, !token.isEmpty else {
      return .unreadable("\"token\" is missing or not a text; give one, or --token for all lines", id: id)
    }
    var campaign = context.campaign
    if let own = object["campaign"] {
      guard let text = own.string else { return .unreadable("\"campaign\" is not a text", id: id) }
      campaign = text
    }
    if let message = object["message"] { return line(prepare(message, campaign, duplicates), [token], id) }
    guard let shared else {
      return .unreadable("\"message\" is missing; give one, or --message FILE for all lines", id: id)
    }
    if let prepared, prepared.campaign == campaign { return line(prepared.result, [token], id) }
    let result = prepare(shared.message, campaign, shared.duplicates)
    prepared = (campaign, result)
    return line(result, [token], id)
  }

  private func line(_ result: Result<PreparedMessage, Refusal>, _ tokens: [String], _ id: JSONValue?) -> ComposedLine {
    switch result {
    case .success(let message): .send(message, tokens: tokens, id: id)
    case .failure(let refusal): .notLegal(refusal.report, id: id)
    }
  }

  private func prepare(
    _ message: JSONValue, _ campaign: String?, _ duplicates: Report
  ) -> Result<PreparedMessage, Refusal> {
    var context = context
    context.campaign = campaign
    context.now = WallClock.seconds
    switch platform {
    case .ios:
      let rendering = Contracts.render(contract, message: message, context: context, platforms: [.ios])
      return checked(rendering, duplicates, rendering.apns.map { .apns(APNsTemplate($0)) })
    case .android:
      var rendering = Contracts.render(contract, message: message, context: context, platforms: [.android])
      let template = Contracts.fcmTemplate(of: rendering, context: context, report: &rendering.report)
      return checked(rendering, duplicates, template.map { .fcm(FCMTemplate($0)) })
    }
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
