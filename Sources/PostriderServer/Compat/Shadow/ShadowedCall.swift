internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// A request to a vendor's interface of an app whose requests are not, or not all, live.
struct ShadowedCall: Sendable {
  let call: Call
  let service: Service
  let route: Route
  let vendor: CompatVendor
  let setting: ShadowSetting
  let entry: AppEntry
  /// The route's work, or what refuses the request before it.
  let work: Route.Work

  /// The body as it was sent; null where it could not be read.
  var sentBody: JSONValue { call.body }

  /// What the path says of people and devices.
  var named: [String] {
    zip(route.parameterNames, call.parameters).filter { !Self.harmless.contains($0.0) }.map(\.1)
  }

  private static let harmless: Set<String> = [
    "app_id", "project_id", "label", "alias_label", "type", "template_id", "segment_id",
  ]

  var isReading: Bool { route.method == .get || route.method == .head }

  /// The ends of the paths of operations that deliver, or count whom a message would reach.
  ///
  /// In shadow they change nothing here, so that the caller need not wait for them.
  private static let sends: [[String]] = [
    ["notifications"], ["count-unsaved"], ["push2clients"], ["message", "send"], ["batch", "send"],
    ["campaigns", "test"], ["push", "test"], ["push-schedule"], ["send"], ["live", "{id}"], ["test", "{id}"],
  ]

  /// Whether the operation delivers, or counts.
  var isSend: Bool {
    guard route.method == .post else { return false }
    let path = route.pattern.split(separator: "/").map(String.init)
    return Self.sends.contains { path.suffix($0.count).elementsEqual($0) }
  }

  /// Whether the operation makes a file of this server's that nobody would fetch.
  var isExport: Bool { route.pattern.hasSuffix("/csv_export") }

  /// Does the route's work without delivering anything.
  func tried(_ trial: ShadowTrial, body: JSONValue? = nil) async throws(Problem) -> Reply {
    try await work(call.with(body: body ?? call.body, shadow: trial), service)
  }
}

extension Dispatcher {
  /// The work of a route with what the app's shadow setting makes of it.
  ///
  /// Requests of apps on phones are not the backend's: they are what they are everywhere.
  func shadowed(_ work: @escaping Route.Work, _ route: Route) -> Route.Work {
    guard let vendor = route.traits.vendor else { return work }
    let live: Route.Work = { call, service async throws(Problem) in
      do throws(Problem) { return try await work(call, service) } catch {
        UnknownMembers.log(UnknownMembers.paths(error.report.findings), vendor, route.name, service.log)
        throw error
      }
    }
    guard !route.traits.readsIdentity else { return live }
    return { call, service async throws(Problem) in
      guard let app = call.caller?.app else { return try await live(call, service) }
      let entry = try service.apps.app(id: app, now: call.now)
      guard let setting = entry.settings.shadow[vendor.rawValue], setting.isOn else {
        return try await live(call, service)
      }
      let shadowed = ShadowedCall(
        call: call, service: service, route: route, vendor: vendor, setting: setting, entry: entry, work: work)
      return try await service.shadow.reply(to: shadowed)
    }
  }

  /// Whether a request that could not be read belongs to an app whose requests are recorded, or passed on.
  func isShadowed(_ call: Call, _ route: Route) -> Bool {
    guard let vendor = route.traits.vendor, !route.traits.readsIdentity, let app = call.caller?.app,
      let entry = try? service.apps.app(id: app, now: call.now)
    else { return false }
    return entry.settings.shadow[vendor.rawValue]?.isOn == true
  }
}
