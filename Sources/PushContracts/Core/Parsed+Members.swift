public import Basics
public import WireJSON

/// The members that every contract shares, typed; each is absent when the payload has none.
extension Parsed {
  /// The first line a person reads.
  public var title: String? { notification["title"]?.string }
  /// The second line.
  public var subtitle: String? { notification["subtitle"]?.string }
  /// The text a person reads.
  public var body: String? { notification["body"]?.string }
  /// The number on the app's icon.
  public var badge: WholeNumber? { notification["badge"]?.int }
  /// A picture's address.
  public var image: String? { notification["image"]?.string }
  /// What a tap opens, where the contract has a field for it: Amba's `deep_link`, OneSignal's `launchURL`.
  public var link: String? { notification["link"]?.string }
  /// The kind of notification, which selects its buttons.
  public var category: String? { notification["category"]?.string }
  /// Notifications of one thread are grouped.
  public var thread: String? { notification["thread"]?.string }
  /// The buttons, each under the contract's own names; OneSignal's have an `id`.
  public var actions: [JSONObject] { (notification["actions"]?.array ?? []).compactMap { $0.object } }
  /// The app's own members; empty when there are none.
  public var data: JSONObject { notification["data"]?.object ?? [:] }
  /// True when nothing is shown.
  public var isSilent: Bool { notification["silent"]?.bool ?? false }
  /// The contract's own properties under its own names.
  public var properties: JSONObject { notification[contract.rawValue]?.object ?? [:] }
}
