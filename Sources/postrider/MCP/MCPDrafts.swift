internal import Basics
import Signing
import WireJSON

/// A push that was shown and may be sent: exactly this request, to no more than this audience, until then.
struct MCPDraft: Sendable {
  enum State: Sendable, Equatable {
    case waiting
    /// It was handed over, and it is not known whether the server took it; it can be tried again and is sent once.
    case doubtful
    case sent(push: String)
  }

  /// The path of the app.
  let app: String
  let request: JSONObject
  /// What the server was shown and the confirmation is for.
  let digest: String
  /// Devices when it was shown.
  let audience: Int
  /// The most devices that it may go to by now.
  let audienceMax: Int
  /// On the steady clock, in seconds.
  let expiresAt: Int64
  /// What the person is asked.
  let question: String
  var state = State.waiting

  /// The digest of a request to an app.
  static func digest(_ app: String, _ request: JSONObject) -> String {
    Hex.encode(SHA256.digest(Array(app.utf8) + [0] + JSON.minified(.object(request))))
  }

  /// How far an audience may grow between the showing and the sending: by a hundredth, which is none below 100 devices.
  static func audienceMax(shown: Int, cap: Int) -> Int { min(shown + shown / 100, cap) }
}

/// The confirmations that are out, by their text.
struct MCPDrafts {
  /// How long a confirmation is good for, in seconds.
  static let seconds: Int64 = 600
  /// The most that are kept; the oldest is forgotten.
  static let countMax = 64

  private var drafts: [(confirmation: String, draft: MCPDraft)] = []

  init() {}

  /// Keeps a draft; its confirmation names the request, too, so that a person can compare the two.
  mutating func add(_ draft: MCPDraft, secret: String) -> String {
    let confirmation = "confirm-\(secret)-\(draft.digest.prefix(12))"
    drafts.append((confirmation, draft))
    if drafts.count > MCPDrafts.countMax { drafts.removeFirst() }
    return confirmation
  }

  /// The draft of a confirmation that is still good.
  func find(_ confirmation: String, now: Int64) throws(MCPStop) -> MCPDraft {
    guard let draft = drafts.first(where: { $0.confirmation == confirmation })?.draft else {
      throw .refused("there is no such confirmation; call draft_push, and send with the confirmation that it returns")
    }
    if case .sent(let push) = draft.state {
      throw .refused("this confirmation was used: the push was sent once, as push \(push); draft_push starts another")
    }
    guard now < draft.expiresAt else {
      throw .refused("the confirmation has expired after \(MCPDrafts.seconds / 60) minutes; call draft_push again")
    }
    guard MCPDraft.digest(draft.app, draft.request) == draft.digest else {
      throw .refused("the confirmation is not for this request; call draft_push again")
    }
    return draft
  }

  mutating func set(_ state: MCPDraft.State, _ confirmation: String) {
    guard let index = drafts.firstIndex(where: { $0.confirmation == confirmation }) else { return }
    drafts[index].draft.state = state
  }

  /// Forgets a draft that was declined or refused.
  mutating func remove(_ confirmation: String) { drafts.removeAll { $0.confirmation == confirmation } }
}
