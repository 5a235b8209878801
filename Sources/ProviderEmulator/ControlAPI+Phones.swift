internal import DevicePreview
internal import Synchronization
internal import WireJSON

/// The phones of virtual devices: `/control/devices/{provider}/{token}/phone` and the paths below it.
extension ControlAPI {
  /// Answers a request below `phone`; nil when there is no such resource.
  func phone(
    _ method: String, of name: DeviceName, _ rest: [String], _ body: [UInt8]
  ) throws(ScenarioError) -> ControlAnswer? {
    let isBrowser = core.state.withLock { state in name.index(in: state).map { state.devices[$0].isBrowser } }
    if isBrowser ?? name.provider.row.hasBrowsers { return try window(method, of: name, rest, body) }
    if method == "PUT", rest.isEmpty { return try setPhone(PhoneDescription(parse(body), path: ""), of: name) }
    guard core.state.withLock({ state in name.phone(in: state).map { state.devices.phones[$0] != nil } }) == true else {
      return .problem(404, "the device has no phone; PUT …/phone makes one")
    }
    switch (method, rest.first ?? "", rest.count) {
    case ("GET", "", 0): return .json(look(name) { $0.json })
    case ("GET", "summary", 1): return .json(look(name) { $0.summary })
    case ("GET", "items", 3):
      guard let from = Int(rest[1]), let count = Int(rest[2]), from >= 0, count > 0 else {
        return .problem(404, "items are read with …/phone/items/FROM/COUNT: from 0, newest first")
      }
      return .json(look(name) { $0.items(from: from, count: count) })
    case ("DELETE", "", 0):
      core.state.withLock { state in
        if let index = name.index(in: state) { state.devices.phones[index] = nil }
      }
      return .done
    case ("GET", "picture", 1): return picture(name, .light)
    case ("GET", "picture", 2): return Appearance(rawValue: rest[1]).map { picture(name, $0) }
    case ("POST", "offline", 1): return .json(change(name) { $0.setOnline(false, nowMs: $1) })
    case ("POST", "online", 1): return .json(change(name) { $0.setOnline(true, nowMs: $1) })
    case ("POST", "restart", 1): return .json(change(name) { $0.restart(nowMs: $1) })
    case ("POST", "clear", 1): return .json(change(name) { phone, _ in phone.tray.clear() })
    case ("POST", "items", 3): return try item(name, rest[1], rest[2], body)
    case ("POST", "live", 3) where rest[2] == "dismiss": return dismissActivity(name, rest[1])
    default: return nil
    }
  }

  private func setPhone(_ description: PhoneDescription, of name: DeviceName) throws(ScenarioError) -> ControlAnswer {
    let bounded = try description.bounded(to: core.state.withLock { $0.reportServer }, path: "")
    return core.state.withLock { state in
      guard let index = name.index(in: state) else { return .noDevice }
      state.devices.setPhone(bounded, at: index)
      return .json(state.devices.phones[index]?.json ?? .null)
    }
  }

  /// Does something to a phone, after the time that passed has done its own.
  private func change(_ name: DeviceName, _ body: (inout VirtualPhone, Int64) -> Void) -> JSONValue {
    core.state.withLock { state in
      let now = core.nowMs(state)
      guard let index = name.phone(in: state), var phone = state.devices.phones[index] else { return .null }
      phone.advance(nowMs: now)
      body(&phone, now)
      phone.touch()
      state.devices.phones[index] = phone
      state.devices.settle(index, nowMs: now)
      return phone.json
    }
  }

  /// Reads a phone as it is now.
  private func look(_ name: DeviceName, _ json: (VirtualPhone) -> JSONValue) -> JSONValue {
    core.state.withLock { state in
      let now = core.nowMs(state)
      guard let index = name.phone(in: state) else { return .null }
      state.devices.phones[index]?.advance(nowMs: now)
      state.devices.settle(index, nowMs: now)
      return state.devices.phones[index].map(json) ?? .null
    }
  }

  private func picture(_ name: DeviceName, _ appearance: Appearance) -> ControlAnswer {
    let phone = core.state.withLock { state -> VirtualPhone? in
      let now = core.nowMs(state)
      guard let index = name.phone(in: state) else { return nil }
      state.devices.phones[index]?.advance(nowMs: now)
      state.devices.settle(index, nowMs: now)
      return state.devices.phones[index]
    }
    let svg = phone.map { $0.tray.svg(appearance, live: $0.live) } ?? ""
    return ControlAnswer(status: 200, contentType: "image/svg+xml", body: Array(svg.utf8))
  }

  /// `live/{activity}/dismiss`.
  private func dismissActivity(_ name: DeviceName, _ number: String) -> ControlAnswer {
    core.state.withLock { state in
      guard let index = name.phone(in: state), let id = Int(number),
        state.devices.phones[index]?.dismissActivity(id) == true
      else { return .problem(404, "no such Live Activity") }
      state.devices.phones[index]?.touch()
      state.devices.settle(index, nowMs: core.nowMs(state))
      return .done
    }
  }

  /// The button that is pressed on a phone or in a browser: `{"button": …}`.
  func pressedButton(_ body: [UInt8]) throws(ScenarioError) -> String {
    var object = try ScenarioObject(parse(body), path: "")
    let button = try object.text("button")
    try object.end()
    guard let button else { throw object.error("button", "expected the id of a button") }
    return button
  }

  /// `items/{item}/tap`, `/dismiss` and `/press` with `{"button": …}`.
  private func item(
    _ name: DeviceName, _ number: String, _ verb: String, _ body: [UInt8]
  ) throws(ScenarioError) -> ControlAnswer? {
    guard let id = Int(number) else { return .problem(404, "items have numbers") }
    let button = verb == "press" ? try pressedButton(body) : nil
    if verb == "dismiss" {
      return core.state.withLock { state in
        guard let index = name.phone(in: state), state.devices.phones[index]?.tray.dismiss(id) == true else {
          return .problem(404, "no such notification")
        }
        state.devices.phones[index]?.touch()
        return .done
      }
    } else if verb != "tap" && button == nil {
      return nil
    }
    let tapped = core.state.withLock { state -> (TrayTap, PhoneReport?)? in
      let now = Int(core.nowMs(state) / 1000)
      guard let index = name.phone(in: state), var phone = state.devices.phones[index] else { return nil }
      let tap = button.map { phone.tray.press($0, on: id, now: now) } ?? phone.tray.tap(id, now: now)
      phone.touch()
      state.devices.phones[index] = phone
      guard let tap else { return nil }
      return (tap, phone.description.reporting.map { PhoneReport(reporting: $0, provider: name.provider, tap: tap) })
    }
    guard let (tap, report) = tapped else { return .problem(404, "no such notification or button") }
    var answer = ControlAnswer.json(.object(tap.json))
    guard let report else { return answer }
    answer.later = {
      var json = tap.json
      json.append("reported", report.send())
      return .json(.object(json))
    }
    return answer
  }
}

extension VirtualDevices {
  /// Gives a device a phone, and a browser a screen, or another one.
  mutating func setPhone(_ description: PhoneDescription, at index: Int) {
    guard !self[index].isBrowser else {
      windows[index] = VirtualWindow(description, reports: reports)
      return
    }
    hosts[index] = nil
    phones[index] = VirtualPhone(
      description, provider: self[index].provider, token: self[index].token, carrier: self[index].carrier,
      reports: reports)
  }
}
