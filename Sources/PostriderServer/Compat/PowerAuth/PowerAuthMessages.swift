internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Sending messages to users, one or a batch.
enum PowerAuthMessages {
  static let routes: [Route] =
    PowerAuthRoutes.replying(
      [.post], "/push/message/send", "SendMessage", "Sends a message to a user's devices.", body: body
    ) { c async throws(Problem) in
      let object = try CompatObject(envelope: c.body, known: ["appId", "mode", "message"])
      guard let value = object["message"] else { throw PowerAuthErrors.refusal("message is missing") }
      let way = try Way(object, c)
      return try await send([try PowerAuthMessage(value, object.field("message"))], way, c)
    }
    + PowerAuthRoutes.replying(
      [.post], "/push/message/batch/send", "SendMessageBatch", "Sends up to 20 messages, each to a user's devices.",
      body: batch
    ) { c async throws(Problem) in
      let object = try CompatObject(envelope: c.body, known: ["appId", "mode", "batch"])
      guard let values = try object.elements("batch") else {
        throw PowerAuthErrors.refusal("batch is missing")
      }
      let way = try Way(object, c)
      return try await send(try messages(values, object), way, c)
    }

  private static let message: JSONValue = [
    "userId": "123", "attributes": ["personal": true], "body": ["title": "Balance update", "body": "$745.00"],
  ]
  private static let body = Schema(
    .map, "The push server's request.", example: ["requestObject": ["appId": "mobile-bank", "message": message]])
  private static let batch = Schema(
    .map, "The push server's request.", example: ["requestObject": ["appId": "mobile-bank", "batch": [message]]])
  private static let batchMax = 20

  private static func messages(
    _ values: [JSONValue], _ object: CompatObject
  ) throws(Problem) -> [PowerAuthMessage] {
    guard !values.isEmpty else { throw PowerAuthErrors.refusal("batch is empty") }
    guard values.count <= batchMax else {
      throw PowerAuthErrors.refusal(
        "a batch has at most \(batchMax) messages, found \(values.count); send several batches")
    }
    var messages: [PowerAuthMessage] = []
    for (index, value) in values.enumerated() {
      do throws(Problem) { messages.append(try PowerAuthMessage(value, object.field("batch[\(index)]"))) } catch {
        throw PowerAuthErrors.nested(error, index)
      }
    }
    return messages
  }

  /// How the caller wants to be answered.
  private struct Way: Sendable {
    let isSynchronous: Bool
    /// Whether platforms are named as versions before 2.0 do.
    let isOld: Bool

    init(_ object: CompatObject, _ c: CompatCall) throws(Problem) {
      let app = try PowerAuthApp(object, c)
      isSynchronous = try object.choice("mode", [("SYNCHRONOUS", true), ("ASYNCHRONOUS", false)]) ?? true
      isOld = c.isOld || app.isNumber
    }
  }

  // MARK: - Sending

  /// Every message is checked before the first is written, and all are written together.
  private static func send(
    _ messages: [PowerAuthMessage], _ way: Way, _ c: CompatCall
  ) async throws(Problem) -> Reply {
    var pushes: [NewPush] = []
    var devices: [[Device]] = []
    for (index, message) in messages.enumerated() {
      let targets = try message.devices(c)
      // Each message of a batch has its effect once.
      let key = c.call.idempotency.map { header in
        messages.count == 1 ? header : IdempotencyHeader(text: "\(header.text)#\(index)")
      }
      guard let push = try message.push(to: targets, c, idempotency: key) else { continue }
      pushes.append(push)
      devices.append(targets)
    }
    guard !pushes.isEmpty else { return reply(way, []) }
    if let shadow = c.call.shadow {
      for push in pushes { try shadow.note(push, Report(), c.entry, c.service) }
      return reply(way, devices.map(Counts.pending))
    }
    let created: [CreatedPush]
    do throws(Problem) {
      try await Approvals.refuse(pushes, c.entry, c.service, now: c.call.now)
      created = try await c.service.create(pushes, c.call)
    } catch { throw PowerAuthErrors.ofRecord(error) }
    c.service.sending.wake()
    guard way.isSynchronous else { return reply(way, []) }
    let sent = zip(created, devices).map { Sent(push: $0.id, devices: $1) }
    await withCheckedContinuation { continuation in
      c.service.waits.wait(for: sent.map { $0.waited(c.entry) }) { continuation.resume() }
    }
    var counts: [[Provider: Counts]] = []
    for push in sent { counts.append(try push.counts(c)) }
    return reply(way, counts)
  }

  /// A push, and the devices that it is for.
  private struct Sent: Sendable {
    let push: PushID
    let devices: [Device]

    /// What is waited for: devices of an environment that the app has no credential for wait until it has one.
    func waited(_ entry: AppEntry) -> PushWaits.Waited {
      let stuck = devices.count { device in
        guard let slot = CredentialSlot(provider: device.kind.provider, environment: device.environment) else {
          return false
        }
        return entry.credentials[slot] == nil
      }
      return PushWaits.Waited(push: push, stuck: stuck)
    }

    /// The outcomes by platform.
    ///
    /// What no provider has accepted or rejected is pending while the push continues, and failed once it has finished: it
    /// expired, was canceled, or its outcome is unknown.
    func counts(_ c: CompatCall) throws(Problem) -> [Provider: Counts] {
      let (state, outcomes) = try c.ask { store throws(StoreError) in
        (try store.push(push)?.state, try store.countByProvider(push: push))
      }
      var counts: [Provider: Counts] = [:]
      for provider in Provider.allCases {
        let total = devices.count { $0.kind.provider == provider }
        let sent = outcomes[provider]?[.accepted] ?? 0
        let refused = outcomes[provider]?[.rejected] ?? 0
        let rest = max(total - sent - refused, 0)
        let isOver = state?.isOver ?? true
        counts[provider] = Counts(
          sent: sent, failed: refused + (isOver ? rest : 0), pending: isOver ? 0 : rest, total: total)
      }
      return counts
    }
  }

  private struct Counts: Sendable {
    var sent = 0
    var failed = 0
    var pending = 0
    var total = 0

    /// Those of a message that nothing is sent of.
    static func pending(_ devices: [Device]) -> [Provider: Counts] {
      var counts: [Provider: Counts] = [:]
      for device in devices {
        counts[device.kind.provider, default: Counts()].pending += 1
        counts[device.kind.provider, default: Counts()].total += 1
      }
      return counts
    }

    static func + (a: Counts, b: Counts) -> Counts {
      Counts(
        sent: a.sent + b.sent, failed: a.failed + b.failed, pending: a.pending + b.pending, total: a.total + b.total)
    }

    var json: JSONValue {
      [
        "sent": PowerAuthRoutes.number(sent), "failed": PowerAuthRoutes.number(failed),
        "pending": PowerAuthRoutes.number(pending), "total": PowerAuthRoutes.number(total),
      ]
    }
  }

  /// The counts are members of the object itself, as the push server's clients read them, and of `result`, as its documentation
  /// shows them.
  private static func reply(_ way: Way, _ pushes: [[Provider: Counts]]) -> Reply {
    guard way.isSynchronous else { return PowerAuthRoutes.ok(["mode": "ASYNCHRONOUS"]) }
    var result = JSONObject()
    let names: [(String, Provider)] =
      way.isOld
      ? [("ios", .apns), ("android", .fcm), ("huawei", .hms)] : [("apns", .apns), ("fcm", .fcm), ("hms", .hms)]
    for (name, provider) in names {
      let counts = pushes.compactMap { $0[provider] }
      result[name] = counts.reduce(Counts(), +).json
    }
    var object: JSONObject = ["mode": "SYNCHRONOUS"]
    for (name, counts) in result { object[name] = counts }
    object["result"] = .object(result)
    return PowerAuthRoutes.ok(.object(object))
  }
}
