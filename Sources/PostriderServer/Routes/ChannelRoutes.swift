internal import APNs
internal import Delivery
internal import HTTPServer
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/channels`: the broadcast channels of APNs that the app's Live Activities listen to.
enum ChannelRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/channels", .scopes([.send])), name: "createChannel",
      about: "Makes a broadcast channel at Apple, or saves one that was made there by other means.",
      body: .object([
        .optional("name", .string("Your own name for it; unique.", max: 200)),
        .optional("storage", storage), .optional("environment", environment),
        .optional("bundle_id", .string("One of the credential's topics; the first by default.", max: 200)),
        .optional("channel_id", .string("A channel that exists already: it is read at Apple and saved.", max: 200)),
      ]),
      answers: [Route.Answer(status: 201, about: "The channel.", schema: .named("Channel"))], action: .write(create)),
    Route(
      .get("/v1/apps/{app}/channels", .scopes([.send, .read])), name: "listChannels",
      about: "Lists the channels that are known here.", query: Paging.query,
      answers: [
        Route.Answer(
          status: 200, about: "A page of channels.", schema: Paging.schema("channels", of: .named("Channel")))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/channels/comparison", .scopes([.send, .read])), name: "compareChannels",
      about: "Compares the channels that are known here with Apple's list.",
      query: [
        Route.Query(name: "environment", schema: environment),
        Route.Query(name: "bundle_id", schema: .string("One of the credential's topics.", max: 200)),
      ],
      answers: [Route.Answer(status: 200, about: "What is here, there, and on one side only.", schema: comparison)],
      action: .write(compare)),
    Route(
      .get("/v1/apps/{app}/channels/{channel}", .scopes([.send, .read])), name: "getChannel",
      about: "Shows a channel.", answers: [Route.Answer(status: 200, about: "The channel.", schema: .named("Channel"))],
      action: .now { call, service throws(Problem) in Reply(200, .object(json(try channel(call, service)))) }),
    Route(
      .delete("/v1/apps/{app}/channels/{channel}", .scopes([.send])), name: "deleteChannel",
      about: "Deletes a channel at Apple and here; what was sent on it stays in the ledger.",
      query: [
        Route.Query(
          name: "listeners",
          schema: .choice(
            ["refuse", "ignore"],
            "When activities listen to it: refuse answers 409, ignore leaves them without updates; refuse by default."))
      ],
      answers: [Route.Answer(status: 204, about: "The channel is gone.")], action: .write(delete)),
  ]

  /// The most channels of an app in one environment (Apple, “Sending channel management requests to APNs”).
  private static let channelsMax = APNsChannelRequest.channelsMax

  private static let storage = Schema.choice(
    ChannelStorage.allCases.map(\.name),
    "What APNs keeps for devices that are away: most-recent, for at most eight hours, by default; it cannot be changed."
  )
  private static let environment = Schema.choice(
    DeviceEnvironment.allCases.map(\.name), "Which of Apple's environments; production by default.")

  static let schema = Schema.object(
    [
      .required("id", .string("The channel's id here.", max: 20)),
      .optional("name", .string("Your own name for it.", max: 200)),
      .required("channel_id", .string("The id that Apple gave it; apps listen to it.", max: 200)),
      .required("bundle_id", .string("The app at Apple.", max: 200)),
      .required("environment", .choice(DeviceEnvironment.allCases.map(\.name), "Apple's environment.")),
      .required("storage", .choice(ChannelStorage.allCases.map(\.name), "What APNs keeps.")),
      .required("created_at", .time("When it was saved here.")), .optional("report", .named("Report")),
    ], "A broadcast channel.")

  private static let comparison = Schema.object(
    [
      .required("environment", environment), .required("bundle_id", .string("The app at Apple.", max: 200)),
      .required("on_both", .integer(0...channelsMax, "Channels that are known here and exist there.")),
      .required(
        "only_here",
        .array(of: .named("Channel"), max: channelsMax, "Known here and gone there: DELETE forgets one.")),
      .required(
        "only_there",
        .array(
          of: .string("A channel's id.", max: 200), max: channelsMax,
          "They exist there and are not known here: POST with channel_id saves one.")),
    ], "The channels of one app in one environment, here and at Apple.")

  // MARK: - Work

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    var report = call.report
    let access = try ChannelAccess(
      entry, service, environment: call["environment"]?.string, bundleID: call["bundle_id"]?.string, &report)
    let name = call["name"]?.string
    if let name {
      let isTaken = try service.ask { store throws(StoreError) in
        try store.hasChannel(app: entry.app.id, environment: access.environment, named: name)
      }
      // Before Apple makes a channel that would have to be deleted again.
      guard !isTaken else { throw Problem(.conflict, "a channel has this name already; choose another one") }
    }
    let (channelID, storage) = try await made(call, access)
    let new = NewChannel(
      app: entry.app.id, environment: access.environment, bundleID: access.bundleID, channelID: channelID,
      storage: storage, name: name)
    let channel = try await service.change { store throws(StoreError) in try store.createChannel(new, now: call.now) }
    var reply = Reply(201, json(channel), report: report)
    reply.headers = [("Location", "/v1/apps/\(entry.app.name)/channels/\(channel.id)")]
    return reply
  }

  /// The channel as Apple has made it, or as it is there.
  private static func made(
    _ call: Call, _ access: ChannelAccess
  ) async throws(Problem) -> (channelID: String, storage: ChannelStorage) {
    let wanted = call["storage"]?.string.flatMap { ChannelStorage(name: $0) }
    guard let id = call["channel_id"]?.string else {
      let storage = wanted ?? .mostRecent
      let answer = try await access.ask(.create(storage == .none ? .nothing : .mostRecent))
      guard let id = answer.channelID else { throw Problem(.internalError, "the answer names no channel") }
      return (id, storage)
    }
    try ChannelAccess.check(channelID: id)
    let answer = try await access.ask(.read(channelID: id), field: "channel_id")
    let storage: ChannelStorage = answer.channel?.storagePolicy == .mostRecent ? .mostRecent : .none
    guard wanted == nil || wanted == storage else {
      throw Problem(.invalid, field: "storage", "the channel was made with \(storage.name), which cannot be changed")
    }
    return (id, storage)
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let limit = Paging.limit(call)
    let after: ChannelID? = try Paging.cursor(call)
    let rows = try service.ask { store throws(StoreError) in
      try store.channels(app: app, after: after, limit: limit + 1)
    }
    return Paging.page("channels", rows, limit: limit, id: \.id) { .object(json($0)) }
  }

  @Sendable private static func compare(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    var report = Report()
    let access = try ChannelAccess(
      entry, service, environment: call.http.query["environment"], bundleID: call.http.query["bundle_id"], &report)
    let there = try await access.ask(.list).channelIDs ?? []
    let here = try known(access, entry, service)
    let (hereIDs, thereIDs) = (Set(here.map(\.channelID)), Set(there))
    return Reply(
      200,
      [
        "environment": .string(access.environment.name), "bundle_id": .string(access.bundleID),
        "on_both": .number(JSONNumber(hereIDs.intersection(thereIDs).count)),
        "only_here": .array(here.filter { !thereIDs.contains($0.channelID) }.map { .object(json($0)) }),
        "only_there": .array(there.filter { !hereIDs.contains($0) }.map { .string($0) }),
      ])
  }

  /// All channels of one app in one environment.
  private static func known(
    _ access: ChannelAccess, _ entry: AppEntry, _ service: Service
  ) throws(Problem) -> [Channel] {
    var all: [Channel] = []
    var after: ChannelID?
    repeat {
      let page = try service.ask { store throws(StoreError) in
        try store.channels(app: entry.app.id, after: after, limit: StoreLimits.pageMax)
      }
      all += page.filter { $0.environment == access.environment && $0.bundleID == access.bundleID }
      after = page.count == StoreLimits.pageMax ? page.last?.id : nil
    } while after != nil
    return all
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let channel = try channel(call, service)
    let entry = try service.app(call)
    let access = try ChannelAccess(of: channel, entry, service)
    if call.http.query["listeners"] != "ignore" { try refuseIfSubscribed(channel, entry, call, service) }
    // A channel that is gone there already is forgotten here.
    try await access.ask(.delete(channelID: channel.channelID), unless: "ChannelNotRegistered")
    try await service.change { store throws(StoreError) in try store.deleteChannel(channel.id) }
    return .noContent
  }

  /// The most listeners that are counted.
  private static let listenersMax = 1_000

  /// Refuses while activities listen: nothing could update or end them any more, and Apple never makes the same channel again.
  private static func refuseIfSubscribed(
    _ channel: Channel, _ entry: AppEntry, _ call: Call, _ service: Service
  ) throws(Problem) {
    let since = call.now.adding(seconds: -ActivityRoutes.longestSeconds)
    let count = try service.ask { store throws(StoreError) in
      try store.activities(listeningTo: channel.id, since: since, limit: listenersMax)
    }
    guard count > 0 else { return }
    let said =
      count == 1 ? "1 activity listens" : "\(count == listenersMax ? "at least " : "")\(count) activities listen"
    throw Problem(
      .conflict,
      "\(said) to the channel, and would get no more updates; end \(count == 1 ? "it" : "them") first with POST"
        + " /v1/apps/\(entry.app.name)/channels/\(channel.id)/broadcasts, its event \"end\", or delete the channel all the"
        + " same with ?listeners=ignore")
  }

  static func channel(_ call: Call, _ service: Service) throws(Problem) -> Channel {
    let app = try service.app(call).app.id
    let found = try ChannelID(call.parameters[1]).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.channel(id) }
    }
    // A channel of another app does not exist here.
    guard let channel = found ?? nil, channel.app == app else {
      throw Problem(.notFound, "this app has no channel with that id; GET /v1/apps/{app}/channels lists them")
    }
    return channel
  }

  private static func json(_ channel: Channel) -> JSONObject {
    var object: JSONObject = ["id": .string(channel.id.description)]
    if let name = channel.name { object["name"] = .string(name) }
    object["channel_id"] = .string(channel.channelID)
    object["bundle_id"] = .string(channel.bundleID)
    object["environment"] = .string(channel.environment.name)
    object["storage"] = .string(channel.storage.name)
    object["created_at"] = .string(TimeText.text(channel.createdAt))
    return object
  }
}
