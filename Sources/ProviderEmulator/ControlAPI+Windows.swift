internal import DevicePreview
internal import Synchronization
internal import WireJSON

/// The screens of virtual browsers: the paths of phones, `/control/devices/web/{token}/phone` and below.
extension ControlAPI {
  /// Answers a request below `phone` of a browser; nil when there is no such resource.
  func window(
    _ method: String, of name: DeviceName, _ rest: [String], _ body: [UInt8]
  ) throws(ScenarioError) -> ControlAnswer? {
    if method == "PUT", rest.isEmpty { return try setWindow(PhoneDescription(parse(body), path: ""), of: name) }
    guard let window = core.state.withLock({ state in name.index(in: state).flatMap { state.devices.windows[$0] } })
    else { return .problem(404, "the browser has no screen; PUT …/phone makes one") }
    switch (method, rest.first ?? "", rest.count) {
    case ("GET", "", 0): return .json(window.json)
    case ("GET", "summary", 1): return .json(window.summary)
    case ("GET", "items", 3):
      guard let from = Int(rest[1]), let count = Int(rest[2]), from >= 0, count > 0 else {
        return .problem(404, "items are read with …/phone/items/FROM/COUNT: from 0, newest first")
      }
      return .json(window.items(from: from, count: count))
    case ("DELETE", "", 0):
      core.state.withLock { state in
        if let index = name.index(in: state) { state.devices.windows[index] = nil }
      }
      return .done
    case ("GET", "picture", 1): return picture(window, .light)
    case ("GET", "picture", 2): return Appearance(rawValue: rest[1]).map { picture(window, $0) }
    case ("POST", "offline", 1): return .json(change(name) { $0.setOnline(false, nowMs: $1) })
    case ("POST", "online", 1): return .json(change(name) { $0.setOnline(true, nowMs: $1) })
    // Notifications of browsers are the system's, and stay until they are taken away.
    case ("POST", "restart", 1): return .json(change(name) { _, _ in })
    case ("POST", "clear", 1): return .json(change(name) { window, _ in window.tray.clear() })
    case ("POST", "items", 3): return try item(name, rest[1], rest[2], body)
    default: return nil
    }
  }

  private func picture(_ window: VirtualWindow, _ appearance: Appearance) -> ControlAnswer {
    ControlAnswer(status: 200, contentType: "image/svg+xml", body: Array(window.tray.svg(appearance).utf8))
  }

  private func setWindow(_ description: PhoneDescription, of name: DeviceName) throws(ScenarioError) -> ControlAnswer {
    try description.checkForBrowser(path: "")
    let bounded = try description.bounded(to: core.state.withLock { $0.reportServer }, path: "")
    return core.state.withLock { state in
      guard let index = name.index(in: state) else { return .noDevice }
      state.devices.setPhone(bounded, at: index)
      return .json(state.devices.windows[index]?.json ?? .null)
    }
  }

  private func change(_ name: DeviceName, _ body: (inout VirtualWindow, Int64) -> Void) -> JSONValue {
    core.state.withLock { state in
      let now = core.nowMs(state)
      guard let index = name.index(in: state), var window = state.devices.windows[index] else { return .null }
      body(&window, now)
      window.touch()
      state.devices.windows[index] = window
      return window.json
    }
  }

  /// `items/{item}/tap`, `/dismiss` and `/press` with `{"button": …}`.
  private func item(
    _ name: DeviceName, _ number: String, _ verb: String, _ body: [UInt8]
  ) throws(ScenarioError) -> ControlAnswer? {
    guard let id = Int(number) else { return .problem(404, "items have numbers") }
    guard ["tap", "press", "dismiss"].contains(verb) else { return nil }
    let button = verb == "press" ? try pressedButton(body) : nil
    let done = core.state.withLock { state -> (BrowserTray.Click?, VirtualWindow)? in
      guard let index = name.index(in: state), var window = state.devices.windows[index] else { return nil }
      let click = verb == "dismiss" ? nil : window.tray.click(id, action: button)
      guard click != nil || verb == "dismiss" && window.tray.dismiss(id) else { return nil }
      window.touch()
      state.devices.windows[index] = window
      return (click, window)
    }
    guard let (click, window) = done else { return .problem(404, "no such notification or button") }
    guard let click else { return .done }
    var json = click.json
    // Whoever reports the click names the browser by it.
    if let endpoint = window.endpoint { json.append("token", .string(endpoint)) }
    var answer = ControlAnswer.json(.object(json))
    // As the worker, it reports nothing of a content without an id.
    guard let reporting = window.description.reporting, let push = click.pushID else { return answer }
    let event = PhoneReport.event(click.type, action: click.action, of: push, name.provider, endpoint: window.endpoint)
    answer.later = { [json] in
      var json = json
      json.append("reported", PhoneReport.answer(to: event, reporting))
      return .json(.object(json))
    }
    return answer
  }
}

extension PhoneDescription {
  /// Whether it has only what a browser has: the site's name, and where its worker reports.
  func checkForBrowser(path: String) throws(ScenarioError) {
    guard contract == nil, tables == nil, locales == ["en"] else {
      throw ScenarioError(
        path: path, problem: "a browser has app_name and report only: its content is the same in every contract")
    }
  }
}
