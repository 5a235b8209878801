public import PushContracts
import PushPayload
public import WireJSON

/// What the app's handler sees of a tap.
public struct TrayTap: Sendable, Hashable {
  /// The notification's number in its tray.
  public var item: Int
  /// The contract the payload is read by.
  public var contract: ContractName
  /// The button that was pressed; nil for a tap on the notification.
  public var button: ShownButton?
  /// What the tap does.
  public var effect: ShownButton.Effect
  /// What it opens; nil when it opens the app or nothing.
  public var link: String?
  /// The action of the intent that Android starts for a tap (FCM's `click_action`); nil for the app's launcher.
  public var clickAction: String?
  /// The app's own members, as the contract's reader hands them over.
  public var data: JSONObject
  /// The whole notification as the contract's reader hands it over.
  public var handled: JSONObject
  /// The sender's or the provider's id of the push.
  public var pushID: String?
  /// True when the notification stays in the tray: sticky ones do.
  public var stays: Bool

  /// `opened`, or `action` for a button.
  public var type: String { button == nil ? "opened" : "action" }

  init(_ item: TrayItem, button: ShownButton?) {
    let notification = item.notification
    self.item = item.id
    contract = notification.contract
    self.button = button
    effect = button?.effect ?? notification.tapEffect
    let buttonLink = button?.link.flatMap { $0.isEmpty ? nil : $0 }
    link = button == nil || button?.effect == .action ? notification.link : buttonLink
    clickAction = button == nil ? notification.clickAction : nil
    let payload = notification.platform.body(with: notification.payload)
    let parsed = Contracts.parse(platform: notification.platform, payload: payload, contract: notification.contract)
    data = parsed.data
    handled = parsed.notification
    pushID = item.pushID
    stays = notification.isSticky && effect != .dismiss && effect != .remindLater
  }

  /// `{type, item, contract, action, effect, link, click_action, data, push_id}`.
  public var json: JSONObject {
    var object: JSONObject = [
      "type": .string(type), "item": .number(JSONNumber(item)), "contract": .string(contract.rawValue),
    ]
    object.add("action", button?.id)
    object.append("effect", .string(effect.rawValue))
    object.add("link", link)
    object.add("click_action", clickAction)
    object.append("data", .object(data))
    object.add("push_id", pushID)
    return object
  }
}
