import Testing

@testable import GatewayPool

/// Straight scripts: an event goes in, the expected decisions come out.
@Suite struct PoolMachineTests {
  private static func machine(_ change: (inout PoolLimits) -> Void = { _ in }) -> PoolMachine {
    var limits = PoolLimits()
    change(&limits)
    return PoolMachine(limits: limits, seed: 7)
  }

  private static func taken(_ machine: inout PoolMachine) -> [PoolMachine.Action] {
    defer { machine.actions = [] }
    return machine.actions
  }

  /// A machine with one open connection, `0`, that allows `streams`.
  private static func open(
    streams: Int = 100, waiting: Int = 1, _ change: (inout PoolLimits) -> Void = { _ in }
  ) -> PoolMachine {
    var machine = machine(change)
    machine.waitingChanged(to: waiting, now: .zero)
    #expect(taken(&machine) == [.open(0, attempt: 0)])
    machine.opened(0, streamLimit: streams, now: .zero)
    return machine
  }

  @Test func nothingIsOpenedUntilSomethingWaits() {
    var machine = Self.machine()
    machine.timePassed(now: .seconds(100))
    #expect(Self.taken(&machine) == [])
    #expect(machine.nextDeadline == nil)
    machine.waitingChanged(to: 1, now: .seconds(100))
    #expect(Self.taken(&machine) == [.open(0, attempt: 0)])
  }

  @Test func anOpeningConnectionIsEnough() {
    var machine = Self.machine()
    machine.waitingChanged(to: 5000, now: .zero)
    machine.waitingChanged(to: 9000, now: .seconds(1))
    #expect(Self.taken(&machine) == [.open(0, attempt: 0)])
    #expect(machine.mostRoom == nil)
  }

  @Test func trap3TheStreamLimitOfThePeerIsFollowedUpAndDown() {
    var machine = Self.open(streams: 1000, waiting: 3000)
    #expect(machine.mostRoom?.count == 1000)
    machine.started(0, count: 1000, now: .zero)
    #expect(machine.mostRoom == nil)
    // APNs falls to one stream after a refused push; the thousand under way go on.
    machine.streamLimitChanged(0, to: 1, now: .seconds(1))
    machine.finished(0, count: 999, answered: 999, accepted: true, now: .seconds(1))
    #expect(machine.mostRoom == nil)
    machine.finished(0, count: 1, answered: 1, accepted: true, now: .seconds(1))
    #expect(machine.mostRoom?.count == 1)
    machine.streamLimitChanged(0, to: 500, now: .seconds(2))
    #expect(machine.mostRoom?.count == 500)
  }

  @Test func trap3OneStreamUntilTheFirstAcceptedToken() {
    var machine = Self.open(streams: 1000, waiting: 50) { $0.streamsBeforeFirstAcceptance = 1 }
    #expect(machine.mostRoom?.count == 1)
    machine.started(0, count: 1, now: .zero)
    machine.waitingChanged(to: 49, now: .zero)
    #expect(Self.taken(&machine) == [], "an unproven connection is not a reason for a second one")
    machine.finished(0, count: 1, answered: 1, accepted: false, now: .seconds(1))
    #expect(machine.mostRoom?.count == 1, "a refusal proves nothing")
    machine.started(0, count: 1, now: .seconds(1))
    machine.finished(0, count: 1, answered: 1, accepted: true, now: .seconds(2))
    #expect(machine.mostRoom?.count == 1000)
  }

  @Test func growsOneByOneToTheLimitAndNoFurther() {
    var machine = Self.open(streams: 100, waiting: 1000) { $0.connectionsMax = 3 }
    for id in 0..<3 {
      machine.started(id, count: 100, now: .zero)
      machine.waitingChanged(to: 1000, now: .zero)
      if id < 2 {
        #expect(Self.taken(&machine) == [.open(id + 1, attempt: id + 1)])
        machine.opened(id + 1, streamLimit: 100, now: .zero)
      }
    }
    #expect(Self.taken(&machine) == [])
    #expect(machine.inFlight == 300)
  }

  @Test func theEmptiestConnectionIsFilledFirst() {
    var machine = Self.open(streams: 100, waiting: 1000)
    machine.started(0, count: 100, now: .zero)
    machine.waitingChanged(to: 900, now: .zero)
    machine.opened(1, streamLimit: 100, now: .zero)
    #expect(machine.mostRoom?.id == 1)
    machine.started(1, count: 60, now: .zero)
    machine.finished(0, count: 80, answered: 80, accepted: true, now: .seconds(1))
    #expect(machine.mostRoom?.id == 0)
    #expect(machine.mostRoom?.count == 80)
  }

  @Test func surplusConnectionsCloseAfterTheIdleTime() {
    var machine = Self.open(streams: 1, waiting: 5) { $0.idleClose = .seconds(60) }
    machine.started(0, count: 1, now: .zero)
    machine.waitingChanged(to: 4, now: .zero)
    machine.opened(1, streamLimit: 1, now: .zero)
    machine.waitingChanged(to: 0, now: .zero)
    machine.finished(0, count: 1, answered: 1, accepted: true, now: .seconds(1))
    _ = Self.taken(&machine)
    #expect(machine.nextDeadline == .seconds(60), "connection 1 was never used")
    machine.timePassed(now: .seconds(60))
    #expect(Self.taken(&machine) == [.close(1)])
    machine.timePassed(now: .seconds(600))
    #expect(Self.taken(&machine) == [], "the last one is kept")
    #expect(machine.nextDeadline == nil)
  }

  @Test func trap2GoAwayIsReplacedAtOnceAndDrains() {
    var machine = Self.open(streams: 100, waiting: 100)
    machine.started(0, count: 100, now: .zero)
    machine.finished(0, count: 1, answered: 1, accepted: true, now: .zero)
    machine.goAway(0, now: .seconds(1))
    #expect(Self.taken(&machine) == [.open(1, attempt: 1)], "it did its work, so its end is no failure")
    #expect(machine.mostRoom == nil)
    machine.finished(0, count: 60, answered: 60, accepted: true, now: .seconds(2))
    #expect(Self.taken(&machine) == [])
    machine.finished(0, count: 39, answered: 0, accepted: false, now: .seconds(2))
    #expect(Self.taken(&machine) == [.close(0)])
    machine.goAway(0, now: .seconds(3))
    machine.closed(0, now: .seconds(3))
    #expect(Self.taken(&machine) == [], "a connection that is gone is not heard of again")
  }

  @Test func trap2GoAwayBeforeSettingsCountsAsAFailure() {
    var machine = Self.machine()
    machine.waitingChanged(to: 1, now: .zero)
    machine.goAway(0, now: .zero)
    #expect(Self.taken(&machine) == [.open(0, attempt: 0), .close(0)])
    #expect(machine.consecutiveFailures == 1)
  }

  @Test func failuresBackOffWithJitterUpToTheMost() {
    var machine = Self.machine {
      $0.backoffBase = .milliseconds(100)
      $0.backoffMax = .seconds(2)
      $0.connectBurst = 100
    }
    var now: Duration = .zero
    machine.waitingChanged(to: 1, now: now)
    for round in 0..<10 {
      #expect(Self.taken(&machine) == [.open(round, attempt: round)])
      machine.closed(round, now: now)
      #expect(Self.taken(&machine) == [])
      let wait = (machine.nextDeadline ?? .zero) - now
      let full = min(.milliseconds(100) * (1 << round), .seconds(2))
      #expect(wait >= full / 2 && wait <= full, "round \(round): \(wait)")
      machine.timePassed(now: now + wait - .milliseconds(1))
      #expect(Self.taken(&machine) == [])
      now += wait
      machine.timePassed(now: now)
    }
  }

  @Test func workDoneEndsTheBackOff() {
    var machine = Self.machine { $0.backoffBase = .seconds(1) }
    machine.waitingChanged(to: 9, now: .zero)
    machine.closed(0, now: .zero)
    machine.timePassed(now: .seconds(1))
    machine.opened(1, streamLimit: 10, now: .seconds(1))
    #expect(machine.consecutiveFailures == 1, "an open connection has not proven anything")
    machine.started(1, count: 1, now: .seconds(1))
    machine.finished(1, count: 1, answered: 1, accepted: true, now: .seconds(2))
    #expect(machine.consecutiveFailures == 0)
  }

  @Test func noReconnectStormWhenThePeerAnswersOnceAndLeaves() {
    var machine = Self.machine {
      $0.connectBurst = 3
      $0.connectInterval = .seconds(1)
    }
    var opened: [Duration] = []
    var now: Duration = .zero
    machine.waitingChanged(to: 1000, now: now)
    while now < .seconds(10) {
      for action in Self.taken(&machine) {
        guard case .open(let id, _) = action else { continue }
        opened.append(now)
        machine.opened(id, streamLimit: 1, now: now)
        machine.started(id, count: 1, now: now)
        machine.finished(id, count: 1, answered: 1, accepted: true, now: now)
        machine.goAway(id, now: now)
        machine.closed(id, now: now)
      }
      now += .milliseconds(10)
      machine.timePassed(now: now)
    }
    #expect(opened.count <= 3 + 10, "\(opened.count) connections in 10 s")
    #expect(opened.count >= 10)
  }

  @Test("A pool whose connections hold grows as fast as they are proven, and comes back after they are all lost")
  func growth() {
    var machine = Self.machine {
      $0.connectionsMax = 16
      $0.connectBurst = 3
      $0.connectInterval = .seconds(1)
      $0.streamsBeforeFirstAcceptance = 1
    }
    var now: Duration = .zero
    // What is opened answers its first request after 10 ms, and takes a thousand.
    func run(until end: Duration) -> Int {
      var opened = 0
      while now < end {
        for action in Self.taken(&machine) {
          guard case .open(let id, _) = action else { continue }
          opened += 1
          machine.opened(id, streamLimit: 1_000, now: now)
          machine.started(id, count: 1, now: now)
          machine.finished(id, count: 1, answered: 1, accepted: true, now: now + .milliseconds(5))
          machine.started(id, count: 1_000, now: now + .milliseconds(5))
        }
        now += .milliseconds(10)
        machine.timePassed(now: now)
      }
      return opened
    }
    machine.waitingChanged(to: 100_000, now: now)
    #expect(run(until: .milliseconds(500)) == 16)
    func loseAll() {
      for connection in machine.connections where connection.phase == .open {
        machine.finished(connection.id, count: connection.inFlight, answered: 0, accepted: false, now: now)
        machine.closed(connection.id, now: now)
      }
    }
    now = .seconds(60)
    loseAll()
    #expect(run(until: now + .milliseconds(500)) == 16)
    // A peer that drops them ten times a second gets what there is of the budget.
    var opened = 0
    for _ in 0..<100 {
      loseAll()
      opened += run(until: now + .milliseconds(100))
    }
    #expect(opened <= 3 + 10 + 1, "\(opened) connections in 10 s")
  }

  @Test func trap1ASilentBusyConnectionIsQuestionedThenDropped() {
    var machine = Self.open(streams: 100, waiting: 50) {
      $0.busySilence = .seconds(10)
      $0.pingTimeout = .seconds(5)
    }
    machine.started(0, count: 50, now: .zero)
    machine.waitingChanged(to: 0, now: .zero)
    #expect(machine.nextDeadline == .seconds(10))
    machine.timePassed(now: .seconds(10))
    #expect(Self.taken(&machine) == [.ping(0)])
    #expect(machine.mostRoom == nil, "it takes nothing while it is pingSentAt")
    machine.timePassed(now: .seconds(12))
    #expect(Self.taken(&machine) == [])
    machine.timePassed(now: .seconds(16))
    #expect(Self.taken(&machine) == [.abort(0, .silent)])
  }

  @Test func trap1APongClearsTheSuspicion() {
    var machine = Self.open(streams: 100, waiting: 50)
    machine.started(0, count: 50, now: .zero)
    machine.requestTimedOut(0, now: .seconds(1))
    machine.requestTimedOut(0, now: .seconds(1))
    #expect(Self.taken(&machine) == [.ping(0)], "one question at a time")
    machine.ponged(0, now: .seconds(2))
    #expect(machine.mostRoom?.count == 50)
    machine.timePassed(now: .seconds(7))
    #expect(Self.taken(&machine) == [])
  }

  @Test func trap1NewRequestsDoNotHideTheSilence() {
    var machine = Self.open(streams: 1000, waiting: 10) { $0.busySilence = .seconds(10) }
    for second in 0..<10 { machine.started(0, count: 1, now: .seconds(second)) }
    #expect(machine.nextDeadline == .seconds(10))
  }

  @Test func trap1AConnectionThatNeverGetsReadyIsGivenUp() {
    var machine = Self.machine { $0.connectTimeout = .seconds(10) }
    machine.waitingChanged(to: 1, now: .zero)
    #expect(machine.nextDeadline == .seconds(21))
    machine.timePassed(now: .seconds(21))
    #expect(Self.taken(&machine) == [.open(0, attempt: 0), .abort(0, .connectTimeout)])
    #expect(machine.consecutiveFailures == 1)
  }

  @Test func trap2NothingIsPutOnAConnectionThatIsEnding() {
    var machine = Self.open(streams: 10, waiting: 20) { $0.connectionsMax = 1 }
    machine.started(0, count: 10, now: .zero)
    machine.finished(0, count: 10, answered: 0, accepted: false, now: .zero)
    machine.ending(0)
    #expect(machine.mostRoom == nil)
    machine.closed(0, now: .zero)
    machine.timePassed(now: .seconds(1))
    #expect(Self.taken(&machine) == [.open(1, attempt: 1)])
  }

  @Test func drainSendsWhatWaitsAndThenCloses() {
    var machine = Self.open(streams: 2, waiting: 9)
    machine.started(0, count: 2, now: .zero)
    machine.waitingChanged(to: 7, now: .zero)
    _ = Self.taken(&machine)
    machine.drain(until: .seconds(60), now: .zero)
    #expect(Self.taken(&machine) == [] && !machine.isRunning && machine.isSending)
    machine.finished(0, count: 2, answered: 2, accepted: true, now: .seconds(1))
    #expect(machine.mostRoom?.count == 2, "what waits is still sent")
    machine.started(0, count: 2, now: .seconds(1))
    machine.waitingChanged(to: 0, now: .seconds(1))
    machine.opened(1, streamLimit: 2, now: .seconds(1))
    #expect(Self.taken(&machine) == [])
    machine.finished(0, count: 2, answered: 2, accepted: true, now: .seconds(2))
    #expect(Self.taken(&machine) == [.close(0), .close(1)])
    machine.closed(1, now: .seconds(2))
    #expect(Self.taken(&machine) == [])
    machine.closed(0, now: .seconds(3))
    #expect(Self.taken(&machine) == [.done] && machine.life == .closed)
  }

  @Test func aDrainThatTakesTooLongEndsAfterTheLastConnection() {
    var machine = Self.open(streams: 2, waiting: 9)
    machine.started(0, count: 2, now: .zero)
    machine.waitingChanged(to: 7, now: .zero)
    _ = Self.taken(&machine)
    machine.drain(until: .seconds(5), now: .zero)
    machine.drain(until: .seconds(2), now: .zero)
    machine.drain(until: .seconds(8), now: .zero)
    #expect(machine.nextDeadline == .seconds(2), "the earliest deadline counts")
    machine.timePassed(now: .seconds(2))
    #expect(Self.taken(&machine) == [.failWaiting, .abort(0, .poolClosed), .close(1)])
    machine.waitingChanged(to: 0, now: .seconds(2))
    machine.closed(1, now: .seconds(2))
    #expect(Self.taken(&machine) == [], "two requests have no outcome yet")
    #expect(machine.inFlight == 2)
    machine.finished(0, count: 2, answered: 0, accepted: false, now: .seconds(2))
    #expect(Self.taken(&machine) == [])
    machine.closed(0, now: .seconds(2))
    #expect(Self.taken(&machine) == [.done])
  }

  @Test func aStopClosesAtOnceFromEveryState() {
    for prepare: (inout PoolMachine) -> Void in [{ _ in }, { $0.drain(until: .seconds(60), now: .zero) }] {
      var machine = Self.open(streams: 2, waiting: 9)
      machine.started(0, count: 2, now: .zero)
      _ = Self.taken(&machine)
      prepare(&machine)
      machine.stop(now: .seconds(1))
      machine.stop(now: .seconds(1))
      #expect(Self.taken(&machine) == [.failWaiting, .abort(0, .poolClosed)])
      machine.waitingChanged(to: 0, now: .seconds(1))
      machine.finished(0, count: 2, answered: 0, accepted: false, now: .seconds(1))
      machine.closed(0, now: .seconds(1))
      #expect(Self.taken(&machine) == [.done])
      machine.waitingChanged(to: 3, now: .seconds(2))
      machine.drain(until: .seconds(9), now: .seconds(2))
      machine.stop(now: .seconds(3))
      #expect(Self.taken(&machine) == [] && machine.connectionCount == 0, "nothing happens any more")
    }
  }

  @Test func aPoolThatWasNeverUsedClosesAtOnce() {
    var machine = Self.machine()
    machine.drain(until: .seconds(60), now: .zero)
    #expect(Self.taken(&machine) == [.done])
  }

  /// Random events against the invariants of the machine.
  @Test func invariantsHoldUnderRandomEvents() {
    for seed in UInt64(1)...200 {
      var random = SplitMix(state: seed)
      var limits = PoolLimits()
      limits.connectionsMax = 3
      limits.connectBurst = 4
      limits.streamsBeforeFirstAcceptance = seed.isMultiple(of: 2) ? 1 : nil
      var machine = PoolMachine(limits: limits, seed: seed)
      var now: Duration = .zero
      for step in 0..<300 {
        now += .milliseconds(Int(random.next() % 2000))
        let before = machine.connections.count { $0.phase == .opening }
        machine.randomEvent(&random, now)
        let opening = machine.connections.count { $0.phase == .opening }
        #expect(opening <= 1 && before <= 1, "seed \(seed) step \(step): two connections are opening")
        #expect(machine.connections.count { $0.isActive } <= 3, "seed \(seed) step \(step)")
        if let room = machine.mostRoom {
          #expect(machine.connections.contains { $0.id == room.id && $0.isReady }, "seed \(seed) step \(step)")
        }
        for connection in machine.connections {
          #expect(connection.inFlight >= 0)
          if connection.phase == .opening || connection.pingSentAt != nil && connection.phase != .leaving {
            #expect(machine.nextDeadline != nil, "seed \(seed) step \(step): no deadline")
          }
        }
        machine.actions = []
      }
    }
  }
}

extension PoolMachine {
  fileprivate mutating func randomEvent(_ random: inout SplitMix, _ now: Duration) {
    let id = connections.isEmpty ? 0 : connections[Int(random.next() % UInt64(connections.count))].id
    let inFlight = connections.first { $0.id == id }?.inFlight ?? 0
    switch random.next() % 9 {
    case 0: waitingChanged(to: Int(random.next() % 500), now: now)
    case 1: opened(id, streamLimit: Int(random.next() % 100), now: now)
    case 2: streamLimitChanged(id, to: Int(random.next() % 100), now: now)
    case 3: if let room = mostRoom { started(room.id, count: room.count, now: now) }
    case 4 where inFlight > 0:
      let count = Int(random.next() % UInt64(inFlight)) + 1
      finished(id, count: count, answered: Int(random.next() % UInt64(count + 1)), accepted: true, now: now)
    case 5: goAway(id, now: now)
    case 6: closed(id, now: now)
    case 7: random.next() % 2 == 0 ? requestTimedOut(id, now: now) : ponged(id, now: now)
    default: timePassed(now: now)
    }
  }
}
