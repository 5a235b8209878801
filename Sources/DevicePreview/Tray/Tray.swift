public import Basics
public import PushPayload
import WireJSON

/// The notifications of one app on one device, from their arrival to the tap.
///
/// What decides is here and knows no clock and no network: pushes and the person's doings go in, changes come out, and
/// every call is given the time, in seconds since 1970.
///
/// 1. Numbers of items grow; items are in the order of their numbers.
/// 2. At most one item has a certain replacement key.
/// 3. There are at most ``itemsMax`` items; the oldest makes room.
public struct Tray: Sendable {
  /// The most notifications in a tray.
  public static let itemsMax = 10_000
  /// The most notifications that wait to be shown again; of one more the earliest is forgotten.
  public static let remindersMax = 10_000
  /// The most ids that are remembered in order to show each once.
  static let knownIDsMax = 10_000

  /// The platform of the device.
  public let platform: Platform
  /// The device.
  public var device: PreviewDevice
  /// The notifications, oldest first.
  public private(set) var items: [TrayItem] = []
  /// How many pushes showed nothing.
  public private(set) var silentCount = 0

  let rules: TrayRules
  private var lastID = 0
  /// The number on the icon as pushes set it (iOS); Android counts what is in the tray.
  private var iconNumber: WholeNumber = 0
  /// From the replacement key to the item that has it.
  private var shownByKey: [ByteKey: Int] = [:]
  private var postponed: [(due: WholeNumber, item: TrayItem)] = []
  /// The notifications whose timers run, with the time at which they show something else.
  private var timers: [(due: WholeNumber, id: Int)] = []
  /// The earliest time at which anything happens by itself.
  private var nextDue = WholeNumber.max
  private var knownIDs: Set<ByteKey> = []

  /// An empty tray.
  public init(platform: Platform, device: PreviewDevice = PreviewDevice()) {
    self.platform = platform
    self.device = device
    rules = TrayRules.all[platform]
  }

  /// The number on the app's icon: what pushes made of it on iOS, the sum of the tray on Android.
  public var badge: WholeNumber {
    if rules.setsBadge { return iconNumber }
    var sum: WholeNumber = 0
    for item in items { sum = sum.addingReportingOverflow(item.countOnIcon).partialValue }
    return sum
  }

  /// The notifications that come back later, with the time they are due.
  public var reminders: [(due: WholeNumber, item: TrayItem)] { postponed }

  /// The notification with a number; nil when it is not in the tray.
  public subscript(id: Int) -> TrayItem? { index(of: id).map { items[$0] } }

  // MARK: Pushes

  /// A push arrives.
  ///
  /// - Parameters:
  ///   - push: the push.
  ///   - id: the sender's or the provider's id of it.
  ///   - now: the time, in seconds since 1970.
  public mutating func receive(_ push: PreviewPush, id: String? = nil, now: WholeNumber) -> TrayChange {
    device.now = now
    let preview = Preview(push, on: device)
    let notification = preview.notification
    if let identifier = notification.identifier, rules.showsIDsOnce, knownIDs.contains(ByteKey(identifier)) {
      return TrayChange(.duplicate, reason: "a notification with the id \(identifier) was handled before")
    }
    if rules.setsBadge { iconNumber = notification.badge.applied(to: iconNumber) }
    if let expires = notification.expires, expires <= now, notification.hasText {
      return TrayChange(.expired, reason: "it was worth showing until \(expires), and it is \(now)")
    }
    if let reason = notification.silence {
      silentCount += 1
      return TrayChange(.silent, reason: reason)
    }
    if let identifier = notification.identifier { remember(identifier) }
    return show(TrayItem(id: 0, preview: preview, shownTime: now, pushID: id))
  }

  private mutating func remember(_ identifier: String) {
    if knownIDs.count >= Tray.knownIDsMax { knownIDs.removeAll(keepingCapacity: true) }
    knownIDs.insert(ByteKey(identifier))
  }

  /// Puts an item in front, replacing the one with its replacement key.
  private mutating func show(_ item: TrayItem, as kind: TrayChange.Kind = .shown) -> TrayChange {
    var replaced: TrayItem?
    if let key = item.notification.replacementKey, let id = shownByKey[ByteKey(key)] { replaced = take(id) }
    lastID += 1
    var shown = TrayItem(
      id: lastID, preview: item.preview, shownTime: item.shownTime, pushID: item.pushID, replacedCount: 0,
      isRestored: item.isRestored)
    if let replaced { shown.replacedCount = replaced.replacedCount + 1 }
    if items.count >= Tray.itemsMax, let oldest = items.first { _ = take(oldest.id) }
    items.append(shown)
    if let key = shown.notification.replacementKey { shownByKey[ByteKey(key)] = shown.id }
    watch(shown)
    guard let replaced else { return TrayChange(kind, item: shown.id) }
    return TrayChange(.replaced, item: shown.id, reason: "it replaced \(replaced.id)")
  }

  // MARK: The person

  /// A tap on a notification; nil when it is not in the tray.
  public mutating func tap(_ id: Int, now: WholeNumber) -> TrayTap? { act(id, button: nil, now: now) }

  /// A press on a button of a notification; nil when there is no such notification or button.
  public mutating func press(_ button: String, on id: Int, now: WholeNumber) -> TrayTap? {
    guard let item = self[id] else { return nil }
    let shown = item.notification
    guard let button = (shown.buttons + shown.targets).first(where: { $0.id == button }) else { return nil }
    return act(id, button: button, now: now)
  }

  private mutating func act(_ id: Int, button: ShownButton?, now: WholeNumber) -> TrayTap? {
    guard let item = self[id] else { return nil }
    let tap = TrayTap(item, button: button)
    if tap.effect == .remindLater { postpone(item, now: now) }
    if tap.effect == .reply, answer(id) { return tap }
    if !tap.stays { _ = take(id) }
    return tap
  }

  /// A reminder that is due already is not given again, as Adobe's library has it.
  private mutating func postpone(_ item: TrayItem, now: WholeNumber) {
    let due: WholeNumber
    switch item.notification.reminder {
    case .at(let time)?: due = time
    case .after(let seconds)?:
      let (sum, isNever) = now.addingReportingOverflow(seconds)
      due = isNever ? .max : sum
    case nil: return
    }
    guard due > now else { return }
    if postponed.count >= Tray.remindersMax { postponed.removeFirst() }
    postponed.append((due, item))
    nextDue = min(nextDue, due)
  }

  /// After an answer the notification shows the sender's thanks; false when there are none, and it goes away.
  private mutating func answer(_ id: Int) -> Bool {
    guard let index = index(of: id), case .input(_, let text, let image)? = items[index].notification.layout,
      text != nil || image != nil
    else { return false }
    items[index].preview = items[index].preview.answered(text: text, image: image)
    return true
  }

  /// Takes a notification away; false when it is not in the tray.
  public mutating func dismiss(_ id: Int) -> Bool { take(id) != nil }

  /// Takes all notifications away; the number on an iPhone's icon stays.
  public mutating func clear() {
    items.removeAll()
    shownByKey.removeAll()
    timers.removeAll()
  }

  // MARK: Time

  /// Time passes: reminders that are due are shown again, and timers end.
  public mutating func advance(to now: WholeNumber) -> [TrayChange] {
    guard nextDue <= now else { return [] }
    let due = postponed.filter { $0.due <= now }.sorted { $0.due < $1.due }
    postponed.removeAll { $0.due <= now }
    var changes: [TrayChange] = []
    for (time, var item) in due {
      item.shownTime = time
      changes.append(show(item))
    }
    changes += endTimers(now: now)
    nextDue = min(postponed.map { $0.due }.min() ?? WholeNumber.max, timers.map { $0.due }.min() ?? WholeNumber.max)
    return changes
  }

  /// Remembers when a notification shows something else by itself.
  private mutating func watch(_ item: TrayItem) {
    guard let seconds = item.notification.secondsToChange else { return }
    let (due, isNever) = item.shownTime.addingReportingOverflow(seconds)
    guard !isNever else { return }
    timers.append((due, item.id))
    nextDue = min(nextDue, due)
  }

  private mutating func endTimers(now: WholeNumber) -> [TrayChange] {
    let due = timers.filter { $0.due <= now }.sorted { ($0.due, $0.id) < ($1.due, $1.id) }
    guard !due.isEmpty else { return [] }
    timers.removeAll { $0.due <= now }
    var changes: [TrayChange] = []
    for (_, id) in due {
      guard let index = index(of: id) else { continue }
      var later = device
      later.now = items[index].shownTime
      later.age = now.subtractingReportingOverflow(items[index].shownTime).partialValue
      items[index].preview = Preview(items[index].notification.push, on: later)
      changes.append(TrayChange(.changed, item: id, reason: "its timer ended"))
    }
    return changes
  }

  /// The device is restarted: an iPhone keeps its notifications; on Android those come back whose library restores
  /// them and that are still worth showing.
  public mutating func restart(now: WholeNumber) -> [TrayChange] {
    guard rules.emptiesAtRestart else { return [] }
    let before = items
    clear()
    var changes: [TrayChange] = []
    for var item in before where item.notification.restores {
      if let expires = item.notification.expires, expires <= now { continue }
      item.isRestored = true
      let change = show(item, as: .restored)
      changes.append(TrayChange(.restored, item: change.item))
    }
    return changes
  }

  // MARK: Finding

  /// Takes an item out of the tray.
  private mutating func take(_ id: Int) -> TrayItem? {
    guard let index = index(of: id) else { return nil }
    let item = items.remove(at: index)
    if let key = item.notification.replacementKey, shownByKey[ByteKey(key)] == id { shownByKey[ByteKey(key)] = nil }
    return item
  }

  /// The index of an item, by halving: numbers grow.
  private func index(of id: Int) -> Int? {
    var low = 0
    var high = items.count
    while low < high {
      let middle = (low + high) / 2
      if items[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < items.count && items[low].id == id ? low : nil
  }
}

extension TrayItem {
  /// What a notification counts on the icon of an Android launcher: its own number, or one.
  var countOnIcon: WholeNumber {
    if case .set(let number) = notification.badge { return max(0, number) }
    return 1
  }
}
