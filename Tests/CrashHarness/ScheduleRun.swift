import Glibc
import PushStore
import StoreModel

/// Takes the steps of one schedule as fast as it can, each with a push, until it is killed.
///
/// Other pushes share the commits, and old rows are deleted meanwhile, as in a server.
struct ScheduleRun {
  private let store: SQLStore
  private let app: AppID
  private let arguments: Arguments
  private let acknowledged: AppendFile

  init(_ store: SQLStore, _ app: AppID, _ arguments: Arguments) {
    self.store = store
    self.app = app
    self.arguments = arguments
    acknowledged = AppendFile(arguments.folder + "/runs.txt")
  }

  func run() throws {
    let start = Timestamp(seconds: 1_800_000_000)
    try store.setRetention(app: app, RetentionPolicy(deliveriesDays: 31, eventsDays: 31))
    let first = ScheduleStep.Next(at: start, number: 1)
    let known = try store.schedules(app: app, after: nil, limit: 1).first?.id
    let id =
      try known
      ?? store.createSchedule(app: app, request: [123, 125], first: first, now: start)
    while true { try step(id) }
  }

  private func step(_ id: ScheduleID) throws {
    guard let schedule = try store.schedule(id), let due = schedule.nextAt else { exit(4) }
    var step = ScheduleStep(
      schedule: id, expected: due, push: push(schedule.nextNumber),
      next: .init(at: due.adding(seconds: 60), number: schedule.nextNumber + 1))
    step.revision = schedule.revision
    // In the queue before the step, so that all three may share its commit.
    store.createPushes([push(0)], now: due) { _ in }
    store.purge(now: due.adding(seconds: 40 * 86_400), limit: 20) { _ in }
    if let made = try store.wait({ store.takeStep(step, now: due, completion: $0) }) {
      acknowledged.append("\(made)\n")
    }
  }

  /// Every third is for nobody, so that it is over at once and its rows are deleted.
  private func push(_ number: Int) -> NewPush {
    let nobody = number % 3 == 0
    return NewPush(
      app: app, audience: nobody ? .users(["nobody"]) : .addresses([DeviceAddress(token: "t\(number)", kind: .ios)]),
      payloads: [RenderedPayload(kinds: DeviceKind.allCases, body: [123, 125], tokenOffset: 1)],
      salt: arguments.seed &+ UInt64(number))
  }
}
