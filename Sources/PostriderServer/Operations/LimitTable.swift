internal import Basics
internal import HTTPServer
internal import StoreModel

/// A readable table of the server's limits, generated from their constants; `docs/operations.md` shows it.
enum LimitTable {
  struct Row: Sendable {
    let what: String
    let limit: String
    /// What happens beyond it.
    let beyond: String
  }

  /// The table in Markdown.
  static var markdown: String {
    (["| what | limit | beyond it |", "| --- | --- | --- |"]
      + (requests + provider + pushes + people + records + shadow + work).map {
        "| \($0.what) | \($0.limit) | \($0.beyond) |"
      })
      .joined(separator: "\n")
  }

  private static let http = HTTPLimits()

  private static var requests: [Row] {
    [
      Row(
        what: "request line and headers", limit: "\(bytes(http.maxHeadBytes)), \(count(HTTPLimits.fieldsMax)) headers",
        beyond: "414 or 431"),
      Row(what: "body of a request", limit: bytes(http.maxBodyBytes), beyond: "413"),
      Row(
        what: "body of a push or schedule, with its list of tokens", limit: bytes(Dispatcher.pushBytesMax),
        beyond: "413"),
      Row(what: "body of a request that needs no key", limit: bytes(Dispatcher.openBytesMax), beyond: "413"),
      Row(
        what: "bodies of all requests under way",
        limit: "\(bytes(http.maxBufferedBodyBytes)), a quarter of it only for bodies up to"
          + " \(bytes(HTTPLimits.smallBodyBytes))", beyond: "503 with `Retry-After`"),
      Row(what: "nesting of JSON", limit: count(RequestBody.jsonDepthMax), beyond: "400"),
      Row(
        what: "names and values in a JSON body, arrays and objects counted twice",
        limit: count(RequestBody.jsonTokensMax),
        beyond: "400"),
      Row(what: "an `Idempotency-Key`", limit: bytes(IdempotencyHeader.bytesMax), beyond: "400"),
      Row(
        what: "how long an `Idempotency-Key` is remembered", limit: span(ms: Upkeep.keysMs),
        beyond: "the request is treated as new"),
      Row(what: "rows on a page", limit: count(Paging.limitMax), beyond: "400"),
      Row(
        what: "open connections", limit: count(http.maxConnections),
        beyond: "the one idle longest makes room; when all are busy, 503 with `Retry-After`"),
      Row(
        what: "open connections of one network (IPv4 /24, IPv6 /64), when there is no room left",
        limit: count(http.connectionShare), beyond: "its connections are the first to make room"),
      Row(
        what: "connections kept for `/healthz`, `/readyz` and `/metrics`", limit: count(http.reservedConnections),
        beyond: "the oldest makes room"),
      Row(what: "an idle connection", limit: span(http.idleTimeout), beyond: "closed"),
      Row(
        what: "time for the head of a request, and for its body", limit: span(http.requestTimeout) + " each",
        beyond: "cut off; a long body has more time at \(bytes(http.minBodyBytesPerSecond)) a second"),
      Row(
        what: "a client that reads an answer slower than \(bytes(http.minBodyBytesPerSecond)) a second",
        limit: span(http.readTimeout), beyond: "cut off visibly"),
      Row(what: "time to answer", limit: span(http.answerTimeout), beyond: "503"),
      Row(
        what: "failed sign-ins from one network", limit: "\(count(SignInLimit.failuresMax)) a minute", beyond: "429"),
      Row(
        what: "failed sign-ins for one account, from anywhere", limit: "\(count(SignInLimit.failuresMax)) a minute",
        beyond: "429"),
      Row(
        what: "failed sign-ins from one IPv6 /48, of which each /64 is a network",
        limit: "\(count(SignInLimit.siteFailuresMax)) a minute", beyond: "429"),
      Row(
        what: "passwords verified or hashed at once, and waiting",
        limit: "\(count(PasswordDesk.threadsMax)) and \(count(PasswordDesk.waitingMax))",
        beyond: "503 with `Retry-After`"),
      Row(
        what: "passwords of one network verified or waiting", limit: count(PasswordDesk.waitingPerNetworkMax),
        beyond: "503 with `Retry-After`, no failed attempt"),
      Row(what: "people", limit: count(Int(AccountLimits.accountsMax)), beyond: "409"),
      Row(what: "passkeys of one person", limit: count(PasskeyLimits.passkeysMax), beyond: "409"),
      Row(
        what: "a challenge for a passkey", limit: "\(span(ms: ChallengeDesk.lifetimeMs)), once",
        beyond: "401, 422"),
      Row(
        what: "passkeys used within \(span(ms: ChallengeDesk.lifetimeMs + ChallengeDesk.skewMs))",
        limit: count(ChallengeDesk.usedMax),
        beyond: "503 with `Retry-After`"),
      Row(what: "sessions of the dashboard", limit: count(SessionRing.sessionsMax), beyond: "the oldest makes room"),
      Row(
        what: "a session", limit: "\(span(ms: SessionRing.idleMs)) idle, \(span(ms: SessionRing.lifetimeMs)) in all",
        beyond: "ended"),
    ]
  }

  private static var provider: [Row] {
    [
      Row(
        what: "sign-ins that wait for the identity provider at once", limit: count(OIDCClient.underWayMax),
        beyond: "503 with `Retry-After`"),
      Row(
        what: "an answer of the identity provider",
        limit: "\(bytes(OIDCClient.answerBytesMax)), \(span(ms: Int64(OIDCClient.answerMs)))", beyond: "502"),
      Row(what: "keys of the identity provider", limit: count(OIDCKeySet.keysMax), beyond: "502"),
      Row(
        what: "time at the identity provider", limit: span(ms: OIDCStarts.lifetimeSeconds * 1_000),
        beyond: "401; sign in again"),
      Row(
        what: "sign-ins that came back from the identity provider within that time", limit: count(OIDCStarts.usedMax),
        beyond: "503 with `Retry-After`"),
    ]
  }

  private static var pushes: [Row] {
    [
      Row(
        what: "users, devices or tokens listed in one push", limit: count(StoreLimits.listedAudienceMax),
        beyond: "422; use a segment"),
      Row(what: "A/B variants of a push", limit: count(MessageFields.variantsMax), beyond: "422"),
      Row(
        what: "messages of a push over all languages and variants", limit: count(MessageFields.versionsMax),
        beyond: "422"),
      Row(
        what: "how far ahead a push can wait", limit: "\(SendTime.aheadSecondsMax / (366 * 86_400)) years",
        beyond: "422"),
      Row(
        what: "pushes and occurrences started at once",
        limit: "\(count(Scheduler.startsMax)) every \(Scheduler.periodMs) ms", beyond: "started in the next turn"),
      Row(
        what: "addressees of a push that overtakes campaigns", limit: count(PushComposer.transactionalMax),
        beyond: "it shares the senders with campaigns"),
    ]
  }

  private static var people: [Row] {
    [
      Row(what: "a token", limit: bytes(StoreLimits.tokenBytesMax), beyond: "422"),
      Row(
        what: "earlier tokens kept of a device", limit: count(StoreLimits.earlierTokensMax), beyond: "the oldest goes"),
      Row(
        what: "properties of a device or user",
        limit: "\(count(StoreLimits.attributesMax)), names of \(bytes(StoreLimits.attributeNameBytesMax)),"
          + " texts of \(bytes(StoreLimits.attributeTextBytesMax))", beyond: "422"),
      Row(
        what: "names of properties in one app",
        limit: "\(count(StoreLimits.attributeNamesMax)) for devices, as many for users", beyond: "422"),
      Row(
        what: "tags, and categories not wanted",
        limit: "\(count(StoreLimits.tagsMax)) each, of \(bytes(StoreLimits.tagBytesMax))", beyond: "422"),
      Row(
        what: "a segment",
        limit: "\(count(SegmentLimits.conditionsMax)) conditions, \(count(SegmentLimits.depthMax)) levels,"
          + " \(bytes(SegmentLimits.definitionBytesMax))", beyond: "422"),
      Row(what: "segments of an app", limit: count(SegmentLimits.segmentsMax), beyond: "422"),
      Row(
        what: "an imported file",
        limit: "\(bytes(DeviceImport.bytesMax)), lines of \(bytes(RecordSplitter.recordBytesMax))",
        beyond: "413; a longer line is wrong and counted"),
      Row(what: "imports at once, at one node", limit: count(ImportDirectory.runningMax), beyond: "503"),
    ]
  }

  private static var records: [Row] {
    [
      Row(what: "reports of devices in one request", limit: count(StoreLimits.eventBatchMax), beyond: "422"),
      Row(
        what: "how late a device may report", limit: span(ms: StoreLimits.eventWindowMs), beyond: "answered `late`"),
      Row(
        what: "different outcomes kept apart by reason", limit: count(StoreLimits.reasonsMax),
        beyond: "recorded as `other`"),
      Row(
        what: "retention of deliveries",
        limit: days(StoreLimits.deliveriesDays), beyond: "422; without a policy they are retained for ever"),
      Row(what: "retention of reports", limit: days(StoreLimits.eventsDays), beyond: "422"),
      Row(what: "identity keys of an app", limit: count(StoreLimits.identityKeysPerAppMax), beyond: "409"),
      Row(
        what: "an identity token",
        limit: "\(bytes(IdentityToken.bytesMax)), its header \(bytes(IdentityToken.headerBytesMax)), valid for"
          + " \(span(ms: IdentityToken.lifetimeSeconds * 1_000)) at most, clocks \(IdentityToken.skewSeconds) s apart",
        beyond: "401"),
      Row(what: "webhooks of an app", limit: count(StoreLimits.webhooksPerAppMax), beyond: "422"),
      Row(
        what: "batches waiting for one webhook", limit: count(StoreLimits.webhookQueueMax),
        beyond: "dropped and counted"),
      Row(
        what: "batches kept that a webhook never took", limit: count(StoreLimits.webhookDeadMax),
        beyond: "the oldest go"),
    ]
  }

  private static var shadow: [Row] {
    [
      Row(
        what: "requests passed on to a vendor ([compat.md](compat.md#shadow)) at once, time for an answer, its body",
        limit: "\(count(ShadowForward.underWayMax)); \(span(ms: Int64(ShadowForward.answerSeconds) * 1_000));"
          + " \(bytes(ShadowForward.answerBytesMax))", beyond: "503; 504, or 502 when it was not reached; 504"),
      Row(
        what: "shadowed requests that wait to be checked, and records that wait to be stored",
        limit: "\(count(ShadowDesk.laterMax)); \(count(ShadowRecorder.waitingMax))",
        beyond: "recorded as skipped; dropped and counted"),
      Row(
        what: "records of an app's shadowed requests, bytes of one, for how long",
        limit: "\(count(StoreLimits.shadowRequestsPerAppMax)); \(bytes(StoreLimits.shadowDetailBytesMax));"
          + " \(StoreLimits.shadowMs / 86_400_000) days",
        beyond: "the oldest go; payloads, request and findings are left out"),
      Row(
        what: "names of one kind in a shadow report", limit: count(StoreLimits.shadowNamesMax),
        beyond: "counted as `(others)`"),
    ]
  }

  private static var work: [Row] {
    [
      Row(
        what: "a link to an export for another vendor's clients ([compat.md](compat.md))",
        limit: span(ms: OneSignalFiles.lastsSeconds * 1_000), beyond: "404"),
      Row(
        what: "requests of PowerAuth's, IMKit's and Amba's clients ([compat.md](compat.md)) at once, those that wait, "
          + "for how long",
        limit: "\(count(CompatWork.threadsMax)); \(count(CompatWork.queuedMax));"
          + " \(span(ms: Int64(CompatWork.queuedSecondsMax) * 1_000))", beyond: "503"),
      Row(
        what: "a synchronous send of another vendor's client ([compat.md](compat.md)), such requests at once",
        limit: "\(span(ms: Int64(PushWaits.seconds) * 1_000)); \(count(PushWaits.waitersMax))",
        beyond: "answered with what is pending"),
      Row(
        what: "exports at once, time for one",
        limit: "\(count(StoreLimits.exportsMax)), of one app \(count(ExportSlots.perAppMax));"
          + " \(span(ms: StoreLimits.exportMs))", beyond: "503; cut off visibly"),
      Row(
        what: "long requests at once (counting a segment, erasing a user)", limit: count(Service.longRequestsMax),
        beyond: "503"),
      Row(what: "watched pushes", limit: count(ProgressStreams.watchesMax), beyond: "503"),
      Row(
        what: "spans of traces that wait for the collector; pushes that are followed",
        limit: "\(count(SpanExporter.queueMax)); \(count(Tracer.pushesMax))",
        beyond: "dropped and counted in `/metrics`"),
      Row(what: "writes waiting for the disk", limit: count(StoreLimits.queuedWritesMax), beyond: "503"),
    ]
  }

  // MARK: - As text

  private static func count(_ number: Int) -> String {
    let digits = Array(String(number).utf8)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { text += " " }
      text.unicodeScalars.append(Unicode.Scalar(digit))
    }
    return text
  }

  private static func bytes(_ number: Int) -> String {
    for (size, unit) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] where number % size == 0 {
      return "\(count(number / size)) \(unit)"
    }
    return "\(count(number)) bytes"
  }

  private static func span(_ duration: Duration) -> String { span(ms: duration.components.seconds * 1_000) }

  private static func span(ms: Int64) -> String {
    for (size, unit) in [(86_400_000, "days"), (3_600_000, "hours"), (60_000, "minutes")] as [(Int64, String)]
    where ms % size == 0 && ms / size > 1 { return "\(ms / size) \(unit)" }
    return "\(ms / 1_000) s"
  }

  private static func days(_ range: ClosedRange<Int>) -> String {
    "\(count(range.lowerBound)) to \(count(range.upperBound)) days"
  }
}
