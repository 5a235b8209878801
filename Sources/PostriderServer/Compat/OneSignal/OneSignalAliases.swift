internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Aliases of users in OneSignal's requests and answers.
///
/// `external_id` is our own name of a user and never changes. `onesignal_id` is the one that was imported, else one that follows
/// from our number of them. All others are aliases of ours, under the same labels.
enum OneSignalAliases {
  static let externalID = "external_id"
  static let oneSignalID = "onesignal_id"
  private static let ofUser = "/apps/{app_id}/users/by/{alias_label}/{alias_id}/identity"
  private static let ofSubscription = "/apps/{app_id}/subscriptions/{subscription_id}/user/identity"
  private static let body = Schema(.map, "OneSignal's request.", example: ["identity": ["crm": "1234"]])

  static let routes: [Route] = [
    OneSignalRoutes.route(.get, ofUser, "GetAliases", "Shows a user's aliases.") { c throws(Problem) in
      Reply(200, ["identity": .object(identity(try OneSignalUsers.find(c), c))])
    },
    OneSignalRoutes.route(.patch, ofUser, "CreateAlias", "Adds aliases to a user, or changes them.", body: body) {
      c async throws(Problem) in
      try await add(to: try OneSignalUsers.find(c), c)
    },
    OneSignalRoutes.route(.delete, ofUser + "/{alias_label_to_delete}", "DeleteAlias", "Removes an alias.") {
      c async throws(Problem) in
      let (user, label) = (try OneSignalUsers.find(c), c.call.parameters[3])
      guard user.aliases.contains(where: { $0.label == label }), label != oneSignalID else {
        if label == externalID || label == oneSignalID { throw keeps(label) }
        throw Problem(.notFound, "Alias not found")
      }
      try await c.run(.updateUser, [user.name], ["aliases": [label: .null]])
      return Reply(200, ["identity": .object(identity(try OneSignalUsers.named(user.name, c), c))])
    },
    OneSignalRoutes.route(
      .get, ofSubscription, "GetAliasesBySubscription", "Shows the aliases of a subscription's user."
    ) { c throws(Problem) in
      try ofOwner(try OneSignalSubscriptions.found(c.call.parameters[1], c), c)
    },
    OneSignalRoutes.route(
      .patch, ofSubscription, "CreateAliasBySubscription", "Adds aliases to a subscription's user.", body: body
    ) { c async throws(Problem) in
      guard let name = try OneSignalSubscriptions.found(c.call.parameters[1], c).user else {
        throw Problem(.notFound, "the subscription has no user; give it to one first")
      }
      return try await add(to: try OneSignalUsers.named(name, c), c)
    },
  ]

  private static func keeps(_ label: String) -> Problem {
    OneSignalErrors.refusal("identity.\(label)", "a user keeps it; create another user, and transfer the subscriptions")
  }

  private static func add(to user: User, _ c: CompatCall) async throws(Problem) -> Reply {
    try c.body.refuseOthers(than: ["identity"])
    let identity = try Identity(c.body["identity"])
    guard identity.external == nil || identity.external == user.name else { throw keeps(externalID) }
    guard !identity.others.isEmpty || identity.external != nil else {
      throw OneSignalErrors.refusal("identity", "expected an object with aliases")
    }
    try await set(identity.others, of: user.name, c)
    return Reply(200, ["identity": .object(self.identity(try OneSignalUsers.named(user.name, c), c))])
  }

  /// Gives a user aliases; those that another user has are a conflict, which the vendor's clients read by its members.
  static func set(_ aliases: JSONObject, of user: String, _ c: CompatCall) async throws(Problem) {
    guard !aliases.isEmpty else { return }
    try check(aliases, of: user, c)
    try await c.run(.updateUser, [user], ["aliases": .object(aliases)])
  }

  /// Whether a user can have these aliases; checked before anything is written.
  static func check(_ aliases: JSONObject, of user: String, _ c: CompatCall) throws(Problem) {
    var report = Report()
    var taken = JSONObject()
    for change in AliasFields.read(.object(aliases), into: &report) {
      guard let id = change.id, let other = try holder(UserAlias(change.label, id), c), other.name != user else {
        continue
      }
      taken[change.label] = .string(id)
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    guard !taken.isEmpty else { return }
    throw OneSignalErrors.conflict(of: taken)
  }

  private static func holder(_ alias: UserAlias, _ c: CompatCall) throws(Problem) -> User? {
    try c.ask { store throws(StoreError) in try store.user(app: c.app, alias: alias) }
  }

  // MARK: - Finding

  /// The user with an alias of any kind.
  static func user(_ label: String, _ id: String, _ c: CompatCall) throws(Problem) -> User? {
    if label == externalID { return try c.user(named: id) }
    guard UserAlias.isLabel(label) else {
      throw OneSignalErrors.refusal(
        "alias_label", "expected at most \(StoreLimits.aliasLabelBytesMax) letters, digits, - and _")
    }
    if let user = try holder(UserAlias(label, id), c) { return user }
    guard label == oneSignalID, let name = try c.userName(ofID: id) else { return nil }
    return try c.user(named: name)
  }

  /// The users with these aliases, by alias; those that are not known are absent.
  static func users(_ label: String, _ ids: [String], _ c: CompatCall) throws(Problem) -> [String: String] {
    guard UserAlias.isLabel(label) else {
      throw OneSignalErrors.refusal(
        "include_aliases", "a label has at most \(StoreLimits.aliasLabelBytesMax) letters, digits, - and _")
    }
    var users = try c.ask { store throws(StoreError) in try store.users(app: c.app, label: label, ids: ids) }
    if label == oneSignalID {
      for id in ids where users[id] == nil { users[id] = try c.userName(ofID: id) }
    }
    return users
  }

  // MARK: - Showing

  static func identity(_ user: User, _ c: CompatCall) -> JSONObject {
    var object: JSONObject = [externalID: .string(user.name), oneSignalID: .string(c.id(user.id.rawValue, .user))]
    for alias in user.aliases { object[alias.label] = .string(alias.id) }
    return object
  }

  /// The aliases of a device's user; none when it has no user.
  static func ofOwner(_ device: Device, _ c: CompatCall) throws(Problem) -> Reply {
    let user = try device.user.flatMap { name throws(Problem) in try c.user(named: name) }
    return Reply(200, ["identity": .object(user.map { identity($0, c) } ?? [:])])
  }

  /// A request's `identity`: who a user is, and their other aliases.
  struct Identity {
    private(set) var external: String?
    private(set) var others = JSONObject()

    init(_ value: JSONValue?) throws(Problem) {
      guard let value, !value.isNull else { return }
      guard let object = value.object else { throw OneSignalErrors.refusal("identity", "expected an object") }
      for (label, id) in object where !id.isNull {
        guard let text = id.string, !text.isEmpty else {
          throw OneSignalErrors.refusal("identity.\(label.prefix(40))", "expected a text")
        }
        switch label {
        case externalID:
          guard text.unicodeScalars.count <= DeviceRoutes.userCharactersMax else {
            throw OneSignalErrors.refusal(
              "identity.\(externalID)", "expected at most \(DeviceRoutes.userCharactersMax) characters")
          }
          external = text
        case oneSignalID:
          throw OneSignalErrors.refusal("identity.\(oneSignalID)", "is given by the server; leave it out")
        default: others[label] = id
        }
      }
    }

    /// The user that is meant: the one with the external id, else one who has an alias.
    func name(_ c: CompatCall) throws(Problem) -> String {
      if let external { return external }
      for (label, id) in others { if let user = try user(label, id.string ?? "", c) { return user.name } }
      throw OneSignalErrors.refusal(
        "identity.\(externalID)", "is required for a new user; users without it are not kept here")
    }
  }
}
