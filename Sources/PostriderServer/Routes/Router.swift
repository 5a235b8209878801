internal import HTTPServer

/// Finds the route of a request.
struct Router: Sendable {
  /// What a path leads to.
  enum Match: Sendable {
    case route(index: Int, parameters: [String])
    /// The path exists under other methods.
    case otherMethods([HTTPMethod])
    case none
  }

  let routes: [Route]
  /// Indices of routes by the number of their segments.
  private let byLength: [[Int]]

  init(_ routes: [Route]) {
    self.routes = routes
    let longest = routes.map(\.segments.count).max() ?? 0
    var table = [[Int]](repeating: [], count: longest + 1)
    for (index, route) in routes.enumerated() { table[route.segments.count].append(index) }
    byLength = table
  }

  func match(_ method: HTTPMethod, _ segments: [String]) -> Match {
    guard segments.count < byLength.count else { return .none }
    // HEAD is GET without the body (RFC 9110 section 9.3.2); the HTTP server drops the body.
    let wanted = method == .head ? .get : method
    // A path that is written out is that path, not one with a parameter of that name.
    var most = -1
    var found: Int?
    for index in byLength[segments.count] where fits(routes[index].segments, segments) {
      let fixed = fixedCount(routes[index])
      if fixed > most { (most, found) = (fixed, nil) }
      if fixed == most, found == nil, routes[index].method == wanted { found = index }
    }
    if let found { return .route(index: found, parameters: parameters(routes[found].segments, segments)) }
    guard most >= 0 else { return .none }
    let others = byLength[segments.count].filter {
      fits(routes[$0].segments, segments) && fixedCount(routes[$0]) == most
    }
    return .otherMethods(others.map { routes[$0].method })
  }

  private func fixedCount(_ route: Route) -> Int { route.segments.count - route.parameterNames.count }

  private func fits(_ pattern: [Route.Segment], _ segments: [String]) -> Bool {
    for (part, text) in zip(pattern, segments) {
      switch part {
      case .fixed(let name): if name != text { return false }
      case .parameter: if text.isEmpty { return false }
      }
    }
    return true
  }

  private func parameters(_ pattern: [Route.Segment], _ segments: [String]) -> [String] {
    var values: [String] = []
    for (part, text) in zip(pattern, segments) { if case .parameter = part { values.append(text) } }
    return values
  }
}
