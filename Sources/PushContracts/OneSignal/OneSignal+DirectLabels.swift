import WireJSON

extension OneSignal {
  /// The names of an answer's members and what is the same in each, as they are written.
  ///
  /// A class, so that asking for one copies none.
  final class DirectLabels: Sendable {
    let additionalData = JSONFragment("additionalData")
    let badge = JSONFragment("badge")
    let bigPicture = JSONFragment("bigPicture")
    let body = JSONFragment("body")
    let category = JSONFragment("category")
    let collapse = JSONFragment("collapse")
    let collapseId = JSONFragment("collapseId")
    let contentAvailable = JSONFragment("contentAvailable")
    let data = JSONFragment("data")
    let displayPriority = JSONFragment("displayPriority")
    let groupKey = JSONFragment("groupKey")
    let groupMessage = JSONFragment("groupMessage")
    let hasBadge = JSONFragment("hasBadge")
    let image = JSONFragment("image")
    let importance = JSONFragment("importance")
    let interruptionLevel = JSONFragment("interruptionLevel")
    let largeIcon = JSONFragment("largeIcon")
    let launchURL = JSONFragment("launchURL")
    let link = JSONFragment("link")
    let lockScreenVisibility = JSONFragment("lockScreenVisibility")
    let mutableContent = JSONFragment("mutableContent")
    let notification = JSONFragment("notification")
    let notificationId = JSONFragment("notificationId")
    let onesignal = JSONFragment("onesignal")
    let priority = JSONFragment("priority")
    let rawPayload = JSONFragment("rawPayload")
    let relevanceScore = JSONFragment("relevanceScore")
    let restoring = JSONFragment("restoring")
    let sound = JSONFragment("sound")
    let subtitle = JSONFragment("subtitle")
    let templateId = JSONFragment("templateId")
    let templateName = JSONFragment("templateName")
    let thread = JSONFragment("thread")
    let threadId = JSONFragment("threadId")
    let title = JSONFragment("title")
    let ttl = JSONFragment("ttl")

    let noReport = text(#""report":[],"#)
    let noButtons = text(#""actionButtons":[],"#)
    /// A payload says nothing of a button that was tapped.
    let tap = text(#""action":{"type":"\#(NotificationAction.Kind.opened.rawValue)"},"#)
    let comma = text(",")
    let colon = text(":")
    // JSON text in a string.
    let rawText = text(#""rawPayload":"{"#)
    let collapseText = text(#",\"collapse_key\":"#)
    let ttlText = text(#",\"google.ttl\":\""#)
    let ttlEnd = text(#"\""#)
    let rawEnd = text(#"}","#)

    static let all = DirectLabels()

    private static func text(_ text: String) -> JSONFragment { JSONFragment(Array(text.utf8)) }
  }
}
