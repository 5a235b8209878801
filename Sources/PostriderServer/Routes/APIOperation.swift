internal import HTTPServer

/// An operation of the HTTP API as its route declares it, for commands that are made from the routes.
package struct APIOperation: Sendable {
  /// `GET`.
  package let method: String
  /// `/v1/apps/{app}/devices`.
  package let path: String
  /// The path of the same operation for one app; nil when there is none.
  package let pathInApp: String?
  /// What it does.
  package let summary: String
  /// Whether a list comes in pages, which a cursor continues.
  package let isPaged: Bool

  /// The operation with an `operationId`; traps when there is none, as the caller's table is wrong then.
  package static func named(_ id: String) -> APIOperation {
    guard let operation = all[id] else { preconditionFailure("the API has no operation \(id)") }
    return operation
  }

  private static let all = Dictionary(
    uniqueKeysWithValues: RouteTable.routes.map { route in (route.name, APIOperation(route, among: inApps)) })
  private static let inApps = Set(RouteTable.routes.map(\.pattern).filter { $0.hasPrefix("/v1/apps/{app}/") })

  private init(_ route: Route, among inApps: Set<String>) {
    method = route.method.rawValue
    path = route.pattern
    let inApp = "/v1/apps/{app}" + route.pattern.dropFirst("/v1".utf8.count)
    pathInApp = inApps.contains(inApp) ? inApp : nil
    summary = route.about
    isPaged = route.query.contains { $0.name == "cursor" }
  }
}
