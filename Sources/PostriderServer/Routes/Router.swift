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
    var others: [HTTPMethod] = []
    var fitting = byLength[segments.count].filter { fits(routes[$0].segments, segments) }
    // A path that is written out is that path, not one with a parameter of that name.
    let most = fitting.map { fixedCount(routes[$0]) }.max() ?? 0
    fitting.removeAll { fixedCount(routes[$0]) < most }
    for index in fitting {
      if routes[index].method == wanted {
        return .route(index: index, parameters: parameters(routes[index].segments, segments))
      }
      others.append(routes[index].method)
    }
    return others.isEmpty ? .none : .otherMethods(others)
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
