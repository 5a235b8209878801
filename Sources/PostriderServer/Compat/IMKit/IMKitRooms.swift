internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Rooms that a client has muted, and the number on the icon.
enum IMKitRooms {
  static let routes: [Route] =
    [
      (HTTPMethod.post, "Mute", "Sends a client no pushes about a room.", true),
      (.delete, "Unmute", "Sends a client pushes about a room again.", false),
    ].flatMap { method, name, about, isMuted in
      [
        IMKitRoutes.route(method, "/me/mute/{room}", name, about, .init(caller: .app)) { c async throws(Problem) in
          try await set(c.call.parameters[0], isMuted: isMuted, IMKitCaller.client(c, named: nil), c)
        },
        IMKitRoutes.route(
          method, "/admin/clients/{client}/mute/{room}", name + "ForClient", about
        ) { c async throws(Problem) in
          try await set(c.call.parameters[1], isMuted: isMuted, c.call.parameters[0], c)
        },
      ]
    } + [
      IMKitRoutes.route(
        .get, "/me/badge", "GetBadge", "Shows the number that the last push to the client has put on the icon.",
        .init(caller: .app, query: [Route.Query(name: "roomTags", schema: .string("Not here.", max: 200))])
      ) { c throws(Problem) in
        let client = try IMKitCaller.client(c, named: nil)
        guard c.query["roomTags"] == nil else {
          throw Problem.ofMember("roomTags", "rooms have no tags here; leave it out")
        }
        return ["badge": .number(JSONNumber(try badge(of: client, c)))]
      }
    ]

  private static let prefix = "room:"

  /// What pushes about a room are called; who has muted it has opted out of that.
  static func category(of room: String) throws(Problem) -> String {
    let category = prefix + room
    guard !room.isEmpty, category.utf8.count <= StoreLimits.tagBytesMax, !room.utf8.contains(0) else {
      throw Problem.ofMember("room", "expected 1 to \(StoreLimits.tagBytesMax - prefix.utf8.count) bytes")
    }
    return category
  }

  private static func set(
    _ room: String, isMuted: Bool, _ client: String, _ c: CompatCall
  ) async throws(Problem) -> JSONValue {
    let category = try category(of: room)
    try await c.service.exclusively(["room \(c.app) \(client)"], now: c.now) { () async throws(Problem) in
      let user = try c.user(named: client)
      var categories = user?.optOut.categories ?? []
      guard categories.contains(category) != isMuted else { return }
      if isMuted { categories.append(category) } else { categories.removeAll { $0 == category } }
      let all = JSONValue.array(categories.map { .string($0) })
      do throws(Problem) { try await c.run(.updateUser, [client], ["opt_out_categories": all]) } catch {
        guard error.kind == .invalid, categories.count > StoreLimits.tagsMax else { throw error }
        throw Problem.ofMember(
          "room", "a client has at most \(StoreLimits.tagsMax) muted rooms and other categories; unmute one")
      }
    }
    return try json(client, c)
  }

  private static func json(_ client: String, _ c: CompatCall) throws(Problem) -> JSONValue {
    var object: JSONObject = ["_id": .string(client), "appID": .string(c.appID)]
    let user = try c.user(named: client)
    if let name = user?.profile["display_name"] { object["nickname"] = .string(name) }
    if let email = user?.profile["email"] { object["email"] = .string(email) }
    let muted = (user?.optOut.categories ?? []).filter { $0.hasPrefix(prefix) }
    object["mute"] = .array(muted.map { .string(String($0.dropFirst(prefix.count))) })
    return .object(object)
  }

  /// Pushes to the client that are looked at for one with a number.
  private static let lookedAtMax = 50

  /// The number of the newest push that had one and that a provider took.
  ///
  /// IMKit counts the unread messages of its rooms, which are not here.
  private static func badge(of client: String, _ c: CompatCall) throws(Problem) -> Int {
    try c.ask { store throws(StoreError) in
      let filter = DeliveryFilter(state: .accepted, user: client)
      var seen: Set<PushID> = []
      for delivery in try store.deliveries(app: c.app, filter: filter, before: nil, limit: lookedAtMax).rows
      where seen.insert(delivery.push).inserted {
        let message = try store.content(of: delivery.push).flatMap { try? JSON.parse($0.message) }
        if let badge = message?["badge"]?.int { return badge }
      }
      return 0
    }
  }
}
