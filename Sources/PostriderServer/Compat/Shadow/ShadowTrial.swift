internal import Delivery
internal import HTTPServer
internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// One request that delivers nothing: replaces the operations that would, after all that they check, and remembers
/// what would have been sent to whom.
final class ShadowTrial: Sendable {
  /// What was found out.
  struct Found: Sendable {
    /// Devices by the name of their kind.
    var platforms: [String: Int] = [:]
    var report = Report()
    /// The shapes of the payloads, by platform.
    var payloads: [String: JSONValue] = [:]

    var targeted: Int { platforms.values.reduce(0, +) }
  }

  private let state = Mutex(Found())
  private let contract: ContractName

  /// - Parameter vendor: whose contract payloads are read by.
  init(_ vendor: CompatVendor) { contract = ContractName(rawValue: vendor.rawValue) }

  var found: Found { state.withLock { $0 } }

  /// The ids of pushes that there are none of.
  private static let idsFrom: Int64 = 1 << 54

  /// Answers an operation that would deliver; nil for one that does not, which is done.
  func answer(_ operation: NativeOperation, _ call: Call, _ service: Service) throws(Problem) -> Reply? {
    let entry = try service.app(call)
    let builder = ScheduledPushBuilder(entry, service, now: call.now)
    var report = call.report
    switch operation.route.name {
    case "createPush":
      guard call["draft"]?.bool != true else { return nil }
      let time = SendTime.read(call.body, now: call.now, report: &report)
      if report.hasErrors { throw Problem(.invalid, report: report) }
      let push = try builder.check(call.body, &report)
      try ScheduledPushBuilder.check(throttle: push.throttlePerMinute, time, &report)
      try note(push, report, entry, service)
      return accepted(report)
    case "testPush":
      let (to, _) = try TestPushRoutes.audience(call, entry, service, &report)
      var object = call.body.object ?? [:]
      object["to"] = to
      try note(builder.check(JSONValue.object(object).without("campaign"), &report), report, entry, service)
      return accepted(report)
    case "scheduleForUser":
      var object = call.body.object ?? [:]
      object["to"] = ["users": [.string(call.parameters[1])]]
      let time = SendTime.read(call.body, now: call.now, report: &report)
      if report.hasErrors { throw Problem(.invalid, report: report) }
      let push = try builder.check(.object(object), &report)
      try ScheduledPushBuilder.check(throttle: push.throttlePerMinute, time, &report)
      try note(push, report, entry, service)
      return Reply(201, ["id": .string(id), "created_at": .string(TimeText.text(call.now))])
    case "sendPush", "resendPush":
      let push = try PushRoutes.push(call, service)
      let scheduled = try service.ask { store throws(StoreError) in try store.scheduledPush(of: push.id) }
      guard let scheduled, let body = try? JSON.parse(scheduled.request) else {
        throw Problem(.conflict, "what push \(push.id) was made from is no longer stored; make it anew")
      }
      try note(builder.check(body, &report), report, entry, service)
      return Reply(200, try ScheduledPushRoutes.json(push, service))
    default: return nil
    }
  }

  private var id: String { String(ShadowTrial.idsFrom + Int64(RandomReserve.shared.next() >> 11)) }

  private func accepted(_ report: Report) -> Reply {
    Reply(202, ["id": .string(id), "targeted": .number(JSONNumber(found.targeted))], report: report)
  }

  /// Remembers a push that would have been created.
  func note(_ push: NewPush, _ report: Report, _ entry: AppEntry, _ service: Service) throws(Problem) {
    let platforms = try service.ask { store throws(StoreError) in
      try ShadowTrial.devices(push, entry, store, now: service.now)
    }
    let (payloads, said) = read(push)
    state.withLock { found in
      found.platforms.merge(platforms, uniquingKeysWith: +)
      found.report.append(report)
      found.report.append(said)
      found.payloads.merge(payloads) { first, _ in first }
    }
  }

  /// What the vendor's own library makes of the payloads, and their shapes; of each platform the first.
  private func read(_ push: NewPush) -> (shapes: [String: JSONValue], report: Report) {
    var shapes: [String: JSONValue] = [:]
    var report = Report()
    for payload in push.payloads where payload.locale == nil && payload.variant == nil {
      guard let kind = payload.kinds.first, let platform = Platform(rawValue: kind.platform.rawValue),
        shapes[platform.rawValue] == nil, let body = try? JSON.parse(payload.body)
      else { continue }
      shapes[platform.rawValue] = ShadowShape.of(body["message"] ?? body)
      // A message without its request would be reported as one that FCM refuses.
      let parsed = Contracts.parse(platform: platform, payload: kind.part(of: body), contract: contract)
      report.append(Report(parsed.report.findings.filter { $0.severity != .note }))
    }
    return (shapes, report)
  }

  // MARK: - Whom it would reach

  /// The active devices of a push's audience that have not opted out of everything, by kind.
  private static func devices(
    _ push: NewPush, _ entry: AppEntry, _ store: any Store, now: Timestamp
  ) throws(StoreError) -> [String: Int] {
    var counts: [DeviceKind: Int] = [:]
    switch push.audience {
    case .all(let kinds):
      counts = try store.countByKind(.everyone, app: push.app, now: now).filter { kinds.contains($0.key) }
    case .segment(let filter, let kinds):
      counts = try store.countByKind(filter, app: push.app, now: now).filter { kinds.contains($0.key) }
    case .users(let names):
      for name in Set(names) {
        let filter = DeviceFilter(user: name, state: .active)
        for device in try store.devices(app: push.app, filter: filter, after: nil, limit: StoreLimits.pageMax) {
          count(device, push, &counts)
        }
      }
    case .devices(let ids):
      for id in Set(ids) {
        guard let device = try store.device(id), device.app == push.app else { continue }
        count(device, push, &counts)
      }
    case .addresses(let addresses):
      for address in Set(addresses) {
        let known = try store.device(app: push.app, token: address.token)
        if known?.optOut.everything != true { counts[address.kind, default: 0] += 1 }
      }
    }
    var named: [String: Int] = [:]
    for (kind, count) in counts where count > 0 && entry.reaches(kind.provider) { named[kind.name] = count }
    return named
  }

  private static func count(_ device: Device, _ push: NewPush, _ counts: inout [DeviceKind: Int]) {
    guard device.state == .active, !device.optOut.everything,
      push.payloads.contains(where: { $0.kinds.contains(device.kind) })
    else { return }
    counts[device.kind, default: 0] += 1
  }
}
