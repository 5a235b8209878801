internal import APNs
internal import Delivery
internal import GatewayPool
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

/// Where an app's channels are at Apple, and the way there.
struct ChannelAccess {
  let environment: DeviceEnvironment
  let bundleID: String
  private let sender: ChannelSender

  /// What a request names, or what the app's credentials say.
  init(
    _ entry: AppEntry, _ service: Service, environment: String?, bundleID: String?, _ report: inout Report
  ) throws(Problem) {
    let environment = environment.flatMap { DeviceEnvironment(name: $0) } ?? .production
    let topics = try Self.topics(of: entry, in: environment)
    let wanted = bundleID ?? topics.first ?? ""
    guard topics.contains(wanted) else {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "bundle_id", message: Self.notOurs(wanted, topics))
      throw Problem(.invalid, report: report)
    }
    self.environment = environment
    self.bundleID = wanted
    sender = try Self.sender(entry, service, environment)
  }

  /// Where a channel is; refused when the app's credentials are not for its bundle ID any more.
  init(of channel: Channel, _ entry: AppEntry, _ service: Service) throws(Problem) {
    let topics = try Self.topics(of: entry, in: channel.environment)
    guard topics.contains(channel.bundleID) else {
      throw Problem(.invalid, field: "channel", "its bundle id: \(Self.notOurs(channel.bundleID, topics))")
    }
    environment = channel.environment
    bundleID = channel.bundleID
    sender = try Self.sender(entry, service, channel.environment)
  }

  private static func notOurs(_ bundleID: String, _ topics: [String]) -> String {
    "expected one of the credential's topics, \(topics.joined(separator: ", ")), found \"\(bundleID.prefix(100))\";"
      + " add it to \"topics\" with PUT credentials if the key's team owns it"
  }

  private static func topics(of entry: AppEntry, in environment: DeviceEnvironment) throws(Problem) -> [String] {
    if let slot = CredentialSlot(provider: .apns, environment: environment), let credential = entry.credentials[slot] {
      return APNsSetting.topics(credential)
    }
    throw Problem(
      .conflict,
      "the app \"\(entry.app.name)\" has no APNs credential for \(environment.name); set it with"
        + " PUT /v1/apps/\(entry.app.name)/credentials")
  }

  private static func sender(
    _ entry: AppEntry, _ service: Service, _ environment: DeviceEnvironment
  ) throws(Problem) -> ChannelSender {
    if let sender = service.sending.channels(of: entry.app.id, environment) { return sender }
    throw Problem(
      .conflict, "the APNs credential for \(environment.name) cannot be used; look at the log and save it again")
  }

  /// Refuses what cannot be a channel's id.
  static func check(channelID: String) throws(Problem) {
    let isPlain = channelID.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
    }
    guard isPlain, channelID.utf8.count % 4 == 0 else {
      throw Problem(.invalid, field: "channel_id", "expected the id as Apple gave it, base64 with its padding")
    }
  }

  /// Asks the channel management service.
  ///
  /// - Parameters:
  ///   - field: the member of the request that a refusal is about.
  ///   - unless: a reason that is as good as success; the answer is nil then.
  @discardableResult
  func ask(
    _ operation: APNsChannelRequest.Operation, unless: String
  ) async throws(Problem) -> APNsChannelAcceptance? {
    switch try await outcome(operation) {
    case .accepted(let acceptance): return acceptance
    case .rejected(let rejection) where rejection.reason.rawValue == unless: return nil
    case .rejected(let rejection): throw Self.refused(rejection, field: "")
    case .failed(let failure): throw Self.unreachable(failure.description)
    }
  }

  /// Asks the channel management service.
  func ask(
    _ operation: APNsChannelRequest.Operation, field: String = ""
  ) async throws(Problem) -> APNsChannelAcceptance {
    switch try await outcome(operation) {
    case .accepted(let acceptance): return acceptance
    case .rejected(let rejection): throw Self.refused(rejection, field: field)
    case .failed(let failure): throw Self.unreachable(failure.description)
    }
  }

  private func outcome(_ operation: APNsChannelRequest.Operation) async throws(Problem) -> APNsChannelOutcome {
    var generator = RandomReserve.shared
    guard let request = APNsChannelRequest(bundleID: bundleID, operation, requestID: APNsID(using: &generator)) else {
      throw Problem(.invalid, field: "bundle_id", "expected a bundle id such as com.example.app")
    }
    guard let outcome = await sender.ask(request) else { throw Self.unreachable("too many requests are unfinished") }
    return outcome
  }

  private static func unreachable(_ why: String) -> Problem {
    // Explanations are sentences, and this one goes on.
    let why = why.hasSuffix(".") ? String(why.dropLast()) : why
    return Problem(
      .busy, "Apple's channel service did not answer: \(why); try again, and compare the channels afterwards",
      headers: [("Retry-After", "5")])
  }

  /// Apple's refusal in the words of the table of explanations.
  static func refused(_ rejection: APNsRejection, field: String) -> Problem {
    let reason = rejection.reason.rawValue
    let known = Explanations.find(reason, from: [.broadcast]).first
    let words = known.map { ": \($0.meaning) \($0.next)" } ?? ""
    let message = "Apple answered \(rejection.status) \(reason)\(words)"
    guard rejection.status < 500, rejection.status != 429 else { return unreachable(message) }
    return Problem(.invalid, field: field, message)
  }
}

extension Problem {
  /// One wrong value, and what to do about it.
  init(_ kind: Kind, field: String, _ message: String) {
    var report = Report()
    report.add(rule: Schema.Rule.value, severity: .error, field: field, message: message)
    self.init(kind, report: report)
  }
}
