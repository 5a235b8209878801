import Ledger
import StoreModel
import Testing

@Suite struct LedgerValueTests {
  @Test func aWebhookIsToldAgainTenTimes() {
    var random = SystemRandomNumberGenerator()
    let now = Timestamp(seconds: 1_000)
    for (attempts, pause) in WebhookBackoff.pausesSeconds.enumerated() {
      let change = WebhookBackoff.change(afterFailure: "down", attempts: attempts, now: now, using: &random)
      guard case .again(let instant, "down") = change else {
        Issue.record("attempt \(attempts) was \(change)")
        continue
      }
      #expect(instant >= now.adding(seconds: pause) && instant.milliseconds <= now.milliseconds + pause * 1_200)
    }
    let last = WebhookBackoff.change(
      afterFailure: "down", attempts: WebhookBackoff.pausesSeconds.count, now: now, using: &random)
    guard case .dead("down") = last else {
      Issue.record("the last one was \(last)")
      return
    }
  }

  @Test func aDeliveryIsThatOfTheNewestLeaseThatNamesIt() {
    func range(_ first: Int64, _ count: UInt32) -> [LeaseRange] { [LeaseRange(first: first, count: count, attempt: 0)] }
    var owners = LeaseOwners()
    owners.add(9, range(12, 2))
    owners.add(5, range(10, 10))
    #expect(owners.isOwner(5, of: 10) && !owners.isOwner(4, of: 10))
    #expect(!owners.isOwner(5, of: 12) && owners.isOwner(9, of: 13) && owners.isOwner(5, of: 14))
    // What no other one names is that of whoever asks.
    #expect(owners.isOwner(1, of: 99))
  }

  @Test func aPushHasItsDeliveriesFromItsOwnNumberOn() {
    let push = PushID(rawValue: 100)
    let some = AudienceExtent(push, cursor: 4, targeted: 10)
    #expect(some.all == 100..<110 && some.unleased == 104..<110)
    #expect(some.next(3) == 104..<107 && some.next(6) == 104..<110 && some.next(.max) == 104..<110)
    #expect(some.next(0).isEmpty && some.next(-1).isEmpty)
    #expect(some.hasLeased(103) && !some.hasLeased(104))
    // Nothing is left of one that is leased whole, nor of one without an audience.
    #expect(AudienceExtent(push, cursor: 10, targeted: 10).next(5).isEmpty)
    #expect(AudienceExtent(push, cursor: 0, targeted: 0).all.isEmpty)
    // A database that was damaged ends no process.
    #expect(AudienceExtent(push, cursor: 11, targeted: 10).unleased.isEmpty)
    #expect(AudienceExtent(push, cursor: -1, targeted: -1).unleased.isEmpty)
  }

  @Test func aDutyHasAnotherEpochWithEachHolder() {
    let until = Timestamp(seconds: 1_000)
    let holder = DutyHolder(node: "one", instance: 7, epoch: 4, until: until)
    func next(_ node: String, _ instance: Int64, _ seconds: Int64) -> Int64? {
      holder.nextEpoch(for: node, instance, until.adding(seconds: seconds))
    }
    // Who has it keeps it, also when the term is over and nobody else has taken it.
    #expect(next("one", 7, -5) == 4 && next("one", 7, 60) == 4)
    // Another one takes it when the term is over, and the next run of the same node at once.
    #expect(next("two", 8, -1) == nil && next("two", 8, 0) == 5)
    #expect(next("one", 9, -5) == 5)
    // The number of a run is random: that it is the same under another name means nothing.
    #expect(next("two", 7, -1) == nil && next("two", 7, 0) == 5)
  }

  @Test func noticesAreToldInOrderToThoseWhoWantThem() {
    let all = NoticeBatches.Listener(id: WebhookID(rawValue: 1), mask: .max)
    let finished = NoticeBatches.Listener(id: WebhookID(rawValue: 2), mask: 1 << UInt32(NoticeKind.finished.rawValue))
    let notices = (0...NoticeBatches.noticesMax).map {
      Notice(.unknown, delivery: DeliveryID(rawValue: Int64($0)), at: Timestamp(seconds: 1))
    }
    var batches = NoticeBatches()
    batches.add(notices, push: PushID(rawValue: 4), to: [all, finished])
    #expect(batches.all.map(\.notices.count) == [NoticeBatches.noticesMax, 1])
    #expect(batches.all.allSatisfy { $0.key.webhook == all.id && $0.key.push == PushID(rawValue: 4) })
    #expect(batches.all.flatMap(\.notices) == notices)
    batches.removeAll()
    #expect(batches.isEmpty && batches.all.isEmpty)
  }

  @Test func whatCanBeDoneToAPushFollowsFromItsState() {
    for state in PushState.allCases where state.isOver {
      #expect(PushAct.allCases.allSatisfy { !$0.states.contains(state) }, "\(state) is final")
    }
    for state in PushState.allCases where !state.isOver { #expect(PushAct.cancel.states.contains(state)) }
    #expect(Set(PushAct.allCases.map(\.objection)).count == PushAct.allCases.count)
  }

  @Test func aWaitOfAClockThatWasAheadIsAsLongAsItWas() {
    func at(_ s: Int64) -> Timestamp { Timestamp(seconds: s) }
    func due(_ isFirst: Bool, _ isThrottled: Bool) -> Timestamp {
      SetBackClock.due(at: at(1_030), writtenAt: at(1_000), isFirst: isFirst, isThrottled: isThrottled, at(100))
    }
    #expect(due(true, false) == at(100))
    #expect(due(true, true) == at(130))
    #expect(due(false, false) == at(130))
    #expect(
      SetBackClock.due(at: at(900), writtenAt: at(1_000), isFirst: false, isThrottled: false, at(100)) == at(100))
  }

  @Test func aLeasesRangesAreReadBack() {
    var ranges: [LeaseRange] = []
    for id in [7, 8, 9, 20] as [Int64] { LeaseRange.append(id, attempt: 1, to: &ranges) }
    LeaseRange.append(21, attempt: 2, to: &ranges)
    #expect(ranges.map(\.count) == [3, 1, 1])
    #expect(LeaseRange.decode(LeaseRange.encode(ranges)) == ranges)
  }

  @Test func theLawIsSaidInItsOrder() {
    var recorded = LedgerCounts()
    recorded.add(2, .waiting)
    recorded.add(3, .accepted)
    #expect(LedgerLaw.fault(recorded: recorded, counted: recorded) == nil)
    var counted = recorded
    counted.add(1, .unknown)
    #expect(
      LedgerLaw.fault(recorded: recorded, counted: counted)
        == "the counters say 5 = 2 + 0 + 3 + 0 + 0 + 0 + 0, the deliveries say 6 = 2 + 0 + 3 + 0 + 0 + 0 + 1")
    counted.add(1, nil)
    #expect(LedgerLaw.fault(recorded: counted, counted: counted) == "targeted is 7, the states add up to 6")
  }
}
