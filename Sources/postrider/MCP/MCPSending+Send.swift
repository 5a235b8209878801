internal import Basics
import Glibc
import Signing
import WireJSON

/// The second step: the person, the limits, the server.
extension MCPSending {
  /// How long the server is watched while it gathers an audience, in looks and in microseconds between them.
  private static let looks = (count: 100, pause: UInt32(100_000))

  static func send(_ call: MCPCall, _ desk: MCPDesk) throws(MCPStop) -> JSONObject {
    guard desk.policy.allowsSending else { throw .refused("the operator has not allowed sending") }
    let confirmation = call["confirmation"]?.string ?? ""
    let draft = try desk.drafts.find(confirmation, now: desk.clock.steady())
    guard call["confirm"] == true else {
      throw .refused("confirm is not true: nothing is sent until the person has agreed")
    }
    try heed(call.person, confirmation, desk)
    let now = try recount(draft, confirmation, desk)
    if call.person == .canBeAsked {
      // Nobody is asked about what would be refused. What is tried again has its devices already.
      let left = try left(of: desk)
      guard now <= left || draft.state == .doubtful else { throw beyond(now, left: left, of: desk) }
      throw .ask(draft.question)
    }
    // The same for every try with this confirmation, and of no use to who reads it.
    let name = String(Hex.encode(SHA256.digest("postrider-mcp \(confirmation)")).prefix(32))
    try take(now, of: desk, as: name)
    let answer = try hand(draft, confirmation, name, desk)
    guard let push = answer["id"]?.string else { throw .refused("the answer names no push; look at list_pushes") }
    desk.drafts.set(.sent(push: push), confirmation)
    let (targeted, problem) = watch(push, answer, draft, desk)
    try? desk.account.settle(name, count: max(now, targeted), now: desk.clock.wall())
    var result: JSONObject = [
      "push": .string(push), "targeted": .number(JSONNumber(targeted)),
      "audience_shown": .number(JSONNumber(draft.audience)), "audience_now": .number(JSONNumber(now)),
      "replayed": .bool(answer["replayed"]?.bool ?? false),
      "left_this_hour": .number(JSONNumber((try? left(of: desk)) ?? 0)),
    ]
    if let problem { result.append("problem", .string(problem)) }
    return result
  }

  /// Stops where the person has not agreed, or must be asked and cannot be.
  private static func heed(_ person: MCPPerson, _ confirmation: String, _ desk: MCPDesk) throws(MCPStop) {
    switch person {
    case .agreed, .canBeAsked: return
    case .cannotBeAsked:
      guard desk.policy.requiresPerson else { return }
      throw .refused("the operator wants the person asked before every send, and this client cannot ask (elicitation)")
    case .declined:
      desk.drafts.remove(confirmation)
      throw .refused("the person declined; nothing was sent, and the confirmation is void")
    case .unanswered:
      throw .refused("the client could not ask the person; nothing was sent")
    }
  }

  /// Counts anew: the audience must not have grown beyond what was shown.
  private static func recount(_ draft: MCPDraft, _ confirmation: String, _ desk: MCPDesk) throws(MCPStop) -> Int {
    let now = try count(draft.request["to"] ?? .null, draft.app, desk).total
    guard now > 0 else { throw .refused("no device is in the audience any more; nothing was sent") }
    guard now <= draft.audienceMax else {
      desk.drafts.remove(confirmation)
      throw .refused(
        "the audience has grown from \(draft.audience) to \(now) devices since it was shown, beyond \(draft.audienceMax); "
          + "nothing was sent; call draft_push again")
    }
    return now
  }

  private static func take(_ count: Int, of desk: MCPDesk, as name: String) throws(MCPStop) {
    let left = try use { () throws(Exit) in
      try desk.account.take(count, max: desk.policy.audiencePerHourMax, as: name, now: desk.clock.wall())
    }
    if let left { throw beyond(count, left: left, of: desk) }
  }

  /// Devices that may still be sent to within the hour.
  static func left(of desk: MCPDesk) throws(MCPStop) -> Int {
    let used = try use { () throws(Exit) in try desk.account.used(now: desk.clock.wall()) }
    return max(0, desk.policy.audiencePerHourMax - used)
  }

  private static func beyond(_ count: Int, left: Int, of desk: MCPDesk) -> MCPStop {
    .refused(
      "\(count) devices are more than are left of this hour: \(left) of \(desk.policy.audiencePerHourMax); "
        + "nothing was sent")
  }

  /// Hands the push to the server, which keeps it once for a key, however often it is asked.
  private static func hand(
    _ draft: MCPDraft, _ confirmation: String, _ name: String, _ desk: MCPDesk
  ) throws(MCPStop) -> JSONValue {
    do throws(MCPAPIFailure) {
      let body = draft.slowed ?? draft.request
      return try desk.request("POST", "\(draft.app)/pushes", body: body, key: "postrider-mcp-\(name)")
    } catch {
      guard error.mayHaveArrived || draft.state == .doubtful else {
        try? desk.account.settle(name, count: 0, now: desk.clock.wall())
        throw .refused("\(error.text)\nNothing was sent; the confirmation is still good until it expires.")
      }
      desk.drafts.set(.doubtful, confirmation)
      throw .refused(
        "\(error.text)\nIt is not known whether it was sent. Calling send_push with the same confirmation sends it once at most."
      )
    }
  }

  /// Looks at a push until its audience is complete; one that got larger than what was shown is cancelled.
  ///
  /// A list of users is complete at once. A segment is materialized after the answer, from the devices that were registered
  /// when the server took the push, so a device that registers between the count and the send may be in it. Until it is
  /// known to be no larger, the push is slowed down to as many sends a minute as it may have in all.
  private static func watch(
    _ push: String, _ answer: JSONValue, _ draft: MCPDraft, _ desk: MCPDesk
  ) -> (targeted: Int, problem: String?) {
    var targeted = answer["targeted"]?.int ?? 0
    let path = "\(draft.app)/pushes/\(encoded(push))"
    for look in 0..<looks.count {
      if look > 0 { usleep(looks.pause) }
      guard let seen = try? desk.request("GET", path) else { break }
      targeted = seen["counts"]?["targeted"]?.int ?? targeted
      if targeted > draft.audienceMax {
        let isCancelled = (try? desk.request("POST", "\(path)/cancel")) != nil
        return (
          targeted,
          "the audience grew to \(targeted) devices, beyond \(draft.audienceMax), while it was sent; "
            + (isCancelled ? "what had not been sent was cancelled" : "it could not be cancelled: look at it")
        )
      }
      if seen["audience_complete"] == true { return (targeted, release(path, draft, desk)) }
    }
    return (targeted, draft.slowed.map { _ in slowness(draft) })
  }

  /// Lets a push that was slowed down go at the speed that was asked for; returns what is wrong when it cannot.
  private static func release(_ path: String, _ draft: MCPDraft, _ desk: MCPDesk) -> String? {
    guard draft.slowed != nil else { return nil }
    let speed: JSONObject = [throttle: draft.request[throttle] ?? .null]
    return (try? desk.request("PATCH", path, body: speed)) == nil ? slowness(draft) : nil
  }

  private static func slowness(_ draft: MCPDraft) -> String {
    "it is not known how large the audience became, so the push is sent to \(draft.audienceMax) devices a minute at most"
  }

  fileprivate static let throttle = "throttle_per_minute"
}

extension MCPDraft {
  /// The request at no more than `audienceMax` sends a minute; nil where the server knows the audience when it answers,
  /// and where it is no faster anyway.
  fileprivate var slowed: JSONObject? {
    guard request["to"]?["users"] == nil, request[MCPSending.throttle]?.int ?? .max > audienceMax else { return nil }
    var slowed = request
    slowed[MCPSending.throttle] = .number(JSONNumber(audienceMax))
    return slowed
  }
}
