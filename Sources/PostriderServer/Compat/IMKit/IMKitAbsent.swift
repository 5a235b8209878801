internal import HTTPServer
internal import WireJSON

/// Operations of IMKit's that are not here, each with the reason its refusal gives.
enum IMKitAbsent {
  static let routes: [Route] = rows.map { method, path, name, reason in
    IMKitRoutes.route(method, path, name, "Not here: \(reason)", .init(isAbsent: true)) { _ throws(Problem) in
      throw Problem(.badRequest, "\(method.rawValue) \(path): \(reason)")
    }
  }

  private static let clients =
    "clients are users of our own API, PATCH /v1/apps/{app}/users/{user}; their tokens are signed by the app's backend"
  private static let rooms = "there is no chat; rooms and messages are those of the chat server"

  private static let rows: [(HTTPMethod, String, String, String)] = [
    (.post, "/admin/clients", "CreateClient", clients), (.get, "/admin/clients", "ListClients", clients),
    (.get, "/me", "GetMe", clients), (.post, "/me", "UpdateMe", clients), (.post, "/me/logout", "Logout", clients),
    (.get, "/rooms", "ListRooms", rooms), (.post, "/rooms", "CreateRoom", rooms),
    (.get, "/rooms/{room}", "GetRoom", rooms), (.get, "/rooms/{room}/messages", "ListMessages", rooms),
    (.post, "/rooms/{room}/messages", "SendMessage", rooms), (.get, "/rooms/{room}/badge", "GetRoomBadge", rooms),
  ]
}
