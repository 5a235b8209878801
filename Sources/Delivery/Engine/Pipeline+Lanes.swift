internal import StoreModel

/// What the lanes may take, and why one of them takes nothing.
extension Pipeline {
  /// What all lanes may still take together, beside what the leases in progress may bring.
  var free: Int { options.window * 2 - held - asked.bulk - asked.urgent }

  /// Deliveries that are leased and of which no result is recorded yet.
  package var held: Int { flights.count + unwritten }

  /// Decides what each lane may take in this turn.
  func look(_ now: Timestamp) {
    let free = free
    for number in lanes.indices {
      if lanes[number].lacksSender {
        let key = lanes[number].key
        lanes[number].lacksSender =
          senders.sender(app: key.app, provider: key.provider, environment: key.environment) == nil
        lanes[number].isUnusable = senders.isUnusable(key)
      }
      lanes[number].look(at: now, free: free, options)
    }
  }

  func laneNumber(_ key: LaneKey) -> Int {
    if let number = laneNumbers[key] { return number }
    lanes.append(
      Lane(
        key: key, rate: ownRate(of: key.provider), breaker: Breaker(failuresMax: options.breakerFailures)))
    sinks.append(LaneSink(lane: lanes.count - 1, mailbox: mailbox))
    laneNumbers[key] = lanes.count - 1
    return lanes.count - 1
  }

  /// What may be leased for an app, and the lanes that take nothing of it.
  struct AppRoom {
    var room: Int
    let closed: [LaneKey]
  }

  /// The room in the lanes of an app; nil when nothing may be leased for it now.
  ///
  /// Leasing waits for a lane that is briefly full; it does not wait for one that accepts nothing, as long as another
  /// lane has room.
  func room(for app: AppID, urgent: Bool) -> AppRoom? {
    var (open, probing) = (0, 0)
    var (closed, probes): ([LaneKey], [LaneKey]) = ([], [])
    var isKnown = false
    for key in Self.lanes(of: app, urgent: urgent) {
      guard let number = laneNumbers[key] else {
        let hasSender = senders.sender(app: app, provider: key.provider, environment: key.environment) != nil
        isKnown = isKnown || hasSender
        if hasSender { open = max(open, min(SendWindow.first, free)) }
        continue
      }
      isKnown = true
      switch lanes[number].state {
      case .open(let room, let bulk):
        let room = urgent ? room : bulk
        // Below zero: it has been full for longer than the others wait.
        if room == 0 { return nil }
        if room > 0 { open = max(open, room) } else { closed.append(key) }
      case .probing(let room):
        probing = max(probing, room)
        probes.append(key)
      case .full: return nil
      case .closed: closed.append(key)
      }
    }
    // An app without any credential is leased from once, so that its deliveries say what is missing.
    if !isKnown { return AppRoom(room: min(SendWindow.first, free), closed: []) }
    if open > 0 { return AppRoom(room: open, closed: closed + probes) }
    return probing > 0 ? AppRoom(room: probing, closed: closed) : nil
  }

  /// The lanes that an app's pushes may go to: a campaign has no channel among its devices.
  private static func lanes(of app: AppID, urgent: Bool) -> [LaneKey] {
    DeviceEnvironment.allCases.flatMap { environment in
      Provider.allCases.map { LaneKey(app: app, provider: $0, environment: environment) }
        + (urgent ? [LaneKey(app, .iosBroadcast, environment)] : [])
    }
  }

  // MARK: Refused credentials

  /// Stops a lane whose credential was refused; what waits stays, and a few sends try again at growing intervals.
  func stop(_ number: Int, _ reason: String, _ now: Timestamp) {
    let known = lanes[number].stop
    // Many sends of one try are refused together.
    guard !lanes[number].isStopped(at: now) else { return }
    let refusals = (known?.refusals ?? 0) + 1
    let wait = Backoff.stop.waitMs(attempt: refusals, random: options.random())
    let stop = LaneStop(
      lane: lanes[number].key, reason: reason, since: known?.since ?? now, refusals: refusals,
      retryAt: now.adding(milliseconds: wait))
    lanes[number].stop = stop
    options.onEvent?(.providerStopped(stop))
    write(stop, of: stop.lane)
  }

  /// The provider takes the credential of a stopped lane again.
  func resume(_ number: Int, _ now: Timestamp) {
    // What was on the wire when the lane was stopped proves nothing.
    guard !lanes[number].isStopped(at: now) else { return }
    lanes[number].stop = nil
    options.onEvent?(.providerResumed(lanes[number].key))
    write(nil, of: lanes[number].key)
  }

  /// Resumes the stopped lanes of an app.
  ///
  /// The pipeline writes each stop and its end in order, so the end is never overtaken by the stop.
  func resumeLanes(of app: AppID) {
    for number in lanes.indices where lanes[number].key.app == app && lanes[number].stop != nil {
      lanes[number].stop = nil
      write(nil, of: lanes[number].key)
    }
    workIsOld = true
  }

  private func write(_ stop: LaneStop?, of lane: LaneKey) {
    stopsUnderWay[lane, default: 0] += 1
    let mailbox = mailbox
    store.setStop(of: lane, stop) { _ in mailbox.post(.stopWritten(lane)) }
  }

  func stopWritten(_ lane: LaneKey) {
    let left = (stopsUnderWay[lane] ?? 1) - 1
    stopsUnderWay[lane] = left > 0 ? left : nil
  }

  /// Applies the stops in the store: after a start, when an operator resumed a lane, and those of other nodes.
  func apply(_ stops: [LaneStop], _ now: Timestamp) {
    var known: [LaneKey: LaneStop] = [:]
    for stop in stops {
      known[stop.lane] = stop
      _ = laneNumber(stop.lane)
    }
    for number in lanes.indices where stopsUnderWay[lanes[number].key] == nil {
      lanes[number].stop = known[lanes[number].key]
      // Now, because the next turn may be far away.
      if lanes[number].isStopped(at: now) { giveBack(lane: number, PipelineReason.providerStopped, now) }
    }
  }
}

extension SendOutcome {
  /// Whether it shows that the provider took the credential: it judged the device.
  var provesCredential: Bool {
    switch self {
    case .accepted: true
    case .rejected(let rejection):
      switch rejection.meaning {
      case .deadToken, .suspectToken, .deviceBusy: true
      default: false
      }
    case .notProcessed, .unknown, .expired, .recalled: false
    }
  }
}
