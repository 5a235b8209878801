import APNs
import FCM
import GatewayPool
import HTTP2
import Huawei
import PushPayload
import PushRules
import Signing
import TLS
import WebPush
import WireJSON

/// A client of one provider for the length of a command.
enum DirectSender: Sendable {
  case apns(APNsClient)
  case fcm(FCMClient)
  case web(WebPushClient)
  case hms(HuaweiClient)

  /// Streams that APNs allows on a connection, and FCM: for the number of connections.
  private static let streams = (apns: 1000, fcm: 100)

  /// An APNs client as the options describe it.
  static func apns(_ arguments: Arguments, _ concurrency: Int) throws -> DirectSender {
    _ = try arguments.required("--topic")
    var gateway = arguments.has("--sandbox") ? APNsGateway.sandbox() : .production()
    if let (host, port) = try address(arguments, "--gateway") {
      gateway = .custom(host: host, port: port, trust: try trust(arguments))
    }
    gateway.endpoint.proxy = try proxy(arguments)
    var configuration = APNsClientConfiguration(gateway: gateway, credential: try credential(arguments))
    configuration.timing = try timing(arguments)
    configuration.limits.fit(concurrency, streams: streams.apns)
    configuration.queueCapacity = concurrency
    return .apns(try APNsClient(configuration, threads: GatewayThreads()))
  }

  /// An FCM client as the options describe it.
  static func fcm(_ arguments: Arguments, _ concurrency: Int) throws -> DirectSender {
    let account = try FCMServiceAccount(keyFile: Input.bytes(try arguments.required("--service-account")))
    var gateway = FCMGateway.production
    if let (host, port) = try address(arguments, "--gateway") {
      gateway = .custom(host: host, port: port, trust: try trust(arguments))
    }
    gateway.endpoint.proxy = try proxy(arguments)
    var configuration = FCMClientConfiguration(gateway: gateway, account: account)
    configuration.timing = try timing(arguments)
    configuration.limits.fit(concurrency, streams: streams.fcm)
    configuration.queueCapacity = concurrency
    return .fcm(try FCMClient(configuration, threads: GatewayThreads()))
  }

  /// A client for the push services of browsers as the options describe it.
  static func web(_ arguments: Arguments, _ concurrency: Int) throws -> DirectSender {
    let key = try VAPIDKey(file: Input.bytes(try arguments.required("--vapid-key")))
    let subject = try VAPIDSubject(try arguments.required("--vapid-subject"))
    var configuration = WebPushClientConfiguration(key: key, subject: subject)
    configuration.trust = try trust(arguments)
    configuration.allowsPrivateAddresses = arguments.has("--allow-private-endpoints")
    configuration.proxy = try proxy(arguments)
    configuration.timing = try timing(arguments)
    configuration.limits.fit(concurrency, streams: streams.fcm)
    configuration.queueCapacity = concurrency
    return .web(try WebPushClient(configuration, threads: GatewayThreads()))
  }

  /// A client of Huawei's Push Kit as the options describe it.
  static func hms(_ arguments: Arguments, _ concurrency: Int) throws -> DirectSender {
    let file = try arguments.required("--hms-client")
    var duplicates = Report()
    let json = try Input.json(file, report: &duplicates)
    guard let id = json["client_id"]?.string, let secret = json["client_secret"]?.string else {
      throw Exit.unreadable(
        "\(file): expected {\"client_id\": \"…\", \"client_secret\": \"…\"}, and project_id where there is one")
    }
    let account = try HuaweiAccount(clientID: id, clientSecret: secret, projectID: json["project_id"]?.string)
    var gateway = HuaweiGateway.production
    if let (host, port) = try address(arguments, "--gateway") {
      gateway = .custom(host: host, port: port, trust: try trust(arguments))
    }
    gateway.endpoint.proxy = try proxy(arguments)
    gateway.tokenEndpoint.proxy = gateway.endpoint.proxy
    var configuration = HuaweiClientConfiguration(gateway: gateway, account: account)
    configuration.timing = try timing(arguments)
    configuration.limits.fit(concurrency, streams: streams.fcm)
    configuration.queueCapacity = concurrency
    return .hms(try HuaweiClient(configuration, threads: GatewayThreads()))
  }

  /// Whose reasons come back.
  var service: Explanation.Service {
    switch self {
    case .apns: .apns
    case .fcm: .fcm
    case .web: .webPush
    case .hms: .huawei
    }
  }

  /// An empty batch for this client.
  func batch() -> DirectBatch { DirectBatch(sender: self) }
}

/// Sends that are submitted together; those of one message that follow each other share a batch of the client.
struct DirectBatch {
  private let sender: DirectSender
  private var apns: [APNsBatch] = []
  private var fcm: [FCMBatch] = []
  private var web: [WebPushBatch] = []
  private var hms: [FCMBatch] = []

  fileprivate init(sender: DirectSender) { self.sender = sender }

  /// Adds a send; the kind of recipient is that of the message.
  mutating func append(_ tag: UInt64, _ recipient: Recipient, _ message: PreparedMessage) {
    switch (message, recipient) {
    case (.apns(let template), .token(let token)):
      if apns.last?.template !== template { apns.append(APNsBatch(template, notAfter: message.notAfter)) }
      var generator = SystemRandomNumberGenerator()
      let id = template.request.headers.id ?? APNsID(using: &generator)
      apns[apns.count - 1].append(tag: tag, token: token, id: id)
    case (.fcm(let template), .token(let token)):
      if fcm.last?.template !== template { fcm.append(FCMBatch(template, notAfter: message.notAfter)) }
      fcm[fcm.count - 1].append(tag: tag, target: token)
    case (.hms(let template), .token(let token)):
      if hms.last?.template !== template { hms.append(FCMBatch(template, notAfter: message.notAfter)) }
      hms[hms.count - 1].append(tag: tag, target: token)
    case (.web(let message), .subscription(let subscription)):
      if web.last?.message != message { web.append(WebPushBatch(message)) }
      web[web.count - 1].append(tag: tag, to: subscription)
    case (.apns, .subscription), (.fcm, .subscription), (.hms, .subscription), (.web, .token):
      preconditionFailure("the recipient of another service")
    }
  }

  /// Hands everything to the client.
  ///
  /// There is room: the client holds as many sends as may be under way.
  func submit(to mailbox: OutcomeMailbox) {
    do throws(QueueFull) {
      switch sender {
      case .apns(let client): for batch in apns { try client.submit(batch, to: mailbox) }
      case .fcm(let client): for batch in fcm { try client.submit(batch, to: mailbox) }
      case .web(let client): for batch in web { try client.submit(batch, to: mailbox) }
      case .hms(let client): for batch in hms { try client.submit(batch, to: mailbox) }
      }
    } catch {
      preconditionFailure("more sends were submitted than may be under way: \(error)")
    }
  }
}

extension PoolLimits {
  /// As many connections as it takes to have `concurrency` requests under way, within reason.
  fileprivate mutating func fit(_ concurrency: Int, streams: Int) {
    streamsPerConnectionMax = min(streamsPerConnectionMax, concurrency)
    connectionsMax = min(64, max(1, (concurrency + streams - 1) / streams))
  }
}

// MARK: Options

extension DirectSender {
  static func credential(_ arguments: Arguments) throws -> APNsCredential {
    if let file = arguments.value("--certificate") {
      let content = try Input.bytes(file)
      // PKCS#12 is binary and begins with a DER sequence; PEM may have words of its exporter in front.
      if content.first != 0x30 { return .certificate(pem: content) }
      let text = try arguments.value("--password-file").map { path throws(Exit) in try Input.bytes(path) } ?? []
      let password = String(decoding: text.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
      return try .certificate(p12: content, password: password)
    }
    guard let file = arguments.value("--key") else {
      throw Exit.usage("--key with --key-id and --team is missing, or --certificate")
    }
    return .token(
      try APNsSigningKey(
        p8: try Input.bytes(file), keyID: try arguments.required("--key-id"), teamID: try arguments.required("--team")))
  }

  static func address(_ arguments: Arguments, _ option: String) throws(Exit) -> (host: String, port: UInt16)? {
    guard let text = arguments.value(option) else { return nil }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
      colon > text.startIndex, !text[..<colon].contains("/")
    else { throw .usage("\(option) takes HOST:PORT, not “\(text)”") }
    let host = text[..<colon]
    // As addresses are written in URLs: [::1]:2197.
    guard host.hasPrefix("["), host.hasSuffix("]") else { return (String(host), port) }
    return (String(host.dropFirst().dropLast()), port)
  }

  static func proxy(_ arguments: Arguments) throws(Exit) -> HTTP2Proxy? {
    try Egress.proxy(arguments, isNamed: arguments.has("--gateway"))
  }

  static func timing(_ arguments: Arguments) throws(Exit) -> SendTiming {
    var timing = SendTiming()
    let seconds = Duration.seconds(try arguments.integer("--timeout", in: 1...600, default: 30))
    timing.queueTimeout = seconds
    timing.requestTimeout = seconds
    return timing
  }

  static func trust(_ arguments: Arguments) throws(Exit) -> TLSTrust {
    guard let file = arguments.value("--ca") else { return .system }
    return .pem(try Input.bytes(file))
  }
}
