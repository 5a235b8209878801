import Delivery
import ProviderEmulator
import PushStore
import StoreModel

/// What people, devices, gateways and machines do to the server.
extension Simulation {
  /// Does one thing, chosen by chance.
  func act() throws {
    switch roll(100) {
    case 0..<22: try createPush()
    case 22..<40: try control()
    case 40..<46: try changeDevices()
    case 46..<52: try changeSenders()
    case 52..<66: changeGateway()
    case 66..<80: changeConnections()
    case 80..<86: changeStore()
    case 86..<90: crash()
    case 90..<93: process?.stop(withinMs: Int64(roll(20_000)))
    case 93..<96: jump()
    default: process?.turn()
    }
  }

  private func pick<Value>(_ values: [Value]) -> Value { values[roll(values.count)] }

  // MARK: The API

  private func createPush() throws {
    guard let process, process.isServing, markers < 12 else { return }
    let marker = Int64(markers)
    markers += 1
    let devices = Array(oracle.tokens.sorted { $0.key < $1.key })
    var audience = Audience.all(kinds: [])
    if roll(3) > 0 {
      let count = 1 + roll(4)
      if roll(2) == 0 {
        let chosen = devices.shuffled(using: &random).prefix(count)
        audience = .devices(chosen.map { DeviceID(rawValue: $0.key) })
        oracle.listed[marker] = chosen.map(\.value)
      } else {
        let addresses = (0..<count).map { address(Int(marker) * 8 + $0 + 500) }
        audience = .addresses(addresses)
        oracle.listed[marker] = addresses.map(\.token)
      }
    }
    var push = NewPush(
      app: app, pushClass: roll(2) == 0 ? .transactional : .campaign, audience: audience,
      payloads: SimulatedPayload.make(marker: marker), salt: UInt64(marker))
    if roll(5) == 0 { push.startAt = wall.adding(milliseconds: Int64(roll(60_000))) }
    if roll(2) == 0 { push.expiresAt = wall.adding(milliseconds: Int64(100 + roll(pick([2_000, 60_000, 1_200_000])))) }
    if roll(4) == 0 { push.throttlePerMinute = pick([1, 60, 600]) }
    push.unknownPolicy = roll(3) == 0 ? .leave : .resend
    push.draft = roll(12) == 0
    note("create push \(marker): \(push.pushClass) to \(audience), policy \(push.unknownPolicy)")
    disk.store.createPushes([push], now: wall) { [weak self, weak process] result in
      guard let self, let process, case .success(let created) = result else { return }
      self.note("push \(marker) is \(created[0].id)")
      self.pushes.append(created[0].id)
      process.mailbox.post(.wake)
    }
  }

  private func control() throws {
    guard let process, process.isServing else { return }
    guard !pushes.isEmpty else { return }
    let push = pick(pushes)
    let store = disk.store
    switch roll(10) {
    case 0..<3: attempt("pause \(push)") { () throws(StoreError) in try store.pausePush(push) }
    case 3..<6: attempt("resume \(push)") { () throws(StoreError) in try store.resumePush(push, now: wall) }
    case 6..<8: attempt("cancel \(push)") { () throws(StoreError) in _ = try store.cancelPush(push, now: wall) }
    case 8:
      attempt("throttle \(push)") { () throws(StoreError) in
        try store.setThrottle(push, perMinute: pick([nil, 1, 60]), now: wall)
      }
    default:
      attempt("release \(push)") { () throws(StoreError) in
        try store.releasePush(push, startAt: nil, now: wall)
      }
    }
    let event: () -> Void = {
      process.mailbox.post(.recheck(push)); process.mailbox.post(.wake)
    }
    // The request's thread may be a little late.
    if roll(4) == 0 { process.loop.add(at: nowMs + Int64(roll(20)), event) } else { event() }
  }

  private func attempt(_ words: String, _ body: () throws(StoreError) -> Void) {
    do throws(StoreError) {
      try body()
      note(words)
    } catch {
      note("\(words): \(error.code)")
    }
  }

  /// Devices come, register again and go.
  private func changeDevices() throws {
    guard let process, process.isServing else { return }
    let store = disk.store
    if roll(3) > 0 { return register(1 + roll(4)) }
    guard let device = oracle.tokens.keys.sorted().randomElement(using: &random) else { return }
    attempt("remove device \(device)") { () throws(StoreError) in
      _ = try store.removeDevices([DeviceID(rawValue: device)])
    }
  }

  func register(_ count: Int) {
    let new = (0..<count).map { _ in
      let address = address(roll(24))
      return DeviceRegistration(app: app, token: address.token, kind: address.kind)
    }
    disk.store.registerDevices(new, now: wall) { [weak self] result in
      guard let self, case .success(let devices) = result else { return }
      for (device, registration) in zip(devices, new) { self.oracle.tokens[device.id.rawValue] = registration.token }
    }
    disk.store.step()
  }

  /// The address with a number: a provider of this seed's by turns.
  func address(_ number: Int) -> DeviceAddress {
    if setup.providers[number % setup.providers.count] == .fcm {
      return DeviceAddress(token: "fcm-token:\(number)", kind: .android)
    }
    let digits = String(number, radix: 16)
    return DeviceAddress(token: String(repeating: "0", count: 64 - digits.count) + digits, kind: .ios)
  }

  private func changeSenders() throws {
    guard let process, process.isServing else { return }
    let provider = pick(setup.providers)
    if roll(3) == 0 {
      note("credential of \(provider) removed")
      process.removeSender(provider)
      lacking.insert(provider)
    } else {
      note("credential of \(provider) replaced")
      try process.replaceSender(provider)
      lacking.remove(provider)
    }
    if roll(2) == 0 {
      attempt("stops cleared") { () throws(StoreError) in try disk.store.clearStops(app: app) }
      process.mailbox.post(.wake)
    }
  }

  // MARK: Gateways, network, disk, clock

  private func changeGateway() {
    if roll(4) == 0 { return gateways.faults.rules.removeAll() }
    var rule = FaultRule(name: "rule \(roll(1_000))", effect: effect())
    rule.provider = pick([nil, .apns, .fcm, .oauth])
    rule.times = roll(2) == 0 ? 1 + roll(4) : nil
    rule.share = roll(2) == 0 ? 0.5 : nil
    if roll(3) == 0 { rule.latency = .fixed(pick([1, 100, 3_000, 40_000])) }
    note("gateway: \(rule.effect) for \(rule.provider.map(\.rawValue) ?? "all")")
    gateways.faults.rules.append(rule)
  }

  private func effect() -> Effect {
    switch roll(20) {
    case 0..<8:
      let names = [
        "Unregistered", "BadDeviceToken", "TooManyRequests", "InternalServerError", "ServiceUnavailable", "Shutdown",
        "ExpiredProviderToken", "InvalidProviderToken", "TopicDisallowed", "IdleTimeout", "UNREGISTERED",
        "QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL", "SENDER_ID_MISMATCH", "invalid_grant",
      ]
      return .refuse(Refusal(pick(names), retryAfterSeconds: pick([nil, nil, 7])))
    case 8..<10: return .answer(RawAnswer(status: pick([502, 503, 401, 403, 429]), body: Array("<html>".utf8)))
    case 10..<12: return .reset(code: pick([2, 7, 8]))
    case 12: return .silence
    case 13..<15: return .goAway(GoAwayEffect(processed: roll(2) == 0))
    case 15: return .close
    case 16: return .halfOpen
    case 17: return .streams(pick([0, 1, 3]))
    default: return .pass
    }
  }

  private func changeConnections() {
    if roll(3) == 0 {
      let provider = pick([EmulatedProvider.apns, .fcm, .oauth])
      gateways.network[provider] = roll(2) == 0 ? .good : pick(NetworkState.allCases)
      return note("network of \(provider): \(gateways.network[provider] ?? .good)")
    }
    guard let connection = connections.randomElement(using: &random) else { return }
    switch roll(4) {
    case 0:
      note("a connection falls silent")
      connection.fallSilent()
    case 1:
      note("the gateway leaves a connection")
      connection.leaveIdle()
    default:
      note("a connection breaks")
      connection.lose()
    }
  }

  private func changeStore() {
    switch roll(5) {
    case 0: disk.steps.writeFailure = StoreError(.diskFull, "no room", advice: "make room")
    case 1: disk.steps.writeFailure = StoreError(.locked, "busy", advice: "wait")
    case 2: disk.steps.readFailure = StoreError(.ioFailure, "cannot read", advice: "look at the disk")
    default: (disk.steps.writeFailure, disk.steps.readFailure) = (nil, nil)
    }
    note(
      "disk: writes \(disk.steps.writeFailure?.code.rawValue ?? "work"), reads \(disk.steps.readFailure?.code.rawValue ?? "work")"
    )
  }

  private func jump() {
    wallOffsetMs += pick([-600_000, -5_000, 5_000, 600_000])
    note("the clock is set by \(wallOffsetMs) ms")
  }
}
