internal import PushPayload
internal import StoreModel
internal import WireJSON

/// A campaign: a push whose campaign id has the mark of this interface, because the id is in the payload as it is.
struct AmbaCampaign: Sendable {
  let id: String
  let push: Push
  let scheduled: ScheduledPush?
  private let request: JSONValue

  static let missing = Problem(.notFound, "there is no campaign with this id")
  /// The member of a stored request that has what Amba's campaigns have and ours have not.
  static let member = "compat"

  /// The id of a new one.
  static func newID(_ c: CompatCall) -> String { c.id(Int64.random(in: 0...Int64.max), .campaign) }

  /// Nil for a push that is none.
  init?(_ push: Push, _ c: CompatCall) throws(Problem) {
    guard push.app == c.app, let name = push.name, c.number(name, .campaign) != nil else { return nil }
    (id, self.push) = (name, push)
    scheduled = try c.ask { store throws(StoreError) in try store.scheduledPush(of: push.id) }
    let stored = scheduled.flatMap { try? JSON.parse($0.request) }
    if let stored, stored["message"] != nil {
      request = stored
    } else {
      let content = try c.ask { store throws(StoreError) in try store.content(of: push.id) }
      request = ["message": content.flatMap { try? JSON.parse($0.message) } ?? .null]
    }
  }

  /// The campaign of the path.
  init(_ c: CompatCall) throws(Problem) {
    // The id is the last parameter of both generations of paths.
    guard let id = c.call.parameters.last, c.number(id, .campaign) != nil else { throw AmbaCampaign.missing }
    let push = try c.ask { store throws(StoreError) in try store.push(app: c.app, named: id.lowercased()) }
    guard let push, let campaign = try AmbaCampaign(push, c) else { throw AmbaCampaign.missing }
    self = campaign
  }

  var status: PushStatus { PushStatus.of(push) }

  /// Refuses what only a campaign that has not started allows.
  func requireUnstarted() throws(Problem) {
    guard push.state == .draft || push.state == .planned else { throw AmbaCampaign.alreadySent }
  }

  static let alreadySent = AmbaErrors.problem(
    .alreadySent, "the campaign is being sent or was sent; create another one")

  /// What a request of our own says when it comes too late.
  static func late(_ problem: Problem) -> Problem {
    problem.kind == .conflict ? alreadySent : AmbaErrors.naming(problem)
  }

  /// What beside the message the caller gave: the name, and the time.
  var own: JSONObject { request[AmbaCampaign.member]?["amba"]?.object ?? [:] }
  var message: JSONObject { request["message"]?.object ?? [:] }
  var segment: JSONValue { request["to"]?["segment"] ?? .null }

  /// The stored request's member of what is not ours.
  static func kept(_ own: JSONObject) -> JSONValue { ["amba": .object(own)] }

  var json: JSONValue {
    let title = message["title"] ?? ""
    var object: JSONObject = [
      "id": .string(id), "name": own["name"] ?? title, "title": title, "body": message["body"] ?? "",
      "data": message["data"] ?? [:], "segment_id": segment, "status": .string(status.rawValue),
      "delivery_mode": own["delivery_mode"] ?? "absolute",
    ]
    // Our own API and the dashboard can give it another time.
    if let dueAt = scheduled?.dueAt, scheduled?.local == nil {
      object["scheduled_at"] = AmbaRoutes.time(dueAt)
    } else {
      object["scheduled_at"] = own["scheduled_at"] ?? .null
    }
    object["local_date"] = own["local_date"] ?? .null
    object["local_time"] = own["local_time"] ?? .null
    object["sent_at"] = status == .sent ? AmbaRoutes.time(push.finishedAt) : .null
    object["stats"] = [
      "sent": AmbaRoutes.number(push.counts.accepted), "delivered": AmbaRoutes.number(push.events.received),
      "opened": AmbaRoutes.number(push.events.opened),
      "failed": AmbaRoutes.number(push.counts.rejected + push.counts.expired + push.counts.unknown),
    ]
    object["created_at"] = AmbaRoutes.time(push.createdAt)
    return .object(object)
  }
}
