// The module for browsers is bounded in size; only emulators have Live Activities.
#if !(_pointerBitWidth(_32))
  public import Basics
  public import WireJSON

  /// A Live Activity on the lock screen of an iPhone, as pushes have made it.
  public struct LiveActivity: Sendable {
    /// What its updates are addressed to.
    public enum Address: Sendable, Hashable {
      /// A token of its own.
      case token(String)
      /// A broadcast channel.
      case channel(String)
    }

    /// Where it is in its life.
    public enum State: String, Sendable, Hashable, CaseIterable {
      /// It gets updates.
      case active
      /// It gets updates, and its content is out of date.
      case stale
      /// It gets no more updates, and is still on the lock screen.
      case ended
    }

    /// The text that drew attention to the last change.
    public struct Alert: Sendable, Hashable {
      /// Its title.
      public var title: String?
      /// Its body.
      public var body: String?

      /// An alert.
      public init(title: String?, body: String?) {
        self.title = title
        self.body = body
      }
    }

    /// Counts all activities of the phone, from 1.
    public let id: Int
    /// What its updates are addressed to.
    public let address: Address
    /// The name of its `ActivityAttributes`; nil when the app started it and no push has said so.
    public let type: String?
    /// What never changes.
    public let attributes: JSONObject
    /// What it shows.
    public internal(set) var contentState: JSONObject = [:]
    /// Where it is in its life.
    public internal(set) var state = State.active
    /// The alert of the last push that had one.
    public internal(set) var alert: Alert?
    /// The time of the content; what is older is ignored.
    public internal(set) var timestamp: WholeNumber
    /// From when on the content is out of date; nil for never.
    public internal(set) var staleDate: WholeNumber?
    /// When it was started, in seconds since 1970.
    public let startedTime: WholeNumber
    /// When it was last changed.
    public internal(set) var changedTime: WholeNumber
    /// When it leaves the lock screen; nil while it has not ended.
    public internal(set) var leavesTime: WholeNumber?
    /// Sorts several activities, the largest first.
    public internal(set) var relevance: Double = 0
    /// How many updates it has had.
    public internal(set) var updateCount = 0
    /// The provider's id of the last push.
    public internal(set) var pushID: String

    /// `{activity, type, state, token or channel, attributes, content_state, alert, timestamp, …}`.
    public var json: JSONObject {
      var object: JSONObject = ["activity": .number(JSONNumber(id)), "state": .string(state.rawValue)]
      switch address {
      case .token(let token): object.append("token", .string(token))
      case .channel(let channel): object.append("channel", .string(channel))
      }
      object.add("type", type)
      object.append("attributes", .object(attributes))
      object.append("content_state", .object(contentState))
      if let alert {
        var texts = JSONObject()
        texts.add("title", alert.title)
        texts.add("body", alert.body)
        object.append("alert", .object(texts))
      }
      object.append("timestamp", .number(JSONNumber(timestamp)))
      if let staleDate { object.append("stale_date", .number(JSONNumber(staleDate))) }
      if let leavesTime { object.append("leaves", .number(JSONNumber(leavesTime))) }
      object.append("started", .number(JSONNumber(startedTime)))
      object.append("changed", .number(JSONNumber(changedTime)))
      object.append("updates", .number(JSONNumber(updateCount)))
      object.append("push_id", .string(pushID))
      return object
    }
  }
#endif
