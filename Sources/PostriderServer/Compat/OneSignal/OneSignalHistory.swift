internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// The outcome of a notification: files of its recipients, and reports that it arrived or was opened.
enum OneSignalHistory {
  static let routes: [Route] = [
    OneSignalRoutes.route(
      .post, "/notifications/{notification_id}/history", "GetNotificationHistory",
      "Makes a link to a file of those whom a notification was sent to, or who clicked it.",
      body: Schema(.map, "OneSignal's request.", example: ["events": "sent", "email": "ops@example.com"])
    ) { c throws(Problem) in
      try c.body.refuseOthers(than: ["events", "email"])
      let events = try c.body.text("events") ?? ""
      guard events == "sent" || events == "clicked" else {
        throw OneSignalErrors.refusal("events", "expected sent or clicked, found \"\(events.prefix(40))\"")
      }
      // The vendor announces the file by mail; here it is complete when the link is made.
      _ = try c.body.text("email")
      let push = try OneSignalViews.push(c.call.parameters[0], c)
      let link = OneSignalFiles.link(.history(push.id, clicked: events == "clicked"), c)
      return Reply(200, ["success": true, "destination_url": link])
    },
    OneSignalRoutes.route(
      .post, "/notifications/{notification_id}/export_events", "ExportEvents",
      "Makes a link to a file of all that is known of a notification's recipients."
    ) { c throws(Problem) in
      let push = try OneSignalViews.push(c.call.parameters[0], c)
      return Reply(200, ["csv_file_url": OneSignalFiles.link(.events(push.id), c)])
    },
    OneSignalRoutes.route(
      .put, "/notifications/{notification_id}", "TrackOpen", "Records that a notification was opened.",
      body: Schema(
        .map, "OneSignal's request.",
        example: ["player_id": "b6b326d8-40aa-13e5-b91b-bf8bc3fa26f7", "opened": true])
    ) { c async throws(Problem) in
      try c.body.refuseOthers(than: ["player_id", "subscription_id", "opened", "device_type"])
      guard try c.body.flag("opened") == true else { throw OneSignalErrors.refusal("opened", "expected true") }
      return try await record(.opened, c)
    },
    OneSignalRoutes.route(
      .put, "/notifications/{notification_id}/report_received", "ReportReceived",
      "Records that a notification arrived.",
      body: Schema(
        .map, "OneSignal's request.", example: ["player_id": "b6b326d8-40aa-13e5-b91b-bf8bc3fa26f7"])
    ) { c async throws(Problem) in
      try c.body.refuseOthers(than: ["player_id", "subscription_id", "device_type"])
      return try await record(.received, c)
    },
  ]

  private static func record(_ kind: EventKind, _ c: CompatCall) async throws(Problem) -> Reply {
    let push = try OneSignalViews.push(c.call.parameters[0], c)
    let (older, newer) = (try c.body.text("player_id"), try c.body.text("subscription_id"))
    guard let id = newer ?? older else { throw OneSignalErrors.refusal("player_id", "is required") }
    let device = try OneSignalSubscriptions.found(id, c)
    let event = NewEvent(kind, .device(.id(device.id), .id(push.id)))
    let outcomes = try await c.service.result { store, done in
      store.recordEvents([event], app: c.app, principal: .trusted, now: c.now, completion: done)
    }
    switch outcomes.first {
    case .recorded, .duplicate: return Reply(200, ["success": true])
    case .late: throw Problem(.invalid, "player_id: the notification is too old to be reported on")
    case .unknown, nil: throw Problem(.invalid, "player_id: the notification was not sent to this subscription")
    }
  }
}

/// The recipients of a notification: a row for each, or for each event.
struct OneSignalRecipientRows: OneSignalRows {
  enum Selection: Sendable { case sent, clicked, all }

  private let deliveries: any DeliveryExport
  private let selection: Selection
  private let appID: String
  private let store: any Store

  init(_ deliveries: any DeliveryExport, _ selection: Selection, _ appID: String, _ store: any Store) {
    (self.deliveries, self.selection, self.appID, self.store) = (deliveries, selection, appID, store)
  }

  var header: [UInt8] {
    var text: [UInt8] = []
    text.appendRecord(["subscription_id", "external_user_id", "event", "timestamp", "reason"])
    return text
  }

  func next(into text: inout [UInt8], now: Timestamp) throws(StoreError) -> Bool {
    let rows = try deliveries.next(now: now)
    for row in rows {
      let events = events(row)
      guard !events.isEmpty else { continue }
      let device = try row.device.flatMap { (id) throws(StoreError) in try store.device(id) }
      let id = device.map { OneSignalSubscription.id($0, appID) } ?? ""
      for event in events {
        text.appendRecord([id, row.user ?? "", event.name, TimeText.text(event.at), event.reason])
      }
    }
    return !rows.isEmpty
  }

  private func events(_ row: DeliveryRecord) -> [(name: String, at: Timestamp, reason: String)] {
    let clicked = row.events.openedAt.map { (name: "clicked", at: $0, reason: "") }
    switch selection {
    case .sent: return [("sent", row.at, "")]
    case .clicked: return clicked.map { [$0] } ?? []
    case .all:
      var events: [(name: String, at: Timestamp, reason: String)] = []
      switch row.state {
      case .accepted: events.append(("sent", row.at, ""))
      case .rejected: events.append(("failed", row.at, row.reason))
      case .expired, .unknown: events.append(("errored", row.at, row.reason))
      default: break
      }
      if let at = row.events.receivedAt { events.append(("received", at, "")) }
      return events + (clicked.map { [$0] } ?? [])
    }
  }
}
