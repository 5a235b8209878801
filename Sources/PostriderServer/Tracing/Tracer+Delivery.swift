internal import Delivery
internal import StoreModel
internal import Synchronization

/// Spans of leases and sends, with the provider's answer.
extension Tracer: DeliveryTracing {
  func traces(_ push: PushID) -> Bool {
    followed.load(ordering: .relaxed) > 0 && book.withLock { $0.pushes[push] != nil }
  }

  var awaitsAnswers: Bool { open.load(ordering: .relaxed) > 0 }

  func leased(_ push: PushID, count: Int, attempt: Int) {
    let now = Tracer.now()
    let attributes: Span.Attributes = [
      ("postrider.deliveries", .int(count)), ("postrider.attempt", .int(attempt)),
    ]
    let span: Span? = book.withLock { book in
      guard let followed = book.pushes[push] else { return nil }
      guard !followed.isCampaign else {
        // A campaign is leased in as many parts as it takes: the first of them are enough to see its pace.
        book.pushes[push]?.note(Span.Event(name: "lease", at: now, attributes: attributes))
        return nil
      }
      guard book.pushes[push]?.takeSpan() == true else { return nil }
      return Span(
        context: followed.inner, id: spanID(), name: "lease", kind: .inside, start: followed.waitsSince, end: now,
        attributes: attributes)
    }
    if let span { add(span) }
  }

  func handed(_ push: PushID, tags: [UInt64]) {
    let now = Tracer.now()
    let added = book.withLock { book in
      guard book.pushes[push]?.isCampaign == false else { return 0 }
      var added = 0
      for tag in tags where book.pushes[push]?.takeSpan() == true {
        book.sends[tag] = OpenSend(push: push, start: now)
        added += 1
      }
      return added
    }
    open.add(added, ordering: .relaxed)
  }

  func answered(_ tag: UInt64, _ send: TracedSend) {
    let found: (OpenSend, Followed)? = book.withLock { book in
      guard let open = book.sends.removeValue(forKey: tag), let followed = book.pushes[open.push] else { return nil }
      book.pushes[open.push]?.waitsSince = Tracer.now()
      return (open, followed)
    }
    guard let (sent, followed) = found else { return }
    open.subtract(1, ordering: .relaxed)
    let end = TraceOutcome(send.outcome)
    var attributes: Span.Attributes = [
      ("postrider.push", .text(sent.push.description)), ("postrider.delivery", .text(send.delivery.description)),
      ("postrider.provider", .text(send.provider.name)), ("postrider.environment", .text(send.environment.name)),
      ("postrider.attempt", .int(send.attempt)), ("postrider.outcome", .text(end.outcome)),
    ]
    if let status = end.status { attributes.append(("http.response.status_code", .int(status))) }
    if let reason = end.reason { attributes.append(("postrider.reason", .text(reason))) }
    add(
      Span(
        context: followed.inner, id: spanID(), name: "send \(send.provider.name)", kind: .client, start: sent.start,
        end: Tracer.now(), attributes: attributes,
        failure: end.outcome == TraceOutcome.accepted ? nil : end.reason ?? end.outcome))
  }
}

/// How a send ended, in the words of its span.
private struct TraceOutcome {
  static let accepted = "accepted"
  /// What is kept of a reason: providers' codes are shorter.
  private static let reasonMax = 120

  let outcome: String
  var status: Int?
  var reason: String?

  init(_ outcome: SendOutcome) {
    switch outcome {
    case .accepted: (self.outcome, status) = (Self.accepted, 200)
    case .rejected(let rejection):
      (self.outcome, status, reason) = ("rejected", rejection.status, rejection.reason)
    case .notProcessed(let why): (self.outcome, reason) = ("not_processed", why)
    case .unknown(let why): (self.outcome, reason) = ("unknown", why)
    case .expired: self.outcome = "expired"
    case .recalled: self.outcome = "recalled"
    }
    reason = reason.map { String($0.prefix(Self.reasonMax)) }
  }
}

extension Tracer.Followed {
  /// The context of what belongs to the push.
  fileprivate var inner: TraceContext {
    var inner = context
    inner.parent = id
    return inner
  }

  /// Whether there is room for one more span.
  fileprivate mutating func takeSpan() -> Bool {
    guard spansLeft > 0 else {
      droppedSpans += 1
      return false
    }
    spansLeft -= 1
    return true
  }

  fileprivate mutating func note(_ event: Span.Event) {
    if events.count < Tracer.eventsMax { events.append(event) } else { droppedEvents += 1 }
  }
}
