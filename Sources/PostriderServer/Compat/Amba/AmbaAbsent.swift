internal import HTTPServer
internal import WireJSON

/// Operations of Amba's that are not here, each with the reason its refusal gives.
enum AmbaAbsent {
  static let routes: [Route] =
    modules.flatMap { module, reason in
      [HTTPMethod.get, .post].map { method in
        absent(method, "/admin/projects/{project_id}/\(module)", reason)
      }
    } + rows.map { method, path, reason in absent(method, path, reason) }

  private static func absent(_ method: HTTPMethod, _ path: String, _ reason: String) -> Route {
    let words = path.split { !$0.isLetter }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let name = method.rawValue.prefix(1) + method.rawValue.dropFirst().lowercased() + words.joined()
    return AmbaRoutes.route(method, path, String(name), "Not here: \(reason)", .init(isAbsent: true)) {
      _ throws(Problem) in
      throw Problem(.badRequest, "\(method.rawValue) \(path): \(reason)")
    }
  }

  private static let segments = "segments are those of our own API, /v1/apps/{app}/segments; segment_id is their name"
  private static let users = "users are those of our own API, /v1/apps/{app}/users"
  private static let apps = "projects are apps of our own API, /v1/apps"
  private static let keys = "keys are made with our own API, /v1/keys"
  private static let game = "there are pushes here, and nothing that the app keeps of its users' progress"
  private static let signIn = "users sign in at the app's backend, which signs a token for the session"

  private static let modules: [(String, String)] = [
    ("segments", segments), ("users", users), ("config", "there is no remote configuration"),
    ("content", "there are no content libraries"), ("streaks", game), ("xp", game), ("achievements", game),
    ("challenges", game), ("leaderboards", game), ("currencies", game), ("catalog", game),
  ]

  private static let rows: [(HTTPMethod, String, String)] = [
    (.get, "/admin/projects", apps), (.post, "/admin/projects", apps), (.get, "/admin/projects/{project_id}", apps),
    (.post, "/auth/developer/login", keys), (.post, "/auth/developer/signup", keys),
    (.post, "/auth/developer/refresh", keys), (.get, "/auth/developer/me", keys),
    (.post, "/client/auth/anonymous", signIn), (.post, "/client/auth/login", signIn),
    (.post, "/client/auth/signup", signIn), (.post, "/client/auth/refresh", signIn),
    (.get, "/client/config", "there is no remote configuration"),
    (.post, "/client/events", "apps report notifications to our own API, /v1/apps/{app}/events"),
  ]
}
