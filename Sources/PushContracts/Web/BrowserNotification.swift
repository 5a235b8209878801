// The module for browsers is bounded in size, and nothing in it reads what push services deliver.
#if !(_pointerBitWidth(_32))
  public import WireJSON

  /// What a browser shows of one push: what the server's service worker (`worker.js`) makes of the content, and what a
  /// browser with declarative web push makes of it by itself.
  ///
  /// Source: Push API, “Declarative push message”; Notifications API, “Showing a notification”.
  public struct BrowserNotification: Sendable, Hashable {
    /// A button.
    public struct Action: Sendable, Hashable {
      /// What the worker receives.
      public var id: String
      /// The label.
      public var title: String
      /// What it opens; nil for what the notification does.
      public var link: String?
      /// The address of its icon.
      public var icon: String?
    }

    /// A text of the page, which its worker looks up by a key.
    public struct PageText: Sendable, Hashable {
      /// The key.
      public var key: String
      /// What is put into it.
      public var arguments: [String]
    }

    /// The title as it is; nil for the site's name.
    public var title: String?
    /// The text as it is.
    public var body: String?
    /// The page's own title, which wins where the page has it.
    public var pageTitle: PageText?
    /// The page's own text, which wins where the page has it.
    public var pageBody: PageText?
    /// The address of the picture beside the texts.
    public var icon: String?
    /// The address of the picture below the texts.
    public var image: String?
    /// The address of the picture in a phone's status bar.
    public var badge: String?
    /// What a later notification replaces this one by.
    public var tag: String?
    /// The number on the site's icon, where the site is installed; 0 removes it.
    public var appBadge: Int64?
    /// The buttons.
    public var actions: [Action] = []
    /// What a tap opens; nil for the site.
    public var link: String?
    /// What the page's code is given besides.
    public var data: JSONValue?
    /// True when it makes no sound.
    public var isSilent = false
    /// True when a computer shows it until somebody acts.
    public var requiresInteraction = false
    /// True when it has the form that browsers show without a worker.
    public var isDeclarative = false

    /// True when browsers refuse something of it, such as a button without a label: title and text are shown then, and
    /// nothing else.
    public var isReduced = false

    /// Reads a content, as the worker and the browser do.
    public init(_ content: JSONValue) {
      guard let object = content.object else {
        body = JSON.minifiedText(content)
        return
      }
      let isWhole = object["web_push"]?.int == 8030
      let notification = object["notification"]?.object ?? object
      isDeclarative = isWhole && object["notification"]?.object != nil
      func text(_ name: String) -> String? {
        switch notification[name] {
        case .string(let text)?: text.isEmpty ? Optional.none : text
        case .number(let number)?: number.text
        case .bool(let flag)?: flag ? "true" : "false"
        default: Optional.none
        }
      }
      title = text("title")
      body = text("body")
      pageTitle = PageText(notification["title_loc"])
      pageBody = PageText(notification["body_loc"])
      appBadge = notification["app_badge"].flatMap { $0.int.map { Int64($0) } ?? $0.string.flatMap { Int64($0) } }
      link = text("navigate")
      data = notification["data"]
      isReduced = Self.isRefused(notification)
      guard !isReduced else { return }
      icon = text("icon")
      image = text("image")
      badge = text("badge")
      tag = text("tag")
      isSilent = notification["silent"]?.bool ?? false
      requiresInteraction = notification["requireInteraction"]?.bool ?? false
      actions = (notification["actions"]?.array ?? []).compactMap { action in
        guard let id = action["action"]?.string, let title = action["title"]?.string else { return nil }
        return Action(id: id, title: title, link: action["navigate"]?.string, icon: action["icon"]?.string)
      }
    }

    /// Whether `showNotification` throws: a member of the wrong type, or two that exclude each other.
    private static func isRefused(_ notification: JSONObject) -> Bool {
      let isAsked = { (name: String) in notification[name]?.bool == true }
      if isAsked("renotify"), notification["tag"]?.string?.isEmpty ?? true { return true }
      if isAsked("silent"), notification["vibrate"] != nil { return true }
      guard let actions = notification["actions"] else { return false }
      guard let actions = actions.array else { return true }
      return actions.contains { $0["action"] == nil || $0["title"] == nil }
    }
  }

  extension BrowserNotification.PageText {
    fileprivate init?(_ json: JSONValue?) {
      guard let key = json?["key"]?.string, !key.isEmpty else { return nil }
      self.key = key
      arguments = (json?["args"]?.array ?? []).compactMap { $0.string }
    }
  }

  /// A browser on a device, as far as its notifications differ from those of others.
  public struct BrowserScreen: Sendable, Hashable {
    /// The name in options and answers.
    public var name: String
    /// The name for a person.
    public var title: String
    /// Whether it is a phone.
    public var isPhone: Bool
    /// The most lines of the title and of the text.
    public var lines: (title: Int, body: Int) { (titleLines, bodyLines) }
    private var titleLines: Int
    private var bodyLines: Int
    /// The room for a line, in points.
    public var width: Int
    /// Whether it draws the icon; Safari draws the site's.
    public var drawsIcon: Bool
    /// Whether it draws the picture.
    public var drawsImage: Bool
    /// Whether it draws the badge.
    public var drawsBadge: Bool
    /// The most buttons.
    public var actionsMax: Int

    /// The browsers, those that most people have first.
    ///
    /// Icons, pictures, badges and buttons are those of the browsers' compatibility tables for `Notification`; lines are
    /// guidelines, as each system draws notifications in its own way. Firefox has buttons since version 152.
    public static let all: [BrowserScreen] = [
      BrowserScreen(
        name: "chrome-desktop", title: "Chrome and Edge on a computer", isPhone: false, titleLines: 1, bodyLines: 4,
        width: 270, drawsIcon: true, drawsImage: true, drawsBadge: false, actionsMax: 2),
      BrowserScreen(
        name: "chrome-android", title: "Chrome on Android", isPhone: true, titleLines: 1, bodyLines: 9, width: 306,
        drawsIcon: true, drawsImage: true, drawsBadge: true, actionsMax: 2),
      BrowserScreen(
        name: "firefox-desktop", title: "Firefox on a computer", isPhone: false, titleLines: 1, bodyLines: 4,
        width: 270, drawsIcon: true, drawsImage: false, drawsBadge: false, actionsMax: 2),
      BrowserScreen(
        name: "safari-mac", title: "Safari on a Mac", isPhone: false, titleLines: 1, bodyLines: 4, width: 270,
        drawsIcon: false, drawsImage: false, drawsBadge: false, actionsMax: 0),
      BrowserScreen(
        name: "safari-iphone", title: "iPhone, site on the home screen", isPhone: true, titleLines: 1, bodyLines: 4,
        width: 292, drawsIcon: false, drawsImage: false, drawsBadge: false, actionsMax: 0),
    ]

    /// The buttons that it draws of a notification.
    public func actions(of notification: BrowserNotification) -> ArraySlice<BrowserNotification.Action> {
      notification.actions.prefix(actionsMax)
    }

    /// The members of a notification that it does not draw.
    public func undrawn(of notification: BrowserNotification) -> [String] {
      var names: [String] = []
      if notification.icon != nil, !drawsIcon { names.append("icon") }
      if notification.image != nil, !drawsImage { names.append("image") }
      if notification.badge != nil, !drawsBadge { names.append("badge") }
      if notification.actions.count > actionsMax { names.append("actions") }
      return names
    }
  }
#endif
