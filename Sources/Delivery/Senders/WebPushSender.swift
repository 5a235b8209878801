public import GatewayPool
internal import StoreModel
internal import Synchronization
public import WebPush

/// Sends to browsers, whichever push services their subscriptions name.
///
/// A subscription belongs to the key that it was made for, so there is a client for each of the app's keys, made when a
/// subscription of that key is first sent to.
public final class WebPushSender: Sender {
  /// How many push services may be in use at a time with an earlier key; with the current one it is what the
  /// configuration says.
  public static let originsMaxOfEarlierKeys = 16

  private struct State {
    var clients: [String: WebPushClient] = [:]
    var isClosed = false
  }

  private let configuration: WebPushClientConfiguration
  private let keys: [VAPIDKey]
  private let padding: WebPushPadding
  private let threads: GatewayThreads
  private let state = Mutex(State())

  /// - Parameters:
  ///   - configuration: what all clients are made from; its key is the app's current one.
  ///   - earlierKeys: the keys that the app had before.
  ///   - padding: how much longer messages are made.
  ///   - threads: where the clients run.
  /// - Throws: ``WebPushError`` when the trusted authorities cannot be used.
  public init(
    _ configuration: WebPushClientConfiguration, earlierKeys: [VAPIDKey], padding: WebPushPadding,
    threads: GatewayThreads
  ) throws(WebPushError) {
    self.configuration = configuration
    keys = [configuration.key] + earlierKeys
    self.padding = padding
    self.threads = threads
    // What is wrong with the configuration is said now, not at the first send.
    let current = try WebPushClient(configuration, threads: threads)
    state.withLock { $0.clients[configuration.key.publicText] = current }
  }

  /// Hands the sends to the clients of their keys.
  public func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    guard !state.withLock({ $0.isClosed }) else { return false }
    let message: WebPushMessage
    do { message = try batch.webMessage(padding, now: wall()) } catch {
      // Of an error without a field the message is too long, as one may be that was stored when the id was not in it.
      let reason = error.field.isEmpty ? PipelineReason.tooLarge : WebPushReason.unreadable
      sink.receive(batch.entries.map { SendAnswer(tag: $0.tag, outcome: .refused(reason)) })
      return true
    }
    var refused: [SendAnswer] = []
    let batches = sort(batch, message, &refused)
    var isAccepted = !refused.isEmpty
    for (key, sends) in batches {
      do throws(QueueFull) {
        guard let client = client(key) else { throw QueueFull(requested: sends.count, free: 0, capacity: 0) }
        try client.submit(sends, to: WebPushAnswers(sink))
        isAccepted = true
      } catch {
        guard isAccepted || batches.count > 1 else { return false }
        // A batch is accepted whole or not at all, and others of it may be on their way.
        isAccepted = true
        refused += sends.tags.map { SendAnswer(tag: $0, outcome: .notProcessed(reason: WebPushReason.queueFull)) }
      }
    }
    if !refused.isEmpty { sink.receive(refused) }
    return true
  }

  /// Closes the clients.
  public func close(within limit: Duration) {
    let clients = state.withLock { state in
      state.isClosed = true
      return Array(state.clients.values)
    }
    for client in clients { client.close(within: limit) }
  }

  private func wall() -> Int64 { configuration.wallClock() }

  /// The sends by the key of their subscription; those that cannot be sent are refused.
  private func sort(
    _ batch: SendBatch, _ message: WebPushMessage, _ refused: inout [SendAnswer]
  ) -> [(key: VAPIDKey, sends: WebPushBatch)] {
    var batches: [(key: VAPIDKey, sends: WebPushBatch)] = []
    for entry in batch.entries {
      guard let address = WebAddress(entry.token),
        let subscription = try? WebPushSubscription(
          endpoint: address.endpoint, p256dh: address.p256dh, auth: address.auth)
      else {
        refused.append(SendAnswer(tag: entry.tag, outcome: .refused(WebPushReason.unreadable)))
        continue
      }
      let wanted = address.applicationServerKey ?? keys[0].publicText
      guard let key = keys.first(where: { $0.publicText == wanted }) else {
        refused.append(SendAnswer(tag: entry.tag, outcome: .refused(WebPushReason.unknownKey)))
        continue
      }
      if let index = batches.firstIndex(where: { $0.key.publicText == wanted }) {
        batches[index].sends.append(tag: entry.tag, to: subscription, row: entry.row)
      } else {
        var sends = WebPushBatch(
          message, urgency: batch.urgent ? .urgent : .bulk, notAfter: batch.notAfter?.seconds,
          gaps: batch.payload.rendered.placeholders.map(\.offset), texts: batch.texts)
        sends.recall = batch.recall
        sends.append(tag: entry.tag, to: subscription, row: entry.row)
        batches.append((key, sends))
      }
    }
    return batches
  }

  private func client(_ key: VAPIDKey) -> WebPushClient? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      if let client = state.clients[key.publicText] { return client }
      var configuration = configuration
      configuration.key = key
      configuration.originsMax = min(configuration.originsMax, Self.originsMaxOfEarlierKeys)
      let client = try? WebPushClient(configuration, threads: threads)
      state.clients[key.publicText] = client
      return client
    }
  }
}

/// Reasons for which a push to a browser is not sent, next to `PipelineReason`.
public enum WebPushReason {
  /// The subscription was made for a key that the app does not have.
  public static let unknownKey = "server-key-unknown"
  /// What is stored of the subscription or the message cannot be read.
  public static let unreadable = "subscription-unreadable"
  /// The client had no room; the rest of the batch was taken.
  public static let queueFull = "queue-full"
}

extension SendOutcome {
  /// Refused by ourselves, for this device alone.
  fileprivate static func refused(_ reason: String) -> SendOutcome {
    .rejected(SendRejection(status: 0, reason: reason, meaning: .wrongDevice))
  }
}

/// The names of what a payload for browsers has as headers.
public enum WebPushHeader {
  /// Seconds for which the push service keeps it.
  public static let ttl = "ttl"
  /// How urgent it is.
  public static let urgency = "urgency"
  /// What a later message replaces it by.
  public static let topic = "topic"
}

/// The content of pushes to browsers.
public enum WebContent {
  /// What the number of a push takes: `,"push":"…"` with the digits that an `Int64` has at most.
  private static let pushBytesMax = 29
  /// The longest content before the number of its push is added, in bytes.
  public static let bytesMax = WebPushMessage.payloadBytesMax - pushBytesMax

  /// The content with the number of its push as the last member.
  ///
  /// The browser's worker reports by it: browsers are given no name of a message, as phones are. Placeholders stay where
  /// they are.
  static func naming(_ push: PushID, _ body: [UInt8]) -> [UInt8] {
    guard body.count > 2, body.last == UInt8(ascii: "}") else { return body }
    return body.dropLast() + Array(",\"push\":\"\(push)\"}".utf8)
  }
}

extension SendBatch {
  /// The message for browsers; it is not kept longer than until `notAfter`.
  fileprivate func webMessage(_ padding: WebPushPadding, now: Int64) throws(WebPushError) -> WebPushMessage {
    let rendered = payload.rendered
    func header(_ name: String) -> String? { rendered.headers.first { $0.name == name }?.value }
    var ttl = header(WebPushHeader.ttl).flatMap { UInt32($0) } ?? WebPushMessage.ttlDefault
    if let notAfter { ttl = min(ttl, UInt32(clamping: notAfter.seconds - now)) }
    return try WebPushMessage(
      payload: push.map { WebContent.naming($0, rendered.body) } ?? rendered.body, ttl: min(ttl, WebPushMessage.ttlMax),
      urgency: header(WebPushHeader.urgency).map { WebPushUrgency(rawValue: $0) },
      topic: header(WebPushHeader.topic).map { (text) throws(WebPushError) in try WebPushTopic(text) }, padding: padding
    )
  }
}

/// Translates the clients' outcomes.
private final class WebPushAnswers: WebPushSink {
  private let sink: any SendSink

  init(_ sink: any SendSink) { self.sink = sink }

  func receive(_ results: [WebPushResult]) {
    sink.receive(results.map { SendAnswer(tag: $0.tag, outcome: SendOutcome($0.outcome)) })
  }
}

extension SendOutcome {
  /// The longest address of a message that is stored, in bytes.
  private static let nameBytesMax = 512

  init(_ outcome: WebPushOutcome) {
    switch outcome {
    case .accepted(let acceptance):
      self = .accepted(name: acceptance.location.flatMap { $0.utf8.count <= Self.nameBytesMax ? $0 : nil })
    case .rejected(let rejection): self = .rejected(SendRejection(rejection))
    // The endpoint's name leads to a private address, as whoever made it up may want: it is not tried again.
    case .failed(let failure) where failure.cause == .addressRefused:
      self = .rejected(SendRejection(status: 0, reason: failure.cause.rawValue, meaning: .badRequest))
    case .failed(let failure): self = SendOutcome(failure)
    }
  }
}

extension SendRejection {
  /// The reason is the status, because push services have no names for what they refuse.
  init(_ rejection: WebPushRejection) {
    self.init(
      status: rejection.status, reason: "\(rejection.status)", meaning: Self.meaning(rejection.consequence),
      retryAfterSeconds: rejection.retryAfter)
  }

  /// Anybody can run a push service, so that no answer of one stops an app: its refusal of the key concerns its own
  /// subscribers.
  private static func meaning(_ consequence: WebPushConsequence) -> Meaning {
    switch consequence {
    case .fixRequest: .badRequest
    case .configuration: .doubtfulCredential
    case .retireDevice: .deadToken
    case .slowDown: .deviceBusy
    case .retryLater: .trouble(.web)
    }
  }
}
