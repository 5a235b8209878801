import APNs
import FCM
import GatewayPool
import Glibc
import HTTP2
import PushContracts
import PushPayload
import PushRules
import Signing
import Synchronization
import WireJSON

/// How a direct send ended, in the words of the command line.
struct SendAnswer: Sendable {
  var isAccepted: Bool
  var json: JSONObject
}

/// A client of one provider for the length of a command.
enum DirectSender: Sendable {
  case apns(APNsClient)
  case fcm(FCMClient)

  /// An APNs client as the options describe it.
  static func apns(_ arguments: Arguments) throws -> DirectSender {
    _ = try arguments.required("--topic")
    var gateway = arguments.has("--sandbox") ? APNsGateway.sandbox() : .production()
    if let (host, port) = try gatewayAddress(arguments) {
      gateway = .custom(host: host, port: port, trust: try trust(arguments))
    }
    var configuration = APNsClientConfiguration(gateway: gateway, credential: try credential(arguments))
    configuration.timing = try timing(arguments)
    return .apns(try APNsClient(configuration, threads: GatewayThreads()))
  }

  /// An FCM client as the options describe it.
  static func fcm(_ arguments: Arguments) throws -> DirectSender {
    let account = try FCMServiceAccount(keyFile: Input.bytes(try arguments.required("--service-account")))
    var gateway = FCMGateway.production
    if let (host, port) = try gatewayAddress(arguments) {
      gateway = .custom(host: host, port: port, trust: try trust(arguments))
    }
    var configuration = FCMClientConfiguration(gateway: gateway, account: account)
    configuration.timing = try timing(arguments)
    return .fcm(try FCMClient(configuration, threads: GatewayThreads()))
  }

  /// Sends what was rendered and waits for the outcome, which always comes within the client's own bounds.
  func send(_ rendering: Rendering, to token: String) -> SendAnswer {
    switch self {
    case .apns(let client):
      guard let request = rendering.apns else { return SendAnswer(isAccepted: false, json: [:]) }
      return Blocking.value {
        do {
          return Self.answer(try await client.send(request, to: token))
        } catch {
          return SendAnswer(isAccepted: false, json: ["outcome": "failed", "detail": .string("\(error)")])
        }
      }
    case .fcm(let client):
      guard let request = rendering.fcm else { return SendAnswer(isAccepted: false, json: [:]) }
      return Blocking.value {
        do {
          return Self.answer(try await client.send(request))
        } catch {
          return SendAnswer(isAccepted: false, json: ["outcome": "failed", "detail": .string("\(error)")])
        }
      }
    }
  }

  private static func answer(_ outcome: APNsOutcome) -> SendAnswer {
    switch outcome {
    case .accepted(let acceptance):
      var json: JSONObject = ["outcome": "accepted", "status": 200]
      if let id = acceptance.id { json["apns_id"] = .string(id.description) }
      return SendAnswer(isAccepted: true, json: json)
    case .rejected(let rejection):
      var json: JSONObject = [
        "outcome": "rejected", "status": .number(JSONNumber(rejection.status)),
        "reason": .string(rejection.reason.rawValue),
      ]
      if let timestamp = rejection.timestamp { json["timestamp_ms"] = .number(JSONNumber(timestamp)) }
      explain(rejection.reason.rawValue, .apns, into: &json)
      return SendAnswer(isAccepted: false, json: json)
    case .failed(let failure): return answer(failure)
    }
  }

  private static func answer(_ outcome: FCMOutcome) -> SendAnswer {
    switch outcome {
    case .accepted(let name):
      return SendAnswer(isAccepted: true, json: ["outcome": "accepted", "status": 200, "message_name": .string(name)])
    case .rejected(let rejection):
      var json: JSONObject = [
        "outcome": "rejected", "status": .number(JSONNumber(rejection.status)),
        "reason": .string(rejection.code.rawValue), "detail": .string(rejection.message),
      ]
      if !rejection.violations.isEmpty {
        json["violations"] = .array(
          rejection.violations.map { ["field": .string($0.field), "description": .string($0.description)] })
      }
      explain(rejection.code.rawValue, .fcm, into: &json)
      return SendAnswer(isAccepted: false, json: json)
    case .failed(let failure): return answer(failure)
    }
  }

  private static func answer(_ failure: SendFailure) -> SendAnswer {
    SendAnswer(
      isAccepted: false,
      json: [
        "outcome": "failed", "processing": .string(failure.processing.rawValue),
        "reason": .string(failure.cause.rawValue), "detail": .string(failure.detail),
      ])
  }

  private static func explain(_ reason: String, _ service: Explanation.Service, into json: inout JSONObject) {
    guard let explanation = Explanations.find(reason).first(where: { $0.service == service }) else { return }
    json["meaning"] = .string(explanation.meaning)
    json["next"] = .string(explanation.next)
  }
}

// MARK: Options

extension DirectSender {
  private static func credential(_ arguments: Arguments) throws -> APNsCredential {
    if let file = arguments.value("--certificate") {
      let text = try arguments.value("--password-file").map { path throws(Exit) in try Input.bytes(path) } ?? []
      let password = String(decoding: text.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
      return try .certificate(p12: try Input.bytes(file), password: password)
    }
    guard let file = arguments.value("--key") else {
      throw Exit.usage("--key with --key-id and --team is missing, or --certificate")
    }
    return .token(
      try APNsSigningKey(
        p8: try Input.bytes(file), keyID: try arguments.required("--key-id"), teamID: try arguments.required("--team")))
  }

  private static func gatewayAddress(_ arguments: Arguments) throws(Exit) -> (host: String, port: UInt16)? {
    guard let text = arguments.value("--gateway") else { return nil }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
      colon > text.startIndex
    else { throw .usage("--gateway takes HOST:PORT, not “\(text)”") }
    return (String(text[..<colon]), port)
  }

  private static func timing(_ arguments: Arguments) throws(Exit) -> SendTiming {
    var timing = SendTiming()
    let seconds = Duration.seconds(try arguments.integer("--timeout", in: 1...600, default: 30))
    timing.queueTimeout = seconds
    timing.requestTimeout = seconds
    return timing
  }

  private static func trust(_ arguments: Arguments) throws(Exit) -> TLSTrust {
    guard let file = arguments.value("--ca") else { return .system }
    return .pem(try Input.bytes(file))
  }
}

/// Waits for asynchronous work where the caller is the program's only thread of thought.
enum Blocking {
  /// The value that `work` returns.
  static func value<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let box = Box<Value>()
    Task.detached { box.put(await work()) }
    return box.take()
  }

  private final class Box<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let ready = Semaphore()

    func put(_ new: Value) {
      value.withLock { $0 = new }
      ready.signal()
    }

    func take() -> Value {
      while true {
        ready.wait()
        if let taken = value.withLock({ $0 }) { return taken }
      }
    }
  }

  /// A POSIX semaphore at a fixed address.
  private final class Semaphore: @unchecked Sendable {
    // Safe: `sem_post` and `sem_wait` may be called from any thread, and the address never changes.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }
    func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
  }
}
