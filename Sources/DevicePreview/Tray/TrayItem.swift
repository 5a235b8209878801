public import Basics
import PushContracts
import PushPayload
import WireJSON

/// A notification in a tray.
public struct TrayItem: Sendable, Hashable {
  /// Counts all notifications of the tray, from 1; one that is shown again gets a new number.
  public let id: Int
  /// What it shows; kept elsewhere, so that items move as easily as numbers.
  private var shown: Shown
  /// When it was shown, in seconds since 1970.
  public var shownTime: WholeNumber
  /// The sender's or the provider's id of the push.
  public var pushID: String?
  /// How many notifications it replaced, one after the other.
  public var replacedCount = 0
  /// True when it was shown again after the device was restarted.
  public var isRestored = false

  private final class Shown: Sendable {
    let preview: Preview
    init(_ preview: Preview) { self.preview = preview }
  }

  init(
    id: Int, preview: Preview, shownTime: WholeNumber, pushID: String? = nil, replacedCount: Int = 0,
    isRestored: Bool = false
  ) {
    self.id = id
    shown = Shown(preview)
    self.shownTime = shownTime
    self.pushID = pushID
    self.replacedCount = replacedCount
    self.isRestored = isRestored
  }

  /// What it shows.
  public var preview: Preview {
    get { shown.preview }
    set { shown = Shown(newValue) }
  }
  /// What the device made of the payload.
  public var notification: ShownNotification { shown.preview.notification }
}

extension TrayItem {
  /// Whether both are the same notification at the same time, showing the same.
  public static func == (left: TrayItem, right: TrayItem) -> Bool {
    left.id == right.id && left.shownTime == right.shownTime && left.pushID == right.pushID
      && left.replacedCount == right.replacedCount && left.isRestored == right.isRestored
      && (left.shown === right.shown || left.preview == right.preview)
  }

  /// Feeds the number and the time.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(shownTime)
  }
}

extension ShownNotification {
  /// The push that it was made of.
  var push: PreviewPush {
    PreviewPush(
      platform: platform, payload: platform.body(with: payload), contract: contract,
      collapseID: platform.traits.hasHeaders ? replacementKey : nil)
  }
}

extension Preview {
  /// The preview after an answer was typed into its field.
  func answered(text: String?, image: String?) -> Preview {
    var preview = self
    preview.notification.layout = nil
    preview.notification.targets = []
    preview.notification.body = text.map { NotificationText($0) } ?? notification.body
    preview.notification.expandedBody = nil
    preview.notification.image = image
    preview.layOut()
    return preview
  }
}

/// The outcome of a push or of something a person did.
public struct TrayChange: Sendable, Hashable {
  /// The kinds of change.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A new notification is in the tray.
    case shown
    /// It has replaced another.
    case replaced
    /// Nothing is shown.
    case silent
    /// It came too late.
    case expired
    /// A notification with the same id was shown before.
    case duplicate
    /// It was taken away by the person, or by a tap.
    case removed
    /// It was taken away and comes back later.
    case postponed
    /// It was shown again.
    case restored
    /// It shows something else: its timer ended, or an answer was sent.
    case changed
  }

  /// The kind.
  public var kind: Kind
  /// The number of the notification; nil when none is concerned.
  public var item: Int?
  /// Why, as a sentence.
  public var reason: String?

  /// Makes a change.
  public init(_ kind: Kind, item: Int? = nil, reason: String? = nil) {
    self.kind = kind
    self.item = item
    self.reason = reason
  }
}
