internal import HTTPServer
internal import Ledger
internal import PushPayload
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// Starts what is due: scheduled pushes and runs of schedules.
///
/// Each start is one transaction that checks that its start time is still the same. So nothing is started twice, not by
/// two servers either, and what was not started when the process died is started by the next one. A clock that steps
/// forward starts everything that is due by it; one that steps back starts nothing again, and the next run of each
/// schedule is recomputed.
final class Scheduler: Sendable {
  /// Time between two looks.
  static let periodMs: Int32 = 250
  /// Pushes started in one look.
  static let startsMax = 500
  /// How far the clocks of nodes that send may be apart.
  private static let clocksApartMs: Int64 = 1_000

  private let service: Service
  private let thread = Mutex<PeriodicThread?>(nil)
  private let trouble = StoreTroubleOnce()
  /// One node looks at a time; that nothing is started twice does not depend on it.
  private let duty: DutyKeeper

  init(_ service: Service) throws(HTTPServerError) {
    self.service = service
    duty = DutyKeeper(.schedules, service.store)
    let ticker = try PeriodicThread(periodMs: Scheduler.periodMs) { [weak self] in self?.tick() }
    thread.withLock { $0 = ticker }
  }

  /// Ends after the look under way.
  func stop() { thread.withLock { $0.take() }?.stop() }

  /// One look.
  func tick() {
    let now = service.now
    do throws(StoreError) {
      guard try duty.right(now: now) != nil else { return }
      var apps: [AppID: AppEntry] = [:]
      let waiting = try service.store.dueScheduledPushes(now: now, limit: Scheduler.startsMax)
      start(waiting, &apps, now)
      for push in try service.store.lateApprovals(now: now, limit: Scheduler.startsMax) {
        try service.store.expireApproval(push, problem: Scheduler.unapproved, now: now)
      }
      // What was saved since the look began, or by a node whose clock is a little ahead, is no sign of a clock that went back.
      let latest = service.now.adding(milliseconds: Scheduler.clocksApartMs)
      for schedule in try service.store.schedulesAhead(of: latest, limit: Scheduler.startsMax) { rewind(schedule, now) }
      let schedules = try service.store.dueSchedules(now: now, limit: Scheduler.startsMax)
      for schedule in schedules { step(schedule, &apps, now) }
      if !waiting.isEmpty || !schedules.isEmpty { service.sending.wake() }
      trouble.clear()
    } catch {
      if trouble.isNew(error) { service.log(.warning, "scheduler waits", ["detail": .text(error.description)]) }
    }
  }

  // MARK: - Pushes that wait

  /// Starts them together, so that they share a commit.
  private func start(_ waiting: [ScheduledPush], _ apps: inout [AppID: AppEntry], _ now: Timestamp) {
    var started: [(scheduled: ScheduledPush, push: NewPush)] = []
    for scheduled in waiting {
      do throws(Problem) {
        let entry = try entry(scheduled.app, &apps)
        let push = try ScheduledPushBuilder(entry, service, now: now).push(scheduled)
        if let needed = try Approvals.waitForNeeded(toStart: push, of: scheduled, entry, service, now: now) {
          try ask(needed, scheduled, now)
        } else {
          started.append((scheduled, push))
        }
      } catch { fail(scheduled, error, now) }
    }
    let store = service.store
    let ends = store.waitForAll(started.indices) { index, completion in
      let (scheduled, push) = started[index]
      store.startScheduledPush(scheduled, as: push, atOnce: false, now: now, completion: completion)
    }
    for ((scheduled, _), end) in zip(started, ends) {
      // Someone else started, moved or ended it meanwhile.
      guard case .failure(let error) = end, error.code != .conflict, error.code != .notFound else { continue }
      fail(scheduled, Problem(error), now)
    }
  }

  static let unapproved = "nobody approved it in time; nothing was sent"

  /// Has a push that is due wait for an approval, with the texts that it has now.
  private func ask(_ needed: ApprovalRequest, _ scheduled: ScheduledPush, _ now: Timestamp) throws(Problem) {
    let body = (try? JSON.parse(scheduled.request)) ?? .null
    let frozen = try Approvals.frozen(body, scheduled.app, service)
    let request = frozen == body ? scheduled.request : JSON.minified(frozen)
    let store = service.store
    do throws(StoreError) {
      try store.wait { done in
        store.change(
          { store throws(StoreError) in
            guard let push = try store.push(scheduled.push), push.state == .planned else { return }
            try store.editScheduledPush(
              scheduled.push, from: scheduled.request, pushClass: push.pushClass, name: push.name, request: request,
              start: nil)
            try store.askApproval(scheduled.push, needed, now: now)
          }, completion: done)
      }
    } catch {
      // Whoever changed or ended it meanwhile goes first; what is still due then is looked at again.
      if error.code == .conflict || error.code == .notFound { return }
      throw Problem(error)
    }
    service.log(
      .info, "push waits for an approval", ["push": .text(scheduled.push.description), "devices": .int(needed.devices)])
  }

  /// A push that cannot be made has failed; a store that does not answer says nothing about it.
  private func fail(_ scheduled: ScheduledPush, _ problem: Problem, _ now: Timestamp) {
    service.log(
      .error, "scheduled push failed",
      ["push": .text(scheduled.push.description), "detail": .text(problem.detail)])
    guard problem.kind.status < 500 else { return }
    do throws(StoreError) {
      try service.store.failScheduledPush(scheduled.push, problem: problem.detail, now: now)
    } catch {
      service.log(.warning, "scheduler waits", ["detail": .text(error.description)])
    }
  }

  private func entry(_ id: AppID, _ apps: inout [AppID: AppEntry]) throws(Problem) -> AppEntry {
    if let known = apps[id] { return known }
    let read = try service.ask { store throws(StoreError) -> AppEntry? in
      guard let app = try store.app(id) else { return nil }
      return AppEntry(app: app, credentials: try store.credentials(app: id))
    }
    guard let entry = read else { throw Problem(.notFound, "the app was deleted") }
    apps[id] = entry
    return entry
  }

  // MARK: - Schedules

  private func step(_ schedule: Schedule, _ apps: inout [AppID: AppEntry], _ now: Timestamp) {
    let step: ScheduleStep
    do throws(Problem) {
      let request = try ScheduledRequest(schedule.request)
      let made = try made(schedule, from: schedule.nextAt ?? now)
      guard let due = request.step(schedule, now: now, made: made) else { return }
      step = compose(due, schedule, request, &apps, now)
    } catch {
      return service.log(
        .error, "schedule cannot be read",
        ["schedule": .text(schedule.id.description), "detail": .text(error.detail)])
    }
    do throws(StoreError) {
      _ = try service.store.wait { service.store.takeStep(step, now: now, completion: $0) }
      service.log(
        step.problem == nil ? .info : .error, "schedule stepped",
        [
          "schedule": .text(schedule.id.description), "missed": .int(step.missed), "detail": .text(step.problem ?? ""),
        ])
    } catch {
      service.log(
        .warning, "schedule waits",
        ["schedule": .text(schedule.id.description), "detail": .text(error.description)])
    }
  }

  private func compose(
    _ due: RepeatRule.Due, _ schedule: Schedule, _ request: ScheduledRequest, _ apps: inout [AppID: AppEntry],
    _ now: Timestamp
  ) -> ScheduleStep {
    var step = ScheduleStep(
      schedule: schedule.id, expected: due.expected, push: nil, missed: due.missed,
      next: due.next.map { ScheduleStep.Next(at: $0.at, number: $0.number) })
    step.revision = schedule.revision
    step.occurrence = due.at
    step.passed = due.passed
    guard due.isMade else { return step }
    do throws(Problem) {
      var report = Report()
      let builder = ScheduledPushBuilder(try entry(schedule.app, &apps), service, now: now)
      let push = try builder.check(request.body, &report, countsListed: false)
      let needed = try Approvals.waitForNeeded(toStart: push, builder.entry, service, now: now)
      if let needed {
        step.waiting = try Approvals.waiting(
          push, request.body, needed, schedule.maker.map { Maker($0) }, service, now: now)
      } else {
        step.push = push
      }
    } catch {
      step.missed += 1
      step.problem = error.detail
    }
    return step
  }

  // MARK: - A clock that went back

  /// Computes the next run of a schedule by the clock as it is now.
  private func rewind(_ schedule: Schedule, _ now: Timestamp) {
    do throws(Problem) {
      let rule = try ScheduledRequest(schedule.request).rule
      let made = try made(schedule, from: rule.earliestToMake(now))
      let rewind = rule.rewind(schedule, to: now, made: made)
      let next = rewind.next.map { ScheduleStep.Next(at: $0.at, number: $0.number) }
      try service.ask { store throws(StoreError) in
        try store.rewindSchedule(
          schedule.id, revision: schedule.revision, next: next, notMissed: rewind.notMissed, now: now)
      }
      service.log(
        .warning, "the clock went back: schedule computed anew",
        ["schedule": .text(schedule.id.description), "next": .text(next.map { TimeText.text($0.at) } ?? "none")])
    } catch {
      service.log(
        .error, "schedule cannot be computed anew",
        ["schedule": .text(schedule.id.description), "detail": .text(error.detail)])
    }
  }

  private func made(_ schedule: Schedule, from: Timestamp) throws(Problem) -> Set<Timestamp> {
    try service.ask { store throws(StoreError) in
      Set(try store.occurrences(of: schedule.id, from: from, limit: RepeatRule.missedMax))
    }
  }
}
