// The module for browsers is bounded in size; only emulators have Live Activities.
#if !(_pointerBitWidth(_32))
  public import Basics
  import PushPayload
  public import WireJSON

  /// The Live Activities of one app on one iPhone, from their start to the time they leave the lock screen.
  ///
  /// Like ``Tray`` it knows no clock and no network. Sources: Apple, “Starting and updating Live Activities with ActivityKit
  /// push notifications”, “Displaying live data with Live Activities”, `Activity.update(_:alertConfiguration:timestamp:)`.
  public struct LiveScreen: Sendable {
    /// The most activities, as Apple documents no number; of one more the start is ignored.
    public static let activitiesMax = 20
    /// How long an activity runs at most: eight hours.
    public static let activeSeconds: WholeNumber = 8 * 3_600
    /// How long an ended one stays at most: four hours.
    public static let endedSeconds: WholeNumber = 4 * 3_600

    /// A push for an activity.
    public struct Push: Sendable {
      /// `aps`.
      public var aps: JSONValue
      /// The title of its alert in the language of the phone, and its body.
      public var alert: LiveActivity.Alert?
      /// The provider's id.
      public var id: String
      /// What it is addressed to; a start is addressed to the app.
      public var address: LiveActivity.Address

      /// A push for an activity.
      public init(aps: JSONValue, alert: LiveActivity.Alert?, id: String, address: LiveActivity.Address) {
        self.aps = aps
        self.alert = alert
        self.id = id
        self.address = address
      }
    }

    /// The activities, oldest first.
    public private(set) var activities: [LiveActivity] = []
    private var lastID = 0
    /// Addresses whose activity has left: their updates are ignored, and Apple knows their tokens no more.
    public private(set) var left: Set<LiveActivity.Address> = []

    /// A phone without activities.
    public init() {}

    /// The activities as the lock screen sorts them: the most relevant first, then the newest.
    public var sorted: [LiveActivity] {
      activities.sorted { ($0.relevance, $0.id) > ($1.relevance, $1.id) }
    }

    // MARK: Pushes

    /// A push arrives.
    ///
    /// - Parameters:
    ///   - push: the push.
    ///   - token: makes the token of a new activity, whose number it is given.
    ///   - now: the time, in seconds since 1970.
    public mutating func receive(_ push: Push, now: WholeNumber, token: (Int) -> String) -> [TrayChange] {
      let before = advance(to: now)
      guard let timestamp = push.aps["timestamp"]?.int.map({ WholeNumber($0) }) else {
        return before + [Self.ignored("it has no timestamp, and the phone does nothing with it")]
      }
      switch push.aps["event"]?.string {
      case "start": return before + [start(push, timestamp, now, token)]
      case "update": return before + [change(push, timestamp, now, ends: false)]
      case "end": return before + [change(push, timestamp, now, ends: true)]
      case let event:
        return before + [Self.ignored("\(event ?? "no event") is none of start, update and end")]
      }
    }

    private static func ignored(_ reason: String) -> TrayChange { TrayChange(.silent, reason: reason) }

    private mutating func start(
      _ push: Push, _ timestamp: WholeNumber, _ now: WholeNumber, _ token: (Int) -> String
    ) -> TrayChange {
      guard let type = push.aps["attributes-type"]?.string, let attributes = push.aps["attributes"]?.object,
        let content = push.aps["content-state"]?.object
      else { return Self.ignored("a start needs attributes-type, attributes and content-state") }
      guard push.alert != nil else { return Self.ignored("a start needs an alert") }
      guard activities.count < Self.activitiesMax else {
        return Self.ignored("the phone shows \(Self.activitiesMax) activities already")
      }
      lastID += 1
      let channel = push.aps["input-push-channel"]?.string
      var new = LiveActivity(
        id: lastID, address: channel.map { .channel($0) } ?? .token(token(lastID)), type: type, attributes: attributes,
        timestamp: timestamp, startedTime: now, changedTime: now, pushID: push.id)
      new.contentState = content
      new.take(push)
      activities.append(new)
      _ = advance(to: now)
      return TrayChange(.shown, reason: "Live Activity \(lastID) was started")
    }

    private mutating func change(
      _ push: Push, _ timestamp: WholeNumber, _ now: WholeNumber, ends: Bool
    ) -> TrayChange {
      guard let index = index(of: push, timestamp, now) else {
        return Self.ignored("no Live Activity here listens to what it was sent to")
      }
      let id = activities[index].id
      guard activities[index].state != .ended else { return Self.ignored("Live Activity \(id) has ended") }
      guard timestamp >= activities[index].timestamp else {
        return Self.ignored("Live Activity \(id) shows what is newer")
      }
      if let content = push.aps["content-state"]?.object {
        activities[index].contentState = content
      } else if !ends {
        return Self.ignored("an update needs content-state")
      }
      activities[index].timestamp = timestamp
      activities[index].changedTime = now
      activities[index].pushID = push.id
      activities[index].updateCount += 1
      activities[index].take(push)
      guard ends else {
        _ = advance(to: now)
        return TrayChange(.changed, reason: "Live Activity \(id) was updated")
      }
      activities[index].end(at: now, dismissal: push.aps["dismissal-date"]?.int.map { WholeNumber($0) })
      let isGone = !advance(to: now).isEmpty
      return TrayChange(.removed, reason: "Live Activity \(id) has ended" + (isGone ? ", and has left the screen" : ""))
    }

    /// The activity that a push is for; one that the app started itself is known by its first push.
    private mutating func index(of push: Push, _ timestamp: WholeNumber, _ now: WholeNumber) -> Int? {
      if let index = activities.firstIndex(where: { $0.address == push.address }) { return index }
      guard case .token = push.address, !left.contains(push.address), activities.count < Self.activitiesMax else {
        return nil
      }
      lastID += 1
      activities.append(
        LiveActivity(
          id: lastID, address: push.address, type: nil, attributes: [:], timestamp: timestamp, startedTime: now,
          changedTime: now, pushID: push.id))
      return activities.count - 1
    }

    // MARK: Time

    /// Time passes: content gets out of date, activities end after eight hours, and leave after four more.
    public mutating func advance(to now: WholeNumber) -> [TrayChange] {
      var changes: [TrayChange] = []
      for index in activities.indices {
        if activities[index].state == .active, let stale = activities[index].staleDate, stale <= now {
          activities[index].state = .stale
          changes.append(TrayChange(.changed, reason: "Live Activity \(activities[index].id) is stale"))
        }
        let (end, never) = activities[index].startedTime.addingReportingOverflow(Self.activeSeconds)
        if activities[index].state != .ended, !never, end <= now {
          activities[index].end(at: end, dismissal: nil)
          changes.append(
            TrayChange(.changed, reason: "Live Activity \(activities[index].id) was ended after eight hours"))
        }
      }
      for gone in activities where gone.leavesTime.map({ $0 <= now }) == true {
        remove(gone)
        changes.append(TrayChange(.removed, reason: "Live Activity \(gone.id) has left the screen"))
      }
      return changes
    }

    /// The person takes an activity away; false when there is none with this number.
    public mutating func dismiss(_ id: Int) -> Bool {
      guard let activity = activities.first(where: { $0.id == id }) else { return false }
      remove(activity)
      return true
    }

    private mutating func remove(_ activity: LiveActivity) {
      activities.removeAll { $0.id == activity.id }
      // Of those that have left only as many are remembered as one phone plausibly has.
      if left.count >= 1_000 { left.removeAll() }
      if !activities.contains(where: { $0.address == activity.address }) { left.insert(activity.address) }
    }

    /// The activities, sorted, as JSON.
    public var json: JSONValue { .array(sorted.map { .object($0.json) }) }
  }

  extension LiveActivity {
    /// Takes over what a push says beside the content.
    fileprivate mutating func take(_ push: LiveScreen.Push) {
      if let alert = push.alert { self.alert = alert }
      staleDate = push.aps["stale-date"]?.int.map { WholeNumber($0) }
      relevance = push.aps["relevance-score"]?.double ?? relevance
      if state == .stale { state = .active }
    }

    fileprivate mutating func end(at time: WholeNumber, dismissal: WholeNumber?) {
      state = .ended
      let (latest, never) = time.addingReportingOverflow(LiveScreen.endedSeconds)
      leavesTime = min(dismissal ?? .max, never ? .max : latest)
    }
  }
#endif
