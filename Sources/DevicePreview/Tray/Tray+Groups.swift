internal import Basics
import PushContracts
import PushPayload
public import WireJSON

/// Notifications that are stacked.
public struct TrayGroup: Sendable, Hashable {
  /// What they are stacked by; nil for those without a thread or group key.
  public var key: String?
  /// The notifications, newest first.
  public var items: [TrayItem]
  /// The line above the stack; nil when there is none.
  public var summary: String?
  /// True when the notifications are shown as a stack.
  public var isStacked: Bool
}

extension Tray {
  /// How many notifications without a group key Android stacks by itself.
  public static let ungroupedStackMin = 4

  /// The notifications as they are stacked, the group with the newest one first.
  ///
  /// iOS stacks by `thread-id`, and those without one by their app. Android stacks by group key, and those without one
  /// from the fourth on.
  public var groups: [TrayGroup] {
    var order: [ByteKey?] = []
    var members: [ByteKey: [TrayItem]] = [:]
    var others: [TrayItem] = []
    for item in items.reversed() {
      if let key = item.notification.group.map(ByteKey.init) {
        if members[key] == nil { order.append(key) }
        members[key, default: []].append(item)
      } else {
        if others.isEmpty { order.append(nil) }
        others.append(item)
      }
    }
    return order.map { key in group(key?.text, key.flatMap { members[$0] } ?? others) }
  }

  private func group(_ key: String?, _ items: [TrayItem]) -> TrayGroup {
    let isStacked = items.count >= (key == nil ? rules.ungroupedStackMin : 2)
    return TrayGroup(
      key: key, items: items, summary: isStacked ? summary(of: items) : nil, isStacked: isStacked)
  }

  /// The newest notification's own text for the stack, or how many there are.
  private func summary(of items: [TrayItem]) -> String? {
    guard let text = items.first?.notification.groupMessage else { return rules.summary(items.count) }
    return OneSignal.counted(groupMessage: text, items.count)
  }
}

extension Tray {
  /// The tray as JSON: `{badge, groups: [{key, stacked, summary, items}], reminders, silent}`, newest first.
  ///
  /// - Parameter limit: how many notifications are written at most.
  public func json(limit: Int = Tray.itemsMax) -> JSONObject {
    var left = limit
    var groups: [JSONValue] = []
    for group in self.groups where left > 0 {
      var object = JSONObject()
      object.add("key", group.key)
      object.append("stacked", .bool(group.isStacked))
      object.add("summary", group.summary)
      object.append("count", .number(JSONNumber(group.items.count)))
      object.append("items", .array(group.items.prefix(left).map { .object($0.json) }))
      left -= group.items.count
      groups.append(.object(object))
    }
    return [
      "badge": .number(JSONNumber(badge)), "count": .number(JSONNumber(items.count)),
      "silent": .number(JSONNumber(silentCount)), "groups": .array(groups),
      "reminders": .array(
        reminders.map { reminder in
          ["due": .number(JSONNumber(reminder.due)), "item": .number(JSONNumber(reminder.item.id))]
        }),
    ]
  }
}

extension TrayItem {
  /// The item as JSON.
  public var json: JSONObject {
    var object: JSONObject = ["item": .number(JSONNumber(id)), "shown": .number(JSONNumber(shownTime))]
    object.add("push_id", pushID)
    if replacedCount > 0 { object.append("replaced", .number(JSONNumber(replacedCount))) }
    if isRestored { object.append("restored", true) }
    object.append("notification", .object(notification.json))
    return object
  }
}

extension TrayChange {
  /// `{change, item, reason}`.
  public var json: JSONObject {
    var object: JSONObject = ["change": .string(kind.rawValue)]
    if let item { object.append("item", .number(JSONNumber(item))) }
    object.add("reason", reason)
    return object
  }
}
