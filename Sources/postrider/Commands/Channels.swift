import APNs
import GatewayPool
import PushCore
import PushPayload
import PushRules
import WireJSON

extension Command {
  /// Broadcast channels of APNs.
  static let channels = Command(
    name: "channels",
    summary: "Makes, reads, lists and deletes the broadcast channels of an app, and broadcasts on them.",
    operands: "ACTION [CHANNEL] [FILE]", operandsMax: 3,
    options: [
      Option(name: "--bundle-id", value: "ID", help: "The app; always needed."),
      Option(
        name: "--keep", value: "WHAT",
        help: "With create: what APNs keeps for devices that are away; latest unless given. It cannot be changed.",
        choices: ["latest", "nothing"]),
      Option(
        name: "--expiration", value: "SECONDS",
        help: "With send: how long APNs may keep it; 0, which is for now only, unless given."),
      Option(
        name: "--priority", value: "N", help: "With send: 10 at once, 5 when power allows; 10 unless given.",
        choices: ["10", "5"]),
      Option(name: "--key", value: "FILE", help: "The .p8 key, with --key-id and --team."),
      Option(name: "--key-id", value: "ID", help: "The key's id, 10 characters."),
      Option(name: "--team", value: "ID", help: "The team's id, 10 characters."),
      Option(
        name: "--certificate", value: "FILE", help: "A certificate with its key, PKCS#12 or PEM, instead of a key."),
      Option(name: "--password-file", value: "FILE", help: "The first line is the password of the PKCS#12 file."),
      Option(name: "--sandbox", help: "The development environment, which has channels of its own."),
      Option(
        name: "--gateway", value: "HOST:PORT",
        help: "Another server than Apple's for broadcasts, and for channels without --management; an emulator."),
      Option(
        name: "--broadcast-host", value: "WHICH",
        help:
          "Which host of Apple's takes broadcasts, on which its pages differ: api-broadcast.push.apple.com (broadcast, "
          + "unless given) or api.push.apple.com (device).",
        choices: APNsBroadcastGateway.Host.allCases.map(\.rawValue)),
      Option(name: "--management", value: "HOST:PORT", help: "Another server than Apple's for channels."),
    ] + Option.connection,
    details: """
      ACTION is one of:
        create               makes a channel; the answer's channel_id names it
        read CHANNEL         what it keeps
        list                 every channel of the app
        delete CHANNEL       ends it
        send CHANNEL [FILE]  sends the Live Activity payload in FILE (“-” or nothing: standard input) to everybody who
                             listens: {"aps":{"event":"update","timestamp":…,"content-state":{…}}}
      The answer is one line of JSON. Exit status: 1, the payload is invalid and was not sent; 4, APNs refused or could
      not be reached.
      """,
    examples: [
      "postrider channels create --bundle-id com.example.app --key AuthKey_ABC1234567.p8 --key-id ABC1234567 "
        + "--team DEF7654321",
      "postrider channels send dHN0LXNyY2gtY2hubA== score.json --bundle-id com.example.app --expiration 3600 …",
    ],
    run: runChannels)

  private static func runChannels(_ arguments: Arguments) throws(Exit) -> ExitStatus {
    let job = try ChannelJob(arguments)
    let outcome = try job.run()
    guard let outcome else { return .invalid }
    var line: JSONObject = ["action": .string(job.action)]
    for (name, value) in ChannelJob.json(outcome) { line.append(name, value) }
    Terminal.print(JSON.minified(.object(line)) + [0x0A])
    if case .accepted = outcome { return .fine }
    return .failure
  }
}

/// One run of `postrider channels`.
struct ChannelJob {
  /// The actions, with how many words follow each.
  static let operands: [String: ClosedRange<Int>] = [
    "create": 0...0, "list": 0...0, "read": 1...1, "delete": 1...1, "send": 1...2,
  ]

  let action: String
  private let words: [String]
  private let arguments: Arguments
  private let bundleID: String

  init(_ arguments: Arguments) throws(Exit) {
    guard let action = arguments.operands.first else {
      throw .usage("ACTION is missing: create, read, list, delete or send")
    }
    guard let count = Self.operands[action] else {
      let near = Nearest.match(action, among: Self.operands.keys.sorted()).map { "; did you mean \($0)?" } ?? ""
      throw .usage("there is no action “\(action)”\(near)")
    }
    words = Array(arguments.operands.dropFirst())
    guard count.contains(words.count) else {
      throw .usage("\(action) takes \(["nothing", "CHANNEL", "CHANNEL [FILE]"][count.upperBound])")
    }
    self.action = action
    self.arguments = arguments
    bundleID = try arguments.required("--bundle-id")
    guard !arguments.has("--broadcast-host") || !arguments.has("--gateway") else {
      throw .usage("--broadcast-host chooses between Apple's hosts; leave out --gateway")
    }
    for (option, only) in [
      ("--broadcast-host", "send"), ("--keep", "create"), ("--expiration", "send"), ("--priority", "send"),
    ]
    where arguments.has(option) && only != action {
      throw .usage("\(option) goes with \(only)")
    }
  }

  /// What APNs answered; nil when the payload is not legal, which has been said.
  func run() throws(Exit) -> APNsChannelOutcome? {
    let handover = try Handover<APNsChannelOutcome>()
    let client = try client()
    let broadcast = action == "send" ? try validBroadcast() : nil
    if action == "send", broadcast == nil { return nil }
    guard let request = APNsChannelRequest(bundleID: bundleID, operation, requestID: requestID) else {
      throw noBundleID
    }
    do throws(QueueFull) {
      if let broadcast {
        try client.submit(broadcast) { handover.give($0) }
      } else {
        try client.submit(request) { handover.give($0) }
      }
    } catch { throw .failure("\(error)") }
    return withExtendedLifetime(client) { handover.take() }
  }

  private func client() throws(Exit) -> APNsChannelClient {
    do {
      let host = arguments.value("--broadcast-host").flatMap(APNsBroadcastGateway.Host.init(rawValue:))
      var gateway = (arguments.has("--sandbox") ? APNsBroadcastGateway.sandbox : .production).sending(
        to: host ?? .broadcast)
      if let (host, port) = try DirectOptions.address(arguments, "--gateway") {
        gateway = .custom(host: host, port: port, trust: try DirectOptions.trust(arguments))
      }
      if let (host, port) = try DirectOptions.address(arguments, "--management") {
        gateway.management =
          APNsBroadcastGateway.custom(host: host, port: port, trust: try DirectOptions.trust(arguments)).management
      }
      gateway.broadcasts.proxy = try DirectOptions.proxy(arguments)
      gateway.management.proxy = gateway.broadcasts.proxy
      var configuration = APNsChannelClientConfiguration(
        gateway: gateway, credential: try APNsDirect.credential(arguments))
      configuration.timing = try DirectOptions.timing(arguments)
      return try APNsChannelClient(configuration, threads: GatewayThreads())
    } catch let error as Exit {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
  }

  private var operation: APNsChannelRequest.Operation {
    switch action {
    case "create": .create(arguments.value("--keep") == "nothing" ? .nothing : .mostRecent)
    case "read": .read(channelID: words[0])
    case "delete": .delete(channelID: words[0])
    default: .list
    }
  }

  private var requestID: APNsID {
    var generator = SystemRandomNumberGenerator()
    return APNsID(using: &generator)
  }

  private var noBundleID: Exit {
    .usage("--bundle-id takes letters, digits, “.”, “-” and “_”, not “\(bundleID)”")
  }

  // MARK: Broadcasts

  private func validBroadcast() throws(Exit) -> APNsBroadcast? {
    let seconds = try arguments.integer("--expiration", in: 0...(30 * 86_400), default: 0)
    let headers = APNsHeaders(
      pushType: .liveactivity, priority: arguments.value("--priority") == "5" ? .powerAware : .immediate,
      expiration: seconds == 0 ? .once : APNsExpiration(epochSeconds: WallClock.seconds + Int64(seconds)),
      channelID: words[0], requestID: requestID)
    let payload = try Input.bytes(words.count == 2 ? words[1] : nil)
    guard let broadcast = APNsBroadcast(bundleID: bundleID, request: APNsRequest(headers: headers, payload: payload))
    else { throw noBundleID }
    var checker = PushChecker()
    let report = checker.check(broadcast)
    for finding in report.findings {
      let prefix = finding.field.isEmpty ? "" : "\(finding.field): "
      Terminal.complain("channels: \(finding.severity.rawValue): \(prefix)\(finding.message) (\(finding.rule))")
    }
    return report.hasErrors ? nil : broadcast
  }

  // MARK: Answers

  /// An outcome as members of a JSON object.
  static func json(_ outcome: APNsChannelOutcome) -> JSONObject {
    switch outcome {
    case .accepted(let acceptance): json(acceptance)
    case .rejected(let rejection): json(rejection)
    case .failed(let failure):
      [
        "outcome": "failed", "processing": .string(failure.processing.rawValue),
        "reason": .string(failure.cause.rawValue), "detail": .string(failure.detail),
      ]
    }
  }

  private static func json(_ acceptance: APNsChannelAcceptance) -> JSONObject {
    var json: JSONObject = ["outcome": "accepted", "status": .number(JSONNumber(acceptance.status))]
    if let id = acceptance.channelID { json["channel_id"] = .string(id) }
    if let channel = acceptance.channel { json["channel"] = .object(channel.object) }
    if let ids = acceptance.channelIDs { json["channels"] = .array(ids.map { .string($0) }) }
    if let id = acceptance.requestID { json["apns_request_id"] = .string(id.description) }
    if let id = acceptance.uniqueID { json["apns_unique_id"] = .string(id.description) }
    return json
  }

  private static func json(_ rejection: APNsRejection) -> JSONObject {
    var json: JSONObject = [
      "outcome": "rejected", "status": .number(JSONNumber(rejection.status)),
      "reason": .string(rejection.reason.rawValue),
    ]
    if let explanation = Explanations.find(rejection.reason.rawValue, from: [.broadcast, .apns]).first {
      json["meaning"] = .string(explanation.meaning)
      json["next"] = .string(explanation.next)
    }
    if let id = rejection.id { json["apns_request_id"] = .string(id.description) }
    return json
  }
}
