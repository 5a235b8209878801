internal import GatewayPool
internal import StoreModel

extension SharedChange {
  /// Whether it may change what is sent.
  var concernsSending: Bool {
    switch self {
    case .work, .push, .recall, .leases, .credentials, .everything: true
    case .apps, .keys, .people, .webhooks, .schedules, .retention: false
    }
  }
}

/// This node among others on the same database.
///
/// What is leased may be sent for less than the lease's term, measured by this node's own clock from the time at which the
/// lease was asked for. Then it is given back, in the lanes and with the senders, also when the store is away or the process was
/// stopped meanwhile: ``SendRecall`` looks at the clock before each send is written. When the term itself has passed, other nodes name
/// the rows `unknown` and send them again; results under a lease that is gone change nothing.
extension Pipeline {
  /// The part of a lease's term in which is sent: what is left covers the clocks' difference, and what takes time on the way from
  /// the last look at the clock to the wire.
  private static let rightShare = (part: Int64(3), of: Int64(4))
  /// The part of a lease's term after which the database counts as having been away; a third of the term passes in any case.
  private static let awayShare = (part: Int64(2), of: Int64(3))
  /// The pause before leases that could not be extended are tried again.
  private static let renewAgainMs: Int64 = 1_000

  /// Whether something may be handed to a sender.
  var maySend: Bool { nodeStatus.trouble == nil && !isOver }

  private var isOver: Bool { rightUntilMs != .max && options.elapsedMs() >= rightUntilMs }

  /// Reads the status of this node; rates are for all nodes together.
  func lookAtNodes() {
    let new = store.nodeStatus
    guard new != nodeStatus else { return }
    let old = nodeStatus
    nodeStatus = new
    if new.liveNodes != old.liveNodes {
      for number in lanes.indices { lanes[number].change(ownRate(of: lanes[number].key.provider)) }
    }
    if let trouble = new.trouble {
      if old.trouble == nil { options.onEvent?(.nodeWaits(trouble)) }
    } else if old.trouble != nil || new.liveNodes != old.liveNodes {
      workIsOld = true
      options.onEvent?(.nodeWorks(liveNodes: new.liveNodes))
    }
  }

  /// What this node sends of a provider's rate.
  func ownRate(of provider: Provider) -> DeliveryOptions.Rate? {
    options.rates[provider].map { rate in
      DeliveryOptions.Rate(perSecond: rate.perSecond / Double(nodeStatus.liveNodes), rampMs: rate.rampMs)
    }
  }

  /// Another node has changed something.
  func follow(_ change: SharedChange) {
    switch change {
    case .work: workIsOld = true
    case .push(let push):
      takeBack(push)
      workIsOld = true
    case .recall(let more): recalls.formUnion(more)
    case .leases: takeBackEverything()
    case .credentials(let app): resumeKnown(app)
    case .everything:
      cache = PushCache()
      takeBackEverything()
    case .apps, .keys, .people, .webhooks, .schedules, .retention: break
    }
  }

  /// The stopped lanes of an app may send again: the other node has written it.
  private func resumeKnown(_ app: AppID) {
    for number in lanes.indices where lanes[number].key.app == app { lanes[number].lacksSender = false }
    workIsOld = true
  }

  private func takeBackEverything() {
    takeBack(options.clock()) { _ in true }
    workIsOld = true
  }

  // MARK: The term of leases

  /// The time by which all nodes judge when a lease has run out: a time of day that is set back would have others end what this
  /// node still sends, one that is set ahead would end what others send, until the next heartbeat compares the clocks.
  func leaseTime(_ now: Timestamp) -> Timestamp { store.sharedTime(elapsedMs: options.elapsedMs()) ?? now }

  /// Gives back what is not on the wire when the right to send it is over.
  func keepToTerm(_ now: Timestamp) {
    guard isOver else { return }
    // At once, and then at the pace of what could not be extended: a store that refuses at once is not asked in a circle.
    if !isTakenBack { nextRenewal = min(nextRenewal, now) }
    // What is on the wire ends by its answer; what senders still have is taken back once.
    if !isTakenBack || flights.count > onWire { takeBack(now) { _ in true } }
    isTakenBack = true
  }

  /// What was asked for at an instant is leased for a term from then on.
  func extendRight(from asked: Int64) {
    guard nodeStatus.isShared else { return }
    rightUntilMs = asked + options.leaseMs * Self.rightShare.part / Self.rightShare.of
    isTakenBack = false
    recall.allow(until: rightUntilMs)
  }

  /// Extends the leases at a third of their time.
  func renew(_ now: Timestamp) {
    // By a wrong clock the leases would end at another time than others think.
    guard now >= nextRenewal, !renewalUnderWay, nodeStatus.trouble == nil else { return }
    nextRenewal = now.adding(milliseconds: options.leaseMs / 3)
    renewalUnderWay = true
    let shared = leaseTime(now)
    let until = shared.adding(milliseconds: options.leaseMs)
    let (mailbox, asked) = (mailbox, options.elapsedMs())
    let wasAway = renewedMs.map { asked - $0 > options.leaseMs * Self.awayShare.part / Self.awayShare.of } ?? false
    store.renewLeases(node: options.node, until: until) {
      mailbox.post(.renewed(asked: asked, wasAway: wasAway, $0))
    }
    if wasAway || sparesUntilMs.map({ asked < $0 }) ?? false { return }
    sparesUntilMs = nil
    // Queued after the renewal, with nothing between, so that it never takes a lease of this node, not even after the machine has
    // slept.
    store.recoverLeases(node: nil, now: shared) { mailbox.post(.recovered($0, isFirst: false)) }
  }

  func renewed(_ asked: Int64, wasAway: Bool, _ result: Result<Void, StoreError>) {
    renewalUnderWay = false
    guard case .success = result else {
      return nextRenewal = options.clock().adding(milliseconds: Self.renewAgainMs)
    }
    // Other nodes may have ended leases before these were extended, unless that is known by now.
    if isOver { keepToTerm(options.clock()) }
    extendRight(from: asked)
    workIsOld = true
    let now = options.elapsedMs()
    renewedMs = now
    // All leases may have run out. The others are left a term in which to extend theirs: what they wait to write would become
    // unknown, and be sent again, although they know it.
    if wasAway, sparesUntilMs == nil { sparesUntilMs = now + options.leaseMs }
  }
}
