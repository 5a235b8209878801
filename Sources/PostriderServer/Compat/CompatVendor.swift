internal import HTTPServer

/// A vendor whose REST interface an app can answer to, so that a backend changes the address it calls and nothing else.
enum CompatVendor: String, Sendable, CaseIterable {
  case oneSignal = "onesignal"

  /// Every route of every vendor.
  static let routes: [Route] = allCases.flatMap(\.routes)

  /// The routes of the interface, with `/compat/VENDOR` before the vendor's own paths.
  var routes: [Route] {
    switch self {
    case .oneSignal: OneSignalRoutes.routes
    }
  }

  /// The words that the vendor's clients send before the key in `Authorization`; the scheme's name has no case.
  var authorizationSchemes: [String] {
    switch self {
    case .oneSignal: ["key", "basic", "bearer"]
    }
  }

  /// What older clients of the vendor put before each path.
  var oldPrefix: [String] {
    switch self {
    case .oneSignal: ["api", "v1"]
    }
  }

  /// A refusal in the vendor's form.
  func response(to problem: Problem) -> HTTPResponse {
    switch self {
    case .oneSignal: OneSignalErrors.response(to: problem)
    }
  }
}
